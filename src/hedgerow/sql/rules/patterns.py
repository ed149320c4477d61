"""Rules for REGEXP_MATCHES, REGEXP_EXTRACT, REGEXP_REPLACE, ~ and SIMILAR TO."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from hedgerow.plan.scalar.expressions import Constant
from hedgerow.sql.binder.rule import Binder, Refusal, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression, align_types, build_constant
from hedgerow.sql.syntax.pattern_matching import parse_replacement
from hedgerow.sql.syntax.regular_expressions import PatternError, RegularExpression

__all__ = ["RULES"]

_PATTERN_FIX: Final = (
    "Use characters, [a-z], \\d \\w \\s . ^ $, groups ( ) and (?: ), a|b, and repetitions * + ?"
    " {2,5} of what is not empty."
)
_FLAG_FIX: Final = "Only 'g' of REGEXP_REPLACE is supported. To ignore case, write LOWER(x)."


def _read_text(node: exp.Expr | None, binder: Binder, whole: exp.Expr) -> str:
    """Return a literal text."""
    value = None if node is None else binder.bind(node).expression
    if not isinstance(value, Constant) or not isinstance(value.value, str):
        binder.refuse(
            whole, "This function takes a literal pattern", "Write REGEXP_MATCHES(x, '^a[0-9]+$')."
        )
    return value.value


def _read_pattern(node: exp.Expr, binder: Binder, *, whole: bool = False) -> RegularExpression:
    try:
        return RegularExpression(_read_text(node.expression, binder, node), whole=whole)
    except PatternError as error:
        return binder.refuse(node, str(error), _PATTERN_FIX)


def _encode(
    node: exp.Expr, binder: Binder, pattern: RegularExpression, groups: list[int]
) -> tuple[TypedExpression, list[int]]:
    try:
        built, numbers = pattern.build(groups)
    except PatternError as error:
        binder.refuse(
            node, str(error), "Use groups that every match goes through once, or (?: ) around it."
        )
    return build_constant(built, "text"), numbers


def _bind_match(node: exp.Binary, binder: Binder) -> TypedExpression:
    whole = isinstance(node, exp.RegexpFullMatch | exp.SimilarTo)
    flag = node.args.get("flag") or node.args.get("options")
    if flag is not None:
        binder.refuse(node, "This flag is not supported", _FLAG_FIX)
    text = _bind_text(node, binder)
    if isinstance(node, exp.SimilarTo) and set(_read_text(node.expression, binder, node)) & _WILD:
        binder.refuse(
            node,
            "SIMILAR TO with one of % _ . ^ $ means different things in different databases",
            "Write LIKE, or REGEXP_FULL_MATCH(x, '[a-z]+').",
        )
    tree, _ = _encode(node, binder, _read_pattern(node, binder, whole=whole), [])
    return binder.apply(node, "matches pattern", text, tree)


def _bind_extraction(node: exp.RegexpExtract, binder: Binder) -> TypedExpression:
    group = 0
    if node.args.get("group") is not None:
        written = binder.bind(node.args["group"]).expression
        group = written.value if isinstance(written, Constant) else None  # type: ignore[assignment]
    if type(group) is not int or not 0 <= group <= 9:
        binder.refuse(
            node,
            "The group must be a number from 0 to 9",
            "Write REGEXP_EXTRACT(x, 'a([0-9]+)', 1).",
        )
    tree, (number,) = _encode(node, binder, _read_pattern(node, binder), [group])
    place = build_constant(number, "integer")
    return binder.apply(node, "extract pattern", _bind_text(node, binder), tree, place)


def _bind_replacement(node: exp.RegexpReplace, binder: Binder) -> TypedExpression:
    flags = node.args.get("modifiers")
    written = "" if flags is None else _read_text(flags, binder, node)
    if written not in ("", "g"):
        binder.refuse(node, "This flag is not supported", _FLAG_FIX)
    pattern = _read_pattern(node, binder)
    if written and pattern.may_be_empty():
        binder.refuse(
            node,
            "This pattern may match nothing, which databases replace differently",
            "Write + instead of *, or leave the flag 'g' out.",
        )
    try:
        parts = parse_replacement(_read_text(node.args.get("replacement"), binder, node))
    except ValueError:
        binder.refuse(
            node,
            "The replacement has a backslash that is neither \\1 nor \\\\",
            "Write REGEXP_REPLACE(x, 'a([0-9]+)', '\\1').",
        )
    tree, numbers = _encode(
        node, binder, pattern, [part for part in parts if isinstance(part, int)]
    )
    found = iter(numbers)
    kept = [
        part.replace("\\", r"\\") if isinstance(part, str) else f"\\{next(found)}" for part in parts
    ]
    return binder.apply(
        node,
        "replace pattern",
        _bind_text(node, binder),
        tree,
        build_constant("".join(kept), "text"),
        build_constant(bool(written), "boolean"),
    )


def _bind_text(node: exp.Expr, binder: Binder) -> TypedExpression:
    (value,) = align_types([binder.bind(node.this)], "text")
    if value.type != "text":
        binder.refuse(
            node, f"A pattern needs text, but this is {value.type}", "Write CAST(x AS TEXT)."
        )
    return value


_WILD: Final = frozenset("%_.^$")
RULES: tuple[Rule | Refusal, ...] = (
    Rule(exp.RegexpLike, _bind_match, ("this", "expression", "flag")),
    Rule(exp.RegexpFullMatch, _bind_match, ("this", "expression", "options")),
    Rule(exp.SimilarTo, _bind_match, ("this", "expression")),
    Rule(
        exp.RegexpExtract,
        _bind_extraction,
        ("this", "expression", "group", "null_if_pos_overflow"),
    ),
    Rule(
        exp.RegexpReplace,
        _bind_replacement,
        ("this", "expression", "replacement", "modifiers", "single_replace"),
    ),
    Refusal(
        exp.RegexpILike,
        "Patterns that ignore case are not supported",
        "Write LOWER(x) with a pattern in lower case.",
    ),
)
