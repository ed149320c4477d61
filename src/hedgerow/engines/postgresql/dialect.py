"""The SQL dialect of PostgreSQL, as the compiler uses it.

Three things raise an error here that are values elsewhere, and each is guarded in the argument
itself, since the optimizer may evaluate it anywhere:

* A product or quotient of doubles that is too small or too large for one. So a factor or a
  dividend nearer to 0 than 2^-500 counts as 0, a divisor as 0 too, and a quotient beyond 2^1000 is
  infinite (docs/decisions/0022).
* A cast of a number that does not fit.
* A text of more than 1 GB. So functions that make text longer take its first ten million
  characters. (Parts of a composite id are never cut: a failure is one charged answer, but two
  people with one id would break the bound on what one of them contributes.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.generators.postgres import PostgresGenerator

from hedgerow.engines.case_mapping import list_case_pairs
from hedgerow.engines.compile.dialect import MEANINGS, Dialect
from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    case_when,
    cast_to_type,
    integer_literal,
    real_literal,
    text_literal,
)
from hedgerow.engines.postgresql.date_functions import (
    add_days,
    add_months,
    build_ordinal,
    build_timestamp,
    build_timestamp_number,
    count_days,
    make_date_part,
    make_truncation,
)
from hedgerow.engines.postgresql.guarded_numbers import (
    cast_or_null,
    cast_to_int,
    divide,
    divide_by_nonzero,
    divide_reals,
    multiply_reals,
    read_stored,
    read_stored_id,
    round_real,
)
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.plan.scalar.dates import DATE_PARTS, DATE_TRUNCATIONS

__all__ = ["POSTGRESQL"]

_MAX_TEXT: Final = 10_000_000  # characters
_NO_FUNCTIONS: Final = frozenset(["regexp_matches", "regexp_replace", "concat_ws"])


class _Grammar(Postgres):
    """The grammar of PostgreSQL, with function names as they are listed."""

    class Generator(PostgresGenerator):
        """A generator that leaves the names of functions alone."""

        def anonymous_sql(self, expression: exp.Anonymous) -> str:
            """Write a function with its name in quotes, as none of the server's keywords."""
            name = str(expression.this)
            if name in ("row", "coalesce", "greatest", "least"):  # syntax rather than functions
                return f"{name.upper()}({self.expressions(expression, flat=True)})"
            return f'"{name}"({self.expressions(expression, flat=True)})'


def _build_rank(values: Sequence[exp.Expr]) -> exp.Expr:
    row = call_function("row", *values)
    return call_function("hash_record_extended", row, integer_literal(0))


def _refuse_pattern(*_: object) -> exp.Expr:
    raise Unsupported(
        "This needs regular expressions, which mean something else on PostgreSQL. Use LIKE,"
        " STARTS_WITH or SUBSTRING; convert text that holds numbers or dates in the server."
    )


def _refuse_log2(*_: object) -> exp.Expr:
    raise Unsupported("PostgreSQL has no exact LOG2. Write LN(x) / LN(2).")


def _shorten_text(text: exp.Expr) -> exp.Expr:
    return call_function("left", text, cast_to_int(exp.Literal.number(_MAX_TEXT)))


def _change_case(function: str) -> Callable[[Sequence[exp.Expr]], exp.Expr]:
    def rewrite(arguments: Sequence[exp.Expr]) -> exp.Expr:
        text = _shorten_text(arguments[0])
        ascii_ = call_function(function, text)
        is_ascii = binary(
            call_function("octet_length", text.copy()),
            exp.EQ,
            call_function("length", text.copy()),
        )
        pairs = map(text_literal, list_case_pairs(function))
        return case_when(
            (is_ascii, ascii_), otherwise=call_function("translate", ascii_.copy(), *pairs)
        )

    return rewrite


def _with_int_places(function: str) -> Callable[[Sequence[exp.Expr]], exp.Expr]:
    return lambda arguments: call_function(function, arguments[0], *map(cast_to_int, arguments[1:]))


_FUNCTION_REWRITES: Final[Mapping[str, Callable[[Sequence[exp.Expr]], exp.Expr]]] = {
    "trim": lambda arguments: call_function("btrim", *arguments),
    "string_split": lambda arguments: call_function("string_to_array", *arguments),
    "substring": _with_int_places("substr"),
    "substr": _with_int_places("substr"),
    "left": _with_int_places("left"),
    "right": _with_int_places("right"),
    "lower": _change_case("lower"),
    "upper": _change_case("upper"),
    **dict.fromkeys(_NO_FUNCTIONS, _refuse_pattern),
    "log2": _refuse_log2,
}


def _rewrite(tree: exp.Expr) -> exp.Expr:
    """Rewrite a tree of meanings, from the leaves upwards."""
    if isinstance(tree, exp.Cast) and isinstance(tree.this, exp.Literal):
        return tree.copy()
    parts = {
        name: [_rewrite_part(item) for item in part]
        if isinstance(part, list)
        else _rewrite_part(part)
        for name, part in tree.args.items()
    }
    return _rewrite_node(type(tree)(**parts))


def _rewrite_part(part: object) -> object:
    return _rewrite(part) if isinstance(part, exp.Expr) else part


def _rewrite_node(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Anonymous) and node.this in _FUNCTION_REWRITES:
        return _FUNCTION_REWRITES[node.this](node.expressions)
    if isinstance(node, exp.Literal) and node.is_string:
        return _collate(_check_text(node))
    if isinstance(node, exp.TryCast):
        raise InvalidArgument("tree", "must not contain TRY_CAST, which PostgreSQL lacks")
    if isinstance(node, exp.Cast) and node.to.this is exp.DType.VARCHAR:
        return _collate(node)
    if isinstance(node, exp.Like):
        return exp.Escape(this=node, expression=exp.Literal.string(""))
    return node


def _collate(text: exp.Expr) -> exp.Expr:
    """Compare by code points; other collations may take different texts for equal."""
    return exp.Collate(this=text, expression=exp.to_identifier("C", quoted=True))


def _check_text(literal: exp.Literal) -> exp.Literal:
    if "\x00" in str(literal.this):
        raise Unsupported("This text contains a NUL, which no text of PostgreSQL does. Remove it.")
    return literal


POSTGRESQL: Final = Dialect(
    name="postgresql",
    grammar=_Grammar,
    functions=(MEANINGS - _NO_FUNCTIONS - {"log2", "trim", "string_split", "substring"})
    | frozenset(
        [
            "btrim",
            "date_part",
            "date_trunc",
            "div",
            "hash_record_extended",
            "make_interval",
            "octet_length",
            "row",
            "string_to_array",
            "timezone",
            "translate",
            "trunc",
        ]
    ),
    rewrite=_rewrite,
    wide_integer="DECIMAL",
    build_rank=_build_rank,
    truncating_divide=divide,
    truncating_divide_wide=lambda a, b: call_function("div", a, b),
    multiply_reals=multiply_reals,
    divide_reals=divide_reals,
    divide_by_nonzero=divide_by_nonzero,
    total_cast=cast_or_null,
    concatenate=lambda a, b: binary(_shorten_text(a), exp.DPipe, _shorten_text(b)),
    round_real=round_real,
    round_bounded=lambda value: cast_to_type(round_real(value), "integer"),
    widen_summand=lambda value: value,
    is_nan=lambda value: binary(value, exp.EQ, real_literal(float("nan"))),
    read_stored=read_stored,
    read_stored_id=read_stored_id,
    days_between=count_days,
    ordinal=build_ordinal,
    timestamp_number=build_timestamp_number,
    build_timestamp=build_timestamp,
    full_match=_refuse_pattern,
    regex_group=_refuse_pattern,
    date_parts={name: make_date_part(name) for name in DATE_PARTS},
    date_truncations={
        name: make_truncation(name.removeprefix("start of ")) for name in DATE_TRUNCATIONS
    },
    date_shifts={"add days": add_days, "add months": add_months},
    encode_text=lambda value, _: value,
)
