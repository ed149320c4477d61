"""Rules for text functions that are patterns in other words: REPLACE, LTRIM, RTRIM, SPLIT_PART and
SUBSTRING_INDEX; and for CONCAT_WS."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from hedgerow.plan.scalar.expressions import Constant
from hedgerow.sql.binder.rule import Binder, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression, build_constant
from hedgerow.sql.rules.strings import bind_as_text, bind_text
from hedgerow.sql.syntax.regular_expressions import RegularExpression

__all__ = ["RULES", "escape_pattern", "is_separator"]

_MAX_PART: Final = 20
_BLANKS: Final = {"LEADING": "^ +", "TRAILING": " +$"}


def _read_literal(node: exp.Expr | None, binder: Binder, whole: exp.Expr, example: str) -> str:
    value = None if node is None else binder.bind(node).expression
    if not isinstance(value, Constant) or not isinstance(value.value, str) or not value.value:
        binder.refuse(
            whole, "This function takes a literal text that is not empty", f"Write {example}."
        )
    return value.value


def _bind_subject(node: exp.Expr, binder: Binder) -> TypedExpression:
    value = bind_text(node.this, binder)
    if value.type != "text":
        problem = f"{node.key.upper()} needs text, but this is {value.type}"
        binder.refuse(node, problem, "Write CAST(x AS TEXT).")
    return value


def escape_pattern(text: str) -> str:
    """Return the regular expression that matches a text only."""
    return "".join(
        f"\\{c}" if c.isascii() and not c.isalnum() and c.isprintable() else c for c in text
    )


def _substitute(
    node: exp.Expr, binder: Binder, pattern: str, replacement: str, *, every: bool
) -> TypedExpression:
    """Bind the text with the first match of a pattern, or each, replaced."""
    tree, _ = RegularExpression(pattern).build([])
    return binder.apply(
        node,
        "replace pattern",
        _bind_subject(node, binder),
        build_constant(tree, "text"),
        build_constant(replacement.replace("\\", r"\\"), "text"),
        build_constant(every, "boolean"),
    )


def _bind_replace(node: exp.Replace, binder: Binder) -> TypedExpression:
    example = "REPLACE(x, 'a', 'b')"
    wanted = _read_literal(node.expression, binder, node, example)
    given = binder.bind(node.args.get("replacement") or exp.Literal.string("")).expression
    if not isinstance(given, Constant) or not isinstance(given.value, str):
        binder.refuse(node, "REPLACE takes literal texts", f"Write {example}.")
    return _substitute(node, binder, escape_pattern(wanted), given.value, every=True)


def _bind_trim(node: exp.Trim, binder: Binder) -> TypedExpression:
    """Bind TRIM, LTRIM or RTRIM, which cut off blanks."""
    place = str(node.args.get("position") or "").upper()
    if place in _BLANKS:
        return _substitute(node, binder, _BLANKS[place], "", every=False)
    return binder.apply(node, "trim", bind_text(node.this, binder))


def is_separator(text: str) -> bool:
    """Return whether texts can be split at this text: one character, or two different ones."""
    return len(text) == len(set(text)) in (1, 2)


def _write_part(separator: str) -> str:
    """Write the pattern of the texts without a separator, each of which it matches in one way."""
    first, *second = map(escape_pattern, separator)
    if not second:
        return f"[^{first}]*"
    return f"(?:[^{first}]|{first}+[^{first}{second[0]}])*{first}*"


def _bind_part(node: exp.SplitPart | exp.SubstringIndex, binder: Binder) -> TypedExpression:
    """Bind the n-th of the parts between separators; without that many parts it is empty."""
    is_prefix = isinstance(node, exp.SubstringIndex)
    name = "SUBSTRING_INDEX" if is_prefix else "SPLIT_PART"
    separator = _read_literal(node.args.get("delimiter"), binder, node, f"{name}(x, '.', 1)")
    written = node.args.get("count" if is_prefix else "part_index")
    place = None if written is None else binder.bind(written).expression
    number = place.value if isinstance(place, Constant) else None
    if (
        not is_separator(separator)
        or type(number) is not int
        or not 1 <= number <= (1 if is_prefix else _MAX_PART)
    ):
        binder.refuse(
            node,
            f"{name} takes a separator of one character, or of two different ones, and"
            + (" the count 1" if is_prefix else f" the number of a part from 1 to {_MAX_PART}"),
            "Write SPLIT_PART(x, '.', 1), or REGEXP_EXTRACT(x, '^a([0-9]+)', 1).",
        )
    mark, part, end = escape_pattern(separator), _write_part(separator), ""
    if len(separator) > 1:  # a part may end in the first character of the separator
        end = f"(?:{mark}|$)"
    before = f"(?:{part}{mark}){{{number - 1}}}" if number > 1 else ""
    tree, (group,) = RegularExpression(f"^{before}({part}){end}").build([1])
    return binder.apply(
        node,
        "extract pattern",
        _bind_subject(node, binder),
        build_constant(tree, "text"),
        build_constant(group, "integer"),
    )


def _bind_joined(node: exp.ConcatWs, binder: Binder) -> TypedExpression:
    """Bind CONCAT_WS, which skips NULL: each part behind a separator, without the first one."""
    if len(node.expressions) < 2:
        binder.refuse(node, "CONCAT_WS takes a separator and texts", "Write CONCAT_WS('-', a, b).")
    mark = _read_literal(node.expressions[0], binder, node, "CONCAT_WS('-', a, b)")
    parts = [bind_as_text(part, node, binder) for part in node.expressions[1:]]
    nothing = build_constant("", "text")
    filled = [
        binder.apply(
            node,
            "coalesce",
            binder.apply(node, "concat", build_constant(mark, "text"), part),
            nothing,
        )
        for part in parts
    ]
    whole = filled[0] if len(filled) == 1 else binder.apply(node, "concat", *filled)
    start, count = (build_constant(n, "integer") for n in (len(mark) + 1, 2**31 - 1))
    return binder.apply(node, "substring", whole, start, count)


RULES: tuple[Rule, ...] = (
    Rule(exp.Replace, _bind_replace, ("this", "expression", "replacement")),
    Rule(exp.Trim, _bind_trim, ("this", "position")),
    Rule(exp.SplitPart, _bind_part, ("this", "delimiter", "part_index")),
    Rule(exp.SubstringIndex, _bind_part, ("this", "delimiter", "count")),
    Rule(exp.ConcatWs, _bind_joined, ("expressions", "safe", "coalesce")),
)
