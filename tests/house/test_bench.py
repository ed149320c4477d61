"""The bench runs, and its report has its rows. How fast anything is, is never asserted."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from depth import many
from house.helpers_bench_rows import CASES, LARGE, ROWS

ROOT = Path(__file__).parents[2]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "bench", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a module of the bench; its clock collects no garbage, of which the suite has a lot."""
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.setattr("bench.clock.quiet", nullcontext)

    def imported(name: str) -> ModuleType:
        return importlib.import_module(f"bench.{name}")

    return imported


@pytest.mark.long
def test_it_says_where_it_ran_and_who_is_missing() -> None:
    done = run("--quick", "--json", "accounting")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {"processor", "load", "python", "hedgerow", "numpy", "seconds"} <= told["machine"].keys()
    assert {"opendp", "dp-accounting", "python-dp", "diffprivlib"} <= told["left out"].keys()
    assert list(told["sections"]) == ["accounting"]
    found = [row["epsilon"] for row in told["sections"]["accounting"]["rows"]]
    assert found == pytest.approx([3.1311, 11.689, 1.4716, 5.2215], rel=1e-4)


def test_no_section_is_left_out(part: Any) -> None:
    assert {case[0] for case in CASES} == set(part("__main__").SECTIONS)


def test_accuracy_brings_the_cells_in_which_caps_bite(part: Any) -> None:
    sections = part("__main__")._list_sections
    assert sections(["accuracy", "noise"]) == ["accuracy", "capped", "noise"]
    assert sections(["capped", "accuracy"]) == ["capped", "accuracy"]
    assert sections(["capped"]) == ["capped"]
    assert sections([]) == list(part("__main__").SECTIONS)


@pytest.mark.long
@pytest.mark.parametrize(
    ("section", "targets", "first", "second", "columns"),
    [case for case in CASES if many(1) > 1 or case[0] not in LARGE],
)
def test_every_row_and_target_is_there_and_measured(
    part: Any, section: str, targets: int, first: str, second: str, columns: set[str]
) -> None:
    """In a quick run without peers, whose targets alone are not measured."""
    with part("peers").hired(wanted=False) as nobody:
        told = part("__main__").SECTIONS[section](nobody, quick=True).to_dict()
    assert len(told["targets"]) == targets
    for target in told["targets"]:
        assert any(peer in target["text"] for peer in ("opendp", "diffprivlib", "mbi", "peer")) == (
            target["mark"] == "not measured"
        )
    rows = told["rows"]
    assert rows
    if first:
        assert [(row[first], row[second]) for row in rows] == ROWS[section]
    assert all(isinstance(row[column], float) for row in rows for column in columns)


@pytest.mark.long
def test_tables_are_for_people_and_unknown_sections_are_refused(
    part: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = run("--quick", "choice")
    assert shown.returncode == 0, shown.stderr
    assert "PermuteAndFlip" in shown.stdout
    assert "Targets:" in shown.stdout
    assert "no figure means anything" in shown.stdout
    with pytest.raises(SystemExit) as refused:
        part("__main__").main(["nosie"])
    assert refused.value.code == 2
    assert "no section nosie" in capsys.readouterr().err


def test_every_way_to_bound_gives_the_groups_that_a_loop_gives(part: Any) -> None:
    events, bounded = part("events"), part("bounded")
    found = events.columns(2_000)
    with duckdb.connect() as connection:
        connection.register("made", pa.table(found))
        hashes = connection.execute(
            "SELECT DISTINCT user_id, grp, hash(user_id, grp) FROM made"
        ).fetchall()
        answers = {
            way: sorted(connection.execute(sql).fetchall())
            for way, sql in bounded.bounded("made").items()
        }
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
            expected[group] = [
                total + more
                for total, more in zip(expected.get(group, [0] * 4), part_of, strict=True)
            ]
    assert len(answers) == 3
    for way, answer in answers.items():
        assert answer == sorted((group, *totals) for group, totals in expected.items()), way


def test_plain_numpy_makes_and_counts_the_same_reports(part: Any) -> None:
    """The yardsticks of local reports are right, or their times would mean nothing."""
    plain, local = part("plain_reports"), part("local")
    many, home = local.Projective.calibrate(domain=50, epsilon=1), local.pages(4).scheme
    vectors, codes = local.vectors(many), np.repeat(np.arange(50), 400)
    drawn = plain.points(many, vectors, codes)
    numbers = vectors @ (many.field ** np.arange(many.dimension - 1, -1, -1))
    place = np.searchsorted(numbers, drawn)
    assert np.array_equal(numbers[place], drawn)
    orthogonal = (vectors[place] * vectors[codes]).sum(axis=1) % many.field == 0
    # of 20,000: more than eight standard deviations
    assert abs(orthogonal.mean() - many.truth / 65536) < 0.03
    counters = np.append(np.bincount(place, minlength=many.point_count), codes.size)
    assert np.array_equal(
        plain.supports(many, vectors, counters[:-1], 50), many.count_support(counters)
    )
    coded = local.ReportBatch(b"8 bytes.", many.encode(codes))
    assert np.array_equal(
        plain.points_packed(coded.to_bytes(), many), many.aggregate(coded.records)[:-1]
    )

    bits = home.hash_values(range(3))
    rows = plain.rappor_reports(home, bits, np.repeat([0, 1, 2], [20_000, 9_000, 0]))
    batch, counted = local.ReportBatch(b"8 bytes.", rows), home.aggregate(rows)
    assert np.array_equal(
        plain.rappor_packed(batch.to_bytes(), home).ravel(), counted[: home.m * home.k]
    )
    assert np.array_equal(
        plain.rappor_json(batch.to_json().encode(), home), plain.packed_bits(rows, home)
    )
    shares = plain.rappor_nnls(home.compute_bit_rates(counted).rates, bits, home.k)
    assert shares[0] > 0.35 > shares[2]  # 0.69 and 0 of 29,000, each with a standard error of 0.03
