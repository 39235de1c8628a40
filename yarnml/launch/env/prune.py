"""What an installed package or the standard library holds that nothing needs in order to run."""

from __future__ import annotations

from pathlib import PurePosixPath

# Whole folders, wherever they are.
FOLDERS = frozenset({"__pycache__", "tests", "test", "include", "site-packages", "dist-packages"})
# Sources and headers of what is compiled, stubs, and what only builds or links.
SUFFIXES = frozenset(
    {".pyi", ".pyc", ".pxd", ".pyx", ".pxi", ".h", ".hpp", ".hh", ".c", ".cc", ".cpp", ".cu", ".cuh", ".f", ".f90"}
    | {".a", ".la", ".lib", ".cmake", ".pc", ".whl", ".exe", ".bat", ".dll"}
)
# Of a package's own description, what importlib.metadata answers from.
DESCRIPTION = frozenset({"METADATA", "entry_points.txt"})

# The standard library: what has a window or a terminal, installs packages, builds Python, or tests it.
STDLIB_FOLDERS = frozenset({"ensurepip", "idlelib", "lib2to3", "tkinter", "turtledemo", "pydoc_data"})
STDLIB_NAMES = ("config-", "turtle.py", "sitecustomize.py", "usercustomize.py", "EXTERNALLY-MANAGED")
DYNLOAD = ("_test", "_xx", "xx", "_ctypes_test", "_tkinter", "_curses", "readline", "nis.", "ossaudiodev")

# Parts of packages that are large, that yarnml doesn't use and that the package does without.
UNUSED: dict[str, tuple[str, ...]] = {
    # Arrow's servers, cloud stores (data is reached by fsspec), and formats that hdfs_io doesn't read
    "pyarrow": (
        *("_flight", "flight", "_s3fs", "_gcsfs", "_azurefs", "_hdfs", "_orc", "_dataset_orc", "gandiva"),
        *("_pyarrow_cpp_tests", "jvm", "src", "scripts"),
    ),
    "scipy": ("datasets",),
}


def runs(name: str) -> bool:
    """Whether a file of a package is wanted; `name` as installed, below site-packages."""
    path = PurePosixPath(name)
    if path.parts[0] == ".." or path.suffix in SUFFIXES or FOLDERS & set(path.parts[:-1]):
        return False
    if path.parts[0].endswith((".dist-info", ".egg-info")):
        return path.name in DESCRIPTION
    rest = "/".join(path.parts[1:])
    return not any(_is(rest, part) for part in UNUSED.get(path.parts[0], ()))


def runs_stdlib(name: str) -> bool:
    """Whether a file of the standard library is wanted; `name` as it lies below lib/python3.x."""
    path = PurePosixPath(name)
    if path.suffix in SUFFIXES or FOLDERS & set(path.parts[:-1]) or path.parts[0] in STDLIB_FOLDERS:
        return False
    if path.parts[0] == "lib-dynload":
        return not path.name.startswith(DYNLOAD)
    return not path.parts[0].startswith(STDLIB_NAMES)


def _is(name: str, part: str) -> bool:
    """A module or folder, whatever its suffix: `_flight` is _flight.cpython-311-x86_64-linux-gnu.so."""
    return name == part or name.startswith((f"{part}.", f"{part}/"))
