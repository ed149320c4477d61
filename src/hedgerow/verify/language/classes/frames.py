"""The worlds in which a mechanism is read: what it is given, what neighbours are, and which of its fields are fixed.

The shape of a class (``mechanisms.shapes``) says what goes in. One unit moves it by 1: answers and scores by 1, the cells of an array by as
much together, a category in any way. Everything else follows. Moves by D of whole numbers are D moves by 1, and a loss in proportion to
the move is what group privacy makes of the loss at 1; scores that move by D are scores that move by 1, times D, and so is the factor.

Where a mechanism is told a distance as well, answer and distance come from one hidden number: the answer jumps between K and K + 1, and
the distance is to there. Every pair of neighbours that the statement of the class speaks of is a pair of such numbers: distances that
differ by at most 1 on one side of the jump, or two answers that have nothing to do with each other, both as near to it as can be.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any, Final

from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.language.classes.modules import Class
from hedgerow.verify.language.classes.values import Cells, Known, Told, Value
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.python.expressions import place_of, said

__all__ = ["Frame", "frames"]


@dataclass(frozen=True, slots=True)
class Frame:
    """``parameters`` and ``before`` are text of the program; ``given`` are the arguments of the method, ``move`` that of ``loss``."""

    title: str
    parameters: str
    neighbours: str
    given: dict[str, Value]
    move: Any = 1
    before: str = ""
    fixed: dict[str, Any] = field(default_factory=dict)


def _told(name: str, kind: str, of: int = 0) -> Told:
    return Told(ast.Name(name, ast.Load()), kind, of)


def _cells(name: str, kind: str, of: int = 0) -> Cells:
    return Cells(lambda place: Told(ast.Subscript(ast.Name(name, ast.Load()), place, ast.Load()), kind, of), kind, (), of)


_ADDITIVE: Final = (
    Frame("a number", "exact: private[int]", "'one'", {"exact": _told("exact", "int")}),
    Frame(
        "a number of quarters",
        "exact: private[int]",
        "'one'",
        {"exact": _told("exact", "int")},
        move=Fraction(1, 4),
        fixed={"grid": Fraction(1, 4)},
    ),
    Frame("an array", "exact: private[list[int]], size: public[int]", "('l1', 1)", {"exact": _cells("exact", "int")}),
    Frame(
        "an array that moves by 3",
        "exact: private[list[int]], size: public[int]",
        "('l1', 3)",
        {"exact": _cells("exact", "int")},
        move=Sensitivity.each(3, 1),
    ),
)
_SCORES: Final = "scores: private[list], size: public[int]"
_RUN: Final = "answers: private[list[int]], size: public[int], threshold: public[int]"
_STABLE: Final = "answer = count > K\ndistance = count - K if count > K else K - count + 1"
_PROPOSED: Final = "exact = part + (H if count > K else 0)\ndistance = max(K - count, count - K - 1)"


def _moving(title: str, parameters: str, given: dict[str, Value], monotone: bool) -> list[Frame]:
    if not monotone:
        return [Frame(title, parameters, "'all'", given, fixed={"monotone": False})]
    ways = (("rising", "increasing"), ("falling", "decreasing"))
    return [Frame(f"{title}, {way}", parameters, f"'{relation}'", given, fixed={"monotone": True}) for way, relation in ways]


def _selections() -> list[Frame]:
    given: dict[str, Value] = {"scores": _cells("scores", "real")}
    return [one for monotone in (False, True) for one in _moving("scores", _SCORES, given, monotone)]


def _responses() -> list[Frame]:
    found = []
    for values, words, kind in ((2, "one of 2", "bool"), (4, "one of 4", "bits[2]")):
        given: dict[str, Value] = {"exact": _told("exact", "category", values)}
        found.append(Frame(words, f"exact: private[{kind}]", "'one'", given, fixed={"values": values}))
    given = {"exact": _cells("exact", "category", 2)}
    return [*found, Frame("many of 2", "exact: private[list[bool]], size: public[int]", "'one'", given, fixed={"values": 2})]


def _tested(arguments: list[str]) -> list[Frame]:
    match arguments:
        case ["answers", "threshold", *_]:
            given: dict[str, Value] = {"answers": _cells("answers", "int"), "threshold": _told("threshold", "int")}
            return [one for monotone in (False, True) for one in _moving("answers", _RUN, given, monotone)]
        case ["answer", "distance"]:
            given = {"answer": _told("answer", "bool"), "distance": _told("distance", "int")}
            return [Frame("", "count: private[int], K: public[int]", "'one'", given, before=_STABLE)]
        case ["exact", "distance"]:
            given = {"exact": _told("exact", "int"), "distance": _told("distance", "int")}
            parameters = "count: private[int], part: private[int], K: public[int], H: public[int]"
            return [Frame("", parameters, "'all'", given, before=_PROPOSED, fixed={"bound": Fraction(1)})]
    raise Outside(f"what is given as {', '.join(arguments)} is not a world that is read")


def said_of(kind: Class, name: str) -> bool:
    """Whether the class has such a field."""
    return any(said(one.target) == name for one in kind.fields())


def frames(kind: Class, method: ast.FunctionDef) -> Iterator[Frame]:
    """All worlds for one method, flags both ways."""
    arguments = [one.arg for one in (*method.args.posonlyargs, *method.args.args)][1:]
    flags = [one.arg for one in method.args.kwonlyargs if one.annotation is not None and said(one.annotation) == "bool"]
    match kind.shape:
        case "additive":
            found = list(_ADDITIVE)
        case "selection":
            found = _selections()
        case "response":
            found = _responses()
        case "tested":
            found = _tested(arguments)
        case _:
            raise Outside(f"a mechanism of shape {kind.shape} is not one of those that are read", place_of(method))
    fields = {said(one.target) for one in kind.fields()} | {"monotone"}
    # A class that knows no way in which all scores move alike is read without; on no grid of its own, not on a finer one.
    known = [one for one in found if one.fixed.keys() <= fields and (not one.fixed.get("monotone") or said_of(kind, "monotone"))]
    for frame, values in product(known, product((False, True), repeat=len(flags))):
        chosen = dict(zip(flags, values, strict=True))
        told = [frame.title, *(name for name, value in chosen.items() if value)]
        given = frame.given | {name: Known(value) for name, value in chosen.items()}
        yield Frame(", ".join(filter(None, told)), frame.parameters, frame.neighbours, given, frame.move, frame.before, frame.fixed)
