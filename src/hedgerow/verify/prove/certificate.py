"""A proof as plain data, so that it can be stored, read by people, and checked again without
searching.

``program`` and ``source`` say which program it was made for: its name, and the hash of its text and
of what was understood of it. They are labels, for people and for finding things; the checker does
not look at them, since whoever sends a certificate can write anything there. It holds the rest
against the program at hand:

- ``shifts``: for every sampling site what the second run draws when the first draws ``@noise``: so
  much more (numbers), the other way round when the expression is true (``bernoulli``), or that
  value itself (``bits``);
- ``rates``: for every site what one unit of its cost is worth in epsilon; checked, never believed;
- ``bad``: for every site which noise is excused, at the price of its probability, or nothing;
- ``invariants`` and ``variants``: for every loop, in the order of the text, what holds each time
  its guard is asked, and what shrinks.

Expressions are those of programs. ``x@1`` and ``x@2`` are ``x`` in the first and the second run,
``x@1@0`` its value when the loop was entered, ``@cost3`` what site 3 has cost so far, ``@where:q``
the place where the list q differs, ``@spent:q[i]`` by how much q differs before place i, and
``@answer`` the answer that a pointwise proof is about.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from hedgerow.errors import InvalidArgument
from hedgerow.verify.language.encoding import format_program
from hedgerow.verify.language.program import (
    NOWHERE,
    Apply,
    Expression,
    Length,
    Name,
    Number,
    Place,
    Program,
    Read,
    Truth,
    collect_names,
    format_expression,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["FINITE", "MODES", "NOISE", "Certificate", "Failure", "hash_program", "split_tail"]

# sequence: every output is the same in both runs. pointwise: one answer at a time. zcdp: as
# sequence, with costs in rho. finite: as sequence, and stretches of coins by their laws (``laws``).
NOISE: Final = "@noise"
FINITE: Final = "finite"
MODES: Final = ("sequence", "pointwise", "zcdp", FINITE)


@dataclass(frozen=True, slots=True)
class Failure:
    """No proof: which obligation failed, where, and the smallest epsilon (in units of the
    claim's eps) that could be proved instead.
    """

    reason: str
    place: Place = NOWHERE
    epsilon_upper: float | None = None
    obligation: str = ""

    def __str__(self) -> str:
        return f"line {self.place.line}: {self.reason}" if self.place.line else self.reason


@dataclass(frozen=True, slots=True)
class Certificate:
    program: str
    source: str
    epsilon: Expression
    mode: str
    shifts: tuple[Expression, ...]
    rates: tuple[Expression | None, ...] = ()
    invariants: tuple[tuple[Expression, ...], ...] = ()
    variants: tuple[Expression, ...] = ()
    delta: Expression | None = None
    excused: tuple[Expression | None, ...] = ()

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InvalidArgument("mode", f"must be one of {', '.join(MODES)}", self.mode)

    def to_json(self) -> str:
        """One document that ``from_json`` reads back to the same certificate."""
        plain = {
            "program": self.program,
            "source": self.source,
            "mode": self.mode,
            "epsilon": _encode_expression(self.epsilon),
            "delta": _encode_expression(self.delta),
            "shifts": [_encode_expression(one) for one in self.shifts],
            "rates": [_encode_expression(one) for one in self.rates],
            "invariants": [[_encode_expression(one) for one in loop] for loop in self.invariants],
            "variants": [_encode_expression(one) for one in self.variants],
            "bad": [_encode_expression(one) for one in self.excused],
        }
        return json.dumps(plain, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """What ``to_json`` wrote. Anything else is refused."""
        try:
            plain = json.loads(text)
            return cls(
                program=_decode_text(plain["program"]),
                source=_decode_text(plain["source"]),
                mode=_decode_text(plain["mode"]),
                epsilon=_decode_expression(plain["epsilon"]),
                delta=_decode_optional(plain["delta"]),
                shifts=tuple(_decode_expression(one) for one in plain["shifts"]),
                rates=tuple(_decode_optional(one) for one in plain["rates"]),
                invariants=tuple(
                    tuple(_decode_expression(one) for one in loop) for loop in plain["invariants"]
                ),
                variants=tuple(_decode_expression(one) for one in plain["variants"]),
                excused=tuple(_decode_optional(one) for one in plain["bad"]),
            )
        except (
            KeyError,
            TypeError,
            ValueError,
            ZeroDivisionError,
            IndexError,
            RecursionError,
        ) as error:
            raise InvalidArgument(
                "certificate", "must be a document that Certificate.to_json wrote"
            ) from error

    def format_lines(self) -> tuple[str, ...]:
        """For people: the alignment, then what holds in each loop."""
        shifts = [f"noise {site}: {format_expression(one)}" for site, one in enumerate(self.shifts)]
        loops = [
            f"loop {loop}: {format_expression(one)}"
            for loop, several in enumerate(self.invariants)
            for one in several
        ]
        return tuple(shifts + loops)


def split_tail(rare: Expression) -> tuple[Expression, Expression]:
    """When noise may be excused, and from where on it is: ``when and from <= @noise``."""
    if (
        isinstance(rare, Apply)
        and rare.operator == "and"
        and NOISE not in collect_names(rare.arguments[0])
    ):
        tail = rare.arguments[1]
        if (
            isinstance(tail, Apply)
            and tail.operator == "<="
            and tail.arguments[1] == Name(NOISE)
            and NOISE not in collect_names(tail.arguments[0])
        ):
            return rare.arguments[0], tail.arguments[0]
    raise UnsupportedProgram(f"{format_expression(rare)} does not say which noise is excused")


def hash_program(program: Program) -> str:
    """The hash of a program: of the text, and of what was understood of it. A label: nothing is
    proved by it.
    """
    return hashlib.sha256(f"{program.source}\0{format_program(program)}".encode()).hexdigest()


def _decode_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _decode_optional(value: Any) -> Expression | None:
    return None if value is None else _decode_expression(value)


def _encode_expression(expression: Expression | None) -> Any:
    match expression:
        case None:
            return None
        case Number():
            return {"number": str(expression.value)}
        case Truth():
            return expression.value
        case Name():
            return expression.name
        case Read():
            return ["read", expression.list, _encode_expression(expression.index)]
        case Length():
            return ["length", expression.list]
        case Apply():
            return [expression.operator, *(_encode_expression(one) for one in expression.arguments)]


def _decode_fraction(text: str) -> Fraction:
    """As ``str`` writes one: no exponents, and not more digits than a proof needs."""
    if len(text) > 200 or not set(text) <= set("-/0123456789"):
        raise ValueError(text)
    return Fraction(text)


def _decode_expression(value: Any) -> Expression:
    if isinstance(value, bool):
        return Truth(value)
    if isinstance(value, str):
        return Name(value)
    if isinstance(value, dict):
        return Number(_decode_fraction(_decode_text(value["number"])))
    head, *rest = value
    if head == "read":
        return Read(_decode_text(rest[0]), _decode_expression(rest[1]))
    if head == "length":
        return Length(_decode_text(rest[0]))
    return Apply(_decode_text(head), tuple(_decode_expression(one) for one in rest))
