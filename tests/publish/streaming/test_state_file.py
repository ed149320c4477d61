"""The state file: every step whole or not at all, every answer for good, and nobody else reads
it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest

from hedgerow.errors import HedgerowError, Refused, SourceError
from hedgerow.publish.streaming.mechanism import StreamState
from hedgerow.publish.streaming.rollback_anchor import StreamAnchor
from hedgerow.publish.streaming.state_file import StateFile
from ledger.disk import ignored, struck
from ledger.making import quick_folder

START = StreamState((0, 2**70), (0.1, -(2**65)))


def step(state: StreamState, place: int) -> tuple[StreamState, float]:
    return StreamState((state.private[0] + 1, *state.private[1:]), state.public), place + 0.5


def never(state: StreamState, place: int) -> tuple[StreamState, float]:
    raise AssertionError("this element has an answer")


@pytest.fixture
def file(tmp_path: Path) -> StateFile:
    return StateFile.create(tmp_path / "sums", "terms", 4, START)


def test_a_step_is_kept_and_its_answer_is_for_good(file: StateFile) -> None:
    assert file.advance(None, step) == (1, 0.5)
    assert file.advance(2, step) == (2, 1.5)
    assert file.advance(1, never) == (1, 0.5)
    assert file.advance(2, never) == (2, 1.5)
    file.close()
    again = StateFile(file.path)
    assert (again.parameters, again.number, again.answers()) == ("terms", 2, [0.5, 1.5])
    assert again.advance(1, never) == (1, 0.5)
    seen: list[StreamState] = []
    again.advance(None, lambda state, place: (seen.append(state), step(state, place))[1])
    assert seen == [StreamState((2, 2**70), (0.1, -(2**65)))]
    assert [type(number) for number in seen[0].public] == [float, int]


def test_elements_arrive_in_order_and_not_beyond_the_horizon(file: StateFile) -> None:
    with pytest.raises(Refused, match="Element 1 is next; got element 3"):
        file.advance(3, never)
    with pytest.raises(Refused, match="for 4 elements"):
        file.advance(5, never)
    for _ in range(4):
        file.advance(None, step)
    with pytest.raises(Refused, match="for 4 elements"):
        file.advance(None, never)
    assert file.number == 4


def test_a_step_that_fails_leaves_nothing(file: StateFile) -> None:
    def broken(state: StreamState, place: int) -> tuple[StreamState, float]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        file.advance(None, broken)
    assert file.number == 0
    assert file.advance(None, step) == (1, 0.5)


def test_only_the_owner_reads_it(file: StateFile) -> None:
    file.advance(None, step)
    assert {path.name: path.stat().st_mode & 0o777 for path in file.path.parent.iterdir()} == {
        "sums": 0o600,
        "sums.anchor": 0o600,
        "sums-wal": 0o600,
        "sums-shm": 0o600,
    }
    file.close()
    file.path.chmod(0o640)
    with pytest.raises(SourceError, match="chmod 600"):
        StateFile(file.path)


def test_a_mask_that_lets_others_read_changes_nothing(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        StateFile.create(tmp_path / "sums", "", 1, START).advance(None, step)
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_every_commit_is_synced(tmp_path: Path) -> None:
    file = StateFile.create(tmp_path / "sums", "", 1, START)
    db = file._require_connection()
    assert db.execute("PRAGMA synchronous").get == 2  # FULL
    assert db.execute("PRAGMA journal_mode").get == "wal"


def test_a_copy_is_refused_unless_it_is_vouched_for(file: StateFile) -> None:
    file.advance(None, step)
    file.close()
    copy = file.path.with_name("copy")
    shutil.copy(file.path, copy)
    with pytest.raises(SourceError, match="is a copy"):
        StateFile(copy)
    assert StateFile(copy, moved=True).number == 1
    assert StateFile(copy).number == 1


def back(file: StateFile, number: int) -> Path:
    """The state after so many elements, put back, byte for byte, into the file, whose anchor
    records three.
    """
    for _ in range(number):
        file.advance(None, step)
    file.close()
    early = file.path.read_bytes()
    again = StateFile(file.path)
    for _ in range(3 - number):
        again.advance(None, step)
    again.close()
    file.path.write_bytes(early)
    return file.path


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("moved", [False, True])
def test_an_older_state_put_back_in_place_is_refused(
    file: StateFile, number: int, moved: bool
) -> None:
    """Also to whoever vouches for it: the anchor knows better."""
    path = back(file, number)
    with pytest.raises(
        SourceError,
        match=rf"not the newest state: .* records 3 answers, and this state has {number}",
    ):
        StateFile(path, moved=moved)


def test_an_older_state_is_refused_while_the_file_is_open(file: StateFile) -> None:
    file.advance(None, step)
    db = file._require_connection()
    db.execute("CREATE TABLE kept AS SELECT * FROM state")
    for _ in range(2):
        file.advance(None, step)
    db.execute(
        "DELETE FROM answers WHERE number > 1; DELETE FROM state; INSERT INTO state SELECT * FROM"
        " kept"
    )
    with pytest.raises(SourceError, match="not the newest state"):
        file.advance(None, never)
    with pytest.raises(SourceError, match="not the newest state"):
        file.advance(1, never)


def test_a_state_that_went_on_elsewhere_is_refused(file: StateFile) -> None:
    """It has more answers than the anchor records, but not the same."""
    path = back(file, 1)
    anchor = path.with_name("sums.anchor")
    held = anchor.read_bytes()
    anchor.unlink()
    elsewhere = StateFile(path, moved=True)
    for _ in range(3):
        elsewhere.advance(None, lambda state, place: (step(state, place)[0], place + 0.75))
    elsewhere.close()
    anchor.write_bytes(held)
    with pytest.raises(
        SourceError, match="records 3 answers, and this state has 4, or different ones"
    ):
        StateFile(path)


def test_without_its_anchor_a_state_is_not_believed(file: StateFile) -> None:
    file.advance(None, step)
    file.path.with_name("sums.anchor").unlink()
    with pytest.raises(SourceError, match="is missing; it shows whether"):
        file.advance(None, never)
    file.close()
    with pytest.raises(SourceError, match="open it once with moved=True"):
        StateFile(file.path)
    assert StateFile(file.path, moved=True).number == 1
    assert StateFile(file.path).advance(1, never) == (1, 0.5)


def test_an_anchor_may_lie_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    place = tmp_path / "far" / "mark"
    file = StateFile.create(tmp_path / "sums", "", 4, START, place)
    assert back(file, 2) == file.path
    assert not (tmp_path / "sums.anchor").exists()
    with pytest.raises(SourceError, match="not the newest state"):
        StateFile(file.path)
    with pytest.raises(SourceError, match=r"There was a stream here: .* records 3 answers"):
        StateFile.create(tmp_path / "second", "", 4, START, place)
    assert not (tmp_path / "second").exists()
    # where it is gone with what lay beside it, the custodian's word makes a new one beside the
    # state
    place.unlink()
    assert StateFile(file.path, moved=True).number == 2
    assert (tmp_path / "sums.anchor").exists()


def test_an_answer_is_given_away_only_when_the_anchor_knows_of_it(
    file: StateFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.advance(None, step)
    with monkeypatch.context() as patch:
        patch.setattr(StreamAnchor, "write", lambda *_: os.stat("/nowhere"))
        for _ in range(2):
            with pytest.raises(SourceError, match="cannot be read or written"):
                file.advance(2, step)
    assert file.advance(2, never) == (2, 1.5)
    known = StreamAnchor.read(file.path.with_name("sums.anchor"))
    assert known is not None
    assert known.number == 2


def test_nothing_is_written_over(file: StateFile) -> None:
    with pytest.raises(SourceError, match="never overwrites a file"):
        StateFile.create(file.path, "other", 1, START)
    assert file.parameters == "terms"


def test_creation_removes_what_a_crash_left(tmp_path: Path) -> None:
    for end in ("", "-wal", "-journal"):
        (tmp_path / f"sums.new{end}").write_bytes(b"half")
    assert StateFile.create(tmp_path / "sums", "terms", 4, START).number == 0


def test_places_where_no_stream_can_be(tmp_path: Path, file: StateFile) -> None:
    with pytest.raises(SourceError, match="There is no stream"):
        StateFile(tmp_path / "gone")
    with pytest.raises(SourceError, match=r"folder .* does not exist"):
        StateFile.create(tmp_path / "gone" / "sums", "", 1, START)
    file.close()
    os.link(file.path, tmp_path / "second")
    with pytest.raises(SourceError, match="several hard links"):
        StateFile(file.path)


@pytest.mark.parametrize("content", [b"", b"no database at all, however long it may be" * 100])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    other = tmp_path / "other"
    other.write_bytes(content)
    other.chmod(0o600)
    with pytest.raises(SourceError, match="is not a stream, or is damaged"):
        StateFile(other)


@pytest.mark.parametrize(
    "broken", ["DELETE FROM state", "UPDATE state SET private = '[1'", "DELETE FROM stream"]
)
def test_damage_is_reported_without_details(file: StateFile, broken: str) -> None:
    file._require_connection().execute(broken)
    with pytest.raises(SourceError, match="damaged"):
        file.advance(None, step)


def test_a_read_only_folder_is_reported(file: StateFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise OSError("disk on fire at /secret")

    monkeypatch.setattr(os, "open", failing)
    with pytest.raises(SourceError, match=r"cannot be read or written; earlier answers are kept"):
        StateFile.create(file.path.with_name("other"), "", 1, START)


def test_a_full_disk_is_reported(file: StateFile) -> None:
    pages = file._require_connection().execute("PRAGMA page_count").get
    file._require_connection().execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(SourceError, match="full"):
        file.advance(None, lambda state, _: (StreamState(state.private, tuple(range(2000))), 0.0))
    assert file.number == 0


def test_a_locked_file_is_reported(file: StateFile) -> None:
    file._require_connection().execute("BEGIN IMMEDIATE")
    with pytest.raises(SourceError, match="locked by another process"):
        StateFile(file.path, wait=0.01).advance(None, step)


@ignored
def test_a_stream_is_made_whole_or_not_at_all_whatever_step_fails(tmp_path: Path) -> None:
    def again(path: Path) -> None:
        made = StateFile(path) if path.exists() else StateFile.create(path, "terms", 4, START)
        assert made.advance(None, step) == (1, 0.5)
        made.close()

    with quick_folder(tmp_path) as home:
        steps = struck(
            home,
            lambda _: None,
            lambda path: StateFile.create(path, "terms", 4, START).close(),
            again,
            holder=StateFile,
        )
    assert steps > 20


def test_nobody_else_begins_to_write_while_somebody_steps(file: StateFile) -> None:
    other = apsw.Connection(str(file.path))
    other.set_busy_timeout(0)

    def alone(state: StreamState, place: int) -> tuple[StreamState, float]:
        with pytest.raises(apsw.BusyError):
            other.execute("BEGIN IMMEDIATE")
        return step(state, place)

    assert file.advance(None, alone) == (1, 0.5)
    other.close()


def test_closed_is_closed(file: StateFile) -> None:
    file.close()
    file.close()
    with pytest.raises(SourceError, match="is closed"):
        file.advance(None, step)


def test_a_forked_child_opens_its_own(file: StateFile) -> None:
    child = os.fork()
    if child == 0:
        try:
            file.advance(None, never)
        except HedgerowError as told:
            os._exit(7 if "another process" in str(told) else 8)
        finally:
            os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert file.advance(None, step) == (1, 0.5)


def test_threads_and_files_take_turns(tmp_path: Path) -> None:
    """Sixty steps by three threads on two openings of one file: every number once."""
    one = StateFile.create(tmp_path / "sums", "", 60, START)
    files, got = [one, one, StateFile(one.path)], list[tuple[int, float]]()

    def work(file: StateFile) -> None:
        got.extend(file.advance(None, step) for _ in range(20))

    threads = [threading.Thread(target=work, args=(file,)) for file in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [(number, number - 0.5) for number in range(1, 61)]
    assert one.answers() == [number - 0.5 for number in range(1, 61)]


@pytest.mark.long
def test_killed_at_every_step_on_the_disk_no_element_has_two_answers(tmp_path: Path) -> None:
    here = Path(__file__)
    run = subprocess.run(
        [sys.executable, str(here.with_name("helpers_killing.py")), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(here.parents[2])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    deaths, answers = map(int, run.stdout.split())
    assert deaths > 30
    assert answers > deaths / 2  # of three elements, those that were told before the end
