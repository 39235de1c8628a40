"""A data set by its URL: lists of several, names of any letters, locally, in HDFS and behind a mount table."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from hdfs_io import DataError, list_files, load, open_fs, read_text, remove, scan, write_text
from hdfs_io.listing import apart
from yarnml.cluster import Cluster

Put = Callable[[str, str | bytes], str]
CSV = "a,y\n1,0\n2,1\n"
ODD = ("a b", "100%", "x%20y", "k=v", "größe", "東京", "a+b", "q?x", "h#x", "c;d", "a&b", "a,b", "[1]", "it's")
stores = pytest.mark.parametrize(
    "place", ["local", "memory", pytest.param("hdfs", marks=pytest.mark.hadoop)], indirect=True
)


def rows(url: str) -> list[float]:
    dataset = scan(url, label="class")
    X = load(dataset, 0, dataset.rows).X
    return [float(row[0]) for row in X]  # type: ignore[union-attr]


@stores
def test_names_of_any_letters(place: str, put: Put) -> None:
    for k, name in enumerate(ODD):
        url = put(f"{name}/{name}.csv", f"a,y\n{k},0\n{k},1\n")
        assert rows(url) == rows(url.rpartition("/")[0]) == [k, k]
        [file] = list_files(url)
        assert read_text(file.url) == f"a,y\n{k},0\n{k},1\n"


def test_a_colon_in_a_local_name(tmp_path: Path) -> None:
    """HDFS takes none."""
    (tmp_path / "12:30").mkdir()
    (tmp_path / "12:30" / "a:b.csv").write_text(CSV)
    assert rows(f"{tmp_path}/12:30/a:b.csv") == rows(f"{tmp_path}/12:30") == [1, 2]


@stores
def test_a_list_is_its_parts_in_its_order(place: str, put: Put) -> None:
    for k, name in enumerate(("z/part-1.csv", "z/part-0.csv", "a.csv", "m/p-1.csv", "m/q-1.csv")):
        put(name, f"a,y\n{k},0\n{k},1\n")
    assert rows(f"{place}/z,{place}/a.csv,{place}/m/p-*.csv") == [1, 1, 0, 0, 2, 2, 3, 3]
    with pytest.raises(DataError, match=rf"{re.escape(place)}/nix: no such file or directory"):
        scan(f"{place}/z,{place}/nix", label="class")
    with pytest.raises(DataError, match=r"part-0\.csv is in more than one part of this list"):
        scan(f"{place}/z,{place}/z/part-0.csv", label="class")
    for list_ in (f"{place}/z,", f",{place}/z", f"{place}/z,,{place}/a.csv"):
        with pytest.raises(DataError, match="empty part"):
            scan(list_, label="class")


@stores
def test_a_name_with_a_comma_is_meant_itself(place: str, put: Put) -> None:
    url = put("a,b/c,1.csv", CSV)
    put("a", "x")
    assert rows(url) == rows(f"{place}/a,b") == rows(f"{place}/a,b/c,*.csv") == [1, 2]
    assert apart(f"{place}/a,b") == [f"{place}/a,b"]
    assert apart(f"{place}/a,c") == [f"{place}/a", "c"]


def test_parts_on_several_stores(tmp_path: Path, put: Put) -> None:
    (tmp_path / "here.csv").write_text(CSV)
    there = put("there.csv", "a,y\n3,0\n4,1\n")
    assert rows(f"{tmp_path}/here.csv,{there}") == [1, 2, 3, 4]
    assert rows(f"{there},{tmp_path}/here.csv") == [3, 4, 1, 2]


def test_partitions_of_a_lists_parts(tmp_path: Path) -> None:
    for year in (1, 2):
        for day in (3, 4):
            folder = tmp_path / f"year={year}" / f"day={day}"
            folder.mkdir(parents=True)
            (folder / "t.csv").write_text(CSV)
    dataset = scan(f"{tmp_path}/year=1,{tmp_path}/year=2", label="class")
    assert dataset.rows == 8
    assert dataset.schema.features == ("a", "day")


@pytest.fixture
def mounted(hadoop: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """A directory by a mount table's name and by HDFS's own."""
    path = f"/tmp/{uuid4().hex}"
    said = hadoop.variables()
    conf = shutil.copytree(said["HADOOP_CONF_DIR"], tmp_path / "conf")
    core = conf / "core-site.xml"
    name, value = "fs.viewfs.mounttable.house.link./data", f"{hadoop.hdfs}{path}"
    link = f"<property><name>{name}</name><value>{value}</value></property></configuration>"
    core.write_text(core.read_text().replace("</configuration>", link))
    for variable, text in {**said, "HADOOP_CONF_DIR": str(conf)}.items():
        monkeypatch.setenv(variable, text)
    yield "viewfs://house/data", value
    remove(value)


@pytest.mark.hadoop
def test_a_mount_table_leads_to_hdfs(mounted: tuple[str, str]) -> None:
    view, real = mounted
    write_text(f"{real}/a b/größe.csv", CSV)
    assert rows(f"{view}/a b") == rows(f"{view}/*/größe.csv") == [1, 2]
    [file] = list_files(f"{view}/a b")
    assert file.url == f"{view}/a b/größe.csv"
    write_text(f"{view}/out/t", "new")
    assert read_text(f"{real}/out/t") == "new"
    with pytest.raises(DataError, match="viewfs://house/data/nix: no such file or directory"):
        list_files(f"{view}/nix")
    with pytest.raises(DataError, match=r"viewfs://house/other: .*reserved"):  # not mounted
        write_text("viewfs://house/other/t", "lost")
    with pytest.raises(DataError, match=r"viewfs://nohouse: .* has no mount table of that name"):
        list_files("viewfs://nohouse/data")
    fs, path = open_fs(view)
    assert sorted(name.rpartition("/")[2] for name in fs.ls(path, detail=False)) == ["a b", "out"]


def test_two_stars_are_any_directories_but_hidden_ones(put: Put) -> None:
    root = put("d/1.csv", "x").removesuffix("/1.csv")
    for name in ("d/a/2.csv", "d/a/b/3.csv", "d/_temporary/a/4.csv", "d/a/_5.csv"):
        put(name, "x")
    for pattern, names in (("**", "123"), ("**/*.csv", "123"), ("a/**", "23"), ("*/b/**", "3")):
        assert [file.url.rpartition("/")[2][0] for file in list_files(f"{root}/{pattern}")] == list(names)
    with pytest.raises(DataError, match=r"\*\*\.csv: no pattern of names"):
        list_files(f"{root}/**.csv")


@pytest.mark.parametrize("url", ["", " "])
def test_an_empty_url_is_not_the_working_directory(url: str) -> None:
    with pytest.raises(DataError, match="names no file or directory"):
        list_files(url)


def test_braces_are_any_of_these(put: Put) -> None:
    root = put("d/a1.csv", "x").removesuffix("/a1.csv")
    for name in ("d/a2.csv", "d/b1.csv", "d/c/a1.csv", "d/{x}.csv"):
        put(name, "x")
    for pattern, found in (
        ("{a,b}1.csv", ["a1.csv", "b1.csv"]),
        ("{a,b,c/a}[12].csv", ["a1.csv", "a2.csv", "b1.csv", "c/a1.csv"]),
        ("{{a,b}1,a2,zz}.csv", ["a1.csv", "a2.csv", "b1.csv"]),
        ("{x}.csv", ["{x}.csv"]),
    ):
        assert [file.url.rpartition("/d/")[2] for file in list_files(f"{root}/{pattern}")] == found
    assert len(list_files(f"{root}/{{a,b}}1.csv,{root}/a2.csv")) == 3
    with pytest.raises(DataError, match="no such file"):
        list_files(f"{root}/{{y,z}}.csv")
