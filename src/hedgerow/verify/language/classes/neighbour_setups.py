"""Neighbour setups: the arguments of a sampling method, their neighbouring relation and the fields
that are fixed.

The shape of a class (``mechanisms.shapes``) determines its input. One unit changes it by 1: an
answer or score by 1, the cells of an array by 1 in total, a category in any way. Everything else
follows. A change by D of integers is D changes by 1, and a loss proportional to the change is what
group privacy derives from the loss at 1. Scores that change by D are D times scores that change by
1, and the factor is multiplied by D.

If a mechanism also receives a distance, answer and distance are computed from one hidden number:
the answer jumps between K and K + 1, and the distance is measured to that jump. Each pair of
neighbours in the statement of the class is a pair of such numbers: either distances that differ by
at most 1 on one side of the jump, or two unrelated answers, both at the smallest distance.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any, Final

from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.language.classes.abstract_values import (
    AbstractValue,
    ConcreteValue,
    SymbolicArray,
    SymbolicValue,
)
from hedgerow.verify.language.classes.modules import ClassSource
from hedgerow.verify.language.python.expressions import find_place, format_node
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["NeighbourSetup", "iterate_setups"]


@dataclass(frozen=True, slots=True)
class NeighbourSetup:
    """A setup. ``parameters`` and ``prelude`` are program text; ``arguments`` are those of the
    method, ``sensitivity`` that of ``loss``.
    """

    title: str
    parameters: str
    neighbours: str
    arguments: dict[str, AbstractValue]
    sensitivity: Any = 1
    prelude: str = ""
    fixed_fields: dict[str, Any] = field(default_factory=dict)


def _build_scalar(name: str, kind: str, of: int = 0) -> SymbolicValue:
    return SymbolicValue(ast.Name(name, ast.Load()), kind, of)


def _build_array(name: str, kind: str, of: int = 0) -> SymbolicArray:
    return SymbolicArray(
        lambda place: SymbolicValue(
            ast.Subscript(ast.Name(name, ast.Load()), place, ast.Load()), kind, of
        ),
        kind,
        (),
        of,
    )


_ADDITIVE_SETUPS: Final = (
    NeighbourSetup(
        "a number", "exact: private[int]", "'one'", {"exact": _build_scalar("exact", "int")}
    ),
    NeighbourSetup(
        "a number of quarters",
        "exact: private[int]",
        "'one'",
        {"exact": _build_scalar("exact", "int")},
        sensitivity=Fraction(1, 4),
        fixed_fields={"grid": Fraction(1, 4)},
    ),
    NeighbourSetup(
        "an array",
        "exact: private[list[int]], size: public[int]",
        "('l1', 1)",
        {"exact": _build_array("exact", "int")},
    ),
    NeighbourSetup(
        "an array that moves by 3",
        "exact: private[list[int]], size: public[int]",
        "('l1', 3)",
        {"exact": _build_array("exact", "int")},
        sensitivity=Sensitivity.each(3, 1),
    ),
)
_RESPONSE_SETUPS: Final = (
    NeighbourSetup(
        "one of 2",
        "exact: private[bool]",
        "'one'",
        {"exact": _build_scalar("exact", "category", 2)},
        fixed_fields={"values": 2},
    ),
    NeighbourSetup(
        "one of 4",
        "exact: private[bits[2]]",
        "'one'",
        {"exact": _build_scalar("exact", "category", 4)},
        fixed_fields={"values": 4},
    ),
    NeighbourSetup(
        "many of 2",
        "exact: private[list[bool]], size: public[int]",
        "'one'",
        {"exact": _build_array("exact", "category", 2)},
        fixed_fields={"values": 2},
    ),
)
_SCORE_PARAMETERS: Final = "scores: private[list], size: public[int]"
_SPARSE_VECTOR_PARAMETERS: Final = (
    "answers: private[list[int]], size: public[int], threshold: public[int]"
)
_STABLE_PRELUDE: Final = "answer = count > K\ndistance = count - K if count > K else K - count + 1"
_PROPOSED_PRELUDE: Final = (
    "exact = part + (H if count > K else 0)\ndistance = max(K - count, count - K - 1)"
)


def _build_monotone_setups(
    title: str, parameters: str, given: dict[str, AbstractValue]
) -> list[NeighbourSetup]:
    relations = (
        (title, "all", False),
        (f"{title}, rising", "increasing", True),
        (f"{title}, falling", "decreasing", True),
    )
    return [
        NeighbourSetup(
            words, parameters, f"'{relation}'", given, fixed_fields={"monotone": monotone}
        )
        for words, relation, monotone in relations
    ]


def _build_tested_setups(arguments: list[str]) -> list[NeighbourSetup]:
    match arguments:
        case ["answers", "threshold", *_]:
            given: dict[str, AbstractValue] = {
                "answers": _build_array("answers", "int"),
                "threshold": _build_scalar("threshold", "int"),
            }
            return _build_monotone_setups("answers", _SPARSE_VECTOR_PARAMETERS, given)
        case ["answer", "distance"]:
            given = {
                "answer": _build_scalar("answer", "bool"),
                "distance": _build_scalar("distance", "int"),
            }
            return [
                NeighbourSetup(
                    "",
                    "count: private[int], K: public[int]",
                    "'one'",
                    given,
                    prelude=_STABLE_PRELUDE,
                )
            ]
        case ["exact", "distance"]:
            given = {
                "exact": _build_scalar("exact", "int"),
                "distance": _build_scalar("distance", "int"),
            }
            parameters = "count: private[int], part: private[int], K: public[int], H: public[int]"
            return [
                NeighbourSetup(
                    "",
                    parameters,
                    "'all'",
                    given,
                    prelude=_PROPOSED_PRELUDE,
                    fixed_fields={"bound": Fraction(1)},
                )
            ]
    raise UnsupportedProgram(
        f"a tested mechanism with the arguments {', '.join(arguments)} is not supported; audit it"
        " with hedgerow audit"
    )


def iterate_setups(kind: ClassSource, method: ast.FunctionDef) -> Iterator[NeighbourSetup]:
    """Yield the setups of one method, with each flag both False and True."""
    arguments = [one.arg for one in (*method.args.posonlyargs, *method.args.args)][1:]
    flags = [
        one.arg
        for one in method.args.kwonlyargs
        if one.annotation is not None and format_node(one.annotation) == "bool"
    ]
    match kind.shape:
        case "additive":
            found = list(_ADDITIVE_SETUPS)
        case "selection":
            scores: dict[str, AbstractValue] = {"scores": _build_array("scores", "real")}
            found = _build_monotone_setups("scores", _SCORE_PARAMETERS, scores)
        case "response":
            found = list(_RESPONSE_SETUPS)
        case "tested":
            found = _build_tested_setups(arguments)
        case _:
            raise UnsupportedProgram(
                f"a mechanism of shape {kind.shape} is not supported; audit it with hedgerow audit",
                find_place(method),
            )
    fields = kind.find_fields().keys()
    # A class without a field ``monotone`` is not read with monotone scores, and a class without a
    # field ``grid`` is not read on a finer grid.
    known = [
        one
        for one in found
        if one.fixed_fields.keys() <= fields | {"monotone"}
        and (not one.fixed_fields.get("monotone") or "monotone" in fields)
    ]
    for frame, values in product(known, product((False, True), repeat=len(flags))):
        chosen = dict(zip(flags, values, strict=True))
        titles = [frame.title, *(name for name, value in chosen.items() if value)]
        given = frame.arguments | {name: ConcreteValue(value) for name, value in chosen.items()}
        yield replace(frame, title=", ".join(filter(None, titles)), arguments=given)
