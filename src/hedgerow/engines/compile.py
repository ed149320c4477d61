"""A plan as SQL statements that cannot fail on any data.

    rows -> one line for each (unit, group): how many rows, the sums -> the groups that count -> cut to ``max_rows`` -> added up by group

Where a join allows it, its two sides are worked on one by one, and only then is there a line for each unit and group (``apart``). What is
not added up has a statement of its own: different values, the samples of picks, and combinations. All of them read the same rows and keep
the same groups of each unit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.apart import Apart, apart
from hedgerow.engines.coding import Keyed, asked, keyed
from hedgerow.engines.crossing import crossed
from hedgerow.engines.decode import Compiled, Statement
from hedgerow.engines.dialect import Dialect
from hedgerow.engines.rows import MOST, OTHER, UNIT, RowCompiler, Selected, Shelf, as_partners, expressions, merged, same_unit
from hedgerow.engines.samples import Samples
from hedgerow.engines.scalars import weight
from hedgerow.engines.statement import MOST_SUMS
from hedgerow.engines.sums import Sums
from hedgerow.engines.terms import as_type, call, column, ordered, select, test, when, whole
from hedgerow.engines.writing import write
from hedgerow.errors import Unsupported
from hedgerow.plan.crossing import Cross
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Filter, Join, Rows, Table, Union
from hedgerow.plan.picks import Pick

__all__ = ["Shelf", "compile_plan", "compiling"]

_HEAVY: Final = 20_000
_FEW_ROWS: Final = 2**17  # (2^17)^2 rows with values up to 2^26 have sums within 61 bits
_TIMES: Final = "m"
_ONCE: Final = "once"

Named = Sequence[tuple[str, exp.Expr]]


def compile_plan(plan: Aggregate, shelves: Mapping[str, Shelf], dialect: Dialect) -> Compiled:
    """The statements of a plan over these tables. Unsupported where they would grow beyond all measure."""
    if sum(map(weight, expressions(plan.bound.source))) > _HEAVY:
        raise Unsupported("This question nests SQRT, LN, %, NULLIF, LEAST or GREATEST too deeply: ask for its parts.")
    units = plan.bound.source.unit != "row"
    compiler = RowCompiler(shelves, dialect, units, others=plan.meeting is not None)
    text_ids = units and compiler.ids(plan.bound.source) == "text"
    summed = tuple(measure for measure in plan.measures if isinstance(measure, Measure) and measure.kind != "distinct")
    others = {}
    for place, measure in enumerate(plan.measures):
        if isinstance(measure, Cross):
            found = compiler.rows(plan.bound.source, measure.columns)
            others[place] = crossed(plan, measure, found, dialect, text_ids=text_ids)
        elif isinstance(measure, Pick) or measure.kind == "distinct":
            found = compiler.rows(plan.bound.source, merged(plan.bound.keys, measure.columns))
            others[place] = _written(plan, Samples(plan, measure, found, dialect, asked(plan, found), text_ids=text_ids), dialect)
    if not summed and plan.source.domain is None:  # which groups there are has to come from somewhere
        summed = (Measure("units"),)
    if not summed:
        return Compiled(None, others)
    # Beside other statements the rows come as they come there, so that all rank the groups of a unit alike.
    sides = None if others else _sides(plan, summed)
    if sides is not None:
        return Compiled(_summed_apart(plan, summed, sides, compiler, text_ids=text_ids), others)
    return Compiled(_summed(plan, summed, compiler, text_ids=text_ids), others)


def _written(plan: Aggregate, samples: Samples, dialect: Dialect) -> Statement:
    known = plan.bound.columns
    keys = [known[key].type for key in plan.bound.keys]
    sql = write(samples.sql(), dialect)
    return Statement(sql, (*keys, *samples.more_keys), samples.wide, samples.tally)


def _summed(plan: Aggregate, measures: tuple[Measure, ...], compiler: RowCompiler, *, text_ids: bool) -> Statement:
    bound, dialect = plan.bound, compiler.dialect
    found = compiler.rows(bound.source, merged(bound.keys, (name for measure in measures for name in measure.columns)))
    sums = Sums(measures, bound.max_rows, found.names, bound.source, dialect)
    if compiler.units:
        rows = keyed(plan, found, dialect)
        ids, keys = [UNIT, OTHER] if compiler.others else [UNIT], rows.keys(plan)
        pairs = select([*((name, column(name)) for name in ids), *keys, *sums.parts()], rows.rows.sql, rows.where)
        pairs = pairs.group_by(*map(column, ids), *(value.copy() for _, value in keys), copy=False)
        final = _by_others(plan, pairs, sums, rows) if compiler.others else _by_unit(plan, pairs, sums, rows, dialect, text_ids=text_ids)
    else:
        final = _by_row(plan, found, sums)
    return _closed(plan, final, sums, dialect)


def _closed(plan: Aggregate, final: exp.Select, sums: Sums, dialect: Dialect, *, apart: bool = False) -> Statement:
    keys, known = plan.bound.keys, plan.bound.columns
    if keys:
        final = final.order_by(*ordered([column(f"k{i}") for i in range(len(keys))]).expressions, copy=False)
    elif plan.source.domain is None:
        final = final.having(test(exp.Count(this=exp.Star()), exp.GT, whole(0)), copy=False)
    # An array has places for everybody, however few a question is about, and for pairs of people and groups it would have too many.
    by_unit = (apart or not keys) and _of_all(plan.bound.source) and len(list(final.find_all(exp.AggFunc))) <= MOST_SUMS
    sql = write(final, dialect)
    return Statement(sql, tuple(known[key].type for key in keys), sums.wide, by_unit=by_unit)


def _of_all(rows: Rows) -> bool:
    """Whether there are units, and no condition leaves any row out."""
    if isinstance(rows, Table | Filter):
        return isinstance(rows, Table) and rows.unit != "row"
    if isinstance(rows, Union):
        return all(map(_of_all, rows.sources))
    return _of_all(rows.source) and (not isinstance(rows, Join) or rows.other.unit is None or _of_all(rows.other))


def _sides(plan: Aggregate, measures: Sequence[Measure]) -> Apart | None:
    """The two sides of a join, where what is added up on one of them can be multiplied afterwards without leaving 64 bits (``_times``)."""
    if plan.meeting is not None or plan.bound.max_rows > _FEW_ROWS or any(measure.limits is not None for measure in measures):
        return None
    return apart(plan.bound.source, plan.bound.keys, [name for measure in measures for name in measure.columns])


def _summed_apart(plan: Aggregate, measures: tuple[Measure, ...], sides: Apart, compiler: RowCompiler, *, text_ids: bool) -> Statement:
    """The sums of each unit on one side, its first groups on the other, and then both together."""
    bound, dialect = plan.bound, compiler.dialect
    here = compiler.rows(sides.summed, merged([], (name for measure in measures for name in measure.columns)))
    sums = Sums(measures, bound.max_rows, here.names, bound.source, dialect)
    parts = sums.parts()
    each = select([(UNIT, column(UNIT)), *parts], here.sql).group_by(column(UNIT), copy=False)
    there = compiler.rows(sides.grouped, bound.keys)
    rows = keyed(plan, there, dialect)
    keys = rows.keys(plan)
    groups, once = _groups(plan, rows, dialect, text_ids=text_ids)
    outputs = [(name, column(name, "s")) for name in (UNIT, *(name for name, _ in keys))]
    times = _times(bound.max_rows)
    products = [(name, test(column(name, "p"), exp.Mul, times.copy())) for name, _ in parts]
    pairs = select([*outputs, *products], groups).join(as_partners(each), on=same_unit(), join_type="inner", copy=False)
    final = _by_keys(plan, rows, _told(sums.of_pairs(), sums.wide), pairs)
    if once is not None:
        final = final.with_(exp.to_identifier(_ONCE, quoted=True), once, materialized=True, copy=False)
    return _closed(plan, final, sums, dialect, apart=True)


def _groups(plan: Aggregate, found: Keyed, dialect: Dialect, *, text_ids: bool) -> tuple[exp.Select, exp.Select | None]:
    """Of each unit the groups that count, and how many of these rows each of them has; with what it needs to know beforehand, if anything.

    Most often the groups come from a table with a row for each unit. Who has one row has one group, and that is known without a sort.
    """
    keys = [column(f"k{i}") for i in range(len(plan.bound.keys))]
    named = [(UNIT, column(UNIT)), *((key.name, key) for key in keys)]
    rows = select([(UNIT, column(UNIT)), *found.keys(plan)], found.rows.sql, found.where)
    if not _may_be_too_many(plan):
        return _counted(rows, named), None
    times, once = column(_TIMES), exp.Table(this=exp.to_identifier(_ONCE, quoted=True))
    each = select([named[0], *((key.name, exp.Min(this=key)) for key in keys), (_TIMES, exp.Count(this=exp.Star()))], rows.copy())
    each = each.group_by(column(UNIT), copy=False)
    lone = select([(name, value.copy()) for name, value in [*named, (_TIMES, times)]], once, [test(times.copy(), exp.EQ, whole(1))])
    others = select([(UNIT, column(UNIT))], once.copy(), [test(times.copy(), exp.GT, whole(1))])
    several = rows.where(exp.In(this=column(UNIT), query=exp.Subquery(this=others)), copy=False)
    first = _first(_counted(several, named), keys, plan.bound.max_groups, found, dialect, text_ids=text_ids)
    both = exp.Subquery(
        this=exp.Union(this=lone, expression=first, distinct=False), alias=exp.TableAlias(this=exp.to_identifier("s", quoted=True))
    )
    return select([(name, value.copy()) for name, value in [*named, (_TIMES, times)]], both), each


def _counted(rows: exp.Select, named: Named) -> exp.Select:
    counted = select([*((name, value.copy()) for name, value in named), (_TIMES, exp.Count(this=exp.Star()))], rows)
    return counted.group_by(*(value.copy() for _, value in named), copy=False)


def _may_be_too_many(plan: Aggregate) -> bool:
    """Whether a unit can be in more groups than count."""
    cells = plan.source.cells
    return bool(plan.bound.keys) and (cells is None or cells > plan.bound.max_groups)


def _times(most: int) -> exp.Expr:
    """How often the sums of a unit with n rows (of which ``most`` count) are put in, where a group has m rows of it on the other side.

    Of n m rows, if more than ``most``, what counts is trunc(s m * most / (n m)) = trunc(s * most / n), the same for every m with
    n m > most. So a large m may be cut: to 1 where n > most, and to most + 1 elsewhere. What is multiplied so stays small.
    """
    many = test(column("n", "p"), exp.GT, whole(most))
    return when((many, whole(1)), otherwise=call("least", column(_TIMES, "s"), whole(most + 1)))


def compiling(shelves: Mapping[str, Shelf], dialect: Dialect) -> Callable[[Aggregate], Compiled]:
    """``compile_plan`` for these tables, which remembers the last few plans: what was prepared is not compiled again to be run."""

    @functools.lru_cache(maxsize=16)
    def compiled(plan: Aggregate) -> Compiled:
        try:
            return compile_plan(plan, shelves, dialect)
        except RecursionError:  # how deep is too deep depends on who asks
            raise Unsupported("This question is nested too deeply: ask for its parts.") from None

    return compiled


def _by_row(plan: Aggregate, found: Selected, sums: Sums) -> exp.Select:
    """Every row is a unit of its own, in one group: there is nothing to bound. Rows are compared once, so codes would not pay."""
    keys = [(f"k{i}", found.names[key]) for i, key in enumerate(plan.bound.keys)]
    final = select([*((name, key.copy()) for name, key in keys), *_told(sums.of_rows(), sums.wide)], found.sql, asked(plan, found))
    return final.group_by(*(key.copy() for _, key in keys), copy=False) if keys else final


def _by_unit(plan: Aggregate, pairs: exp.Select, sums: Sums, rows: Keyed, dialect: Dialect, *, text_ids: bool) -> exp.Select:
    """From a line for each unit and group to one for each group."""
    keys = [column(f"k{i}") for i in range(len(plan.bound.keys))]
    if _may_be_too_many(plan):
        pairs = _first(pairs, keys, plan.bound.max_groups, rows, dialect, text_ids=text_ids)
    return _by_keys(plan, rows, _told(sums.of_pairs(), sums.wide), pairs)


def _by_keys(plan: Aggregate, rows: Keyed, numbers: Named, pairs: exp.Select) -> exp.Select:
    """The numbers of every group, under the value of its key."""
    keys = [column(f"k{i}") for i in range(len(plan.bound.keys))]
    final = select([*((key.name, rows.as_told(key)) for key in keys), *numbers], pairs)
    return final.group_by(*keys, copy=False) if keys else final


def _by_others(plan: Aggregate, pairs: exp.Select, sums: Sums, rows: Keyed) -> exp.Select:
    """From a line for each unit, one of the others and group, over what that one got there in all, to one for each group. A unit has one
    group in each of its bonds, which were counted before it met anybody: there are no groups to pick here."""
    keys = [(f"k{i}", column(f"k{i}")) for i in range(len(plan.bound.keys))]
    assert plan.meeting is not None
    got = select([(OTHER, column(OTHER)), *keys, *sums.of_pairs()], pairs)
    got = got.group_by(column(OTHER), *(key.copy() for _, key in keys), copy=False)
    return _by_keys(plan, rows, _told(sums.of_others(plan.meeting[0].max_rows), sums.wide), got)


def _told(numbers: Named, wide: Sequence[bool]) -> Named:
    """Wide numbers are told as text: not every way out of an engine has more than 64 bits."""
    return [(name, as_type(value, "text") if long else value) for (name, value), long in zip(numbers, wide, strict=True)]


def _first(pairs: exp.Select, keys: Sequence[exp.Expr], most: int, rows: Keyed, dialect: Dialect, *, text_ids: bool) -> exp.Select:
    """The groups of each unit that come first by (rank, group). The group itself settles ties, so never one more than ``most``."""
    # Two things to order by are also what keeps DuckDB from rewriting this into something twice as slow; and text is partitioned faster
    # by its hash first.
    rank = dialect.rank([column(UNIT), *(rows.as_told(key) for key in keys)])
    unit = [dialect.rank([column(UNIT)]), column(UNIT)] if text_ids else [column(UNIT)]
    place = exp.Window(this=exp.RowNumber(), partition_by=unit, order=ordered([rank, *keys]))
    outputs = [(output.alias, column(output.alias)) for output in pairs.expressions]
    numbered = select([*outputs, ("place", place)], pairs)
    return select([(name, value.copy()) for name, value in outputs], numbered, [test(column("place"), exp.LTE, whole(min(most, MOST)))])
