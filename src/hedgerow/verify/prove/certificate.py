"""Proofs as plain data that can be stored, read by people, and checked again without a search.

``program`` and ``source`` name the program that the certificate was made for: its name, and the
hash of its text and of its parsed form. They are labels for people and for lookups. The checker
ignores them, since the sender of a certificate can write anything there. It compares the other
fields with the program at hand:

- ``shifts``: for every sampling site, the noise of the second run when the first draws ``@noise``.
  The expression is the difference (numbers), a condition under which the coin is flipped
  (``bernoulli``), or the new value itself (``bits``);
- ``rates``: for every site, the epsilon of one unit of its cost; checked, never believed;
- ``bad``: for every site, the noise that is excused at the price of its probability, or nothing;
- ``invariants`` and ``variants``: for every loop, in textual order, the facts that hold each time
  its guard is evaluated, and the quantity that decreases, or several in lexicographic order.

Expressions are written as in programs, with these names for both runs:

========================  ========================================================
``x@1``, ``x@2``          ``x`` in the first and in the second run
``x@1@0``                 the value of ``x@1`` when the loop was entered
``@cost3``                the cost of site 3 so far
``@where:q``              the index at which the list q differs
``@spent:q[i]``           the distance between the two lists q before index i
``@answer``               the answer that a pointwise proof is about
========================  ========================================================
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

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

__all__ = [
    "FINITE",
    "MODES",
    "NOISE",
    "Certificate",
    "Failure",
    "Variant",
    "hash_program",
    "split_tail",
]

# sequence: every output is the same in both runs. pointwise: one answer at a time. zcdp: as
# sequence, with costs in rho. finite: as sequence, and regions of coins by their distributions.
NOISE: Final = "@noise"
FINITE: Final = "finite"
MODES: Final = ("sequence", "pointwise", "zcdp", FINITE)
Variant: TypeAlias = Expression | tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed proof: the obligation, its place, and the smallest epsilon (in units of the claim's
    eps) that could be proved instead.
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
    variants: tuple[Variant, ...] = ()
    delta: Expression | None = None
    excused: tuple[Expression | None, ...] = ()

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InvalidArgument("mode", f"must be one of {', '.join(MODES)}", self.mode)

    def to_json(self) -> str:
        """Return one JSON document that ``from_json`` reads back to the same certificate."""
        plain = {
            "program": self.program,
            "source": self.source,
            "mode": self.mode,
            "epsilon": _encode_expression(self.epsilon),
            "delta": _encode_expression(self.delta),
            "shifts": [_encode_expression(one) for one in self.shifts],
            "rates": [_encode_expression(one) for one in self.rates],
            "invariants": [[_encode_expression(one) for one in loop] for loop in self.invariants],
            "variants": [_encode_variant(one) for one in self.variants],
            "bad": [_encode_expression(one) for one in self.excused],
        }
        return json.dumps(plain, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Read a document that ``to_json`` wrote, and refuse any other text."""
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
                variants=tuple(_decode_variant(one) for one in plain["variants"]),
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
        """Format the certificate for people: the alignment, then the invariants of each loop."""
        shifts = [f"noise {site}: {format_expression(one)}" for site, one in enumerate(self.shifts)]
        loops = [
            f"loop {loop}: {format_expression(one)}"
            for loop, several in enumerate(self.invariants)
            for one in several
        ]
        return tuple(shifts + loops)


def split_tail(rare: Expression) -> tuple[Expression, Expression]:
    """Split ``when and start <= @noise`` into the condition and the start of the excused tail."""
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
    """Hash the text and the parsed form of a program, as a label that proves nothing."""
    return hashlib.sha256(f"{program.source}\0{format_program(program)}".encode()).hexdigest()


def _decode_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _decode_optional(value: Any) -> Expression | None:
    return None if value is None else _decode_expression(value)


def _encode_variant(variant: Variant) -> Any:
    if isinstance(variant, tuple):
        return {"lexicographic": [_encode_expression(one) for one in variant]}
    return _encode_expression(variant)


def _decode_variant(value: Any) -> Variant:
    if isinstance(value, dict) and "lexicographic" in value:
        return tuple(_decode_expression(one) for one in value["lexicographic"])
    return _decode_expression(value)


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
    """Parse a fraction as ``str`` writes it: no exponents, and a bounded number of digits."""
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
