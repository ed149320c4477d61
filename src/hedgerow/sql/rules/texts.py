"""Functions of text: LOWER, UPPER, TRIM, LENGTH, SUBSTRING, LEFT, RIGHT, CONCAT, || and STARTS_WITH."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from hedgerow.plan.expressions import Constant
from hedgerow.sql.rule import Reader, Refusal, Rule
from hedgerow.sql.typed import Typed, aligned, constant

__all__ = ["RULES"]

_NAMES: Final[dict[type[exp.Expr], str]] = {exp.Lower: "lower", exp.Upper: "upper", exp.Length: "length", exp.Trim: "trim"}
_ALL: Final = 2**31 - 1
_LISTED: Final = "The functions of text are LOWER, UPPER, TRIM, LENGTH, SUBSTRING, LEFT, RIGHT, CONCAT and STARTS_WITH."


def _text(node: exp.Expr, reader: Reader) -> Typed:
    return aligned([reader.read(node)], "text")[0]


def _one(node: exp.Expr, reader: Reader) -> Typed:
    return reader.call(node, _NAMES[type(node)], _text(node.this, reader))


def _number(node: exp.Expr, reader: Reader, least: int) -> Typed:
    """A place or a length, written out: from the end, or by a column, different databases count differently."""
    value = reader.read(node)
    written = value.expression.value if isinstance(value.expression, Constant) else None
    if type(written) is not int or not least <= written <= _ALL:
        reader.refuse(node, f"Here a whole number from {least} is written out", "Write SUBSTRING(x, 1, 3), LEFT(x, 3) or RIGHT(x, 3).")
    return value


def _substring(node: exp.Substring, reader: Reader) -> Typed:
    text = _text(node.this, reader)
    start = _number(node.args["start"], reader, 1) if node.args.get("start") is not None else constant(1, "integer")
    length = node.args.get("length")
    return reader.call(node, "substring", text, start, constant(_ALL, "integer") if length is None else _number(length, reader, 0))


def _left(node: exp.Left, reader: Reader) -> Typed:
    return reader.call(node, "substring", _text(node.this, reader), constant(1, "integer"), _number(node.expression, reader, 0))


def _right(node: exp.Right, reader: Reader) -> Typed:
    return reader.call(node, "right", _text(node.this, reader), _number(node.expression, reader, 0))


def _concat(node: exp.Concat, reader: Reader) -> Typed:
    """CONCAT leaves NULL out, || does not."""
    parts = [_text(part, reader) for part in node.expressions]
    if any(part.type != "text" for part in parts):
        reader.refuse(node, "CONCAT works on text", "Use columns that the policy declares as text.")
    filled = [reader.call(node, "coalesce", part, constant("", "text")) for part in parts]
    return filled[0] if len(filled) == 1 else reader.call(node, "concat", *filled)


def _pipes(node: exp.DPipe, reader: Reader) -> Typed:
    parts: list[exp.Expr] = []
    rest: list[exp.Expr] = [node]
    while rest:
        one = rest.pop()
        if type(one) is exp.DPipe:
            rest += [one.expression, one.this]
        else:
            parts.append(one)
    return reader.call(node, "concat", *(_text(part, reader) for part in parts))


def _starts(node: exp.StartsWith, reader: Reader) -> Typed:
    return reader.call(node, "starts with", _text(node.this, reader), _text(node.expression, reader))


def _refused(*nodes: type[exp.Expr]) -> tuple[Refusal, ...]:
    return tuple(Refusal(node, "This function of text is not read", _LISTED) for node in nodes)


RULES: tuple[Rule | Refusal, ...] = (
    *(Rule(node, _one) for node in _NAMES),
    Rule(exp.Substring, _substring, ("this", "start", "length")),
    Rule(exp.Left, _left, ("this", "expression")),
    Rule(exp.Right, _right, ("this", "expression")),
    Rule(exp.Concat, _concat, ("expressions", "safe", "coalesce")),
    Rule(exp.DPipe, _pipes, ("this", "expression", "safe")),
    Rule(exp.StartsWith, _starts, ("this", "expression")),
    *_refused(exp.ConcatWs, exp.RegexpReplace, exp.RegexpExtract, exp.Reverse, exp.Pad),
)
