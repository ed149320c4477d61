"""The bench runs, and its report has its rows. How fast anything is, is never asserted."""

from __future__ import annotations

import fcntl
import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

ROOT = Path(__file__).parents[2]
LAWS = ["laplace", "gaussian"]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-W", "error", "-m", "bench", *words], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What one quick run says. It takes a minute, so the processes of a test run share it: the first runs, the others wait."""
    shared = tmp_path_factory.getbasetemp().parent / "bench.json"
    with (shared.parent / "bench.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not shared.exists():
            done = run("--quick", "--json")
            assert done.returncode == 0, done.stderr
            shared.write_text(done.stdout)
    return json.loads(shared.read_text())


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))

    def imported(name: str) -> ModuleType:
        return importlib.import_module(f"bench.{name}")

    return imported


@pytest.mark.long
def test_it_says_where_it_ran_and_who_is_missing(told: dict[str, Any]) -> None:
    assert {"processor", "load", "python", "hedgerow", "numpy", "seconds"} <= told["machine"].keys()
    assert {"opendp", "dp-accounting", "python-dp", "diffprivlib"} <= told["left out"].keys()
    early = "noise latency choice median shapes timing accounting import database people joins quantiles tpch accuracy"
    assert " ".join(told["sections"]) == f"{early} sums publishing synthetic"


@pytest.mark.long
@pytest.mark.parametrize(
    ("section", "first", "second", "columns"),
    [
        ("noise", "law", "scale", {"hedgerow", "numpy rounded", "numpy floats"}),
        ("latency", "law", "what", {"hedgerow"}),
        ("choice", "mechanism", "mechanism", {"hedgerow", "numpy, unsafe", "times numpy"}),
        ("median", "what", "how", {"hedgerow"}),
        ("shapes", "shape", "epsilon", {"exponential", "inverse", "smooth", "laplace", "laplace / chosen"}),
        ("timing", "law", "scale", {"Spearman", "median, ns"}),
        ("accounting", "releases", "scale", {"epsilon", "at once, ms", "one by one, ms"}),
        ("import", "import", "import", {"ms", "times numpy"}),
        ("database", "what", "rows", {"hedgerow"}),
        ("people", "who", "who", set()),
        ("joins", "what", "what", {"hedgerow", "plain", "bounded", "ours / plain", "ours / bounded"}),
        ("quantiles", "what", "unit", {"hedgerow", "DuckDB", "ours / DuckDB"}),
        ("tpch", "question", "question", {"hedgerow, ms", "DuckDB, ms", "statement, ms", "clipped"}),
    ],
)
def test_every_row_is_there_and_measured(told: dict[str, Any], section: str, first: str, second: str, columns: set[str]) -> None:
    expected = {
        "noise": [(law, scale) for law in LAWS for scale in ("1", "10", "1,000", "1,000,000")],
        "latency": [(law, "first at a new scale") for law in LAWS]
        + [(law, f"then {kind}") for law in LAWS for kind in ("a count, scale 1", "a count, scale 1,000", "a real, grid 2^-20")],
        "choice": [("Exponential",) * 2, ("PermuteAndFlip",) * 2],
        "median": [
            ("release, ms", "from an array"),
            ("smooth sensitivity, ms", "from an array"),
            *(("ranks off", f"epsilon {epsilon}, {relation}") for epsilon in ("1", "0.1") for relation in ("add-remove", "change-one")),
            ("memory, MB", "quartiles of 20,000"),
        ],
        "shapes": [(shape, epsilon) for epsilon in ("1", "0.1") for shape in ("skewed", "heavy-tailed", "tied", "spiked")],
        "timing": [*((law, scale) for law in LAWS for scale in ("1", "1,000")), ("geometric", "1")],
        "accounting": [
            (f"{count} x {law}", scale) for law, scale in (("gaussian", "50"), ("laplace", "100")) for count in ("1,000", "10,000")
        ],
        "import": [(name,) * 2 for name in ("numpy", "hedgerow", "hedgerow.mechanisms")],
        "database": [
            *((what, rows) for what in ("by person", "by person, declared keys", "by row") for rows in ("1,000", "2,000")),
            ("peak of memory, by person, MB", "2,000"),
            ("the same question again, ms", "2,000"),
        ],
        "joins": [("milliseconds",) * 2, ("peak of memory, MB",) * 2],
        "quantiles": [(what, unit) for what in ("milliseconds", "peak of memory, MB") for unit in ("by row", "by person")],
        "tpch": [(f"Q{number}",) * 2 for number in (1, 3, 4, 5, 6, 10, 12, 14, 19)],
        "people": [(name,) * 2 for name in ("hedgerow", "opendp-polars", "smartnoise-sql", "pyqrlew", "pipeline-dp")],
    }
    rows = told["sections"][section]["rows"]
    assert [(row[first], row[second]) for row in rows] == expected[section]
    assert all(isinstance(row[column], float) for row in rows for column in columns)


@pytest.mark.long
def test_without_peers_their_targets_are_not_measured_and_all_others_are(told: dict[str, Any]) -> None:
    targets = [target for section in told["sections"].values() for target in section["targets"]]
    assert len(targets) == 38
    for target in targets:
        assert any(peer in target["text"] for peer in ("opendp", "diffprivlib", "mbi", "peer")) == (target["mark"] == "not measured")


@pytest.mark.long
def test_the_epsilons_are_those_of_the_known_table(told: dict[str, Any]) -> None:
    found = [row["epsilon"] for row in told["sections"]["accounting"]["rows"]]
    assert found == pytest.approx([3.1311, 11.689, 1.4716, 5.2215], rel=1e-4)


@pytest.mark.long
def test_tables_are_for_people_and_unknown_sections_are_refused() -> None:
    shown = run("--quick", "choice")
    assert shown.returncode == 0, shown.stderr
    assert "PermuteAndFlip" in shown.stdout
    assert "Targets:" in shown.stdout
    assert "no figure means anything" in shown.stdout
    refused = run("nosie")
    assert refused.returncode == 2
    assert "no section nosie" in refused.stderr


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


def test_a_peer_answers_from_its_own_process_and_a_failure_is_told(part: Any, tmp_path: Path) -> None:
    peers = part("peers")
    adapter = tmp_path / "adapter.py"
    adapter.write_text(
        "VERSION = '9'\nprint('noise on stdout')\ndef task(n): return lambda: 6 * n\ndef fails(): raise ValueError('no such thing')\n"
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
    assert [lock.stem for lock in locks] == ["diffprivlib", "opendp-polars", "pipeline-dp", "pyqrlew", "smartnoise-sql", "python-dp", "mbi"]
    for lock in locks:
        text = lock.read_text(encoding="utf-8")
        assert f"{lock.stem.removesuffix('-polars')}==" in text
        assert text.count("--hash=sha256:") >= text.count("==") > 0
        assert "://" not in text


def test_every_way_to_bound_gives_the_groups_that_a_loop_gives(part: Any) -> None:
    events, bounded = part("events"), part("bounded")
    found = events.columns(2_000)
    with duckdb.connect() as connection:
        connection.register("made", pa.table(found))
        hashes = connection.execute("SELECT DISTINCT user_id, grp, hash(user_id, grp) FROM made").fetchall()
        answers = {way: sorted(connection.execute(sql).fetchall()) for way, sql in bounded.bounded("made").items()}
    first: dict[int, list[tuple[int, int]]] = {}
    for user, group, mixed in hashes:
        first.setdefault(user, []).append((mixed, group))
    expected: dict[int, list[int]] = {}
    for user, groups in first.items():
        for _, group in sorted(groups)[: bounded.GROUPS_EACH]:
            values = found["value"][(found["user_id"] == user) & (found["grp"] == group)]
            rows, most = len(values), min(len(values), bounded.ROWS_EACH)
            steps = sum(int(np.floor(value * bounded.STEPS + 0.5)) for value in values)
            part_of = (most, steps * most // rows, most, 1)
            expected[group] = [total + more for total, more in zip(expected.get(group, [0] * 4), part_of, strict=True)]
    assert len(answers) == 3
    for way, answer in answers.items():
        assert answer == sorted((group, *totals) for group, totals in expected.items()), way
