"""docs/data.md: its commands run, its Python too, and its tables are what the code says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import get_args
from uuid import uuid4

import pytest

import hdfs_io
from hdfs_io import open_fs
from hdfs_io.formats import FORMATS
from hdfs_io.guess import SUFFIXES
from hdfs_io.labels import MISSING
from hdfs_io.shape import RARE, SEPARATORS
from hdfs_io.target import NAMES
from hdfs_io.text import CODECS
from hdfs_io.writers import COMPRESSIONS
from yarnml.cli import main
from yarnml.config import flag, hints
from yarnml.request import Reading

TEXT = (Path(__file__).parents[1] / "docs" / "data.md").read_text()
COMMANDS = [line.strip() for line in TEXT.splitlines() if line.startswith("    yarnml ")]


def section(title: str) -> str:
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def column(title: str, k: int) -> list[str]:
    """A column of the table below a title, without its head."""
    rows = [line for line in section(title).splitlines() if line.startswith("|")]
    return [row.strip("|").split("|")[k].strip() for row in rows[2:]]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the files that the page speaks of."""
    rows = [(f"n{i}", i % 7 + 0.5, i % 5 + i % 2, ("red", "blue")[i % 2]) for i in range(60)]
    (tmp_path / "train.csv").write_text(
        "name,width,length,species\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows)
    )
    (tmp_path / "new.csv").write_text("name,length,width\n" + "".join(f"{a},{c},{b}\n" for a, b, c, _ in rows))
    (tmp_path / "gaps.csv").write_text("a,b,y\n1.5,2,0\n,3,1\n2.5,4,0\n3.5,,1\n4.5,5,1\n")
    (tmp_path / "ratings.csv").write_text("userId,movieId,rating\n1,10,4.5\n1,11,3\n2,10,0.5\n")
    (tmp_path / "sensors.txt").write_text("1.5;2.5\n3.5;4.5\n")
    for name in ("ham", "spam"):
        (tmp_path / "mails" / name).mkdir(parents=True)
        (tmp_path / "mails" / name / "1.txt").write_text(f"Some lines of text,\nwhich are {name}.\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_its_commands_run_in_their_order(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(COMMANDS) >= 12
    away = f"memory://{uuid4().hex}/"
    for command in COMMANDS:
        words = shlex.split(command.replace("hdfs:///", away), comments=True)[1:]
        assert main([*words, "--runs", str(place / "runs")] if words[0] in ("run", "predict") else words) == 0, command
    said = capsys.readouterr()
    assert "60 rows x 2 dense features in 1 file" in said.out
    assert "3 ratings in 1 file" in said.out
    assert "2 rows" in said.out
    fs, path = open_fs(away + "data/train")
    assert {Path(name).name for name in fs.ls(path, detail=False)} == {"part-00000.parquet", "_SUCCESS"}
    assert fs.cat_file(path + ".csv") == (place / "train.csv").read_bytes()
    assert (place / "clean.csv").read_text().count("\n") == 1 + 3
    assert (place / "rejects.json").read_text().count("missing in column") == 2
    assert (place / "scores.csv").read_text().splitlines()[0].replace('"', "").startswith("name,prediction")


def test_its_python_runs(place: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "data.md", "exec"), names)
    assert (place / "train.arrow").is_file()
    imported = re.findall(r"\w+", code.split("import ")[1].split("\n")[0])
    assert set(imported) <= set(hdfs_io.__all__)


def test_its_formats_are_those_that_are_read() -> None:
    assert {name.strip("`") for name in column("Formats", 0)} == set(FORMATS)
    for name, ends in zip(column("Formats", 0), column("Formats", 1), strict=True):
        own = {suffix for suffix, form in SUFFIXES.items() if form == name.strip("`")}
        assert set(re.findall(r"`(\S+)`", ends)) == own, name
    text = section("Formats")
    assert set(CODECS) - {".tgz"} <= set(re.findall(r"`(\.\w+)`", text))
    told = text.split("lines cut alike by")[1].split("blanks")[0]
    assert [sep for sep in SEPARATORS if sep not in "\t |" and f"`{sep}`" not in told.replace("\\x01", "\x01")] == []
    assert all(f"`{sep}`" in text for sep in RARE)


def test_its_flags_are_those_of_reading() -> None:
    flags = {word for title in ("Formats", "Columns", "What is wrong with rows") for word in _flags(section(title))}
    known = {flag(name) for name in hints(Reading)}
    assert known <= flags | {"--quote"}
    assert flags <= known | {"--no-header", "--data", "--epochs", "--out", "--overwrite"}
    policies = section("What is wrong with rows")
    for name in ("missing", "bad_rows", "unknown"):
        choices = [word for word in get_args(hints(Reading)[name]) if isinstance(word, str)]
        choices += [word for part in get_args(hints(Reading)[name]) for word in get_args(part)]
        assert all(f"`{word}`" in policies or f" {word}`" in policies for word in choices), name
    marks = set(re.findall(r"`([^`]+)`", policies.split("missing (")[1].split(")")[0]))
    assert marks <= set(MISSING)
    assert all(name in section("Columns") for name in NAMES)


def test_what_is_written_is_compressed_as_it_says() -> None:
    for name, how in zip(column("What is written", 0), column("What is written", 2), strict=True):
        kind = name.strip("`")
        said = set(re.findall(r"\b(snappy|gzip|zstd|lz4|bz2|none)\b", how))
        said -= {"none"} if kind == "arrow" else set()
        assert how == "the same" or said == set(COMPRESSIONS[kind]), kind
    assert COMPRESSIONS["libsvm"] == COMPRESSIONS["csv"]


def _flags(text: str) -> list[str]:
    return re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", text)
