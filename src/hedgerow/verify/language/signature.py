"""The head of a program, in words that both front ends share: noises, neighbours, claims, and
how large a text may be.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.verify.language.program import (
    Claim,
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
    "MAX_TEXT_LENGTH",
    "NOISE_NAMES",
    "build_default_claim",
    "build_number",
    "check_text_size",
    "normalise_claim",
    "parse_neighbours",
]

MAX_TEXT_LENGTH: Final = 200_000  # characters; a mechanism has a few hundred
_MAX_LITERAL: Final = 10**100

# What authors call the noises, in either language.
NOISE_NAMES: Final[dict[str, Noise]] = {
    noise.value: noise for noise in Noise if noise is not Noise.BITS
} | {
    "uniform_bits": Noise.BITS,
    "lap": Noise.LAPLACE,
}
# These may be drawn around a centre: laplace(centre, scale) is centre + laplace(scale).
CENTRED_NOISES: Final = frozenset({Noise.LAPLACE, Noise.GEOMETRIC, Noise.GAUSSIAN})
# What may be called inside an expression: the operator, and how many arguments it takes.
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
    """The text, unless it is too long to be a program that somebody wrote."""
    if len(text) > MAX_TEXT_LENGTH:
        raise UnsupportedProgram(
            f"the file has {len(text)} characters, and at most {MAX_TEXT_LENGTH} are read"
        )
    return text


def build_number(value: Fraction, place: Place) -> Number:
    """A literal of at most a hundred digits."""
    if abs(value.numerator) > _MAX_LITERAL or value.denominator > _MAX_LITERAL:
        raise UnsupportedProgram("a number has more than a hundred digits", place)
    return Number(value, place)


def parse_neighbours(relation: object, k: object, place: Place) -> Neighbours:
    """From the word, and the number that two of the words take."""
    words = ", ".join(f'"{one}"' for one in Relation)
    if relation not in list(Relation):
        raise UnsupportedProgram(f"neighbours must be one of {words}", place)
    counted = relation in (Relation.L1, Relation.GROUP)
    if counted != (k is not None):
        raise UnsupportedProgram(
            'neighbours "l1" and "group" take a number, as in ("l1", 2); the others take none',
            place,
        )
    if k is not None and (not isinstance(k, int) or isinstance(k, bool)):
        raise UnsupportedProgram("the number of neighbours must be whole", place)
    try:
        return Neighbours(Relation(str(relation)), 1 if k is None else k)
    except InvalidArgument:
        raise UnsupportedProgram("the number of neighbours must be at least 1", place) from None


def normalise_claim(claim: Claim, parameters: tuple[Parameter, ...], place: Place) -> Claim:
    """A claim speaks of public numbers only; about data that are no numbers it is one for
    "secret".
    """
    public = {
        one.name
        for one in parameters
        if not one.private and not one.list and one.kind in (Kind.INT, Kind.REAL)
    }
    for expression in (claim.epsilon, claim.delta):
        for name in sorted(collect_names(expression) if expression is not None else ()):
            if name not in public:
                raise UnsupportedProgram(
                    f"the claim speaks of {name}, which is not a public number among the"
                    " parameters",
                    place,
                )
    return replace(claim, neighbours=_normalise_neighbours(claim.neighbours, parameters))


def _normalise_neighbours(given: Neighbours, parameters: tuple[Parameter, ...]) -> Neighbours:
    """A bool, or a string of bits, differs in any way or not at all. Where there is no other
    private data, and no second one that would have to be equal, all relations that measure a
    difference without giving it a direction say just that."""
    private = [one for one in parameters if one.private]
    plain = all(not one.list and one.kind in (Kind.BOOL, Kind.BITS) for one in private)
    free = given.relation is Relation.ALL or (
        given.relation in (Relation.ONE, Relation.L1, Relation.GROUP) and len(private) == 1
    )
    return Neighbours(Relation.SECRET) if private and plain and free else given


def build_default_claim(parameters: tuple[Parameter, ...]) -> Claim:
    """What a program claims that does not say: eps, where that is a public parameter, for one
    entry; else that nothing is told at all.
    """
    if any(one.name == "eps" and not one.private for one in parameters):
        return Claim(Name("eps"), _normalise_neighbours(Neighbours(Relation.ONE), parameters))
    return Claim(Number(Fraction(0)), Neighbours(Relation.SECRET))
