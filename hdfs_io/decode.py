"""Decode: images and sound as arrays, from the bytes that a row of the formats `images` and `wav` holds."""

from __future__ import annotations

import io
import wave

import numpy as np
from numpy.typing import NDArray

from hdfs_io.errors import DataError

MOST_PIXELS = 1 << 28  # of an image; more is an attack or a mistake


def decode_image(data: bytes, where: str = "image") -> NDArray[np.uint8]:
    """Height x width x channels: 1 for grey, 3 for all others. DataError, which names `where`, for what is no image.

    Needs Pillow: `pip install 'yarnml[images]'`. JPEG has no decoder in the standard library, numpy or pyarrow.
    """
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise DataError(f"{where}: images need Pillow: pip install 'yarnml[images]'") from error
    try:
        with Image.open(io.BytesIO(data), formats=("JPEG", "PNG")) as image:
            if image.width * image.height > MOST_PIXELS:
                raise DataError(f"{where}: {image.width} x {image.height} pixels are too many")
            grey = image.mode in ("1", "L", "I", "I;16", "F")
            found = np.asarray(image.convert("L" if grey else "RGB"))
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:  # Pillow's for broken files
        raise DataError(f"{where}: not a whole JPEG or PNG ({error})") from error
    return found.reshape(*found.shape[:2], -1)


def decode_wav(data: bytes, where: str = "sound") -> tuple[int, NDArray[np.float32]]:
    """Samples a second, and samples x channels in [-1, 1). DataError, which names `where`, for no whole PCM WAV."""
    try:
        with wave.open(io.BytesIO(data)) as sound:
            width, channels, count = sound.getsampwidth(), sound.getnchannels(), sound.getnframes()
            rate, raw = sound.getframerate(), sound.readframes(count)
    except (wave.Error, EOFError, ValueError) as error:
        raise DataError(f"{where}: not a PCM WAV file ({error})") from error
    if len(raw) != count * channels * width:
        raise DataError(
            f"{where}: cut short: holds {len(raw):,} bytes of sound, its head says {count * channels * width:,}"
        )
    return rate, _samples(raw, width).reshape(-1, channels)


def _samples(raw: bytes, width: int) -> NDArray[np.float32]:
    if width == 1:  # unsigned, around 128
        raw = (np.frombuffer(raw, np.uint8) ^ 128).tobytes()
    if width == 3:
        wide = np.zeros((len(raw) // 3, 4), np.uint8)
        wide[:, 1:] = np.frombuffer(raw, np.uint8).reshape(-1, 3)
        raw, width = wide.tobytes(), 4
    return np.frombuffer(raw, f"<i{width}").astype(np.float32) / np.float32(2.0 ** (8 * width - 1))
