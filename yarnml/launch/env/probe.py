"""A probe: the laid-out Python runs once, alone, before it is sent anywhere."""

from __future__ import annotations

import subprocess
from collections.abc import Collection
from pathlib import Path

from yarnml.errors import UsageError
from yarnml.launch.env.python import EXECUTABLE

STDLIB = ("bz2", "ctypes", "hashlib", "lzma", "multiprocessing", "sqlite3", "ssl", "uuid", "zlib")
# What yarnml imports, where it is packed.
IMPORTS = (
    *("fsspec", "hdfs_native.fsspec", "numba", "numpy", "pyarrow.compute", "pyarrow.csv", "pyarrow.dataset"),
    *("pyarrow.fs", "pyarrow.parquet", "rich.console", "rich.live", "scipy.sparse", "threadpoolctl", "tyro", "yaml"),
    *("zmq",),
)
CODE = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
if "numba" in sys.modules:  # the compiler imports its parts when it is first used
    import numba, numpy
    numba.njit(lambda x: x.sum())(numpy.ones(2))
print(*{m.__file__ for m in list(sys.modules.values()) if getattr(m, "__file__", None)}, sep="\\n")
"""
LIMIT = 300.0  # seconds


def probe(root: Path, packages: Collection[str]) -> list[Path]:
    """Import what yarnml uses of `packages` with the Python below `root`, and compile a function.

    Returns the source files that this took. UsageError with its last words if it fails.
    """
    names = [name for name in IMPORTS if name.partition(".")[0] in packages]
    command = [str(root / EXECUTABLE), "-I", "-B", "-X", "utf8", "-c", CODE, *STDLIB, *names]
    try:
        done = subprocess.run(command, cwd=root, env={}, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"the packed Python did not answer within {LIMIT:g} s") from error
    if done.returncode:
        last = "\n".join(f"  | {line}" for line in done.stderr.splitlines()[-6:]) or f"exit code {done.returncode}"
        raise UsageError(f"the packed Python doesn't run; mend what it says, or give one by --env:\n{last}")
    return [path for line in done.stdout.splitlines() if (path := Path(line)).suffix == ".py" and root in path.parents]
