"""COUNT(*) and sums off the moments of a column: what is merged, and that nothing is worse for
it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.accuracy.expected_ratio_error import ExpectedRatioError
from hedgerow.accuracy.weighted_sum import compute_radius
from hedgerow.answers.estimates.estimate import compute_linear_weights
from hedgerow.calibration.measure_planning import add_deciding_count, plan_measures
from hedgerow.calibration.moment_sharing import compute_measure_shares, merge_measures
from hedgerow.calibration.noise_choice import calibrate_noise
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, Table
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.sql.question import AggregateCall, GroupKey, Question

ROWS, UNITS, VALUES = Measure("rows"), Measure("units"), Measure("values", "v0")
SNAP, SIGNED, HIGH, FLAT = (
    ClampedGrid(Fraction(1), low, high) for low, high in [(0, 10), (-10, 10), (5, 10), (3, 3)]
)
MEAN, TOTAL = Measure("moments", "v0", SNAP), Measure("total", "v0", SNAP)
LISTED = (("a", "b"),)
UNIT = Unit("add-remove", "who")
PRICE: dict[str, Any] = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6)}


DIFFERENT = Measure("distinct", "v0", SNAP)


def plan(
    *measures: Measure | OrderStatistic, domain: Any = None, rows: int = 3, groups: int = 2
) -> Aggregate:
    numbers = [Column(name, "integer", Fraction(-10), Fraction(10)) for name in ("x", "y", "z")]
    read = [(f"v{i}", ColumnRef(column.name)) for i, column in enumerate(numbers)]
    source = Project(
        Table(Schema("t", (Column("k", "text"), *numbers), "who")), (("k0", ColumnRef("k")), *read)
    )
    return Aggregate(Group(Bound(source, ("k0",), groups, rows), domain), measures)


def of(measure: Measure, **more: Any) -> Measure:
    return Measure(
        "moments", measure.column, measure.grid, counts_rows=more.get("has_null_sum", False), **more
    )


@pytest.mark.parametrize(
    ("before", "after", "more"),
    [
        ((ROWS, MEAN), (of(MEAN, has_null_sum=True),), {}),
        ((ROWS, TOTAL), (of(TOTAL, has_null_sum=True),), {}),
        ((TOTAL, VALUES), (of(TOTAL),), {}),
        ((TOTAL, VALUES, ROWS), (of(TOTAL, has_null_sum=True),), {}),
        # COUNT(x) would have more noise
        ((TOTAL, VALUES, Measure("values", "v1"), UNITS), None, {}),
        (
            (TOTAL, VALUES, Measure("total", "v1", SIGNED), Measure("values", "v1")),
            (of(TOTAL), Measure("moments", "v1", SIGNED)),
            {},
        ),
        ((MEAN, ROWS, UNITS), (of(MEAN, has_null_sum=True), UNITS), {"domain": None}),
        (
            (of(MEAN, degree=2), Measure("total", "v1", SIGNED), ROWS),
            (
                of(MEAN, degree=2),
                Measure("moments", "v1", SIGNED, has_null_sum=True, counts_rows=True),
            ),
            {},
        ),
        ((MEAN, ROWS), None, {"domain": None}),  # which count would decide?
        ((TOTAL,), None, {}),
        ((ROWS, VALUES), None, {}),
        ((ROWS, Measure("total", "v0", FLAT)), None, {}),
        ((ROWS, Measure("total", "v0", SNAP, sum_bounds=(0, 5))), None, {}),
        ((ROWS, of(MEAN, second=("v0", SIGNED))), None, {}),
        ((ROWS, OrderStatistic("least", "v0", SNAP)), None, {}),
        ((MEAN, Measure("total", "v0", SIGNED)), None, {}),  # on another grid
    ],
)
def test_measures_are_merged_where_moments_give_them(
    before: tuple[Measure, ...], after: tuple[Measure, ...] | None, more: dict[str, Any]
) -> None:
    asked = plan(*before, **{"domain": LISTED, **more})
    assert merge_measures(asked).measures == (before if after is None else after)
    assert merge_measures(merge_measures(asked)) == merge_measures(asked)


def test_measures_are_merged_for_laplace_noise_only() -> None:
    asked = plan(ROWS, MEAN, domain=LISTED)
    assert plan_measures(asked, UNIT, **PRICE, kind="laplace") == merge_measures(asked)
    assert plan_measures(asked, UNIT, **PRICE, kind="best") == merge_measures(asked)
    assert plan_measures(asked, UNIT, **PRICE, kind="gaussian") == asked
    assert plan_measures(asked, Unit("change-one", "who"), **PRICE, kind="laplace") == asked
    many = plan(ROWS, MEAN, domain=(tuple(map(str, range(100))),), groups=50)
    assert calibrate_noise(many, UNIT, **PRICE, kind="best").gaussian_epsilon is not None
    assert plan_measures(many, UNIT, **PRICE, kind="best").measures[:2] == many.measures


def calls_of(asked: Aggregate) -> tuple[AggregateCall, ...]:
    """An aggregate for each measure that somebody asks for, and for moments SUM and COUNT as
    well.
    """
    found = []
    for measure in asked.measures:
        if measure == UNITS:
            continue
        functions = {"moments": ("AVG", "SUM", "COUNT"), "total": ("SUM",)}.get(
            measure.kind, ("COUNT",)
        )
        found += [
            AggregateCall(f"a{len(found)}", function, measure, "real", function)
            for function in functions
        ]  # type: ignore[arg-type]
    return tuple(found)


def sizes(question: Question) -> list[tuple[float, float]]:
    """The standard deviation of each aggregate, over sqrt(2), and how far it is off with 95 %;
    of a mean, for each row.
    """
    noise = calibrate_noise(question.plan, UNIT, **PRICE, kind="laplace")
    laws = dict(zip(question.plan.measures, noise.mechanisms, strict=True))
    found = []
    for call in question.aggregates:
        law, weights = laws[call.measure], compute_linear_weights(call)
        assert not isinstance(law, CalibratedSelection)
        if weights is None:
            found.append((ExpectedRatioError(call, law).most, ExpectedRatioError(call, law).middle))
        else:
            found.append(
                (
                    float(law.scale) * math.hypot(*map(float, weights)),
                    float(compute_radius(law, weights, Fraction(1, 20))),
                )
            )
    return found


OTHERS = (
    ROWS,
    MEAN,
    Measure("total", "v1", HIGH),
    Measure("total", "v1", SIGNED),
    Measure("moments", "v2", SIGNED, degree=2),
)


PAIR = (TOTAL, VALUES)


@pytest.mark.parametrize(
    "measures",
    [
        *((ROWS, *some) for many in (1, 2, 3) for some in combinations(OTHERS[1:], many)),
        *(PAIR + some for many in (0, 1, 2) for some in combinations(OTHERS[2:], many)),
        *((ROWS, *PAIR, *some) for many in (0, 1, 2) for some in combinations(OTHERS[2:], many)),
    ],
)
@pytest.mark.parametrize("rows", [1, 5])
def test_sharing_halves_the_variance_of_sums_and_worsens_nothing(
    measures: tuple[Measure, ...], rows: int
) -> None:
    asked = plan(*measures, domain=LISTED, rows=rows)
    question = _asked(asked)
    before, after = sizes(question), sizes(question.with_plan(merge_measures(asked)))
    assert all(
        now <= was * (1 + 1e-6)
        for one, other in zip(after, before, strict=True)
        for now, was in zip(one, other, strict=True)
    )
    assert (
        any(now[0] <= was[0] * 0.75 for was, now in zip(before, after, strict=True))
        or merge_measures(asked) is asked
    )
    spent = calibrate_noise(merge_measures(asked), UNIT, **PRICE, kind="laplace").loss(
        merge_measures(asked).sensitivity(UNIT)
    )
    assert spent.epsilon == 1


def _asked(asked: Aggregate) -> Question:
    return Question(asked, calls_of(asked), (GroupKey("k0", "text", "k"),), ())


def test_sharing_shows_more_undeclared_groups_with_an_equal_count_error() -> None:
    for measure in (MEAN, TOTAL, Measure("total", "v0", SIGNED)):
        # with a count of units, and nothing merged
        asked = plan_measures(plan(ROWS, measure, rows=5), UNIT, **PRICE, kind="gaussian")
        assert asked.measures == (ROWS, measure, UNITS)
        question = _asked(asked)
        (count, *sums), (now, *better) = (
            sizes(question),
            sizes(question.with_plan(merge_measures(asked))),
        )
        assert now[0] == pytest.approx(count[0], rel=1e-5)
        assert now[1] <= count[1]
        assert all(one[0] <= other[0] * 0.85 for one, other in zip(better, sums, strict=True))
        first, then = (
            calibrate_noise(each, UNIT, **PRICE, kind="laplace")
            for each in (asked, merge_measures(asked))
        )
        assert first.threshold is not None
        assert then.threshold is not None
        assert then.threshold.minimum_count < 0.85 * first.threshold.minimum_count
        loss = then.loss(merge_measures(asked).sensitivity(UNIT))
        assert (loss.epsilon, loss.delta <= PRICE["delta"]) == (1, True)


def test_shares_belong_to_the_merged_measures() -> None:
    asked = plan(MEAN, ROWS, Measure("total", "v1", SIGNED), UNITS)
    assert compute_measure_shares(asked, 3) == [Fraction(1, 4)] * 4
    first, second, units = compute_measure_shares(merge_measures(asked), 2)
    assert (first + second + units, second) == (1, Fraction(1, 4))
    assert first == pytest.approx(3**0.5 / 4, rel=1e-5)
    assert compute_measure_shares(replace_domain(merge_measures(asked)), None) == [
        Fraction(1, 2),
        Fraction(1, 4),
        Fraction(1, 4),
    ]
    square = merge_measures(plan(of(MEAN, degree=2), ROWS, UNITS))
    # four numbers: nothing is left over
    assert compute_measure_shares(square, 1) == [Fraction(2, 3), Fraction(1, 3)]


def replace_domain(asked: Aggregate) -> Aggregate:
    return plan(*asked.measures, domain=LISTED)  # type: ignore[arg-type]


DATA = pa.table({
    "who": list(range(4000)),
    "x": [None if i % 8 == 0 else i % 11 for i in range(4000)],
    "y": [i % 7 for i in range(4000)],
    "k": ["a" if i % 4 else "b" for i in range(4000)],
})  # fmt: skip


@pytest.mark.parametrize("delta", [None, 1e-9])
def test_answers_are_right(delta: float | None) -> None:
    """At epsilon 2,000 noise is nothing."""
    columns: dict[str, Any] = {"x": (0, 10), "y": (-3, 6), "k": ["a", "b"]}
    with hr.protect(
        DATA,
        unit="who",
        max_groups=3,
        max_rows_per_group=1,
        neighbours="add-remove",
        columns=columns,
        epsilon=5000,
        delta=delta,
    ) as db:
        sql = (
            "SELECT k, COUNT(*) AS n, SUM(x) AS s, COUNT(x) AS c, AVG(x) AS m, SUM(y) AS t,"
            " VAR_POP(y) AS v FROM data GROUP BY k"
        )
        rows = {row["k"]: row for row in db.query(sql, epsilon=2000).rows}
        for key in ("a", "b"):
            part = [
                (x, y)
                for x, y, k in zip(
                    *(DATA[name].to_pylist() for name in ("x", "y", "k")), strict=True
                )
                if k == key
            ]
            xs, ys = [x for x, _ in part if x is not None], [y for _, y in part]
            row = rows[key]
            assert (row["n"], row["c"], row["s"], row["t"]) == (
                len(part),
                len(xs),
                sum(xs),
                sum(ys),
            )
            assert row["m"] == pytest.approx(sum(xs) / len(xs), rel=1e-2)
            assert row["v"] == pytest.approx(
                sum(y * y for y in ys) / len(ys) - (sum(ys) / len(ys)) ** 2, rel=1e-2
            )


def test_aggregates_of_stored_moments_are_free() -> None:
    with hr.protect(
        DATA,
        unit="who",
        max_groups=3,
        max_rows_per_group=1,
        neighbours="add-remove",
        columns={"x": (0, 10), "y": (0, 6)},
        epsilon=2,
    ) as db:
        first = db.query("SELECT COUNT(*) AS n, AVG(x) AS m FROM data", epsilon=1)
        again = db.query("SELECT SUM(x) AS s, COUNT(*) AS n FROM data", epsilon=1)
        assert again.cost.epsilon == 0
        assert again.rows[0]["n"] == first.rows[0]["n"]
        assert (
            db.explain("SELECT COUNT(*), SUM(y) FROM data", error=30).lines[0].expected_error <= 30
        )  # type: ignore[operator]


def test_merged_counts_are_made_consistent_with_plain_ones() -> None:
    with hr.protect(
        DATA,
        unit="row",
        neighbours="add-remove",
        columns={"x": (0, 10), "k": ["a", "b"]},
        epsilon=9,
    ) as db:
        whole = db.query("SELECT COUNT(*) AS n FROM data WHERE k IS NOT NULL", epsilon=1)
        parts = db.query("SELECT k, COUNT(*) AS n, SUM(x) AS s FROM data GROUP BY k", epsilon=1)
        total, each = db.reconcile(whole, parts)
        assert abs(total.rows[0]["n"] - sum(row["n"] for row in each.rows)) <= 1


def test_counted_stays_the_same() -> None:
    """What is merged is what the noise takes, not what is asked for."""
    asked = plan(MEAN, ROWS)
    assert add_deciding_count(asked) is asked


def test_a_sum_of_distinct_values_is_read_from_no_moments() -> None:
    both = plan(MEAN, DIFFERENT, TOTAL, ROWS, domain=LISTED)
    assert DIFFERENT in merge_measures(both).measures
    assert TOTAL not in merge_measures(both).measures
