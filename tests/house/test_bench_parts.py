"""The parts that all sections of the bench rest on: targets, turns, scores, and peers."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))

    def imported(name: str) -> ModuleType:
        return importlib.import_module(f"bench.{name}")

    return imported


def test_targets_are_marked_by_their_worst_row(part: Any) -> None:
    report = part("report")
    rows = [{"law": "a", "x": 3.0}, {"law": "b", "x": -7.0}, {"law": "c", "x": None}]
    assert report.worst("", 5, rows, "x").mark == "met"
    by_size = report.worst("", 5, rows, "x", size=True)
    assert (by_size.mark, by_size.value, by_size.where) == ("not met", 7.0, "b")
    assert report.worst("", 3, rows[:1], "x", at_least=True).mark == "met"
    assert report.worst("", 3.1, rows[:1], "x", at_least=True).mark == "not met"
    assert report.worst("", 5, rows[2:], "x").mark == "not measured"


def test_contenders_take_turns_and_the_fastest_round_counts(part: Any) -> None:
    clock, turns = part("clock"), []

    def contender(name: str, seconds: list[float | None], **options: Any) -> Any:
        left = iter(seconds)

        def one_round() -> float | None:
            turns.append(name)
            return next(left)

        return clock.Contender(one_round, **options)

    times = clock.fastest(
        {
            "a": contender("a", [0.1, 9.0, 4.0, 6.0], units=2, rounds=3),
            "b": contender("b", [5.0], rounds=1, warm=False),
            "c": contender("c", [None, None], rounds=1),
        }
    )
    assert "".join(turns) == "acabcaa"
    assert times == {"a": 2.0, "b": 5.0, "c": None}


def test_rank_correlation_sees_a_leak_and_shares_ranks_of_ties(part: Any) -> None:
    spearman = part("timing").spearman
    noise = np.array([3, 1, 2, 2])
    assert spearman(noise, np.array([900, 10, 40, 40])) == pytest.approx(1)
    assert spearman(noise, -noise) == pytest.approx(-1)
    assert spearman(np.array([1, 2, 3, 4, 5]), np.array([2, 1, 4, 3, 5])) == pytest.approx(0.8)


def test_a_distinguisher_is_scored_in_the_direction_that_tells_more(part: Any) -> None:
    compute_auc = part("channels").compute_auc
    assert compute_auc([1.0, 2.0], [3.0, 4.0])[0] == pytest.approx(1)
    assert compute_auc([3.0, 4.0], [1.0, 2.0])[0] == pytest.approx(1)
    assert compute_auc([1.0, 4.0], [1.0, 4.0])[0] == pytest.approx(0.5)
    assert compute_auc([1.0, 3.0, 3.0], [3.0, 4.0])[0] == pytest.approx(5 / 6)
    # Of 100 and 100 that tell nothing, one in three is off by more than the standard error.
    assert compute_auc([0.0] * 100, [0.0] * 100)[1] == pytest.approx(0.0409, abs=1e-4)


def test_a_peer_answers_from_its_own_process_and_a_failure_is_reported(
    part: Any, tmp_path: Path
) -> None:
    peers = part("peers")
    adapter = tmp_path / "adapter.py"
    adapter.write_text(
        "VERSION = '9'\nprint('noise on stdout')\ndef task(n): return lambda: 6 * n\ndef fails():"
        " raise ValueError('no such thing')\n"
    )
    crew = peers.Peers({"it": peers.Worker(peers.Peer("it", str(adapter), "it"))})
    try:
        assert crew.workers["it"].version == "9"
        assert crew.ask("it", "task", 7)["value"] == 42
        assert crew.round("it", "task", 7)() >= 0
        assert crew.seconds("it", "fails") is None
        assert crew.left_out == {"it, fails": "ValueError: no such thing"}
        assert crew.ask("nobody", "task") == {}
    finally:
        crew.workers["it"].close()


def test_a_peer_that_cannot_start_is_absent(part: Any, tmp_path: Path) -> None:
    peers = part("peers")
    adapter = tmp_path / "adapter.py"
    adapter.write_text("import no_such_package_anywhere\n")
    with pytest.raises(peers.Absent, match="no_such_package_anywhere"):
        peers.Worker(peers.Peer("it", str(adapter), "it"))


def test_locks_of_peers_pin_with_hashes_and_name_no_place() -> None:
    locks = sorted((ROOT / "bench" / "peers").rglob("*.lock"))
    assert [lock.stem for lock in locks] == [
        "diffprivlib",
        "multi-freq-ldpy",
        "pure-ldp",
        "opendp-polars",
        "pipeline-dp",
        "pyqrlew",
        "smartnoise-sql",
        "python-dp",
        "mbi",
        "opendp-mbi",
    ]
    for lock in locks:
        text = lock.read_text(encoding="utf-8")
        assert f"{lock.stem.removesuffix('-polars').removesuffix('-mbi')}==" in text
        assert text.count("--hash=sha256:") >= text.count("==") > 0
        assert "://" not in text
