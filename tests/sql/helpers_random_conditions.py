"""Random conditions in SQL, with and without parentheses, so that precedence matters."""

from __future__ import annotations

from hypothesis import strategies as st

NUMBERS = ("age", "Cost", "age % 7", "MONTH(day) % 5", "YEAR(day)", "0", "3", "7", "2.5", "12")
CONDITIONS = (
    "smoker",
    "age > 30",
    "city IS NULL",
    "region = 'north'",
    "TRUE",
    "city LIKE 'A%'",
    "city NOT LIKE '%n'",
    "day > '2023-01-01'",
)


def _bracketed(draw: st.DrawFn, text: str) -> str:
    return f"({text})" if draw(st.booleans()) else text


@st.composite
def numbers(draw: st.DrawFn, depth: int) -> str:
    if depth == 0:
        return draw(st.sampled_from(NUMBERS))
    kind = draw(
        st.sampled_from(("sum", "quotient", "minus", "function", "case", "coalesce", "plain"))
    )
    first = _bracketed(draw, draw(numbers(depth - 1)))
    if kind == "sum":
        return (
            first
            + draw(st.sampled_from((" + ", " - ", " * ")))
            + _bracketed(draw, draw(numbers(depth - 1)))
        )
    # never by what may be 0: the engine then says infinity, and the plan NULL
    if kind == "quotient":
        return first + " / " + draw(st.sampled_from(("4", "(3 + 1)", "2.5 * 2")))
    if kind == "minus":
        return "- " + first
    if kind == "function":
        return draw(st.sampled_from(("ABS", "FLOOR", "ROUND", "CEIL"))) + f"({first})"
    if kind == "case":
        return (
            f"CASE WHEN {draw(conditions(depth - 1))} THEN {first} ELSE"
            f" {draw(numbers(depth - 1))} END"
        )
    return (
        f"COALESCE(NULLIF({first}, 3), {draw(numbers(depth - 1))})" if kind == "coalesce" else first
    )


@st.composite
def conditions(draw: st.DrawFn, depth: int) -> str:
    if depth == 0:
        return draw(st.sampled_from(CONDITIONS))
    kind = draw(st.sampled_from(("compare", "and", "not", "between", "in", "null", "truth")))
    maybe = draw(st.sampled_from((" ", " NOT ")))
    if kind in ("and", "not", "truth"):
        first = _bracketed(draw, draw(conditions(depth - 1)))
        if kind == "not":
            return "NOT " + first
        if kind == "truth":
            return f"{first} IS{maybe}{draw(st.sampled_from(('TRUE', 'FALSE', 'NULL')))}"
        return (
            first
            + draw(st.sampled_from((" AND ", " OR ")))
            + _bracketed(draw, draw(conditions(depth - 1)))
        )
    first, second = (_bracketed(draw, draw(numbers(depth - 1))) for _ in range(2))
    if kind == "compare":
        return first + draw(st.sampled_from((" = ", " <> ", " < ", " <= ", " > ", " >= "))) + second
    if kind == "between":
        return f"{first}{maybe}BETWEEN {second} AND {_bracketed(draw, draw(numbers(depth - 1)))}"
    return f"{first}{maybe}IN (3, 7.5, 12)" if kind == "in" else f"{first} IS{maybe}NULL"
