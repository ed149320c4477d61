"""The words in which the shipped mechanisms are written, and what each means in a program.

Everything that a mechanism's source calls is either read in turn, or stands here. What stands here is believed: that ``discrete_laplace``
draws whole numbers with Pr[z] in proportion to e^(-|z|/scale), that ``race`` finds the largest noisy score, that ``as_whole`` gives back
what it is given. The tests of ``numeric`` hold them to that.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Protocol, TypeAlias

from hedgerow.privacy.grid import Grid, grid_of
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.language.classes.values import Arm, Cells, Known, Size, Stock, Told, Value, Word, number_node
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Noise

__all__ = ["CONCRETE", "LOSS", "MEANINGS", "NOISES", "Dtype", "Speaker", "drawn", "plain"]


@dataclass(frozen=True, slots=True)
class Dtype:
    """Of an array: b, i or f."""

    kind: str


class Speaker(Protocol):
    """What a meaning needs of the reader."""

    def emit(self, statement: ast.stmt) -> None:
        """One more statement of the program."""

    def placed(self, node: ast.expr) -> ast.expr:
        """The same, on the line that is read."""

    def name(self, wanted: str) -> str:
        """A variable that nobody has taken."""

    def at_least_one(self, value: Told) -> None:
        """The class refuses what is below 1."""

    def from_one(self, node: ast.expr) -> bool:
        """Whether the class refuses what would make this negative."""


Meaning: TypeAlias = Callable[[Speaker, list[Value]], Value]

# What may be run while reading, since all its arguments are known: nothing of it is data.
CONCRETE: Final[dict[str, Callable[..., object]]] = {
    "hedgerow.privacy.sensitivity.Sensitivity.of": Sensitivity.of,
    "hedgerow.privacy.grid.grid_of": grid_of,
    "hedgerow.privacy.grid.Grid": Grid,
    "fractions.Fraction": Fraction,
    "math.ceil": math.ceil,
    "builtins.max": max,
    "builtins.min": min,
}
LOSS: Final = "hedgerow.privacy.loss.Loss"
NOISES: Final[dict[str, Noise]] = {"hedgerow.numeric.exponential.discrete_laplace": Noise.GEOMETRIC}
_RACES: Final = {"laplace": "laplace", "exponential": "exponential"}


def plain(value: Value) -> ast.expr:
    """The expression that a number or a truth is."""
    match value:
        case Told():
            return value.node
        case Known():
            return number_node(value.value)
    raise Outside("a number is needed here")


def called(word: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(word, ast.Load()), list(arguments), [])


def drawn(speaker: Speaker, wanted: str, call: ast.expr, kind: str, like: Told | Cells, of: int = 0) -> Told | Cells:
    """One draw for a number, one for every cell of an array."""
    name = speaker.name(wanted)
    if isinstance(like, Told):
        speaker.emit(ast.Assign([ast.Name(name, ast.Store())], call))
        return Told(ast.Name(name, ast.Load()), kind, of)
    return Cells(lambda _: Told(ast.Name(name, ast.Load()), kind, of), kind, (Arm(name, speaker.placed(call)),), of)


def _kept(*kinds: str) -> Meaning:
    """What is given is checked and given back: numbers of these kinds, or lists. What it refuses is not in the worlds that are read."""

    def same(_: Speaker, given: list[Value]) -> Value:
        value = given[0]
        if isinstance(value, Known) or (isinstance(value, Told | Cells) and value.kind in kinds):
            return value
        raise Outside("what is given here is not of the kind that comes back unchanged")

    return same


def _truth(speaker: Speaker, given: list[Value]) -> Value:
    if isinstance(given[0], Told | Cells) and given[0].kind == "category" and given[0].of != 2:
        raise Outside("one of more than two values is no truth")
    return _kept("bool", "category")(speaker, given)


def _whole(speaker: Speaker, given: list[Value]) -> Value:
    value = _kept("int")(speaker, given)
    if isinstance(value, Told):
        speaker.at_least_one(value)
    return value


def _upper(_: Speaker, given: list[Value]) -> Value:
    """Rounded up: what is proved of the number itself holds for what is at least that, and so for a loss that is made of it."""
    return Told(plain(given[0]), "bound")


def _reserve(_: Speaker, given: list[Value]) -> Value:
    if len(given) != 1 or not isinstance(given[0], Word):
        raise Outside("a Reserve is made of one sampler")
    return Stock(given[0].name, NOISES.get(given[0].name))


def _discrete_laplace(speaker: Speaker, given: list[Value]) -> Value:
    scale, size = given
    if not isinstance(size, Size):
        raise Outside("noise is drawn one for each cell")
    return drawn(speaker, "noise", called("geometric", plain(scale)), "int", size.like)


def _bernoulli(speaker: Speaker, given: list[Value]) -> Value:
    chance, size = given
    if not isinstance(size, Size):
        raise Outside("coins are drawn one for each cell")
    return drawn(speaker, "coin", called("bernoulli", plain(chance)), "bool", size.like)


def _uniform_integers(speaker: Speaker, given: list[Value]) -> Value:
    bound, size = given
    if not isinstance(size, Size) or not isinstance(bound, Known) or not isinstance(bound.value, int):
        raise Outside("uniform integers are drawn below a known bound, one for each cell")
    width = bound.value.bit_length() - 1
    if bound.value != 1 << width or width < 1:
        raise Outside(f"one of {bound.value} values is not a string of fair bits")
    fair = called("bernoulli", number_node(Fraction(1, 2))) if width == 1 else called("uniform_bits", ast.Constant(width))
    return drawn(speaker, "any", fair, "category", size.like, bound.value)


def _race(speaker: Speaker, given: list[Value]) -> Value:
    """The first of the largest factor * score + noise, which is that of the largest score + noise/factor."""
    scores, factor, law, *weights = given
    if not isinstance(scores, Cells) or scores.draws or not isinstance(law, Known) or weights:
        raise Outside("a race is one of scores that are given, without weights")
    if law.value not in _RACES:
        raise Outside(f"{law.value} noise is not in the language")
    best, winner, at, noisy = map(speaker.name, ("best", "winner", "place", "noisy"))
    here, noise = ast.Name(at, ast.Load()), called(_RACES[law.value], ast.BinOp(ast.Constant(1), ast.Div(), plain(factor)))
    text = f"if {at} == 0 or {noisy} > {best}:\n    {best} = {noisy}\n    {winner} = {at}"
    speaker.emit(_assigned(best, ast.Constant(0)))
    speaker.emit(_assigned(winner, ast.Constant(0)))
    body = [_assigned(noisy, ast.BinOp(scores.entry(here).node, ast.Add(), noise)), *_unplaced(text)]
    speaker.emit(ast.For(ast.Name(at, ast.Store()), called("range", ast.Name("size", ast.Load())), body, []))
    return Told(ast.Name(winner, ast.Load()), "int")


def _unplaced(text: str) -> list[ast.stmt]:
    """Statements that stand on no line of their own."""
    body = ast.parse(text).body
    for one in (part for statement in body for part in ast.walk(statement)):
        for where in ("lineno", "end_lineno", "col_offset", "end_col_offset"):
            if hasattr(one, where):
                delattr(one, where)
    return body


def _assigned(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _where(_: Speaker, given: list[Value]) -> Value:
    if len(given) != 3 or not all(isinstance(one, Told | Cells) for one in given):
        raise Outside("where chooses between two values, cell by cell")
    condition, then, otherwise = (one for one in given if isinstance(one, Told | Cells))
    if then.kind != otherwise.kind or then.of != otherwise.of:
        raise Outside("where chooses between values of one kind")
    if all(isinstance(one, Told) for one in given):
        return _chosen(condition, then, otherwise)
    every = (condition, then, otherwise)
    draws = tuple(dict.fromkeys(arm for one in every if isinstance(one, Cells) for arm in one.draws))
    return Cells(lambda at: _chosen(*(_at(one, at) for one in every)), then.kind, draws, then.of)


def _at(one: Told | Cells, place: ast.expr) -> Told:
    return one.entry(place) if isinstance(one, Cells) else one


def _chosen(condition: Told | Cells, then: Told | Cells, otherwise: Told | Cells) -> Told:
    assert isinstance(condition, Told)
    assert isinstance(then, Told)
    assert isinstance(otherwise, Told)
    return Told(ast.IfExp(condition.node, then.node, otherwise.node), then.kind, then.of)


def _logarithm(_: Speaker, given: list[Value]) -> Value:
    return Told(called("ln", plain(given[0])), "bound")


def _tail(speaker: Speaker, given: list[Value]) -> Value:
    """Pr[Z >= m] of discrete Laplace noise, q^m/(1+q) for m >= 0."""
    scale, start = (plain(one) for one in given)
    if not speaker.from_one(start):
        raise Outside("the tail of noise is known from 0 on, and nothing sees to it that this is not below")
    power = ast.UnaryOp(ast.USub(), ast.BinOp(start, ast.Div(), scale))
    one = ast.UnaryOp(ast.USub(), ast.BinOp(ast.Constant(1), ast.Div(), scale))
    below = ast.BinOp(ast.Constant(1), ast.Add(), called("exp", one))
    return Told(ast.BinOp(called("exp", power), ast.Div(), below), "bound")


MEANINGS: Final[dict[str, Meaning]] = {
    "hedgerow.mechanisms.scores.as_scores": _kept("real", "int"),
    "hedgerow.mechanisms.scores.check_factor": _kept("real"),
    "hedgerow.numeric.chunk.check_scale": _kept("real"),
    "hedgerow.numeric.count.as_distance": _kept("int"),
    "hedgerow.numeric.count.as_whole": _kept("int"),
    "hedgerow.numeric.door.raw_array": _kept("int", "real", "category"),
    "hedgerow.numeric.exponential.discrete_laplace": _discrete_laplace,
    "hedgerow.numeric.laplace_tail.laplace_tail": _tail,
    "hedgerow.numeric.number.exact": _kept("int", "real"),
    "hedgerow.numeric.number.positive": _kept("int", "real"),
    "hedgerow.numeric.number.whole": _whole,
    "hedgerow.numeric.race.race": _race,
    "hedgerow.numeric.reserve.Reserve": _reserve,
    "hedgerow.numeric.rounding.log_up": _logarithm,
    "hedgerow.numeric.rounding.round_up": _upper,
    "hedgerow.numeric.coins.bernoulli": _bernoulli,
    "hedgerow.numeric.uniform.uniform_integers": _uniform_integers,
    "numpy.asarray": _kept("int", "real", "category"),
    "numpy.where": _where,
    "builtins.int": _kept("int", "category"),
    "builtins.bool": _truth,
}
