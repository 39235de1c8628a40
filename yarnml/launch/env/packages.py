"""The installed packages that run: yarnml's own, and those that it needs, with what these need."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from yarnml.errors import UsageError
from yarnml.launch.env.elf import is_shared, read
from yarnml.launch.env.entry import Entry, below
from yarnml.launch.env.prune import runs

OWN = ("yarnml", "hdfs_io", "yarnml_apps", "yarnml_conf")
WELCOME = ("hdfs-native",)  # not needed to run on one machine, so not installed everywhere
CLIENTS = frozenset({"setuptools", "skein"})  # only submitting needs them, and what they need
COMPILED = (".nbi", ".nbc")  # numba's cache, which lies beside the sources


def needed(also: Iterable[str] = WELCOME) -> list[Distribution]:
    """What yarnml needs on a node, by name, itself not among them, and those of `also` that are installed."""
    seen: dict[str, Distribution] = {}
    waiting = [("yarnml", ""), *((name, "") for name in also if _installed(name))]
    done: set[tuple[str, str]] = set()
    while waiting:
        wish = waiting.pop()
        if wish in done:
            continue
        done.add(wish)
        name, extra = wish
        dist = seen.setdefault(name, _distribution(name))
        for text in dist.requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                needs = canonicalize_name(requirement.name)
                waiting += [(needs, more) for more in ("", *sorted(requirement.extras)) if needs not in CLIENTS]
    seen.pop("yarnml")
    return [seen[name] for name in sorted(seen)]


def entries(dist: Distribution) -> list[Entry]:
    """The files of an installed package that are needed to run it, named as they lie in site-packages."""
    if dist.files is None or _editable(dist):
        raise UsageError(
            f"the package {dist.name} can't be shipped: it is installed "
            f"{'in editable mode' if dist.files else 'without a list of its files'}; "
            "install it by pip from a wheel, into a virtual environment"
        )
    found = [Entry(file.as_posix(), Path(str(dist.locate_file(file)))) for file in dist.files if runs(file.as_posix())]
    return without_twins([entry for entry in found if entry.source.is_file()])


def without_twins(entries: list[Entry]) -> list[Entry]:
    """Less the copies of libraries that wheels hold instead of links, and those that nothing links to any more.

    Arrow has its libraries three times, and several that only its unused modules need.
    """
    names = {entry.source.name for entry in entries if ".so" in entry.source.name}
    versioned = {name.partition(".so.")[0] + ".so" for name in names if ".so." in name}
    linkable = {name for name in names if name.startswith("lib") and (".so." in name or name in versioned)}
    while linkable:
        wanted = {name for entry in entries if is_shared(entry.source) for name in read(entry.source).needed}
        unused = linkable - wanted
        if not unused:
            break
        linkable -= unused
        entries = [entry for entry in entries if entry.source.name not in unused]
    return entries


def own() -> list[Entry]:
    """yarnml's code as it is imported here, the working tree if it is installed from one."""
    found = [entry for name in OWN for entry in below(_folder(name), name)]
    dist = _distribution("yarnml")
    metadata = f"yarnml-{dist.version}.dist-info"
    described = [Path(str(dist.locate_file(f))) for f in dist.files or () if f.parts[0] == metadata and runs(str(f))]
    return [entry for entry in found if entry.source.suffix not in COMPILED] + [
        Entry(f"{metadata}/{path.name}", path) for path in described
    ]


def compiled() -> list[Entry]:
    """The kernels that were compiled here and lie beside the code: numba uses them where the processor is the same."""
    version = f".py{sys.version_info.major}{sys.version_info.minor}."
    return [
        Entry(f"{name}/{file.relative_to(_folder(name)).as_posix()}", file)
        for name in OWN
        for file in sorted(_folder(name).rglob("__pycache__/*"))
        if file.suffix in COMPILED and version in file.name
    ]


def _folder(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise UsageError(
            f"the package {name} is not importable here; install yarnml: pip install yarnml, or pip install -e ."
        )
    return Path(next(iter(spec.submodule_search_locations)))


def _distribution(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError as error:
        raise UsageError(
            f"the package {name} is not installed here; pip install {name} (yarnml: pip install -e .)"
        ) from error


def _installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _editable(dist: Distribution) -> bool:
    url = json.loads(dist.read_text("direct_url.json") or "{}")
    return bool(url.get("dir_info", {}).get("editable", False))
