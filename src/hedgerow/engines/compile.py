"""A plan as SQL statements that cannot fail on any data.

    rows -> one line for each (unit, group): how many rows, the sums -> the groups that count -> cut to ``max_rows`` -> added up by group

What is not added up has a statement of its own: different values, the samples of picks, and combinations. All of them read the same rows
and keep the same groups of each unit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.crossing import crossed
from hedgerow.engines.decode import Compiled, Statement
from hedgerow.engines.dialect import Dialect
from hedgerow.engines.rows import MOST, OTHER, UNIT, RowCompiler, Selected, Shelf, expressions, merged
from hedgerow.engines.samples import Samples
from hedgerow.engines.scalars import weight
from hedgerow.engines.sums import Sums
from hedgerow.engines.terms import as_type, column, one_of, ordered, select, test, whole
from hedgerow.errors import Unsupported
from hedgerow.plan.crossing import Cross
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.picks import Pick

__all__ = ["Shelf", "compile_plan", "compiling"]

_HEAVY: Final = 20_000

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
            others[place] = _written(plan, Samples(plan, measure, found, dialect, _asked(plan, found), text_ids=text_ids), dialect)
    if not summed and plan.source.domain is None:  # which groups there are has to come from somewhere
        summed = (Measure("units"),)
    return Compiled(_summed(plan, summed, compiler, text_ids=text_ids) if summed else None, others)


def _written(plan: Aggregate, samples: Samples, dialect: Dialect) -> Statement:
    known = plan.bound.columns
    keys = [known[key].type for key in plan.bound.keys]
    sql = samples.sql().sql(dialect=dialect.name, comments=False, copy=False)
    return Statement(sql, (*keys, *samples.more_keys), samples.wide, samples.tally)


def _summed(plan: Aggregate, measures: tuple[Measure, ...], compiler: RowCompiler, *, text_ids: bool) -> Statement:
    bound, known, dialect = plan.bound, plan.bound.columns, compiler.dialect
    found = compiler.rows(bound.source, merged(bound.keys, (name for measure in measures for name in measure.columns)))
    keys = [(f"k{i}", found.names[key].copy()) for i, key in enumerate(bound.keys)]
    sums = Sums(measures, bound.max_rows, found.names, known, dialect)
    where = _asked(plan, found)
    if compiler.units:
        ids = [UNIT, OTHER] if compiler.others else [UNIT]
        pairs = select([*((name, column(name)) for name in ids), *keys, *sums.parts()], found.sql, where)
        pairs = pairs.group_by(*map(column, ids), *(value.copy() for _, value in keys), copy=False)
        final = _by_others(plan, pairs, sums) if compiler.others else _by_unit(plan, pairs, sums, dialect, text_ids=text_ids)
    else:
        final = _by_row(found, keys, where, sums)
    if keys:
        final = final.order_by(*ordered([column(name) for name, _ in keys]).expressions, copy=False)
    elif plan.source.domain is None:
        final = final.having(test(exp.Count(this=exp.Star()), exp.GT, whole(0)), copy=False)
    return Statement(final.sql(dialect=dialect.name, comments=False, copy=False), tuple(known[key].type for key in bound.keys), sums.wide)


def compiling(shelves: Mapping[str, Shelf], dialect: Dialect) -> Callable[[Aggregate], Compiled]:
    """``compile_plan`` for these tables, which remembers the last few plans: what was prepared is not compiled again to be run."""

    @functools.lru_cache(maxsize=16)
    def compiled(plan: Aggregate) -> Compiled:
        try:
            return compile_plan(plan, shelves, dialect)
        except RecursionError:  # how deep is too deep depends on who asks
            raise Unsupported("This question is nested too deeply: ask for its parts.") from None

    return compiled


def _by_row(found: Selected, keys: Named, where: Sequence[exp.Expr], sums: Sums) -> exp.Select:
    """Every row is a unit of its own, in one group: there is nothing to bound."""
    final = select([*keys, *_told(sums.of_rows(), sums.wide)], found.sql, where)
    return final.group_by(*(value.copy() for _, value in keys), copy=False) if keys else final


def _by_unit(plan: Aggregate, pairs: exp.Select, sums: Sums, dialect: Dialect, *, text_ids: bool) -> exp.Select:
    """From a line for each unit and group to one for each group."""
    keys = [column(f"k{i}") for i in range(len(plan.bound.keys))]
    cells, most = plan.source.cells, plan.bound.max_groups
    if keys and (cells is None or cells > most):
        pairs = _first(pairs, keys, most, dialect, text_ids=text_ids)
    final = select([*((key.name, key) for key in keys), *_told(sums.of_pairs(), sums.wide)], pairs)
    return final.group_by(*(key.copy() for key in keys), copy=False) if keys else final


def _by_others(plan: Aggregate, pairs: exp.Select, sums: Sums) -> exp.Select:
    """From a line for each unit, one of the others and group, over what that one got there in all, to one for each group. A unit has one
    group in each of its bonds, which were counted before it met anybody: there are no groups to pick here."""
    keys = [(f"k{i}", column(f"k{i}")) for i in range(len(plan.bound.keys))]
    assert plan.meeting is not None
    got = select([(OTHER, column(OTHER)), *keys, *sums.of_pairs()], pairs)
    got = got.group_by(column(OTHER), *(key.copy() for _, key in keys), copy=False)
    final = select([*((name, key.copy()) for name, key in keys), *_told(sums.of_others(plan.meeting[0].max_rows), sums.wide)], got)
    return final.group_by(*(key.copy() for _, key in keys), copy=False) if keys else final


def _told(numbers: Named, wide: Sequence[bool]) -> Named:
    """Wide numbers are told as text: not every way out of an engine has more than 64 bits."""
    return [(name, as_type(value, "text") if long else value) for (name, value), long in zip(numbers, wide, strict=True)]


def _first(pairs: exp.Select, keys: Sequence[exp.Expr], most: int, dialect: Dialect, *, text_ids: bool) -> exp.Select:
    """The groups of each unit that come first by (rank, group). The group itself settles ties, so never one more than ``most``."""
    # Two things to order by are also what keeps DuckDB from rewriting this into something twice as slow; and text is partitioned faster
    # by its hash first.
    rank = dialect.rank([column(UNIT), *(key.copy() for key in keys)])
    unit = [dialect.rank([column(UNIT)]), column(UNIT)] if text_ids else [column(UNIT)]
    place = exp.Window(this=exp.RowNumber(), partition_by=unit, order=ordered([rank, *keys]))
    outputs = [(output.alias, column(output.alias)) for output in pairs.expressions]
    numbered = select([*outputs, ("place", place)], pairs)
    return select([(name, value.copy()) for name, value in outputs], numbered, [test(column("place"), exp.LTE, whole(min(most, MOST)))])


def _asked(plan: Aggregate, found: Selected) -> list[exp.Expr]:
    """Which rows are in a group of the domain."""
    known, domain = plan.bound.columns, plan.source.domain or ()
    keys = [(name, found.names[name]) for name in plan.bound.keys]
    return [one_of(key.copy(), values, known[name].type) for (name, key), values in zip(keys, domain, strict=bool(domain))]
