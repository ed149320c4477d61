from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from sqlglot import exp

from engines.helpers_engine_answers import Ranks, answer
from engines.helpers_plans import BINARY
from engines.helpers_worlds import ARROW, POOLS
from hedgerow.engines.compile.expressions import (
    FUNCTION_COMPILERS,
    compile_expression,
    estimate_size,
)
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.errors import HedgerowError, Unsupported
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, Table
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression, evaluate
from hedgerow.plan.scalar.functions import FUNCTIONS, LOGARITHMS
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import TYPES, Range, Type
from hedgerow.sql.syntax.pattern_matching import Pattern

RANKS = Ranks()
# How the arguments of arithmetic are declared: wide enough to be nasty, so narrow that the plan
# accepts them.
ENDS: dict[str, tuple[Fraction, Fraction]] = {
    "*": (Fraction(-(2**31)), Fraction(2**31)),
    "+": (Fraction(-(2**61)), Fraction(2**61)),
    "%": (Fraction(-(2**63)), Fraction(2**63 - 1)),
    "/": (Fraction(-(2**62)), Fraction(2**62)),
    "floor": (Fraction(-(2**53)), Fraction(2**53)),
}
ENDS |= dict.fromkeys(("-", "negate", "abs", "least", "greatest"), ENDS["+"])
ENDS |= dict.fromkeys(("ceil", "round"), ENDS["floor"])
ENDS |= dict.fromkeys(("sqrt", *LOGARITHMS), ENDS["/"])
ENDS |= dict.fromkeys(("substring", "right"), ENDS["*"])
TEXTS = (
    *(
        "",
        "a",
        "A",
        "ab",
        "a%b",
        "%",
        "_",
        "a_b",
        "é",
        "😀",
        "\\",
        "\\%",
        "'",
        "a\nb",
        "\x00",
        "x" * 500,
        None,
    ),
    *(
        " a ",
        "  ",
        "\ta\u00a0 ",
        "a\x00 b",
        "e\u0301",
        "👩\u200d👩\u200d👧",
        "ẞßŉ",
        "İiIı",
        "ǅǆ",
        "ᾳῼ",
        "ΑΣς",
        "ﬁ",
        "ab😀éa",
    ),
    *(
        " -12 ",
        "+000000000000000000",
        "999999999999999999",
        "1000000000000000000",
        "1_0",
        "٣",
        "0x1",
        "1e3",
        "-.5E-12",
        "1.",
        ".",
        "9e99",
        "1e999",
        "0.1",
        "123456789012345678.123456789012345678",
        "inf",
        "nan",
        "-0.0",
        "1 2",
        "1\n",
    ),
    *(
        "2024-02-29",
        "2023-02-29",
        "1900-02-29",
        "2000-02-29",
        "0000-01-01",
        "0001-01-01",
        "0004-02-29",
        "9999-12-31",
        "2026-04-31",
        "2026-1-1",
        "20260101",
        "2026-01-01 ",
        "2026-01-01T23:59",
        "2026-01-01 09:30:00.1",
        "2026-01-01 09:30:00.123456",
        "2026-01-01 09:30:00.1234567",
        "2026-01-01 24:00:00",
        "2026-01-01 09:30:60",
        "2026-01-01 9:30",
        "2026-01-01 09:30:00+01",
        "10000-01-01",
    ),
)


def test_every_function_has_one_rule() -> None:
    assert set(FUNCTION_COMPILERS) == set(FUNCTIONS)


def column(name: str, type_: Type, function: str) -> Column:
    if type_ in ("integer", "real") and function in ENDS:
        return Column(name, type_, *ENDS[function])
    return Column(name, type_)


def kinds(function: str) -> list[tuple[Type, Type]]:
    """The types of the first two arguments to try."""
    if function in ("and", "or", "not"):
        return [("boolean", "boolean")]
    if function == "to text":
        return [(t, t) for t in ("integer", "boolean", "date", "timestamp")]
    if function == "%":
        return [("integer", "integer")]
    if function in BINARY:
        first, second = (BINARY[function] * 2)[:2]
        return (
            [("integer", "integer"), ("integer", "real"), ("real", "integer"), ("real", "real")]
            if first == "real"
            else [(first, second)]
        )
    return [
        ("integer", "integer"),
        ("integer", "real"),
        ("real", "integer"),
        ("text", "text"),
        ("date", "date"),
        ("timestamp", "timestamp"),
        ("boolean", "boolean"),
    ]


def applied(function: str, a: Expression, b: Expression) -> list[Expression]:
    """The function on both, on one, and with NULL written out."""
    nothing = Constant(None, "integer")
    if function == "case":
        condition = Call("=", (a, b))
        return [
            Call("case", (condition, a, b)),
            Call("case", (condition, nothing, Call("is null", (b,)), a, b)),
            Call("case", (condition, a, nothing)),
        ]
    if function == "in":
        return [Call("in", (a, b)), Call("in", (a, b, nothing)), Call("in", (a, b, a))]
    if function in ("=", "<>", "<", "<=", ">", ">=", "nullif", "coalesce"):
        return [Call(function, (a, b)), Call(function, (a, nothing))]
    if function in ("and", "or"):
        return [Call(function, (a, b)), Call(function, (a, b, Constant(None, "boolean")))]
    if function == "substring":
        places = [Constant(place, "integer") for place in (-(2**31), -1, 0, 1, 2, 2**31)]
        return [
            Call(function, (a, b, b)),
            *(Call(function, pair) for place in places for pair in ((a, b, place), (a, place, b))),
        ]
    if function in ("add days", "add months", "add microseconds", "add calendar months", "right"):
        missing = () if function == "right" else (None,)  # a place must have bounds
        counts = [Constant(count, "integer") for count in (-40, -1, 0, 1, 12, 700, *missing)]
        return [Call(function, (a, count)) for count in (b, *counts)]
    if function.endswith("pattern"):
        tree = Constant(Pattern(["or", ["set", 97, 98], ["$"]]), "text")
        parts = Constant(r"\\\0", "text")
        more = {
            "extract pattern": (Constant(0, "integer"),),
            "replace pattern": (parts, Constant(False, "boolean")),
        }
        return [Call(function, (a, tree, *more.get(function, ())))]
    if function == "concat":
        return [
            Call(function, (a, b)),
            Call(function, (a, b, Constant(" ", "text"), a)),
            Call(function, (a, Constant(None, "text"))),
        ]
    return [Call(function, (a, b) if len(BINARY.get(function, ())) >= 2 else (a,))]


@pytest.mark.long
@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_functions_agree_with_the_plan_on_edge_values(function: str) -> None:
    for first, second in kinds(function):
        pools = [TEXTS if type_ == "text" else POOLS[type_] for type_ in (first, second)]
        pairs = list(product(*pools))
        table = pa.table(
            {"a": ARROW[first]([a for a, _ in pairs]), "b": ARROW[second]([b for _, b in pairs])}
        )
        schema = Schema("t", (column("a", first, function), column("b", second, function)), "row")
        raw = {"t": [{"a": a, "b": b} for a, b in pairs]}
        source = DuckDB({"t": RegisteredTable(table, schema)})
        for expression in applied(function, ColumnRef("a"), ColumnRef("b")):
            rows = Project(Table(schema), (("x", expression),))
            plan = Aggregate(Group(Bound(rows, ("x",), 1, 1), None), (Measure("rows"),))
            assert Counter(answer(source, plan)) == Counter(
                interpret_plan(plan, raw, lambda unit, group: 0)
            ), expression
        source.close()


@pytest.mark.long
def test_places_are_code_points_and_upper_and_lower_case_go_one_to_one() -> None:
    """All characters there were in Unicode 3.2: which pairs came later depends on the versions
    of Python and of the engine.
    """
    known = [
        chr(code)
        for code in range(0x110000)
        if unicodedata.ucd_3_2_0.category(chr(code)) not in ("Cn", "Cs", "Co")
    ]
    connection = duckdb.connect()
    connection.register("t", pa.table({"c": known}))
    one, names = {"c": Range("text")}, {"c": exp.column("c")}
    twice = Call("concat", (ColumnRef("c"), ColumnRef("c")))
    for function, made in (
        *((name, Call(name, (ColumnRef("c"),))) for name in ("lower", "upper", "trim", "length")),
        ("right", Call("right", (twice, Constant(1, "integer")))),
        ("substring", Call("substring", (twice, Constant(2, "integer"), Constant(1, "integer")))),
        ("starts with", Call("starts with", (twice, ColumnRef("c")))),
    ):
        found = connection.execute(
            f"SELECT {compile_expression(made, one, names, DUCKDB).sql('duckdb')} FROM t"
        ).fetchall()
        assert [value for (value,) in found] == [
            evaluate(made, {"c": character}) for character in known
        ], function
    connection.close()
    assert len(known) > 90_000


def sql(expression: Expression, **types: Type) -> str:
    known = {name: Column(name, type_).range for name, type_ in types.items()}
    names: Any = {
        name: compile_expression(Constant(name, "text"), {}, {}, DUCKDB) for name in types
    }
    return compile_expression(expression, known, names, DUCKDB).sql("duckdb")


def test_constants_of_a_query_stay_literals() -> None:
    nasty = "'; DROP TABLE t; -- /* \\' $$"
    assert (
        sql(Call("=", (ColumnRef("s"), Constant(nasty, "text"))), s="text")
        == "('s' = '''; DROP TABLE t; -- /* \\'' $$')"
    )


def test_constants_that_no_engine_can_hold_are_refused() -> None:
    with pytest.raises(Unsupported, match="64 bits"):
        sql(Call("=", (ColumnRef("i"), Constant(2**63, "integer"))), i="integer")
    with pytest.raises(Unsupported, match="surrogate"):
        sql(Call("=", (ColumnRef("s"), Constant("\ud800", "text"))), s="text")


SMALL: dict[Type, tuple[Fraction | None, Fraction | None]] = {
    "integer": (Fraction(0), Fraction(9)),
    "real": (Fraction(0), Fraction(9)),
}


def _written(name: str, types: Sequence[Type]) -> Counter[str] | None:
    """How often the function writes each of its arguments; None where it does not take so many,
    or not of these types.
    """
    known = {
        f"x{i}": Range(type_, *SMALL.get(type_, (None, None))) for i, type_ in enumerate(types)
    }
    try:
        sql = compile_expression(
            Call(name, tuple(map(ColumnRef, known))),
            known,
            {column: exp.column(column) for column in known},
            DUCKDB,
        )
    except (HedgerowError, ValueError, IndexError):
        return None
    found = Counter(column.name for column in sql.find_all(exp.Column))
    return found if len(found) == len(types) else None


def _copies(name: str, count: int, place: int) -> int:
    """How often the weight counts an argument: what one more call in it adds."""
    arguments = [ColumnRef(f"x{i}") for i in range(count)]
    deeper = [Call("negate", (part,)) if i == place else part for i, part in enumerate(arguments)]
    return estimate_size(Call(name, tuple(deeper))) - estimate_size(Call(name, tuple(arguments)))


@pytest.mark.parametrize(
    "name",
    # patterns are constants, written once
    sorted(name for name in FUNCTIONS if not name.endswith("pattern")),
)
def test_the_weight_counts_every_copy(name: str) -> None:
    tried = 0
    for count in (3,) if name == "case" else (1, 2, 3):
        written = [
            found
            for types in product(TYPES, repeat=count)
            if (found := _written(name, types)) is not None
        ]
        for place in range(count) if written else ():
            assert max(found[f"x{place}"] for found in written) == _copies(name, count, place)
        tried += len(written)
    assert tried
