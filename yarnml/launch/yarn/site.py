"""The site: the Hadoop cluster that runs are submitted to, found by HADOOP_CONF_DIR or running on this machine."""

from __future__ import annotations

import os
import shutil
from typing import final

from hdfs_io import hadoop, join, open_fs
from yarnml.cluster import running
from yarnml.errors import UsageError
from yarnml.launch.yarn.manager import Manager, configured

RUNS = ".yarnml/runs"


def adopt() -> str | None:
    """Where HADOOP_CONF_DIR isn't set, use the cluster that runs on this machine, if any; says so, for the user."""
    if hadoop.conf_dir() is not None:
        return None
    cluster = running()
    if cluster is None:
        return None
    os.environ.update(cluster.variables())
    return f"HADOOP_CONF_DIR isn't set: using the cluster of this machine, {cluster.hdfs}"


@final
class Site:
    """A cluster whose masters answer."""

    def __init__(self, home: str, manager: Manager) -> None:
        self.home = home  # the user's home directory, as a URL that names the NameNode
        self.manager = manager

    @property
    def runs(self) -> str:
        """Where runs are kept unless said otherwise."""
        return join(self.home, RUNS)

    @classmethod
    def find(cls) -> Site:
        """UsageError or DataError, within 10 s and by address, if there is none or it doesn't answer."""
        if hadoop.conf_dir() is None:
            raise UsageError(
                "no Hadoop cluster is known here: set HADOOP_CONF_DIR to its configuration, or start one on this "
                "machine by `yarnml cluster up`"
            )
        if shutil.which("yarn") is None:
            raise UsageError("the command `yarn` isn't on PATH; submit asks it where Hadoop's jars are")
        manager = configured()
        manager.check()
        home = home_url()
        fs, path = open_fs(home)
        fs.exists(path)
        return cls(home, manager)


def home_url() -> str:
    """The user's directory in the default file system."""
    return f"hdfs://{hadoop.default_fs()}/user/{hadoop.user()}"


def default_home() -> str | None:
    """The user's directory on the cluster that is configured or runs here, if there is one."""
    adopt()
    return None if hadoop.conf_dir() is None else home_url()


def default_runs() -> str | None:
    """The directory of runs there."""
    home = default_home()
    return None if home is None else join(home, RUNS)
