"""More planted mistakes: in joins, per-unit subqueries, links, parts, different values, moments, choices and their price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from sqlglot import exp

from database.breaches.mutants import unclamped
from hedgerow import release
from hedgerow.answers import noise
from hedgerow.engines import reading, rows, samples, sums
from hedgerow.engines.rows import UNIT, RowCompiler, Selected
from hedgerow.engines.samples import Samples
from hedgerow.engines.terms import cast, column, select, test, when, whole
from hedgerow.picking import Picking
from hedgerow.plan.functions import FUNCTIONS
from hedgerow.plan.measures import Measure, Reach, Snap
from hedgerow.plan.nodes import Join, Table
from hedgerow.plan.picks import Pick
from hedgerow.privacy.loss import Loss
from hedgerow.release import Noise
from hedgerow.sql import measuring, shaping
from hedgerow.sql.scope import Scope


def join_without_the_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows meet on the columns that are named, whosever they are."""
    plain = rows.test

    def test(a: exp.Expr, operator: type[exp.Binary], b: exp.Expr) -> exp.Expr:
        return exp.true() if a == column(UNIT, "s") and b == column(UNIT, "p") else plain(a, operator, b)

    monkeypatch.setattr(rows, "test", test)


def fold_over_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each unit has a row of its own, and in it what all units come to."""
    plain = rows.folded
    monkeypatch.setattr(rows, "folded", lambda *arguments: exp.Window(this=exp.Max(this=plain(*arguments))))


def one_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row whose parents belong to several units goes to the last of them alone."""
    plain = RowCompiler._linked

    def linked(self: RowCompiler, node: Table, needed: Sequence[str]) -> Selected:
        found = plain(self, node, needed)
        for inner in found.sql.find_all(exp.Select):
            if inner.args.get("distinct"):
                inner.set("distinct", None)
                unit, key = inner.expressions
                unit.set("this", exp.Max(this=unit.this))
                inner.group_by(key.this.copy(), copy=False)
        return found

    monkeypatch.setattr(RowCompiler, "_linked", linked)


def parts_for_each_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question about one part sees no other, and so cuts nothing off."""

    def first_parts(self: RowCompiler, node: Table, needed: Sequence[str]) -> Selected:
        return self._table(Table(replace(node.schema, partition=None)), needed)

    monkeypatch.setattr(RowCompiler, "_first_parts", first_parts)


def parts_by_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts that stay are those of the smallest hash: a part that comes later may take the place of an earlier one."""
    plain = RowCompiler._first_parts

    def first_parts(self: RowCompiler, node: Table, needed: Sequence[str]) -> Selected:
        found = plain(self, node, needed)
        (window,) = (one for one in found.sql.find_all(exp.Window) if isinstance(one.this, exp.DenseRank))
        (by,) = window.args["order"].expressions
        by.set("this", self.dialect.rank([column(UNIT), by.this.copy()]))
        return found

    monkeypatch.setattr(RowCompiler, "_first_parts", first_parts)


def unpartnered_are_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    """LEFT JOIN takes the unit from the right side: who has no partner there is all one, NULL."""
    plain = RowCompiler._join

    def join(self: RowCompiler, node: Join, needed: Sequence[str]) -> Selected:
        found = plain(self, node, needed)
        if node.keeps and node.other.unit is not None:
            found.sql.expressions[0].set("this", column(UNIT, "p"))
        return found

    monkeypatch.setattr(RowCompiler, "_join", join)


def no_limit_of_partners(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that is somebody of its own meets all public rows that agree: that there is one was believed."""
    plain = RowCompiler._join
    monkeypatch.setattr(RowCompiler, "_join", lambda self, node, needed: plain(self, replace(node, matches=None), needed))


def values_without_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    """All different values of a unit count, and all of its values are in a sample."""
    monkeypatch.setattr(samples, "MOST_ROWS", 0)


def values_of_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that several units have goes to one of them, and is cut off with what that one has too much."""
    plain = Samples._cut

    def cut(self: Samples, found: exp.Select, place: exp.Expr, most: int) -> exp.Select:
        keys = [(key.name, key.copy()) for key in self._keys]
        owners = select([(UNIT, exp.Max(this=column(UNIT))), *keys, ("v", column("v"))], found)
        return plain(self, owners.group_by(*(key.copy() for key in self._keys), column("v"), copy=False), place, most)

    monkeypatch.setattr(Samples, "_cut", cut)


def moments_of_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Measure._moments
    monkeypatch.setattr(Measure, "_moments", lambda self, groups, reach: plain(self, groups, replace(reach, rows=1)))


def _picked_for(monkeypatch: pytest.MonkeyPatch, **less: Any) -> None:
    """Choices priced as if a unit reached less far."""
    plain = Picking.calibrate

    def calibrate(pick: Pick, reach: Reach, **price: Any) -> Picking:
        return plain(pick, replace(reach, **less), **price)

    monkeypatch.setattr(Picking, "calibrate", calibrate)


def pick_for_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    _picked_for(monkeypatch, rows=1)


def pick_for_one_group(monkeypatch: pytest.MonkeyPatch) -> None:
    _picked_for(monkeypatch, groups=1)


def pick_as_if_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under change-one, the price of coming or going."""
    _picked_for(monkeypatch, moves=False)


def delta_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threshold and choices have all of delta each, and it is charged once."""
    monkeypatch.setattr(noise, "_share_of", lambda delta, _: delta)
    plain = Noise.loss

    def loss(self: Noise, moves: Any) -> Loss:
        found = plain(self, moves)
        return Loss(found.epsilon, min(found.delta, Fraction(1, 10_000)), found.rho)

    monkeypatch.setattr(Noise, "loss", loss)


def limits_not_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(self: sums.Sums, measure: Measure, parts: Any) -> exp.Expr:
        return cast(parts[str(measure.column), measure.snap].copy(), self._dialect.wide)

    monkeypatch.setattr(sums.Sums, "_limited", limited)


def filter_after_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """What passes a FILTER is counted as it is: the bound was for the rows before it."""
    plain = sums.Sums._added_up

    def added_up(self: sums.Sums, measure: Measure, parts: Any) -> list[exp.Expr]:
        if measure.kind != "values":
            return plain(self, measure, parts)
        fine = whole(measure.fine)
        return [self._total(test(value, exp.Mul, fine.copy()), wide=False) for value in self._values(measure, parts)]

    monkeypatch.setattr(sums.Sums, "_added_up", added_up)


def rest_beyond_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows without a value count as they are, however many one unit has."""
    plain = sums.Sums._added_up

    def added_up(self: sums.Sums, measure: Measure, parts: Any) -> list[exp.Expr]:
        found = plain(self, measure, parts)
        return [*found[:-1], self._total(self._plain(measure, parts, column("n"))[-1], wide=False)] if measure.rest else found

    monkeypatch.setattr(sums.Sums, "_added_up", added_up)


def rows_without_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    """COUNT(*) counts all rows of a unit, however many a join has made of them."""
    monkeypatch.setattr(sums, "MOST_ROWS", 1)
    plain = sums.Sums._added_up

    def added_up(self: sums.Sums, measure: Measure, parts: Any) -> list[exp.Expr]:
        return [self._total(column("n"), wide=False)] if measure.kind == "rows" else plain(self, measure, parts)

    monkeypatch.setattr(sums.Sums, "_added_up", added_up)


def clip_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clipped value is computed, and the raw one is added up."""
    monkeypatch.setattr(sums, "snapped", unclamped)
    monkeypatch.setattr(reading, "between", lambda value, low, high, *before: when(*before, otherwise=value) if before else value)


def name_keeps_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A column that is computed anew under an old name keeps the bounds of the old one, and the engine believes them."""
    plain = shaping.shaped

    def shaped(scope: Scope, outputs: Any) -> Scope:
        found, old = plain(scope, outputs), {one.name: one.range for one in scope.columns}
        return replace(found, columns=tuple(replace(one, range=old.get(one.name, one.range)) for one in found.columns))

    monkeypatch.setattr(shaping, "shaped", shaped)
    monkeypatch.setattr(sums, "snapped", unclamped)


def lower_bound_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The upper bound is the lower one, so nobody seems to move anything by more than that."""
    plain = measuring.snap

    def snap(*arguments: Any) -> Snap | None:
        found = plain(*arguments)
        return found and replace(found, high=found.low)

    monkeypatch.setattr(measuring, "snap", snap)
    monkeypatch.setattr(sums, "snapped", unclamped)


def sum_keeps_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum of two columns keeps the bounds of the first, and the engine believes them."""
    monkeypatch.setitem(FUNCTIONS, "+", replace(FUNCTIONS["+"], result=lambda ranges: ranges[0]))  # type: ignore[arg-type]
    monkeypatch.setattr(sums, "snapped", unclamped)


def count_without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the numbers of a mean the first gets noise, and the one that makes it a count is taken as it is."""
    plain = release._published

    def published(law: Any, measure: Any, columns: Sequence[Any], shown: Sequence[int]) -> list[list[int | None]]:
        found = plain(law, measure, columns, shown)
        return found if isinstance(law, Picking) else [found[0], *([int(n) for n in columns[i][list(shown)]] for i in range(1, len(found)))]

    monkeypatch.setattr(release, "_published", published)


def group_too_many_for_picks(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Samples._cut

    def cut(self: Samples, cut_rows: exp.Select, place: exp.Window, most: int) -> exp.Select:
        return plain(self, cut_rows, place, most + isinstance(place.this, exp.DenseRank))

    monkeypatch.setattr(Samples, "_cut", cut)
