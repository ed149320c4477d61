"""What an engine and the reference say to one plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import duckdb

from engines.helpers_worlds import SQL_TYPES, World
from hedgerow.engines.data_source import Source
from hedgerow.engines.reference import interpreter as reference
from hedgerow.plan.contingency import Contingency, group_into_words
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.plan.nodes import (
    Aggregate,
)
from hedgerow.plan.values import Type, Value


class Ranks:
    """The order in which DuckDB keeps the groups of a unit, asked of DuckDB itself."""

    def __init__(self) -> None:
        self._connection = duckdb.connect()

    def __call__(
        self, unit_type: str, key_types: Sequence[Type]
    ) -> Callable[[Value, tuple[Value, ...]], int]:
        types = [unit_type, *(SQL_TYPES[type_] for type_ in key_types)]
        sql = f"SELECT hash(hash({', '.join(f'CAST(? AS {type_})' for type_ in types)})) >> 32"

        def rank(unit: Value, group: tuple[Value, ...]) -> int:
            found: Any = self._connection.execute(sql, [unit, *group]).fetchone()
            return int(found[0])

        return rank


def combinations(table: ContingencyTable) -> dict[tuple[int, ...], int]:
    """How often each combination is there, by its codes. One line for each, in order."""
    lines = list(zip(*(word.tolist() for word in table.words), strict=True))
    assert lines == sorted(set(lines))
    found = {}
    for words, count in zip(lines, table.counts.tolist(), strict=True):
        codes: list[int] = []
        for word, places in zip(words, group_into_words(table.sizes), strict=True):
            own: list[int] = []
            for place in reversed(places):
                word, code = divmod(word, table.sizes[place])
                own.insert(0, code)
            codes += own
        found[tuple(codes)] = count
    return found


def answer(source: Source, plan: Aggregate) -> dict[tuple[Value, ...], tuple[Any, ...]]:
    """What an engine says, as the reference says it; keys must not repeat."""
    cells = source.run(plan)
    groups = list(zip(*cells.keys, strict=True)) if cells.keys else [()] * len(cells)
    found = {
        group: tuple(map(_number, [column[i] for column in cells.numbers]))
        for i, group in enumerate(groups)
    }
    assert len(found) == len(groups)
    return found


def _number(number: Any) -> Any:
    return combinations(number) if isinstance(number, ContingencyTable) else int(number)


def expected(
    world: World, plan: Aggregate, ranks: Ranks
) -> dict[tuple[Value, ...], tuple[Any, ...]]:
    """What the reference says."""
    known = plan.bound.columns
    words = [
        "integer"
        for measure in plan.measures
        if isinstance(measure, Contingency)
        for _ in group_into_words(measure.sizes)
    ]
    rank = ranks(world.unit_type, [*(known[key].type for key in plan.bound.keys), *words])
    alone = plan.bound.source.unit == "row"
    return reference.interpret_plan(
        plan, world.raw, lambda unit, group: 0 if alone or not group else rank(unit, group)
    )
