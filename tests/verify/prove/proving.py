"""Programs to prove, and certificates written as text."""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from functools import cache
from pathlib import Path

from hedgerow.verify.language.program import Apply, Expression, Name, Number, Program, Read, Truth
from hedgerow.verify.language.python import read_programs
from hedgerow.verify.prove.certificate import Certificate, hash_program

PROGRAMS = Path(__file__).parents[1] / "programs"
_AT, _COLON = "ǀ", "ǁ"  # letters to Python, so that x@1 and @where:q can be parsed as names
_OPERATORS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.BitXor: "xor",
    ast.And: "and",
    ast.Or: "or",
    ast.Not: "not",
    ast.USub: "negate",
}


@cache
def shipped() -> dict[str, Program]:
    """Return the programs beside the tests, by name."""
    found: dict[str, Program] = {}
    for file in sorted(PROGRAMS.glob("*.py")):
        for one in read_programs(file.read_text(encoding="utf-8"), file.name):
            assert isinstance(one, Program), one
            found[one.name] = one
    return found


def line(name: str, number: int) -> str:
    """Return one line of the file of a shipped program."""
    (file,) = [
        one for one in PROGRAMS.glob("*.py") if f"def {name}(" in one.read_text(encoding="utf-8")
    ]
    return file.read_text(encoding="utf-8").splitlines()[number - 1].strip()


def program(text: str) -> Program:
    """Parse the one program of a Python text."""
    (one,) = read_programs(
        "from hedgerow.verify import *\nfrom math import log, sqrt, exp\n\n" + text
    )
    assert isinstance(one, Program), one
    return one


def expression(text: str) -> Expression:
    """Parse an expression of a certificate: ``2 if q@1[i@1] + @noise >= threshold@1 else 0``."""
    text = re.sub(r"@(where|move|spent|cap):", rf"@\1{_COLON}", text).replace("@", _AT)
    return _read(ast.parse(text, mode="eval").body)


def _name(text: str) -> str:
    return text.replace(_AT, "@").replace(_COLON, ":")


def _read(node: ast.expr) -> Expression:
    match node:
        case ast.Name():
            return Name(_name(node.id))
        case ast.Constant(value=bool()):
            return Truth(bool(node.value))
        case ast.Constant():
            return Number(Fraction(str(node.value)))
        case ast.BinOp():
            return Apply(_OPERATORS[type(node.op)], (_read(node.left), _read(node.right)))
        case ast.UnaryOp():
            return Apply(_OPERATORS[type(node.op)], (_read(node.operand),))
        case ast.IfExp():
            return Apply("if", (_read(node.test), _read(node.body), _read(node.orelse)))
        case ast.Subscript(value=ast.Name()):
            return Read(_name(node.value.id), _read(node.slice))
        case ast.Call(func=ast.Name()):
            return Apply(node.func.id, tuple(map(_read, node.args)))
        case ast.BoolOp(values=[left, right]):
            return Apply(_OPERATORS[type(node.op)], (_read(left), _read(right)))
        case ast.Compare(ops=[one], comparators=[right]):
            left, other = _read(node.left), _read(right)
            if isinstance(one, ast.Gt | ast.GtE):
                return Apply("<" if isinstance(one, ast.Gt) else "<=", (other, left))
            return Apply(_OPERATORS[type(one)], (left, other))
    raise AssertionError(ast.dump(node))


def certificate(
    about: Program,
    shifts: tuple[str, ...] = (),
    *,
    mode: str = "sequence",
    invariants: tuple[tuple[str, ...], ...] = (),
    variants: tuple[str | tuple[str, ...], ...] = (),
    rates: tuple[str | None, ...] = (),
    bad: tuple[str | None, ...] = (),
) -> Certificate:
    """Build a certificate for the program's own claim."""
    return Certificate(
        program=about.name,
        source=hash_program(about),
        epsilon=about.claim.epsilon,
        delta=about.claim.delta,
        mode=mode,
        shifts=tuple(map(expression, shifts)),
        rates=tuple(None if one is None else expression(one) for one in rates),
        invariants=tuple(tuple(map(expression, several)) for several in invariants),
        variants=tuple(
            tuple(map(expression, one)) if isinstance(one, tuple) else expression(one)
            for one in variants
        ),
        excused=tuple(None if one is None else expression(one) for one in bad),
    )


def above_threshold() -> tuple[Program, Certificate]:
    """Return the sparse vector technique with a manual proof."""
    about = shipped()["above_threshold"]
    kept = ("i@1 == i@2", "count@1 == count@2", "@cost1 <= 2 * count@1", "count@1 <= N")
    shifts = ("1", "2 if q@1[i@1] + @noise >= threshold@1 else 0")
    return about, certificate(about, shifts, invariants=(kept,), variants=("size - i@1",))
