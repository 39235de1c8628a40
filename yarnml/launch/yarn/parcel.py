"""The parcel: what travels with one run as an archive that only the user can read, and the lines that start a role."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping

from hdfs_io import hadoop, join, open_fs
from yarnml.job import Job
from yarnml.launch import keys
from yarnml.launch.env import Shipment
from yarnml.launch.yarn.inside import SAID
from yarnml.launch.yarn.spec import Spec
from yarnml.launch.yarn.stay import AGAIN
from yarnml.wire.zmq import new_keys

SCRIPT = """\
mkdir -p home tmp
export HOME="$PWD/home" TMPDIR="$PWD/tmp" LANG=C.UTF-8 LC_ALL=C.UTF-8 HADOOP_CONF_DIR="$PWD/start/conf"
export YARNML_LOG="${{LOG_DIRS%%,*}}/yarnml.log"
( {role} ) >"$YARNML_LOG" 2>&1 </dev/null
code=$?
case $code in 0 | {said}) exit $code ;; esac
( {last_words} --code "$code" ) >>"$YARNML_LOG" 2>&1 </dev/null
exit $code
"""


def script(role: str, shipment: Shipment) -> str:
    """The shell stays as the parent of the role's process, to speak for one that can't."""
    module = "yarnml.launch.yarn.scheduler" if role == "scheduler" else "yarnml.launch.yarn.container"
    flags = () if role == "scheduler" else ("--role", role)
    return SCRIPT.format(
        role=shipment.command("-m", module, *flags),
        last_words=shipment.command("-m", "yarnml.launch.yarn.last_words", "--role", role),
        said=SAID if role == "scheduler" else AGAIN,
    )


def send(job: Job, spec: Spec) -> str:
    """Put the archive into the run's directory; its URL."""
    url = join(job.url, "start/start.tar.gz")
    fs, path = open_fs(url)
    folder = path.rpartition("/")[0]
    fs.makedirs(folder, exist_ok=True)
    fs.chmod(folder, 0o700)  # before anything secret is in it
    with fs.open(path, "wb") as file:
        secrets = {keys.FILE: new_keys().to_json()}
        file.write(_archive({"job.json": job.to_json(), "yarn.json": spec.to_json(), **secrets, **_conf()}))
    fs.chmod(path, 0o600)
    return url


def _conf() -> dict[str, str]:
    """The client's Hadoop configuration, so that names mean the same in a container."""
    folder = hadoop.conf_dir()
    found = [] if folder is None else [folder / name for name in hadoop.FILES]
    return {f"conf/{path.name}": path.read_text(encoding="utf-8") for path in found if path.is_file()}


def _archive(texts: Mapping[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as tar:
        for name, text in texts.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(text.encode()), 0o600
            tar.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()
