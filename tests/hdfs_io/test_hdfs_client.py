"""What HDFS answers, in one line of ours."""

from __future__ import annotations

from hdfs_io.hdfs_client import one_line


def test_a_path_that_hdfs_refuses_is_said_with_what_may_be_wrong() -> None:
    java = "RPCError: org.apache.hadoop.fs.InvalidPathException: Invalid path name Invalid file name: /user//train.csv"
    said = one_line(f"{java}\n\tat org.apache.hadoop.Server")
    assert said.startswith("HDFS takes no path with an empty part (a variable that is unset?)")
    assert said.endswith("/user//train.csv")
