"""The bench of recovery: it finds the process that it is to kill."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from yarnml.bench.recover import VICTIMS, process
from yarnml.errors import RunFailed


def test_the_process_of_a_run_is_found_by_its_role(tmp_path: Path) -> None:
    words = f"x yarnml.launch.role --job {tmp_path}/job.json --role worker --index 1".split()
    script = "print(flush=True); input()"  # its command can be read once it runs
    with subprocess.Popen([sys.executable, "-c", script, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as one:
        assert one.stdout is not None
        one.stdout.readline()
        assert process(VICTIMS["worker"], str(tmp_path)) == one.pid
        with pytest.raises(RunFailed, match="no process"):
            process(VICTIMS["server"], str(tmp_path))
        one.communicate()
