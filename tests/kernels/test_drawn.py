"""Topics are drawn as the reference draws them, by their chances."""

from __future__ import annotations

import numpy as np

from yarnml.kernels.drawn import drawn, drawn_reference


def test_equals_the_reference() -> None:
    rng = np.random.default_rng(0)
    theta, phi = rng.random((5, 7), np.float32), rng.random((11, 7), np.float32)
    document, word = (rng.integers(n, size=400, dtype=np.int32) for n in (5, 11))
    u = np.append(rng.random(398), [0.0, np.nextafter(1, 0)])
    np.testing.assert_array_equal(drawn(document, word, theta, phi, u), drawn_reference(document, word, theta, phi, u))


def test_by_their_chances() -> None:
    theta, phi = np.array([[0.5, 0.5, 0.0]], np.float32), np.array([[0.2, 0.6, 0.9]], np.float32)
    zero = np.zeros(20_000, np.int32)
    z = drawn(zero, zero, theta, phi, np.random.default_rng(0).random(len(zero)))
    counts = np.bincount(z, minlength=3) / len(z)
    np.testing.assert_allclose(counts, [0.25, 0.75, 0], atol=0.02)
