"""The SQL dialect of Spark 4, as the compiler uses it, under ANSI mode.

ANSI mode makes an overflow an error instead of a wrong number. So whatever could overflow or fail
on some row is guarded in its argument, or cast by TRY_CAST. docs/decisions/0024 has the reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.generators.spark import SparkGenerator

from hedgerow.engines.case_mapping import list_case_pairs
from hedgerow.engines.compile.dialect import MEANINGS, Dialect
from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    case_when,
    cast,
    cast_to_type,
    text_literal,
)
from hedgerow.engines.spark.date_functions import (
    add_days,
    add_months,
    build_ordinal,
    build_timestamp,
    build_timestamp_number,
    clamp_date,
    count_days,
    make_date_part,
    make_truncation,
)
from hedgerow.engines.spark.number_functions import (
    cast_or_null,
    divide_integers,
    divide_reals,
    divide_typed,
    divide_wide_integers,
    make_whole,
    round_bounded,
    round_real,
    widen,
)
from hedgerow.errors import Unsupported
from hedgerow.plan.scalar.dates import DATE_PARTS, DATE_TRUNCATIONS
from hedgerow.plan.scalar.strings import PARSED_TEXTS
from hedgerow.plan.values import Type

__all__ = ["SPARK"]

_MAX_TEXT: Final = 10_000_000  # characters; a text beyond 2 GB would be an error
_WIDE_TYPE: Final = "DECIMAL(38, 0)"
_NO_FUNCTIONS: Final = frozenset(["regexp_matches", "regexp_replace", "concat_ws"])
_ASCII: Final = {
    "lower": ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"),
    "upper": ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
}


class _Writer(SparkGenerator):
    """A generator that writes functions, types and texts as they are meant."""

    # sqlglot takes TRY_CAST for CAST in Spark
    TRANSFORMS: ClassVar = {
        **SparkGenerator.TRANSFORMS,
        exp.TryCast: lambda self, node: (
            f"TRY_CAST({self.sql(node, 'this')} AS {self.sql(node, 'to')})"
        ),
    }

    def anonymous_sql(self, expression: exp.Anonymous) -> str:
        """Write a function with its name as it is listed."""
        return f"{expression.this}({self.expressions(expression, flat=True)})"

    def datatype_sql(self, expression: exp.DataType) -> str:
        """Write the types whose short names mean something else in Spark."""
        if expression.this is exp.DType.TIMESTAMP:
            return "TIMESTAMP_NTZ"
        if expression.this is exp.DType.DECIMAL:
            return _WIDE_TYPE
        return super().datatype_sql(expression)

    def literal_sql(self, expression: exp.Literal) -> str:
        """Write a text with its control characters as code points; octal escapes of sqlglot
        would run into digits behind them.
        """
        if not expression.is_string:
            return super().literal_sql(expression)
        return "'" + "".join(map(_escape_character, str(expression.this))) + "'"


class _Grammar(Spark):
    """The grammar of Spark."""

    Generator = _Writer


def _escape_character(character: str) -> str:
    if character in "\\'":
        return "\\" + character
    return character if character >= " " else f"\\u{ord(character):04x}"


def _build_rank(values: Sequence[exp.Expr]) -> exp.Expr:
    return call_function("xxhash64", *values)


def _refuse_pattern(*_: object) -> exp.Expr:
    raise Unsupported(
        "This needs regular expressions, which mean something else on Spark. Use LIKE, STARTS_WITH"
        " or SUBSTRING, or store the part of the text as a column of its own."
    )


def _refuse_log2(*_: object) -> exp.Expr:
    raise Unsupported("Spark has no exact LOG2. Write LN(x) / LN(2).")


def _match_parsed_text(value: exp.Expr, pattern: str) -> exp.Expr:
    """Match one of our own patterns, which Java reads as others do."""
    if pattern not in PARSED_TEXTS.values():
        return _refuse_pattern()
    return call_function("regexp", value, text_literal(rf"\A(?:{pattern})\z"))


def _shorten_text(text: exp.Expr) -> exp.Expr:
    return call_function("left", text, cast(exp.Literal.number(_MAX_TEXT), "INT"))


def _change_case(function: str) -> Callable[[Sequence[exp.Expr]], exp.Expr]:
    def rewrite(arguments: Sequence[exp.Expr]) -> exp.Expr:
        text = arguments[0]
        is_ascii = binary(
            call_function("octet_length", text.copy()),
            exp.EQ,
            call_function("length", text.copy()),
        )
        pairs = [
            text_literal(ascii_ + others)
            for ascii_, others in zip(_ASCII[function], list_case_pairs(function), strict=True)
        ]
        return case_when(
            (is_ascii, call_function(function, text)),
            otherwise=call_function("translate", text.copy(), *pairs),
        )

    return rewrite


def _with_int_places(function: str) -> Callable[[Sequence[exp.Expr]], exp.Expr]:
    return lambda arguments: call_function(
        function, arguments[0], *(cast(place, "INT") for place in arguments[1:])
    )


def _make_whole(function: str) -> Callable[[Sequence[exp.Expr]], exp.Expr]:
    return lambda arguments: make_whole(function, arguments[0])


_FUNCTION_REWRITES: Final[Mapping[str, Callable[[Sequence[exp.Expr]], exp.Expr]]] = {
    "trim": lambda arguments: call_function("btrim", *arguments),
    "starts_with": lambda arguments: call_function("startswith", *arguments),
    "strpos": lambda arguments: call_function("instr", *arguments),
    "floor": _make_whole("floor"),
    "ceil": _make_whole("ceil"),
    "substring": _with_int_places("substring"),
    "substr": _with_int_places("substring"),
    "left": _with_int_places("left"),
    "right": _with_int_places("right"),
    "lower": _change_case("lower"),
    "upper": _change_case("upper"),
    **dict.fromkeys(_NO_FUNCTIONS, _refuse_pattern),
    "log2": _refuse_log2,
}


def _rewrite(tree: exp.Expr) -> exp.Expr:
    """Rewrite a tree of meanings, from the leaves upwards."""
    if isinstance(tree, exp.In) and tree.args.get("query") is not None:
        listed = _list_items(tree.args["query"])
        if listed is not None:
            return _rewrite(exp.In(this=tree.this, expressions=listed))
    parts = {
        name: [_rewrite_part(item) for item in part]
        if isinstance(part, list)
        else _rewrite_part(part)
        for name, part in tree.args.items()
    }
    return _rewrite_node(type(tree)(**parts))


def _rewrite_part(part: object) -> object:
    return _rewrite(part) if isinstance(part, exp.Expr) else part


def _list_items(query: exp.Expr) -> list[exp.Expr] | None:
    """Return the items of a list that is looked up as a table: Spark hashes a long list itself."""
    call = query.unnest().expressions[0] if isinstance(query.unnest(), exp.Select) else None
    if not isinstance(call, exp.Anonymous) or call.this != "unnest":
        return None
    items = call.expressions[0]
    if isinstance(items, exp.Array):
        return list(items.expressions)
    words, mark = (str(argument.this) for argument in items.expressions)
    return [text_literal(word) for word in words.split(mark)]


def _rewrite_node(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Anonymous) and node.this in _FUNCTION_REWRITES:
        return _FUNCTION_REWRITES[node.this](node.expressions)
    if isinstance(node, exp.Like):
        # A backslash escapes by default, and would be an error in front of most characters.
        plain = call_function("replace", node.expression, text_literal("\\"), text_literal("\\\\"))
        return exp.Like(this=node.this, expression=plain)
    if isinstance(node, exp.CTE):
        node.set("materialized", None)
    if isinstance(node, exp.Window) and node.args.get("order") is None:
        return _order_window(node)
    return node


def _order_window(window: exp.Window) -> exp.Expr:
    """Add the order that Spark demands to a window over equal rows."""
    if not isinstance(window.this, exp.RowNumber):
        return window
    first = exp.Ordered(this=window.args["partition_by"][0].copy(), nulls_first=True)
    window.set("order", exp.Order(expressions=[first]))
    return window


def _read_text(value: exp.Expr) -> exp.Expr:
    """Compare by code points, whatever the collation of the column is."""
    return call_function("collate", value, text_literal("UTF8_BINARY"))


def _read_stored(value: exp.Expr, type_: Type, is_wide: bool) -> exp.Expr:
    if type_ == "text":  # bytes that are no UTF-8 could not be returned as a key
        return call_function("make_valid_utf8", _read_text(value))
    if type_ == "date":
        return clamp_date(value)
    if type_ == "timestamp" and is_wide:
        return cast_to_type(value, "timestamp")
    return value


def _read_stored_id(value: exp.Expr, type_: Type, _: bool) -> exp.Expr:
    return _read_text(value) if type_ == "text" else value


SPARK: Final = Dialect(
    name="spark",
    grammar=_Grammar,
    functions=(
        MEANINGS
        - _NO_FUNCTIONS
        - {"log2", "trim", "string_split", "unnest", "starts_with", "strpos", "substr"}
    )
    | frozenset(
        [
            "add_months",
            "btrim",
            "collate",
            "date_add",
            "datediff",
            "day",
            "dayofweek",
            "dayofyear",
            "instr",
            "isnan",
            "make_valid_utf8",
            "month",
            "octet_length",
            "quarter",
            "regexp",
            "replace",
            "startswith",
            "timestamp_micros",
            "translate",
            "trunc",
            "unix_micros",
            "xxhash64",
            "year",
        ]
    ),
    rewrite=_rewrite,
    wide_integer="DECIMAL",
    build_rank=_build_rank,
    truncating_divide=divide_integers,
    truncating_divide_wide=divide_wide_integers,
    multiply_reals=lambda a, b: binary(a, exp.Mul, b),
    divide_reals=divide_reals,
    divide_by_nonzero=divide_typed,
    total_cast=cast_or_null,
    concatenate=lambda a, b: binary(_shorten_text(a), exp.DPipe, _shorten_text(b)),
    round_real=round_real,
    round_bounded=round_bounded,
    widen_summand=widen,
    is_nan=lambda value: call_function("isnan", value),
    read_stored=_read_stored,
    read_stored_id=_read_stored_id,
    days_between=count_days,
    ordinal=build_ordinal,
    timestamp_number=build_timestamp_number,
    build_timestamp=build_timestamp,
    full_match=_match_parsed_text,
    regex_group=_refuse_pattern,
    date_parts={name: make_date_part(name) for name in DATE_PARTS},
    date_truncations={
        name: make_truncation(name.removeprefix("start of ")) for name in DATE_TRUNCATIONS
    },
    date_shifts={"add days": add_days, "add months": add_months},
    encode_text=lambda value, _: value,
    counts_values=True,
)
