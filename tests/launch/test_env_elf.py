"""Reading ELF files, finding what they link to, and making them relocatable."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.launch.elves import elf
from yarnml.errors import UsageError
from yarnml.launch.env import libraries
from yarnml.launch.env.elf import DT_RPATH, DT_RUNPATH, parse, read
from yarnml.launch.env.libraries import GLIBC, linked, system_dirs
from yarnml.launch.env.relocate import look_in, relocate


def test_it_reads_names_and_search_path() -> None:
    found = parse(elf(["libz.so.1", "libc.so.6"], "libours.so.3", (DT_RUNPATH, "$ORIGIN/../x.libs:/opt/lib")))
    assert found.needed == ("libz.so.1", "libc.so.6")
    assert found.soname == "libours.so.3"
    assert found.search == ("$ORIGIN/../x.libs", "/opt/lib")
    assert found.sound
    assert not found.symbols


def test_the_running_python_needs_libc() -> None:
    assert "libc.so.6" in read(Path(sys.executable).resolve()).needed


@pytest.mark.parametrize("data", [b"", b"#!/bin/sh\n", elf()[:100], b"\x7fELF\x01\x01" + elf()[6:]])
def test_what_is_no_elf_file_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match="ELF"):
        parse(data)


def test_a_misaligned_segment_is_not_sound() -> None:
    data = bytearray(elf())
    at = parse(data).segments[1].at
    data[at + 8] = 1  # the file offset
    assert not parse(data).sound


def test_paths_seen_from_the_library_are_kept_and_become_rpaths() -> None:
    data = bytearray(elf(path=(DT_RUNPATH, "$ORIGIN/../x.libs")))
    relocate(data)
    after = parse(data)
    assert after.search == ("$ORIGIN/../x.libs",)
    assert DT_RUNPATH not in [tag.tag for tag in after.tags]


@pytest.mark.parametrize("kind", [DT_RPATH, DT_RUNPATH])
def test_paths_of_this_machine_go(kind: int) -> None:
    data = bytearray(elf(["libz.so.1"], path=(kind, "/home/me/lib")))
    relocate(data)
    assert parse(data).search == ()
    assert parse(data).needed == ("libz.so.1",)


@pytest.mark.parametrize("path", [None, (DT_RUNPATH, "/home/me/.pyenv/versions/3.11.7/lib"), (DT_RPATH, "/x")])
def test_an_executable_is_told_where_to_look(path: tuple[int, str] | None) -> None:
    data = bytearray(elf(["libpython3.11.so.1.0"], path=path))
    size = len(data)
    look_in(data, "$ORIGIN/../lib")
    after = parse(data)
    assert after.search == ("$ORIGIN/../lib",)
    assert after.needed == ("libpython3.11.so.1.0",)
    assert DT_RUNPATH not in [tag.tag for tag in after.tags]
    assert len(data) == size
    assert after.sound


def test_an_executable_without_room_is_refused_with_a_way_out() -> None:
    for data in (elf(spare=1), elf(room=False)):
        with pytest.raises(UsageError, match=r"no room for a library path.*--env"):
            look_in(bytearray(data), "$ORIGIN/../lib")


def test_libraries_are_followed_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system, wheel = tmp_path / "system", tmp_path / "whéel libs"
    system.mkdir()
    wheel.mkdir()
    (system / "libssl.so.3").write_bytes(elf(["libcrypto.so.3", "libc.so.6"]))
    (system / "libcrypto.so.3").write_bytes(elf(["libdl.so.2"]))
    (wheel / "libown.so").write_bytes(elf())
    (wheel / "module.so").write_bytes(
        elf(["libssl.so.3", "libown.so", "libnowhere.so.1", "libbeside.so"], path=(DT_RUNPATH, "$ORIGIN/more"))
    )
    (wheel / "more").mkdir()
    (wheel / "more/libbeside.so").write_bytes(elf())
    monkeypatch.setattr(libraries, "system_dirs", lambda: (str(system),))
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib").mkdir()
    python = tmp_path / "bin/python"
    python.write_bytes(elf(["libpython3.so"], path=(DT_RPATH, "$ORIGIN/../lib")))
    (tmp_path / "lib/libpython3.so").write_bytes(elf())
    (tmp_path / "lib/libssl.so.3").write_bytes(b"for another machine")
    found = linked([wheel / "module.so", wheel / "libown.so", python], python)
    assert found == {
        "libssl.so.3": system / "libssl.so.3",
        "libcrypto.so.3": system / "libcrypto.so.3",
        "libbeside.so": wheel / "more/libbeside.so",
        "libpython3.so": tmp_path / "lib/libpython3.so",
    }


def test_glibc_is_never_sent_and_others_are() -> None:
    ours = ["libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libpthread.so.0", "libdl.so.2"]
    others = ["libcrypt.so.1", "libcrypto.so.3", "libmd.so.0", "libgcc_s.so.1", "libstdc++.so.6", "libcap.so.2"]
    assert all(GLIBC.fullmatch(name) for name in ours)
    assert not any(GLIBC.fullmatch(name) for name in others)


def test_the_loaders_folders_are_read_with_what_they_include(tmp_path: Path) -> None:
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d/a.conf").write_text("# a comment\n/opt/a/lib\n")
    conf = tmp_path / "ld.so.conf"
    conf.write_text(f"include {tmp_path}/conf.d/*.conf\n/opt/b/lib  # more\n")
    assert system_dirs(str(conf))[:2] == ("/opt/a/lib", "/opt/b/lib")
    assert "/usr/lib" in system_dirs(str(tmp_path / "absent"))
