"""Made-up tables that hang together, and plans over them: links, parts, joins, folds, unions, every
measure and every pick, and combinations.

Drawn from a plain generator, like ``trees``: the number that a test starts it with names the
example. Cells hold Python values of the declared types (or NULL, or NaN), so that an engine's test
can make columns of them as they are.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.schema import Schema
from hedgerow.plan.values import Range, Type, Value
from plan.helpers_tables import DAYS, POOLS, PRIVATE

STEPS = (Fraction(1), Fraction(1), Fraction(1, 4), Fraction(2), Fraction(1, 3))


def rank(unit: Any, group: Sequence[Value]) -> int:
    """An order as good as any, with ties."""
    return (
        zlib.crc32(
            repr(
                (unit, [value + 0.0 if isinstance(value, float) else value for value in group])
            ).encode()
        )
        % 16
    )


def constant(random: Random, type_: Type) -> Constant:
    return Constant(
        random.choice(
            [
                value
                for value in POOLS[type_]
                if value == value and value not in (None, float("inf"))
            ]
        ),
        type_,
    )


def condition(random: Random, known: Mapping[str, Range]) -> Expression:
    if not known or random.random() < 0.05:
        return Constant(random.choice([True, False, None]), "boolean")
    name = random.choice(sorted(known))
    test: Expression = Call(
        random.choice(["=", "<>", "<", ">="]), (ColumnRef(name), constant(random, known[name].type))
    )
    if random.random() < 0.3:
        test = Call("is null", (ColumnRef(name),))
    return (
        Call(random.choice(["and", "or"]), (test, condition(random, known)))
        if random.random() < 0.4
        else test
    )


def value(random: Random, known: Mapping[str, Range], name: str) -> Expression:
    """The column, or something made of it, of the same type."""
    read, type_ = ColumnRef(name), known[name].type
    forms: list[Expression] = [read, read, Call("coalesce", (read, constant(random, type_)))]
    if type_ in ("integer", "real"):
        clamped = Call(
            "greatest", (Call("least", (read, constant(random, type_))), constant(random, type_))
        )
        forms += [clamped, Call("+", (clamped, constant(random, type_)))]
    if type_ == "text":
        forms += [
            Call("upper", (read,)),
            Call(
                "substring",
                (Call("concat", (read, read)), Constant(1, "integer"), Constant(2, "integer")),
            ),
        ]
    if type_ == "date":
        forms += [
            Call("start of month", (read,)),
            Call("add months", (read, Constant(1, "integer"))),
        ]
    return random.choice(forms)


def source(random: Random, schemas: Mapping[str, Schema], depth: int = 3) -> RelationNode:
    """Rows about the units. Names are made anew at every step, so that no two columns share one."""
    if depth == 0:
        return Table(schemas[random.choice(PRIVATE).table])
    inner = source(random, schemas, depth - 1)
    make = random.choice(
        [_filtered, _projected, _looked_up, _beside, _beside, _folded, _folded, _together]
    )
    return make(random, schemas, inner, depth)


def _filtered(
    random: Random, schemas: Mapping[str, Schema], inner: RelationNode, depth: int
) -> RelationNode:
    return Filter(inner, condition(random, inner.columns))


def _projected(
    random: Random, schemas: Mapping[str, Schema], inner: RelationNode, depth: int
) -> RelationNode:
    known = inner.columns
    kept = random.sample(sorted(known), random.randint(1, len(known)))
    return Project(
        inner, tuple((f"q{depth}{i}", value(random, known, name)) for i, name in enumerate(kept))
    )


def _pairs(
    random: Random, here: Mapping[str, Range], there: Mapping[str, Range], most: int
) -> tuple[tuple[str, str], ...]:
    numbers = ("integer", "real")
    fits = [
        (a, b)
        for a in here
        for b in there
        if here[a].type == there[b].type or {here[a].type, there[b].type} <= set(numbers)
    ]
    return tuple(random.sample(fits, min(most, len(fits))))


def _looked_up(
    random: Random,
    schemas: Mapping[str, Schema],
    inner: RelationNode,
    depth: int,
    most: int | None = None,
) -> RelationNode:
    public: RelationNode = Table(schemas["places"])
    if random.random() < 0.4:
        public = Filter(public, condition(random, public.columns))
    on = _pairs(random, inner.columns, public.columns, random.choice([1, 1, 2]))
    if not on:
        return _filtered(random, schemas, inner, depth)
    adds = tuple(
        (f"p{depth}{i}", there)
        for i, there in enumerate(
            random.sample(["name", "size", "open", "size"], random.randint(0, 3))
        )
    )
    return Join(
        inner,
        public,
        on,
        adds,
        most or random.choice([None, 1, 2]),
        keeps_unmatched=random.random() < 0.5,
    )


def _beside(
    random: Random, schemas: Mapping[str, Schema], inner: RelationNode, depth: int
) -> RelationNode:
    other = source(random, schemas, random.choice([0, 0, depth - 1]))
    on = _pairs(random, inner.columns, other.columns, random.choice([0, 1, 1, 2]))
    kept = random.sample(sorted(other.columns), random.randint(0, min(3, len(other.columns))))
    return Join(
        inner,
        other,
        on,
        tuple((f"j{depth}{i}", name) for i, name in enumerate(kept)),
        keeps_unmatched=random.random() < 0.5,
    )


def _folded(
    random: Random, schemas: Mapping[str, Schema], inner: RelationNode, depth: int
) -> RelationNode:
    known = inner.columns
    keys = tuple(random.sample(sorted(known), random.randint(0, min(2, len(known)))))
    outputs = [UnitStatistic("rows")]
    for name in random.sample(sorted(known), min(3, len(known))):
        type_ = known[name].type
        outputs.append(UnitStatistic(random.choice(["values", "distinct"]), name))
        if type_ in ("integer", "real"):
            step = random.choice(
                [step for step in STEPS if type_ == "real" or step.denominator == 1]
            )
            outputs.append(
                UnitStatistic(
                    random.choice(["total", "mean"]),
                    name,
                    ClampedGrid(step, *sorted(random.sample(range(-9, 10), 2))),
                )
            )
        if type_ in ("integer", "real", "date"):
            outputs.append(UnitStatistic(random.choice(["least", "greatest"]), name))
    return UnitAggregation(
        inner, keys, tuple((f"f{depth}{i}", folded) for i, folded in enumerate(outputs))
    )


def _together(
    random: Random, schemas: Mapping[str, Schema], inner: RelationNode, depth: int
) -> RelationNode:
    """The same columns of two sources, made of columns of the same types."""
    other = source(random, schemas, random.choice([0, depth - 1]))
    pairs = [
        (a, b)
        for a, known in inner.columns.items()
        for b, its in other.columns.items()
        if known.type == its.type
    ]
    if not pairs:
        return _filtered(random, schemas, inner, depth)
    kept = random.sample(pairs, min(4, len(pairs)))
    sides = [
        Project(
            rows,
            tuple(
                (f"u{depth}{i}", value(random, rows.columns, pair[side]))
                for i, pair in enumerate(kept)
            ),
        )
        for side, rows in enumerate((inner, other))
    ]
    return Union((sides[0], sides[1]))


def measure(random: Random, known: Mapping[str, Range]) -> Measure | OrderStatistic:
    numbers = [name for name, range_ in known.items() if range_.type in ("integer", "real")]
    makers: list[Callable[[], Measure | OrderStatistic]] = [
        lambda: Measure("units"),
        lambda: Measure("rows"),
    ]
    if known:
        name = random.choice(sorted(known))
        makers += [
            lambda: Measure("values", name),
            lambda: Measure("distinct", name),
            lambda: Measure("distinct", name),
        ]
        makers += [lambda: OrderStatistic("mode", name, values=_choices(random, known[name].type))]
    if numbers:
        x, y = random.choice(numbers), random.choice(numbers)
        makers += [
            lambda: Measure("total", x, _snap(random)),
            lambda: Measure("distinct", x, _snap(random)),
            lambda: Measure("total", x, _snap(random), sum_bounds=(-3, 4)),
        ]
        makers += [
            lambda: Measure(
                "moments",
                x,
                _snap(random),
                degree=random.choice([1, 2]),
                has_null_sum=random.choice([False, True]),
            )
        ]
        makers += [
            lambda: Measure(
                "moments", x, _snap(random), degree=random.choice([1, 2]), second=(y, _snap(random))
            )
        ]
        makers += [
            lambda: OrderStatistic(
                "quantiles", x, _snap(random), quantiles=(Fraction(1, 4), Fraction(1, 2))
            ),
            lambda: OrderStatistic("least", x, _snap(random)),
        ]
    dates = [name for name, range_ in known.items() if range_.type == "date"]
    if dates:
        ends = [end.toordinal() for end in (DAYS[0], DAYS[2])]
        makers += [
            lambda: OrderStatistic(
                "greatest", random.choice(dates), ClampedGrid(Fraction(1), *ends)
            )
        ] * 2
    return random.choice(makers)()


def in_parts(random: Random, one: Measure | OrderStatistic) -> Measure | OrderStatistic:
    """The same, its sums in parts of a step where rows are scaled."""
    fine = random.choice([1, 2, 2**10, 2**30, 2**45])
    return replace(one, resolution=fine) if isinstance(one, Measure) and one.is_scaled else one


def _snap(random: Random) -> ClampedGrid:
    low, high = sorted(random.sample(range(-4, 8), 2))
    return ClampedGrid(random.choice(STEPS), low, high)


def _choices(random: Random, type_: Type) -> tuple[Value, ...]:
    listed = [
        value for value in POOLS[type_] if value == value and value not in (None, float("inf"))
    ]
    return tuple(random.sample(listed, min(len(listed), random.randint(2, 3))))


def plan(random: Random, schemas: Mapping[str, Schema]) -> Aggregate:
    """A question about such tables: of units with ids, or now and then of rows that are units of
    their own.
    """
    alone = random.random() < 0.1
    if alone:
        rows: RelationNode = Table(Schema("visits", schemas["visits"].columns, "row"))
        rows = _looked_up(random, schemas, rows, 1, most=1) if random.random() < 0.5 else rows
    else:
        rows = source(random, schemas, random.randint(0, 3))
    known = rows.columns
    keys = tuple(random.sample(sorted(known), min(len(known), random.choice([0, 1, 1, 1, 2]))))
    lists = tuple(
        tuple(dict.fromkeys(constant(random, known[key].type).value for _ in range(4)))
        for key in keys
    )
    caps = (1, 1) if alone else (random.randint(1, 3), random.randint(1, 3))
    measures = dict.fromkeys(measure(random, known) for _ in range(random.randint(1, 5)))
    if rows.unit != "row":
        measures = dict.fromkeys(in_parts(random, one) for one in measures)
    return Aggregate(
        Group(Bound(rows, keys, *caps), lists if random.random() < 0.6 else None), tuple(measures)
    )


def crossed(random: Random, schemas: Mapping[str, Schema]) -> Aggregate:
    """Combinations of whole numbers of such tables: of few codes, and of so many that they need
    several words.
    """
    while True:
        alone = random.random() < 0.2
        rows: RelationNode = (
            Table(Schema("visits", schemas["visits"].columns, "row"))
            if alone
            else source(random, schemas, random.randint(0, 3))
        )
        numbers = [name for name, range_ in rows.columns.items() if range_.type == "integer"]
        if numbers:
            break
    names = random.sample(numbers, random.randint(1, min(4, len(numbers))))
    cross = Contingency(
        tuple((name, random.choice([2, 3, 3, 8, 2**53 + 2, 2**62])) for name in names)
    )
    if not alone:
        cross = replace(cross, resolution=random.choice([1, 1, 2, 2**10, 2**38]))
    return Aggregate(
        Group(
            Bound(rows, (), *((1, 1) if alone else (random.randint(1, 2), random.randint(1, 3))))
        ),
        (cross,),
    )
