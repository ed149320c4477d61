"""The engine process as it is started, and what it must not do, tried in it; each layer alone,
and all together.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.sandbox.helpers_confinement import (
    NAMES,
    attempt,
    confined,
    has_seccomp,
    landlock_version,
    layers_of,
)
from hedgerow.engines.duckdb.process.engine_process import EngineProcess, RequestFailed
from hedgerow.engines.sandbox import layers
from hedgerow.engines.sandbox.layers import apply_layers, find_libraries

WRITING = {
    "write": "os.open({file}, os.O_WRONLY)",
    "read and write": "os.open({file}, os.O_RDWR)",
    "append": "os.open({file}, os.O_WRONLY | os.O_APPEND)",
    "truncate": "os.truncate({file}, 0)",
    "truncate by opening": "os.open({file}, os.O_RDONLY | os.O_TRUNC)",
    "reopen through /proc": "os.open('/proc/self/fd/%d' % os.open({file}, os.O_RDONLY), os.O_RDWR)",
    "create": "os.open({folder} + '/new', os.O_WRONLY | os.O_CREAT)",
    "create by reading": "os.open({folder} + '/newer', os.O_RDONLY | os.O_CREAT)",
    "create without a name": "os.open({folder}, os.O_RDWR | os.O_TMPFILE)",
    "create a folder": "os.mkdir({folder} + '/sub')",
    "create a pipe": "os.mkfifo({folder} + '/pipe')",
    "link": "os.link({file}, {folder} + '/hard')",
    "link softly": "os.symlink({file}, {folder} + '/soft')",
    "rename": "os.rename({spare}, {folder} + '/moved')",
    "replace": "os.replace({other}, {file})",
    "remove": "os.unlink({file})",
    "remove a folder": "os.rmdir({folder} + '/empty')",
}
# Landlock does not speak of these.
CHANGING = {
    "mode": "os.chmod({file}, 0o600)",
    "mode by descriptor": "os.fchmod(os.open({file}, os.O_RDONLY), 0o600)",
    "owner": "os.chown({file}, -1, -1)",
    "time": "os.utime({file})",
    "fork": "os.fork() or os._exit(0)",
    "socket": "call(*{{'x86_64': (41, 1, 1, 0), 'aarch64': (198, 1, 1, 0)}}[os.uname().machine])",
    "memory file": "os.memfd_create('it')",
    "signal": "os.kill(os.getppid(), 0)",
    "limits of the parent": (
        "call(*{{'x86_64': (302,), 'aarch64': (261,)}}[os.uname().machine], os.getppid(), 7, 0, 0)"
    ),
}
READING = {
    "the other file": "os.open({other}, os.O_RDONLY)",
    "passwords": "os.open('/etc/passwd', os.O_RDONLY)",
}
PROGRAM = {"start a program": "os.execv('/bin/true', ['true'])"}
STILL = {
    "the source": "os.close(os.open({file}, os.O_RDONLY))",
    "memory": "bytearray(10**7)",
    "a thread": "import threading; t = threading.Thread(target=print); t.start(); t.join()",
    "numpy": "import numpy, numpy.linalg",
    "Arrow": "import pyarrow",
}


@pytest.fixture
def files(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A source beside other files; none may have changed at the end, nor the folder, unless a
    test empties this.
    """
    paths = [tmp_path / name for name in ("source.csv", "other.csv", "spare.csv")]
    for path in paths:
        path.write_text("x\n1\n")
        os.chmod(path, 0o644)
        os.utime(path, (1, 1))
    (empty := tmp_path / "empty").mkdir()
    before = [(path, path.stat(), path.read_text()) for path in paths]
    names = ("file", "other", "spare", "folder")
    found = {name: repr(str(path)) for name, path in zip(names, [*paths, tmp_path], strict=True)}
    yield found
    if found:
        assert sorted(tmp_path.iterdir()) == sorted([*paths, empty])
        for path, told, text in before:
            now = path.stat()
            assert (now.st_ino, now.st_mode, now.st_mtime, now.st_nlink) == (
                told.st_ino,
                told.st_mode,
                told.st_mtime,
                told.st_nlink,
            )
            assert path.read_text() == text


def tried(child: EngineProcess, codes: dict[str, str], files: dict[str, str]) -> dict[str, str]:
    return {name: attempt(child, code.format(**files)) for name, code in codes.items()}


def source_of(files: dict[str, str]) -> list[Path]:
    return [Path(files["file"].strip("'"))]


def test_without_a_layer_all_of_it_can_be_done(files: dict[str, str]) -> None:
    """Or the other tests would show nothing."""
    with confined(source_of(files), kept=()) as child:
        assert layers_of(child) == dict.fromkeys(NAMES, False)
        found = tried(child, {**READING, **CHANGING, **WRITING}, files)
    files.clear()
    assert set(found.values()) == {"done"}, found


def test_with_all_layers_nothing_of_it_can_be_done(files: dict[str, str]) -> None:
    with confined(source_of(files)) as child:
        active = layers_of(child)
        found = tried(child, {**WRITING, **CHANGING, **READING, **PROGRAM}, files)
        still = tried(child, STILL, files)
    assert (active["landlock"], active["seccomp"], active["capabilities"]) == (
        landlock_version() > 0,
        has_seccomp(),
        True,
    )
    expected = set(found)
    if not active["landlock"]:
        expected -= set(READING)
    if not active["seccomp"]:
        expected -= set(CHANGING)
    assert {
        name for name, result in found.items() if result in ("EPERM", "EACCES", "ENOSYS", "EXDEV")
    } >= expected, found
    assert set(still.values()) == {"done"}, still


def test_landlock_alone_keeps_it_from_writing_and_from_other_files(files: dict[str, str]) -> None:
    with confined(source_of(files), kept=("landlock",)) as child:
        if not layers_of(child)["landlock"]:
            assert landlock_version() == 0
            return
        uncovered = set() if landlock_version() >= 3 else {"truncate"}  # as the report says
        codes = {
            name: code
            for name, code in {**WRITING, **READING, **PROGRAM}.items()
            if name not in uncovered
        }
        found = tried(child, codes, files)
        still = tried(child, STILL, files)
    assert {name for name, result in found.items() if result not in ("EACCES", "EXDEV")} == set(), (
        found
    )
    assert set(still.values()) == {"done"}, still


def test_seccomp_alone_prevents_writing_and_changing_files(
    files: dict[str, str],
) -> None:
    with confined(source_of(files), kept=("seccomp",)) as child:
        if not layers_of(child)["seccomp"]:
            assert not has_seccomp()
            return
        found = tried(child, {**WRITING, **CHANGING, **PROGRAM}, files)
        still = tried(child, STILL, files)
    assert {name for name, result in found.items() if result not in ("EPERM", "ENOSYS")} == set(), (
        found
    )
    assert set(still.values()) == {"done"}, still


SWEEP = """
from hedgerow.engines.sandbox.system_calls import ALLOWED, CONDITIONAL, PROCESSORS
column = PROCESSORS[os.uname().machine].column
rules = [rule.numbers for rule in CONDITIONAL.values()]
listed = {numbers[column] for numbers in (*ALLOWED.values(), *rules)}
probes = {335, 336}  # of the kernel itself: they pass every filter, and end whoever else calls them
for number in set(range(1000)) - listed - probes:
    zeros = map(ctypes.c_long, (0, 0, 0, 0, 0, 0))
    assert library.syscall(ctypes.c_long(number), *zeros) == -1, number
    assert ctypes.get_errno() == errno.ENOSYS, number
"""


def test_every_call_that_is_not_listed_does_not_exist(files: dict[str, str]) -> None:
    with confined(source_of(files)) as child:
        assert layers_of(child)["seccomp"] == has_seccomp()
        assert not has_seccomp() or attempt(child, SWEEP) == "done"


@pytest.mark.parametrize(
    "kept", [(), ("landlock",), ("seccomp",), NAMES], ids=["none", "landlock", "seccomp", "all"]
)
def test_the_engine_cannot_write_to_a_source_that_it_is_allowed_to_read(
    kept: tuple[str, ...], files: dict[str, str]
) -> None:
    """The engine's own settings let it: a path that may be read may be written."""
    path = source_of(files)[0]
    with confined([path], kept) as child:
        confining = any(
            active for name, active in layers_of(child).items() if name in ("landlock", "seccomp")
        )
        child.attach_file("t0", path)
        with pytest.raises(RequestFailed):
            child.store_query(
                "a", f"SELECT 1; COPY (SELECT 7 AS k) TO '{path}' (FORMAT CSV, USE_TMP_FILE FALSE)"
            )
    if not confining:
        assert path.read_text() == ""  # no file may grow, but it was emptied first
        files.clear()


def test_every_thread_of_it_is_confined(files: dict[str, str]) -> None:
    with confined(source_of(files)) as child:
        threads = list(Path(f"/proc/{child._process.pid}/task").iterdir())
        told = [
            dict(
                line.split(":\t", 1)
                for line in (one / "status").read_text().splitlines()
                if ":\t" in line
            )
            for one in threads
        ]
        active = layers_of(child)
    assert len(told) > 2  # that of Python, the one that listens, those of the engine
    assert {
        int(one[name], 16) for one in told for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")
    } == {0}
    assert {one["NoNewPrivs"] for one in told} == {"1"}
    assert {one["Seccomp"] for one in told} == {"2" if active["seccomp"] else "0"}


NUMBERS = {"x86_64": (317, 126, 272), "aarch64": (277, 91, 97)}  # seccomp, capset, unshare


@pytest.mark.parametrize(
    ("layer", "code", "words"),
    [
        ("landlock", 38, "built without it, or a container hides it"),
        ("landlock", 95, "switched off"),
        ("landlock", 1, "not permitted"),
        ("seccomp", 1, "refused"),
        ("capabilities", 1, "not permitted"),
        ("network", 1, "not permitted"),
    ],
)
def test_a_missing_layer_is_reported_and_the_remaining_layers_hold(
    layer: str, code: int, words: str, files: dict[str, str]
) -> None:
    seccomp, capset, unshare = NUMBERS[os.uname().machine]
    number = {"landlock": 444, "seccomp": seccomp, "capabilities": capset, "network": unshare}[
        layer
    ]
    with confined(source_of(files), hidden={number: code}) as child:
        told = {one.name: one for one in child.layers}
        found = tried(child, WRITING, files)
        still = tried(child, STILL, files)
    assert not told[layer].active
    assert layer == "landlock" or told["landlock"].active == (landlock_version() > 0)
    assert words in told[layer].detail
    assert "done" not in found.values() or landlock_version() < 3, found
    assert set(still.values()) == {"done"}, still


def test_off_linux_every_layer_is_reported_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "sys", type("darwin", (), {"platform": "darwin"}))
    told = apply_layers([])
    assert [(one.name, one.active, one.detail) for one in told] == [
        (name, False, "available on Linux only; this is darwin") for name in NAMES
    ]


def test_library_folders_are_pythons_and_ours_with_links_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts, site, cache = tmp_path / "scripts", tmp_path / "site", tmp_path / "cache"
    for folder in (scripts, site / "numpy", cache / "numpy"):
        folder.mkdir(parents=True)
    (cache / "numpy" / "__init__.py").touch()
    (site / "numpy" / "__init__.py").symlink_to(cache / "numpy" / "__init__.py")
    (tmp_path / "all.zip").touch()
    monkeypatch.setattr(
        sys,
        "path",
        [str(scripts), str(site), str(tmp_path / "all.zip"), str(tmp_path / "lib-dynload")],
    )
    found = [Path(path) for path in find_libraries()]
    assert {
        site,
        cache,
        tmp_path / "all.zip",
        tmp_path / "lib-dynload",
        Path(os.__file__).resolve().parent,
    } <= set(found)
    assert scripts not in found
    assert tmp_path not in found


def test_a_source_that_only_root_may_read_is_read_and_not_written(files: dict[str, str]) -> None:
    root, path = os.geteuid() == 0, source_of(files)[0]
    os.chown(path, 12345 if root else -1, -1)
    os.chmod(path, 0o600)
    with confined([path], kept=("capabilities",)) as child:
        told = {one.name: one for one in child.layers}["capabilities"]
        found = tried(child, {"read": STILL["the source"], "write": WRITING["write"]}, files)
    files.clear()
    assert ("CAP_DAC_READ_SEARCH" in told.detail) == root
    # whoever owns it needs more layers than this one
    assert found == {"read": "done", "write": "EACCES" if root else "done"}
