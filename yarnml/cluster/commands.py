"""The commands `hadoop`, `hdfs` and `yarn` of a cluster: what Skein, Spark and people call, in few lines of shell."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from yarnml.cluster.layout import write

SCRIPT = """\
#!/bin/sh
# `hadoop`, `hdfs` and `yarn` of the cluster in {root}
[ -n "${{HADOOP_CONF_DIR-}}" ] || HADOOP_CONF_DIR={conf}
export HADOOP_CONF_DIR
jars={jars}

run() {{
  main=$1
  shift
  exec {java} {options} -Dproc_client -cp "$HADOOP_CONF_DIR:$jars/*" "org.apache.hadoop.$main" "$@"
}}

command=${{1-}}
[ $# = 0 ] || shift
case "$command" in
  classpath)
    if [ "${{1-}}" != --glob ]; then
      printf '%s\\n' "$HADOOP_CONF_DIR:$jars/*"
      exit
    fi
    printf '%s' "$HADOOP_CONF_DIR"
    printf ':%s' "$jars"/*.jar
    echo ;;
  dfs | fs) run fs.FsShell "$@" ;;
  dfsadmin) run hdfs.tools.DFSAdmin "$@" ;;
  fsck) run hdfs.tools.DFSck "$@" ;;
  getconf) run hdfs.tools.GetConf "$@" ;;
  app | application | applicationattempt | container) run yarn.client.cli.ApplicationCLI "$command" "$@" ;;
  logs) run yarn.client.cli.LogsCLI "$@" ;;
  node) run yarn.client.cli.NodeCLI "$@" ;;
  queue) run yarn.client.cli.QueueCLI "$@" ;;
  rmadmin) run yarn.client.cli.RMAdminCLI "$@" ;;
  version) run util.VersionInfo ;;
  *)
    echo "$0: no '$command' here; there are: classpath dfs dfsadmin fs fsck getconf" \\
      "app application applicationattempt container logs node queue rmadmin version" >&2
    exit 2 ;;
esac
"""


def write_commands(directory: Path, *, root: Path, conf: Path, jars: Path, java: Path, options: Sequence[str]) -> None:
    """Write the three scripts to `directory`; they are one script under three names."""
    quoted = {"conf": conf, "jars": jars, "java": java / "bin/java"}
    text = SCRIPT.format(
        root=root, options=shlex.join(options), **{name: shlex.quote(str(path)) for name, path in quoted.items()}
    )
    for name in ("hadoop", "hdfs", "yarn"):
        write(directory / name, text)
        (directory / name).chmod(0o755)
