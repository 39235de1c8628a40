"""The configuration files say what was decided, in XML that Hadoop reads."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from yarnml.cluster.conf import QUEUES, Conf, xml
from yarnml.cluster.layout import Layout
from yarnml.cluster.ports import Address, usual
from yarnml.cluster.size import Size


@pytest.fixture
def conf(tmp_path: Path) -> Conf:
    ports = usual(3) | {
        "namenode.rpc": Address("127.0.0.1", 8099),
        "resourcemanager.client": Address("127.0.0.1", 8098),
    }
    Layout.at(tmp_path).make()
    return Conf(Layout.at(tmp_path), tmp_path / "jars", "ann", 3, Size(2048, 4), ports)


def read(path: Path) -> dict[str, str]:
    return {p.findtext("name", ""): p.findtext("value", "") for p in ElementTree.parse(path).iter("property")}


def test_xml_survives_any_text() -> None:
    settings = {"a": "<b> & 'c'", "ü": "*", "empty": ""}
    root = ElementTree.fromstring(xml(settings))
    assert {p.findtext("name"): p.findtext("value") for p in root} == settings


def test_the_files_carry_ports_sizes_and_the_user(conf: Conf) -> None:
    conf.write()
    place = conf.layout.part("conf")
    core, yarn = read(place / "core-site.xml"), read(place / "yarn-site.xml")
    assert core["fs.defaultFS"] == "hdfs://localhost:8099"
    assert core["hadoop.proxyuser.ann.hosts"] == "*"
    assert yarn["yarn.resourcemanager.address"] == "localhost:8098"
    assert yarn["yarn.nodemanager.resource.memory-mb"] == yarn["yarn.scheduler.maximum-allocation-mb"] == "2048"
    assert yarn["yarn.nodemanager.resource.cpu-vcores"] == "4"
    assert yarn["yarn.application.classpath"] == f"{place},{conf.jars}/*"
    assert read(place / "hdfs-site.xml")["dfs.namenode.rpc-address"] == "localhost:8099"


def test_no_path_of_the_files_is_outside_the_state_directory(conf: Conf) -> None:
    for settings in (conf.core(), conf.hdfs(), conf.yarn()):
        for name, value in settings.items():
            if "/" in value and name not in ("yarn.nodemanager.remote-app-log-dir", "yarn.application.classpath"):
                assert value.removeprefix("file://").startswith((str(conf.layout.root), "hdfs://")), name


def test_the_queues_share_all_one_is_closed_and_one_lets_nobody_in(conf: Conf) -> None:
    queues = conf.queues()
    assert sum(QUEUES.values()) == 100
    states = {name: queues[f"yarn.scheduler.capacity.root.{name}.state"] for name in QUEUES}
    assert states == {"default": "RUNNING", "ml": "RUNNING", "closed": "STOPPED", "barred": "RUNNING"}
    acls = {name: queues[f"yarn.scheduler.capacity.root.{name}.acl_submit_applications"] for name in QUEUES}
    assert acls == {"default": "*", "ml": "*", "closed": "*", "barred": " "}
    assert queues["yarn.scheduler.capacity.root.acl_submit_applications"] == " "  # or all could submit everywhere
    assert conf.yarn()["yarn.acl.enable"] == "true"


def test_nodes_are_in_two_racks(conf: Conf) -> None:
    racks = dict(line.split() for line in conf.racks().splitlines())
    assert racks["127.0.0.11"] == racks["127.0.0.13"] == racks["localhost"] == "/rack1"
    assert racks["127.0.0.12"] == "/rack2"
