"""Program heads: noise names, neighbouring relations, claims and size limits that both front ends
share.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.verify.language.program import (
    Apply,
    Claim,
    Expression,
    Kind,
    Name,
    Neighbours,
    Noise,
    Number,
    Parameter,
    Place,
    Relation,
    collect_names,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = [
    "CENTRED_NOISES",
    "FUNCTIONS",
    "KIND_NAMES",
    "MAX_TEXT_LENGTH",
    "NOISE_NAMES",
    "build_default_claim",
    "build_number",
    "check_text_size",
    "negate",
    "normalise_claim",
    "parse_neighbours",
]

MAX_TEXT_LENGTH: Final = 200_000  # characters; a mechanism has a few hundred
_MAX_LITERAL: Final = 10**100

KIND_NAMES: Final = {"int": Kind.INT, "real": Kind.REAL, "float": Kind.REAL, "bool": Kind.BOOL}
# The names of the distributions in both front ends.
NOISE_NAMES: Final[dict[str, Noise]] = {
    noise.value: noise for noise in Noise if noise is not Noise.BITS
} | {
    "uniform_bits": Noise.BITS,
    "lap": Noise.LAPLACE,
}
# laplace(centre, scale) means centre + laplace(scale).
CENTRED_NOISES: Final = frozenset({Noise.LAPLACE, Noise.GEOMETRIC, Noise.GAUSSIAN})
# Functions that an expression can call: the operator and its number of arguments.
FUNCTIONS: Final[dict[str, tuple[str, int]]] = {
    "abs": ("abs", 1),
    "min": ("min", 2),
    "max": ("max", 2),
    "ln": ("ln", 1),
    "log": ("ln", 1),
    "exp": ("exp", 1),
    "sqrt": ("sqrt", 1),
    "floor": ("floor", 1),
    "concat": ("concat", 2),
    "bit": ("bit", 2),
}


def check_text_size(text: str) -> str:
    """Return the text; refuse a file that is too long to be hand-written."""
    if len(text) > MAX_TEXT_LENGTH:
        raise UnsupportedProgram(
            f"the file has {len(text)} characters, above the limit of {MAX_TEXT_LENGTH}; move the"
            " mechanism to a file of its own"
        )
    return text


def build_number(value: Fraction, place: Place) -> Number:
    """Build a literal; refuse more than a hundred digits."""
    if abs(value.numerator) > _MAX_LITERAL or value.denominator > _MAX_LITERAL:
        raise UnsupportedProgram(
            "a number has more than a hundred digits; round it, or pass it as a parameter", place
        )
    return Number(value, place)


def negate(value: Expression, place: Place) -> Expression:
    """Return ``-value``; a negative literal is a number."""
    if isinstance(value, Number):
        return Number(-value.value, place)
    return Apply("negate", (value,), place)


def parse_neighbours(relation: object, k: object, place: Place) -> Neighbours:
    """Build the neighbouring relation from its name and, for "l1" and "group", its number."""
    names = [one for one in Relation if one is not Relation.JUDGEMENT]
    words = ", ".join(f'"{one}"' for one in names)
    if relation not in names:
        raise UnsupportedProgram(f"neighbours must be one of {words}", place)
    takes_number = relation in (Relation.L1, Relation.GROUP)
    if takes_number != (k is not None):
        raise UnsupportedProgram(
            'neighbours "l1" and "group" take a number, as in ("l1", 2); the others take none',
            place,
        )
    if k is not None and (not isinstance(k, int) or isinstance(k, bool)):
        raise UnsupportedProgram("the number after the relation must be an integer", place)
    try:
        return Neighbours(Relation(str(relation)), 1 if k is None else k)
    except InvalidArgument:
        raise UnsupportedProgram(
            "the number after the relation must be at least 1", place
        ) from None


def normalise_claim(claim: Claim, parameters: tuple[Parameter, ...], place: Place) -> Claim:
    """Check that a claim mentions public numbers only, and normalise its relation."""
    public = {
        one.name
        for one in parameters
        if not one.private and not one.list and one.kind in (Kind.INT, Kind.REAL)
    }
    for expression in (claim.epsilon, claim.delta):
        for name in sorted(collect_names(expression) - public if expression is not None else ()):
            raise UnsupportedProgram(
                f"the claim mentions {name}, which is not a public number; declare it as"
                " public[float] or public[int]",
                place,
            )
    return replace(claim, neighbours=_normalise_neighbours(claim.neighbours, parameters))


def _normalise_neighbours(given: Neighbours, parameters: tuple[Parameter, ...]) -> Neighbours:
    """Replace the relation by SECRET if all private data is one Boolean or one bit string.

    A Boolean or a bit string either differs or does not. If there is no other private data that
    must stay equal, every relation that measures a difference without a direction means the same.
    """
    private = [one for one in parameters if one.private]
    only_bits = all(not one.list and one.kind in (Kind.BOOL, Kind.BITS) for one in private)
    relation_applies = given.relation is Relation.ALL or (
        given.relation in (Relation.ONE, Relation.L1, Relation.GROUP) and len(private) == 1
    )
    return Neighbours(Relation.SECRET) if private and only_bits and relation_applies else given


def build_default_claim(parameters: tuple[Parameter, ...]) -> Claim:
    """Return the claim of a program that states none: eps for one entry if eps is a public
    parameter, otherwise perfect secrecy.
    """
    if any(one.name == "eps" and not one.private for one in parameters):
        return Claim(Name("eps"), _normalise_neighbours(Neighbours(Relation.ONE), parameters))
    return Claim(Number(Fraction(0)), Neighbours(Relation.SECRET))
