"""Rules for LOWER, UPPER, LENGTH, SUBSTRING, LEFT, RIGHT, CONCAT, ||, STARTS_WITH, ENDS_WITH
and CONTAINS."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from hedgerow.plan.scalar.expressions import Constant
from hedgerow.sql.binder.rule import Binder, Refusal, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression, align_types, build_constant
from hedgerow.sql.syntax.operator_chains import split_chain
from hedgerow.sql.syntax.regular_expressions import RegularExpression

__all__ = ["RULES", "bind_as_text", "bind_text"]

_FUNCTIONS: Final[dict[type[exp.Expr], str]] = {
    exp.Lower: "lower",
    exp.Upper: "upper",
}
_MAX_LENGTH: Final = 2**31 - 1
_MAX_CUT: Final = 100
_TEXT_FUNCTIONS: Final = (
    "Use LOWER, UPPER, TRIM, LENGTH, SUBSTRING, LEFT, RIGHT, CONCAT or STARTS_WITH."
)


def bind_text(node: exp.Expr, binder: Binder) -> TypedExpression:
    """Bind a part as text, which NULL may stand for."""
    return align_types([binder.bind(node)], "text")[0]


def bind_as_text(part: exp.Expr, node: exp.Expr, binder: Binder) -> TypedExpression:
    """Bind a part of a concatenation: what is no text is converted as by CAST."""
    value = bind_text(part, binder)
    if value.type == "real":
        binder.refuse(
            node,
            "Real numbers do not become text",
            "Round it to whole numbers first: CAST(x AS INTEGER).",
        )
    return value if value.type == "text" else binder.apply(node, "to text", value)


def _bind_length(node: exp.Length | exp.StrPosition, binder: Binder) -> TypedExpression:
    """Bind a length or a place in a text, which a declared length bounds."""
    text = bind_text(node.this, binder)
    if isinstance(node, exp.Length):
        found = binder.apply(node, "length", text)
    else:
        found = binder.apply(node, "position", text, bind_text(node.args["substr"], binder))
    longest = binder.find_max_length(text)
    if longest is None:
        return found
    return binder.apply(node, "least", found, build_constant(longest, "integer"))


def _bind_count(node: exp.Expr, binder: Binder, least: int) -> TypedExpression:
    """Bind a literal position or length: databases disagree on negative and computed ones."""
    value = binder.bind(node)
    written = value.expression.value if isinstance(value.expression, Constant) else None
    if type(written) is not int or not least <= written <= _MAX_LENGTH:
        binder.refuse(
            node,
            f"This must be a literal whole number of at least {least}",
            "Write SUBSTRING(x, 1, 3), LEFT(x, 3) or RIGHT(x, 3).",
        )
    return value


def _bind_substring(node: exp.Substring, binder: Binder) -> TypedExpression:
    text = bind_text(node.this, binder)
    start = (
        _bind_count(node.args["start"], binder, 1)
        if node.args.get("start") is not None
        else build_constant(1, "integer")
    )
    length = node.args.get("length")
    if isinstance(length, exp.Paren):
        length = length.unnest()
    if isinstance(length, exp.Sub) and length.this == exp.Length(this=node.this):
        return _cut_ends(node, binder, text, start, _bind_count(length.expression, binder, 0))
    return binder.apply(
        node,
        "substring",
        text,
        start,
        (
            build_constant(_MAX_LENGTH, "integer")
            if length is None
            else _bind_count(length, binder, 0)
        ),
    )


def _read_count(value: TypedExpression) -> int:
    found = value.expression.value if isinstance(value.expression, Constant) else None
    assert isinstance(found, int)
    return found


def _cut_ends(
    node: exp.Expr,
    binder: Binder,
    text: TypedExpression,
    start: TypedExpression,
    cut: TypedExpression,
) -> TypedExpression:
    """Bind SUBSTRING(x, 2, LENGTH(x) - 2), the text without some first and last characters; empty
    where it has no more."""
    first = _read_count(start) - 1
    last = _read_count(cut) - first
    if last < 0 or first + last > _MAX_CUT:
        binder.refuse(
            node,
            f"SUBSTRING may leave out up to {_MAX_CUT} characters at both ends",
            "Write SUBSTRING(x, 2, LENGTH(x) - 2).",
        )
    before, behind = (rf"[\s\S]{{{count}}}" if count else "" for count in (first, last))
    tree, (group,) = RegularExpression(rf"^{before}([\s\S]*){behind}$").build([1])
    return binder.apply(
        node,
        "extract pattern",
        text,
        build_constant(tree, "text"),
        build_constant(group, "integer"),
    )


def _bind_concat(node: exp.Concat, binder: Binder) -> TypedExpression:
    """Bind CONCAT, which skips NULL, unlike ||."""
    parts = [bind_as_text(part, node, binder) for part in node.expressions]
    filled = [binder.apply(node, "coalesce", part, build_constant("", "text")) for part in parts]
    return filled[0] if len(filled) == 1 else binder.apply(node, "concat", *filled)


def _bind_contained(node: exp.Contains | exp.EndsWith, binder: Binder) -> TypedExpression:
    """Bind CONTAINS(x, 'abc') or ENDS_WITH(x, 'abc') as LIKE."""
    text, piece = bind_text(node.this, binder), bind_text(node.expression, binder)
    written = piece.expression.value if isinstance(piece.expression, Constant) else None
    if not isinstance(written, str) or set(written) & set("%_\\"):
        binder.refuse(
            node,
            "This function takes literal text without % _ and \\",
            "Write CONTAINS(x, 'abc'), or ENDS_WITH(x, 'abc').",
        )
    pattern = f"%{written}%" if isinstance(node, exp.Contains) else f"%{written}"
    return binder.apply(node, "like", text, build_constant(pattern, "text"))


RULES: tuple[Rule | Refusal, ...] = (
    *(
        Rule(
            node,
            lambda node, binder: binder.apply(
                node, _FUNCTIONS[type(node)], bind_text(node.this, binder)
            ),
        )
        for node in _FUNCTIONS
    ),
    Rule(exp.Substring, _bind_substring, ("this", "start", "length")),
    Rule(
        exp.Left,
        lambda node, binder: binder.apply(
            node,
            "substring",
            bind_text(node.this, binder),
            build_constant(1, "integer"),
            _bind_count(node.expression, binder, 0),
        ),
        ("this", "expression"),
    ),
    Rule(
        exp.Right,
        lambda node, binder: binder.apply(
            node, "right", bind_text(node.this, binder), _bind_count(node.expression, binder, 0)
        ),
        ("this", "expression"),
    ),
    Rule(exp.Length, _bind_length),
    Rule(exp.StrPosition, _bind_length, ("this", "substr")),
    Rule(exp.Contains, _bind_contained, ("this", "expression")),
    Rule(exp.EndsWith, _bind_contained, ("this", "expression")),
    Rule(exp.Concat, _bind_concat, ("expressions", "safe", "coalesce")),
    Rule(
        exp.DPipe,
        lambda node, binder: binder.apply(
            node,
            "concat",
            *(
                bind_as_text(part, node, binder)
                for part in split_chain(node, exp.DPipe, unnest=False)
            ),
        ),
        ("this", "expression", "safe"),
    ),
    Rule(
        exp.StartsWith,
        lambda node, binder: binder.apply(
            node, "starts with", bind_text(node.this, binder), bind_text(node.expression, binder)
        ),
        ("this", "expression"),
    ),
    *(
        Refusal(node, "This text function is not supported", _TEXT_FUNCTIONS)
        for node in (exp.Reverse, exp.Pad)
    ),
)
