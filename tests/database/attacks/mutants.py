"""Mistakes that real systems made, planted into the real code. Each is a function of
``monkeypatch``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from sqlglot import exp

from hedgerow.calibration import noise_choice
from hedgerow.calibration.noise_choice import NoiseKind
from hedgerow.database.query import pricing, run
from hedgerow.engines.compile import column_casts as reading
from hedgerow.engines.compile import grid_rounding as engine_snapping
from hedgerow.engines.compile import sums
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.group_keys import KeyedRelation
from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    case_when,
    cast,
    cast_to_type,
    column,
    integer_literal,
    real_literal,
    select,
)
from hedgerow.engines.data_source import Cells
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.scalar.functions import FUNCTIONS
from hedgerow.plan.values import Range
from hedgerow.privacy.unit import Unit
from hedgerow.release import noise as release_noise
from hedgerow.release import release as door
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import ReleaseNoise
from hedgerow.sql.aggregates import grids as snapping

Patch = Callable[[pytest.MonkeyPatch], None]


def nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control."""


def charge_after_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    real_release = run.release

    def late(plan: Aggregate, source: Any, ledger: Any, noise: ReleaseNoise, charge: Any) -> Any:
        cells = source.run(plan)

        class Held:
            def prepare(self, _: Aggregate) -> None:
                pass

            def run(self, _: Aggregate) -> Any:
                return cells

        return real_release(plan, Held(), ledger, noise, charge)

    monkeypatch.setattr(run, "release", late)


def clip_after_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    """The total is clamped to what so many rows can have, instead of each row."""
    plain = sums.SumCompiler._build_part

    def part(self: sums.SumCompiler, one: Any) -> exp.Expr:
        name, snap = one
        if not isinstance(snap, ClampedGrid):
            return plain(self, one)
        total, count = exp.Sum(this=self._names[name].copy()), exp.Count(this=exp.Star())
        low, high = (
            binary(count.copy(), exp.Mul, integer_literal(end)) for end in (snap.low, snap.high)
        )
        return cast(call_function("greatest", call_function("least", total, high), low), "BIGINT")

    monkeypatch.setattr(sums.SumCompiler, "_build_part", part)
    monkeypatch.setattr(
        reading,
        "clamp",
        lambda value, low, high, *before: case_when(*before, otherwise=value) if before else value,
    )


def measures_at_one_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sum and count get the whole epsilon each, and it is charged once."""

    def noise_for(
        plan: Aggregate, unit: Unit, *, epsilon: Fraction, law: NoiseKind, **_: Any
    ) -> ReleaseNoise:
        return ReleaseNoise(
            tuple(
                Laplace.calibrate(sensitivity=move, epsilon=epsilon)
                for move in plan.sensitivity(unit)
            )
        )

    monkeypatch.setattr(noise_choice, "calibrate_noise", noise_for)
    monkeypatch.setattr(ReleaseNoise, "loss", lambda self, moves: self.mechanisms[0].loss(moves[0]))


def mean_at_half_price(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two totals of a mean are taken for independent halves."""
    whole_price = Measure._moments_sensitivity

    def half(self: Measure, groups: int, reach: Any) -> Any:
        full = whole_price(self, groups, reach)
        return replace(full, linf=full.linf / 2, l1=full.l1 / 2, l2_squared=full.l2_squared / 4)

    monkeypatch.setattr(Measure, "_moments_sensitivity", half)


def sensitivity_from_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """The upper bound is the largest age that the table has."""
    plain = pricing.price_with_noise

    def price(context: Any, question: Any, *rest: Any) -> Any:
        source = context.source
        table = source._engine._session._objects[f"t{source._version}"]
        most = max(min(age, 110) for age in table["age"].to_pylist() if age is not None)
        become = {
            m: replace(m, grid=replace(m.grid, high=most)) if m.grid else m
            for m in question.plan.measures
        }
        plan = replace(question.plan, measures=tuple(become.values()))
        calls = tuple(replace(call, measure=become[call.measure]) for call in question.aggregates)
        return plain(context, replace(question, plan=plan, aggregates=calls), *rest)

    monkeypatch.setattr(pricing, "price_with_noise", price)


def noise_reused(monkeypatch: pytest.MonkeyPatch) -> None:
    def once(law: Any, exact: Sequence[int], _: int | None = None) -> list[int]:
        draw = law.sample(0)
        return [int(number) + draw for number in exact]

    monkeypatch.setattr(release_noise, "_add_noise", once)


def limit_before_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """ORDER BY the exact number, LIMIT 2, in the engine."""
    run = DuckDB.run

    def few(self: DuckDB, plan: Aggregate) -> Cells:
        cells = run(self, plan)
        first = sorted(range(len(cells)), key=lambda place: -int(cells.numbers[0][place]))[:2]
        return Cells(
            tuple([column[i] for i in first] for column in cells.keys),
            tuple(column[first] for column in cells.numbers),
        )

    monkeypatch.setattr(DuckDB, "run", few)


def nan_passes_clamp(monkeypatch: pytest.MonkeyPatch) -> None:
    """As numpy.clip does it."""
    clamp = reading.clamp

    def between(
        value: exp.Expr, low: exp.Expr, high: exp.Expr, *before: tuple[exp.Expr, exp.Expr]
    ) -> exp.Expr:
        if low.is_type("date"):
            return clamp(value, low, high, *before)
        none = (DUCKDB.is_nan(cast_to_type(value.copy(), "real")), value.copy())
        ends = (
            (binary(value.copy(), exp.LT, low), low.copy()),
            (binary(value.copy(), exp.GT, high), high.copy()),
        )
        return case_when(none, *ends, otherwise=value)

    for module in (reading, sums, engine_snapping):
        monkeypatch.setattr(module, "clamp", between)
    monkeypatch.setattr(reading, "_list_nan_branches", lambda raw, stored, dialect: [])


def unclamped(value: exp.Expr, known: Range, snap: ClampedGrid, _: Dialect) -> exp.Expr:
    """Rounded to the grid, and believed to lie between the bounds."""
    number = cast_to_type(value.copy(), "real")
    return cast_to_type(
        call_function("round", binary(number, exp.Div, real_literal(float(snap.step)))), "integer"
    )


def bound_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product keeps the bounds of the column in it, and the engine believes them."""
    kept = replace(
        FUNCTIONS["*"], infer_range=lambda ranges: next(r for r in ranges if r.low != r.high)
    )
    monkeypatch.setitem(FUNCTIONS, "*", kept)  # type: ignore[arg-type]
    monkeypatch.setattr(sums, "compile_grid_steps", unclamped)


def believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The door takes noise at its word, as it once did; else it refuses what is planted into a
    threshold.
    """
    monkeypatch.setattr(door, "_check_noise", lambda *_: None)


def threshold_for_one_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a unit were in one undeclared group."""
    believed(monkeypatch)
    calibrate = Threshold.calibrate
    monkeypatch.setattr(
        Threshold,
        "calibrate",
        lambda index, law, *, groups, touched, **rest: calibrate(
            index, law, groups=1, touched=1, **rest
        ),
    )


def cut_for_one_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if who is replaced by another moved the count where they were, and not where the other
    is.
    """
    believed(monkeypatch)
    calibrate = Threshold.calibrate
    monkeypatch.setattr(
        Threshold,
        "calibrate",
        lambda index, law, **rest: calibrate(index, law, **rest | {"touched": rest["groups"]}),
    )


def cut_too_low(monkeypatch: pytest.MonkeyPatch) -> None:
    """The threshold stays, and noise is cut further down: what one unit moves shows in the last
    values.
    """
    believed(monkeypatch)
    calibrate = Threshold.calibrate

    def lower(*arguments: Any, **rest: Any) -> Threshold:
        made = calibrate(*arguments, **rest)
        return made if made.truncation is None else replace(made, truncation=made.truncation - 2)

    monkeypatch.setattr(Threshold, "calibrate", lower)


def no_group_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KeyedRelation, "keep_first_groups", lambda _, pairs, **__: pairs)


def _first_by(
    monkeypatch: pytest.MonkeyPatch, place: Callable[[Sequence[exp.Expr]], exp.Expr]
) -> None:
    """Another choice of the groups that stay: by ``place`` of the keys, from 1."""

    def first(self: KeyedRelation, pairs: exp.Select, **_: Any) -> exp.Select:
        keys = [column(name) for name, _ in self.name_keys()]
        outputs = [(output.alias, column(output.alias)) for output in pairs.expressions]
        crowd = exp.Window(
            this=exp.Count(this=exp.Star()), partition_by=[key.copy() for key in keys]
        )
        counted = select([*outputs, ("crowd", crowd)], pairs)
        numbered = select([*((n, v.copy()) for n, v in outputs), ("place", place(keys))], counted)
        return select(
            [(n, v.copy()) for n, v in outputs],
            numbered,
            [binary(column("place"), exp.LTE, integer_literal(self.plan.bound.max_groups))],
        )

    monkeypatch.setattr(KeyedRelation, "keep_first_groups", first)


def ties_past_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    """By hash alone, where all hashes are equal: equal ones all stay."""
    order = exp.Order(expressions=[exp.Ordered(this=column("u"), desc=False)])
    _first_by(
        monkeypatch, lambda _: exp.Window(this=exp.Rank(), partition_by=[column("u")], order=order)
    )


def others_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """The groups that most people have come first."""

    def place(keys: Sequence[exp.Expr]) -> exp.Expr:
        by = [
            exp.Ordered(this=column("crowd"), desc=True),
            *(exp.Ordered(this=key.copy(), desc=False) for key in keys),
        ]
        return exp.Window(
            this=exp.RowNumber(), partition_by=[column("u")], order=exp.Order(expressions=by)
        )

    _first_by(monkeypatch, place)


def no_row_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sums.SumCompiler,
        "_scale_unit_sum",
        lambda self, value, measure: binary(value, exp.Mul, integer_literal(measure.resolution)),
    )


def python_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds in steps as Python rounds, halves to even; values as the engine rounds, with no
    clamp after it.
    """
    monkeypatch.setattr(snapping, "round_half_away", round)
    monkeypatch.setattr(sums, "compile_grid_steps", unclamped)
