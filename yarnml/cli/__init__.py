"""The command line: one file a command, found here and imported when called."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from yarnml import __version__
from yarnml.cli.line import refusal, wanted
from yarnml.cli.signals import Terminated, terminable

COMMANDS = {  # name -> what it takes, what it does
    "run": ("APP", "train on this machine"),
    "submit": ("APP", "the same on a Hadoop cluster"),
    "predict": ("MODEL", "apply a model to a data set"),
    "apps": ("[NAME]", "the algorithms there are, or what one of them is"),
    "runs": ("", "the runs so far"),
    "status": ("RUN", "how a run stands"),
    "logs": ("RUN [-f]", "what its processes said"),
    "plot": ("RUN ...", "what runs have learned over time, in a picture"),
    "kill": ("RUN", "end a run"),
    "data": ("copy|convert|head|describe", "look at data sets, bring them elsewhere"),
    "cluster": ("up|down|status|env", "a Hadoop cluster on this machine, to try things on"),
    "env": ("list|clean", "the Python environments that submit has sent"),
    "bench": ("NAME", "measure yarnml beside its peers"),
    "completion": ("bash|zsh", "tab completion for a shell"),
}

RUNS = ("run", "submit", "predict")  # which have --json

HELP = """\
usage: yarnml COMMAND ...

Machine learning at cluster scale, in Python, on the Hadoop cluster a company already has.

{commands}

`yarnml COMMAND --help` says more; `yarnml run APP --help` shows an app's own flags. A first try, on data that is
brought along:

  yarnml run mlr
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code: 0 done, 1 the run failed, 2 refused, 130 interrupted, 143 killed."""
    args = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter is no reason to fail
    try:
        with terminable():
            code = _dispatch(args)
        sys.stdout.flush()
    except BrokenPipeError:  # `yarnml ... | head` has read enough
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return complain("interrupted", 130)
    except SystemExit as stop:
        return int(stop.code or 0)
    except Terminated:
        return complain("killed", 143)
    except Exception as error:
        from yarnml.errors import DataError, YarnmlError  # here, since --help needs nothing that these bring in

        if not isinstance(error, YarnmlError | DataError):
            raise  # a fault of ours, or of a private app: its author wants to see where
        return complain(str(error), exit_code(error))
    return code


def exit_code(error: Exception) -> int:
    """1 where a run has ended badly, 2 where none was started."""
    from yarnml.errors import RunFailed, Stopped

    return 1 if isinstance(error, RunFailed | Stopped) else 2


def complain(message: str, code: int) -> int:
    print(f"yarnml: {message}", file=sys.stderr)
    return code


def _dispatch(args: list[str]) -> int:
    if not args or args[0] in ("-h", "--help", "help"):
        print(help_text(), end="")
        return 0
    if args[0] in ("-V", "--version"):
        print(f"yarnml {__version__}")
        return 0
    name, *rest = args
    if name not in COMMANDS:
        from yarnml.errors import UsageError, nearest

        raise UsageError(f"no command {name!r}{nearest(name, COMMANDS)}")
    if any("hdfs://" in word for word in rest):
        _find_hadoop()
    with refusal(rest[0] if rest else "", name in RUNS and wanted(rest)):
        command = import_module(f"yarnml.cli.{name}")
    code: int = command.main(rest)
    return code


def _find_hadoop() -> None:
    """Let what this machine's own cluster holds be found without a word about it in the environment."""
    if "HADOOP_CONF_DIR" in os.environ:
        return
    from yarnml.launch.yarn.site import adopt

    if note := adopt():
        print(note, file=sys.stderr)


def help_text() -> str:
    lines = [f"  yarnml {name + ' ' + takes:<33} {does}" for name, (takes, does) in COMMANDS.items()]
    return HELP.format(commands="\n".join(lines))
