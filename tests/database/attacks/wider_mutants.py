"""More planted mistakes: in joins, per-unit subqueries, links, parts, different values, moments,
choices and their price.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from sqlglot import exp

from database.attacks.mutants import unclamped
from hedgerow.calibration import noise_choice as noise
from hedgerow.engines.compile import column_casts as reading
from hedgerow.engines.compile import compiled_relation, sums
from hedgerow.engines.compile import ordered_values as samples
from hedgerow.engines.compile import relations as rows
from hedgerow.engines.compile.compiled_relation import UNIT_COLUMN, CompiledRelation
from hedgerow.engines.compile.relations import RelationCompiler
from hedgerow.engines.compile.sql_builders import (
    binary,
    case_when,
    cast,
    column,
    integer_literal,
    select,
)
from hedgerow.plan.measures import ClampedGrid, Measure, UnitReach
from hedgerow.plan.nodes import Join, Table
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.functions import FUNCTIONS
from hedgerow.privacy.loss import Loss
from hedgerow.release import noise as release_noise
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.noise import ReleaseNoise
from hedgerow.sql.aggregates import number_grids
from hedgerow.sql.binder.scope import Scope
from hedgerow.sql.relations import select_list as shaping


def join_without_the_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows meet on the columns that are named, whosever they are."""
    plain = compiled_relation.binary

    def test(a: exp.Expr, operator: type[exp.Binary], b: exp.Expr) -> exp.Expr:
        return (
            exp.true()
            if a == column(UNIT_COLUMN, "s") and b == column(UNIT_COLUMN, "p")
            else plain(a, operator, b)
        )

    monkeypatch.setattr(compiled_relation, "binary", test)


def fold_over_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each unit has a row of its own, and in it what all units come to."""
    plain = rows.compile_unit_statistic
    monkeypatch.setattr(
        rows,
        "compile_unit_statistic",
        lambda *arguments: exp.Window(this=exp.Max(this=plain(*arguments))),
    )


def one_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row whose parents belong to several units goes to the last of them alone."""
    plain = RelationCompiler._compile_linked_table

    def linked(self: RelationCompiler, node: Table, needed: Sequence[str]) -> CompiledRelation:
        found = plain(self, node, needed)
        for inner in found.query.find_all(exp.Select):
            if inner.args.get("distinct"):
                inner.set("distinct", None)
                unit, key = inner.expressions
                unit.set("this", exp.Max(this=unit.this))
                inner.group_by(key.this.copy(), copy=False)
        return found

    monkeypatch.setattr(RelationCompiler, "_compile_linked_table", linked)


def parts_for_each_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question about one part sees no other, and so cuts nothing off."""

    def first_parts(self: RelationCompiler, node: Table, needed: Sequence[str]) -> CompiledRelation:
        return self._compile_table(Table(replace(node.schema, partition=None)), needed)

    monkeypatch.setattr(RelationCompiler, "_compile_first_parts", first_parts)


def parts_by_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts that stay are those of the smallest hash: a part that comes later may take the
    place of an earlier one.
    """
    plain = RelationCompiler._compile_first_parts

    def first_parts(self: RelationCompiler, node: Table, needed: Sequence[str]) -> CompiledRelation:
        found = plain(self, node, needed)
        (window,) = (
            one for one in found.query.find_all(exp.Window) if isinstance(one.this, exp.DenseRank)
        )
        (by,) = window.args["order"].expressions
        by.set("this", self.dialect.build_rank([column(UNIT_COLUMN), by.this.copy()]))
        return found

    monkeypatch.setattr(RelationCompiler, "_compile_first_parts", first_parts)


def unpartnered_are_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    """LEFT JOIN takes the unit from the right side: who has no partner there is all one, NULL."""
    plain = RelationCompiler._compile_join

    def join(self: RelationCompiler, node: Join, needed: Sequence[str]) -> CompiledRelation:
        found = plain(self, node, needed)
        if node.keeps_unmatched and node.other.unit is not None:
            found.query.expressions[0].set("this", column(UNIT_COLUMN, "p"))
        return found

    monkeypatch.setattr(RelationCompiler, "_compile_join", join)


def no_limit_of_partners(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that is somebody of its own meets all public rows that agree: that there is one was
    believed.
    """
    plain = RelationCompiler._compile_join
    monkeypatch.setattr(
        RelationCompiler,
        "_compile_join",
        lambda self, node, needed: plain(self, replace(node, max_matches=None), needed),
    )


def values_without_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    """All different values of a unit count, and all of its values are in a sample."""
    monkeypatch.setattr(samples, "MAX_TABLE_ROWS", 0)


def values_of_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that several units have goes to one of them, and is cut off with what that one has
    too much.
    """
    plain = samples.keep_first

    def cut(found: exp.Select, place: exp.Expr, limit: int, names: Sequence[str]) -> exp.Select:
        others = [name for name in names if name != UNIT_COLUMN]
        owner = (UNIT_COLUMN, exp.Max(this=column(UNIT_COLUMN)))
        owners = select([owner, *((name, column(name)) for name in others)], found)
        return plain(owners.group_by(*map(column, others), copy=False), place, limit, names)

    monkeypatch.setattr(samples, "keep_first", cut)


def moments_of_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Measure._moments_sensitivity
    monkeypatch.setattr(
        Measure,
        "_moments_sensitivity",
        lambda self, groups, reach: plain(self, groups, replace(reach, rows=1)),
    )


def _picked_for(monkeypatch: pytest.MonkeyPatch, **less: Any) -> None:
    """Choices priced as if a unit reached less far."""
    plain = CalibratedSelection.calibrate

    def calibrate(pick: OrderStatistic, reach: UnitReach, **price: Any) -> CalibratedSelection:
        return plain(pick, replace(reach, **less), **price)

    monkeypatch.setattr(CalibratedSelection, "calibrate", calibrate)


def pick_for_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    _picked_for(monkeypatch, rows=1)


def pick_for_one_group(monkeypatch: pytest.MonkeyPatch) -> None:
    _picked_for(monkeypatch, groups=1)


def pick_as_if_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under change-one, the price of coming or going."""
    _picked_for(monkeypatch, is_change_one=False)


def delta_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threshold and choices have all of delta each, and it is charged once."""
    monkeypatch.setattr(noise, "_count_delta_uses", lambda _: 0)
    plain = ReleaseNoise.loss

    def loss(self: ReleaseNoise, moves: Any) -> Loss:
        found = plain(self, moves)
        return Loss(found.epsilon, min(found.delta, Fraction(1, 10_000)), found.rho)

    monkeypatch.setattr(ReleaseNoise, "loss", loss)


def limits_not_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(self: sums.SumCompiler, measure: Measure, parts: Any) -> exp.Expr:
        return cast(parts[str(measure.column), measure.grid].copy(), self._dialect.wide_integer)

    monkeypatch.setattr(sums.SumCompiler, "_clamp_unit_sum", limited)


def filter_after_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """What passes a FILTER is counted as it is: the bound was for the rows before it."""
    plain = sums.SumCompiler._total_measure

    def added_up(self: sums.SumCompiler, measure: Measure, parts: Any) -> list[exp.Expr]:
        if measure.kind != "values":
            return plain(self, measure, parts)
        fine = integer_literal(measure.resolution)
        return [
            self._build_total(binary(value, exp.Mul, fine.copy()), wide=False)
            for value in self._build_value_sums(measure, parts)
        ]

    monkeypatch.setattr(sums.SumCompiler, "_total_measure", added_up)


def rest_beyond_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows without a value count as they are, however many one unit has."""
    plain = sums.SumCompiler._total_measure

    def added_up(self: sums.SumCompiler, measure: Measure, parts: Any) -> list[exp.Expr]:
        found = plain(self, measure, parts)
        return (
            [
                *found[:-1],
                self._build_total(
                    self._build_unscaled(measure, parts, column("n"))[-1], wide=False
                ),
            ]
            if measure.has_null_sum
            else found
        )

    monkeypatch.setattr(sums.SumCompiler, "_total_measure", added_up)


def rows_without_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    """COUNT(*) counts all rows of a unit, however many a join has made of them."""
    monkeypatch.setattr(sums, "MAX_TABLE_ROWS", 1)
    plain = sums.SumCompiler._total_measure

    def added_up(self: sums.SumCompiler, measure: Measure, parts: Any) -> list[exp.Expr]:
        return (
            [self._build_total(column("n"), wide=False)]
            if measure.kind == "rows"
            else plain(self, measure, parts)
        )

    monkeypatch.setattr(sums.SumCompiler, "_total_measure", added_up)


def clip_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clipped value is computed, and the raw one is added up."""
    monkeypatch.setattr(sums, "compile_grid_steps", unclamped)
    monkeypatch.setattr(
        reading,
        "clamp",
        lambda value, low, high, *before: case_when(*before, otherwise=value) if before else value,
    )


def name_keeps_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A column that is computed anew under an old name keeps the bounds of the old one, and the
    engine believes them.
    """
    plain = shaping.build_projection

    def shaped(scope: Scope, outputs: Any) -> Scope:
        found, old = plain(scope, outputs), {one.name: one.range for one in scope.columns}
        return replace(
            found,
            columns=tuple(
                replace(one, range=old.get(one.name, one.range)) for one in found.columns
            ),
        )

    monkeypatch.setattr(shaping, "build_projection", shaped)
    monkeypatch.setattr(sums, "compile_grid_steps", unclamped)


def lower_bound_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The upper bound is the lower one, so nobody seems to move anything by more than that."""
    plain = number_grids.build_grid

    def snap(*arguments: Any) -> ClampedGrid | None:
        found = plain(*arguments)
        return found and replace(found, high=found.low)

    monkeypatch.setattr(number_grids, "build_grid", snap)
    monkeypatch.setattr(sums, "compile_grid_steps", unclamped)


def sum_keeps_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum of two columns keeps the bounds of the first, and the engine believes them."""
    monkeypatch.setitem(
        FUNCTIONS, "+", replace(FUNCTIONS["+"], infer_range=lambda ranges: ranges[0])
    )  # type: ignore[arg-type]
    monkeypatch.setattr(sums, "compile_grid_steps", unclamped)


def count_without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the numbers of a mean the first gets noise, and the one that makes it a count is taken
    as it is.
    """
    plain = release_noise._release_measure

    def published(
        law: Any, measure: Any, columns: Sequence[Any], shown: Sequence[int]
    ) -> list[list[int | None]]:
        found = plain(law, measure, columns, shown)
        return (
            found
            if isinstance(law, CalibratedSelection)
            else [
                found[0],
                *([int(n) for n in columns[i][list(shown)]] for i in range(1, len(found))),
            ]
        )

    monkeypatch.setattr(release_noise, "_release_measure", published)


def group_too_many_for_picks(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = samples.keep_first

    def cut(
        cut_rows: exp.Select, place: exp.Window, limit: int, names: Sequence[str]
    ) -> exp.Select:
        return plain(cut_rows, place, limit + isinstance(place.this, exp.DenseRank), names)

    monkeypatch.setattr(samples, "keep_first", cut)
