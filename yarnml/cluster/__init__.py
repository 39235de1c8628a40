"""A real one-machine Hadoop (HDFS and YARN) for trying and testing: up, down, status, env."""

from yarnml.cluster.cluster import Cluster, env, running
from yarnml.cluster.daemon import DaemonError
from yarnml.cluster.down import down
from yarnml.cluster.status import Status, status
from yarnml.cluster.up import up

__all__ = ["Cluster", "DaemonError", "Status", "down", "env", "running", "status", "up"]
