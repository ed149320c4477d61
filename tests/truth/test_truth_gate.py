"""The truth gate in `make test`: a slice of its grid, and the gate on answers that are false."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
import hedgerow.calibration.step_refinement
import hedgerow.release.noise
from truth import alarms, grid, publications
from truth.aggregates import AGGREGATES
from truth.constructs import CONSTRUCTS, ConstructWorld, list_construct_cells
from truth.draws import Asked
from truth.judgement import judge
from truth.oracle import WHOLE, Grid, Group, Row, find_meaning, find_sample, measure_rank_error
from truth.worlds import GROUPINGS, ROWS, SHAPES, World

TESTS = publications.count_all_tests()


@pytest.mark.long
@pytest.mark.parametrize("shape", SHAPES)
def test_answers_under_caps_mean_what_is_documented(shape: str) -> None:
    report = grid.run_cells(grid.list_slice(shape), TESTS)
    assert not report.reasons, "\n".join([*report.reasons, str(report)])


@pytest.mark.long
@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_constructs_change_nothing_about_the_meaning(construct: str) -> None:
    cells = [one for one in list_construct_cells() if one.world.construct == construct]
    report = grid.run_cells(cells, TESTS)
    assert not report.reasons, "\n".join([*report.reasons, str(report)])


def test_a_length_that_is_cut_elsewhere_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted mistake: texts count with up to six characters where seven are declared."""
    real = ConstructWorld.protect
    monkeypatch.setattr("truth.constructs.MAX_LENGTH", 6)
    world = ConstructWorld("ratings", "mixed", 2, "declared", "reading")
    with real(world, "add-remove", "laplace") as database:
        sql = "SELECT own, SUM(LEAST(LENGTH(word), 6)) AS length FROM data GROUP BY own"
        grids = [Grid(Fraction(1), 0, 7)]
        asked = Asked(database, sql, 200)
        monkeypatch.setattr(asked, "grids", lambda _: grids)
        found, _ = judge(world, ["length"], asked, factor=9, rounds=2, draws=300)
    assert any("mean of length" in reason for reason in found)


@pytest.mark.parametrize("kind", publications.KINDS)
def test_publications_count_the_rows_that_count(kind: str) -> None:
    world = World("nulls", "mixed", 2, "all")
    for relation, epsilon in zip(grid.RELATIONS, publications.EPSILONS, strict=True):
        published = publications.Published(world, kind, relation, epsilon)
        assert publications.judge_publication(published, TESTS) == []


def test_planted_publication_of_too_few_rows_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = World.protect
    monkeypatch.setattr(World, "protect", lambda world, *at: real(replace(world, cap=1), *at))
    published = publications.Published(
        World("ratings", "7", 2, "all"), "cdf", "add-remove", Fraction(100)
    )
    assert len(publications.judge_publication(published, TESTS)) == 10


def test_values_that_are_chosen_stand_for_all_of_a_person() -> None:
    # 1,500 people with one 1 among seven rows, one of which counts: it should be that one for a
    # seventh of them. By Hoeffding's inequality a fair choice is off by 140 with a probability
    # below 1e-11.
    people, rows = 1_500, 7
    uid = np.repeat(np.arange(people), rows)
    table = pa.table({"uid": uid, "x": np.tile([1, 0, 0, 0, 0, 0, 0], people)})
    terms: dict[str, Any] = {"columns": {"x": (0, 1)}, "epsilon": 1_000, "max_rows_per_group": 1}
    with hr.protect(table, unit="uid", neighbours="add-remove", **terms) as database:
        chosen = Asked(database, "SELECT MODE(x) AS usual FROM data", 1)._cells.numbers[0][0]
    assert abs(int(np.sum(chosen)) - people / rows) < 140


def test_caps_bite_in_every_slice() -> None:
    assert all(grid.list_slice(shape)[0].world.bites for shape in SHAPES)


def test_grid_holds_every_pair_of_what_it_is_made_of() -> None:
    cells = list(grid.list_cells())
    for settings in (
        {(c.world.shape, c.world.rows, c.world.cap, c.world.grouping) for c in cells},
        {(c.world.shape, c.names, c.relation, c.noise) for c in cells},
        {(c.world.grouping, c.names, c.relation, c.noise) for c in cells},
        {(c.world.rows, c.names, c.relation, c.noise) for c in cells},
        {(c.world.cap, c.names, c.relation, c.noise, c.epsilon) for c in cells},
    ):
        parts = [set(column) for column in zip(*settings, strict=True)]
        asked = {at for at in settings if at[1] != ("usual",)}
        whole = {at for at in itertools.product(*parts) if at[1] != ("usual",)}
        assert asked == whole
    assert set(cells) < set(grid.list_cells(whole=True))


# One person with the values 4, 1, NULL and 2, another with 5; two rows of a person count.
TWO = Group([[Row(4, 6, 1, 3), Row(1, 5, 3, 2), Row(None, 9), Row(2, 0, 2, 1)], [Row(5, 5)]], 2)
STEPS = [Grid(Fraction(1), 0, 10), Grid(Fraction(1), 0, 10)]


@pytest.mark.parametrize(
    ("function", "filtered", "meaning"),
    [
        ("COUNT(*)", False, Fraction(3)),
        ("COUNT(*)", True, Fraction(5, 2)),
        ("COUNT(x)", False, Fraction(5, 2)),
        ("COUNT(x)", True, Fraction(2)),
        ("COUNT(DISTINCT uid)", False, Fraction(2)),
        ("COUNT(DISTINCT x)", False, Fraction(3)),
        ("SUM", False, Fraction(17, 2)),
        ("SUM", True, Fraction(15, 2)),
        ("AVG", False, Fraction(17, 5)),
        ("VAR_POP", False, Fraction(71, 2) / Fraction(5, 2) - Fraction(17, 5) ** 2),
        (
            "COVAR_POP",
            False,
            (Fraction(79, 2)) / Fraction(5, 2) - Fraction(17, 5) * Fraction(21, 5),
        ),
    ],
)
def test_oracle_on_paper(function: str, filtered: bool, meaning: Fraction) -> None:
    assert find_meaning(function, TWO, STEPS, filtered=filtered) == meaning


def test_oracle_takes_roots_last() -> None:
    variance, sample = find_meaning("VAR_POP", TWO, STEPS), find_meaning("VAR_SAMP", TWO, STEPS)
    assert sample == variance * Fraction(5, 3)
    assert find_meaning("STDDEV", TWO, STEPS) == pytest.approx(float(sample) ** 0.5)
    assert find_meaning("CORR", Group([[Row(1, 1)], [Row(2, 3)]], 1), STEPS) == pytest.approx(1)
    assert find_meaning("CORR", Group([[Row(1, 1)], [Row(1, 3)]], 1), STEPS) is None
    assert find_meaning("AVG", Group([], 1), STEPS) is None
    alone = Group([[Row(x, y)] for x, y in ((1, 0), (2, 1), (4, 2), (9, 3))], 1)
    assert find_meaning("REGR_SLOPE", alone, STEPS) == Fraction(13, 5)
    assert find_meaning("REGR_R2", alone, STEPS) == Fraction(169, 190)
    assert find_meaning("REGR_COUNT", TWO, STEPS) == Fraction(5, 2)
    assert find_meaning("SKEWNESS", alone, STEPS) == pytest.approx(1.3309377322)
    assert find_meaning("KURTOSIS", alone, STEPS) == pytest.approx(1.5)
    assert find_meaning("SKEWNESS", TWO, STEPS) is not None
    assert find_meaning("KURTOSIS", TWO, STEPS) is None


def test_oracle_chooses_the_first_values_of_a_person() -> None:
    assert find_sample(TWO, WHOLE) == [2, 4, 5]
    sample = [1, 1, 2, 3, 9]
    assert measure_rank_error("QUANTILE", Fraction(1, 2), sample, 2) == 0
    assert measure_rank_error("QUANTILE", Fraction(1, 2), sample, 9) == Fraction(3, 2)
    assert measure_rank_error("QUANTILE", Fraction(1), sample, 2) == 2
    assert measure_rank_error("MODE", Fraction(0), sample, 3) == 1


def test_grid_rounds_halves_away_and_clamps() -> None:
    tenth = Grid(Fraction(1, 2), -3, 4)
    assert [tenth.place(x) for x in (0.25, -0.25, 9, -9, 0.2)] == [1, -1, 4, -3, 0]


def test_alarms_share_one_rate() -> None:
    assert alarms.count_rounds(1) == 2
    assert TESTS * alarms.REJECT ** alarms.count_rounds(TESTS) <= alarms.RATE / 2
    chance = 2 * np.exp(-(alarms.find_factor(TESTS) ** 2) / 2)
    assert TESTS * chance <= alarms.RATE / 2 * (1 + 1e-9)


def test_false_means_and_frequencies_are_found_and_true_ones_pass() -> None:
    random, factor = np.random.default_rng(7), alarms.find_factor(TESTS)
    values = (100 + random.laplace(size=300)).tolist()
    assert alarms.measure_excess(values, Fraction(100), bias=0, factor=factor) < 1
    assert alarms.measure_excess(values, Fraction(102), bias=0, factor=factor) > 1
    assert alarms.measure_excess(values, Fraction(102), bias=2, factor=factor) < 1
    assert alarms.measure_excess([3] * 300, Fraction(7, 2), bias=0, factor=factor) < 1
    assert alarms.measure_excess([3] * 300, Fraction(4), bias=0, factor=factor) > 1
    assert not alarms.exceeds_share(15, 300)
    assert alarms.exceeds_share(45, 300)


def plant_whole_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Believe that scaled rows lose nothing, so that they are cut to whole steps, as once was
    done.
    """
    for module in (hedgerow.calibration.step_refinement, hedgerow.release.noise):
        monkeypatch.setattr(module, "compute_rounding_loss", lambda plan: (0,) * len(plan.measures))


@pytest.mark.parametrize(
    "names", [("passing",), ("total",), ("mean",), ("deviation",), ("rows", "mean")]
)
def test_planted_cut_to_whole_steps_is_found(
    names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant_whole_steps(monkeypatch)
    cell = grid.Cell(World("0/1", "7", 2, "all"), names, "add-remove", "laplace", Fraction(200))
    report = grid.run_cells([cell], TESTS)
    assert report.reasons
    assert sum(report.failed.values()) == 1
    assert "1 of 1 cells failed" in str(report)


class Shifted:
    """A database whose exact numbers are each a twentieth too large."""

    def __init__(self, database: Any) -> None:
        self._database, self.source = database, self

    def query(self, sql: str, **options: Any) -> Any:
        return self._database.query(sql, **options)

    def run(self, plan: Any) -> Any:
        cells = self._database.source.run(plan)
        return type(cells)(cells.keys, tuple(column + column // 20 for column in cells.numbers))


def test_planted_count_of_a_twentieth_more_is_found() -> None:
    world = World("ratings", "1", 1, "declared")
    with world.protect("add-remove", "laplace") as database:
        asked = Asked(Shifted(database), "SELECT own, COUNT(*) AS rows FROM data GROUP BY own", 200)
        found, ratio = judge(
            world, ["rows"], asked, factor=alarms.find_factor(TESTS), rounds=2, draws=300
        )
    assert len(found) == 6
    assert ratio > 1


def test_every_aggregate_is_asked_alone_and_some_together() -> None:
    alone = {names[0] for names in grid.QUESTIONS if len(names) == 1}
    assert alone == {name for name, one in AGGREGATES.items() if one.reads == "x"}
    assert {name for names in grid.QUESTIONS for name in names} == alone
    assert sum(len(names) > 1 for names in grid.QUESTIONS) > 5
    assert set(GROUPINGS) >= {"all", "dropped", "undeclared"}
    assert {"1", "100", "mixed", "one giant"} <= set(ROWS)
