"""What generated programs tell, worked out by Python itself on big rationals: no part of the runner
is used.

Both get the same uniforms. The k-th uniform of a run is a real whose bits are a hash of the seed,
of k and of the place; the runner draws as many as it likes, the reference takes ``BITS`` of them
and a logarithm of its own, by square roots and a series in whole numbers, and then executes the
text of the program as Python on ``Fraction``. So it is wrong only where a draw decides something in
its last bits.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import random
import re
from fractions import Fraction
from math import floor, isqrt
from typing import Any

import pytest

from hedgerow.numeric.samplers.lazy_uniform import LazyUniform
from hedgerow.verify.language.interpreter import interpreter, lazy_draws, run_program
from verify.language.reading import read

BITS, _ROOTS = 8_000, 64
_POINT = BITS + 2 * _ROOTS + 40
HUGE = 10**98


def hashed(seed: object, index: int, bits: int) -> int:
    """The first bits of a uniform."""
    blocks = (
        hashlib.blake2b(f"{seed}/{index}/{block}".encode()).digest()
        for block in range(bits // 512 + 1)
    )
    return int.from_bytes(b"".join(blocks)) >> (512 * (bits // 512 + 1) - bits)


class Told(LazyUniform):
    """A uniform whose bits are known beforehand."""

    __slots__ = ("index", "seed")

    def __init__(self, seed: object, index: int) -> None:
        self.seed, self.index = seed, index
        super().__init__(hashed(seed, index, 63))

    def refine(self) -> None:
        self.bits += 64
        self.numerator = hashed(self.seed, self.index, self.bits)


def same_draws(patch: pytest.MonkeyPatch, seed: object) -> None:
    """Lets the runner draw what the reference draws."""
    uniforms, signs, steps = itertools.count(), itertools.count(), itertools.count()
    patch.setattr(lazy_draws, "_make_uniform", lambda: Told(seed, next(uniforms)))
    for module in (lazy_draws, interpreter):
        patch.setattr(
            module, "draw_integer", lambda bits: hashed(f"{seed}-sign", next(signs), 8) & 1
        )
    patch.setattr(
        interpreter,
        "discrete_laplace",
        lambda scale, n: [hashed(f"{seed}-step", next(steps), 3) - 3],
    )


class Reference:
    """The words of the language, for Python to execute."""

    def __init__(self, seed: object) -> None:
        self.seed, self.told = seed, list[Any]()
        self.uniforms, self.signs, self.steps = (
            itertools.count(),
            itertools.count(),
            itertools.count(),
        )

    def words(self) -> dict[str, Any]:
        names = ("laplace", "exponential", "gaussian", "uniform", "geometric", "output")
        return {name: getattr(self, name) for name in names} | {
            "ln": logarithm,
            "sqrt": root,
            "floor": lambda value: Fraction(floor(value)),
        }

    def _uniform(self) -> Fraction:
        return Fraction(hashed(self.seed, next(self.uniforms), BITS), 1 << BITS)

    def _sign(self) -> int:
        return 1 if hashed(f"{self.seed}-sign", next(self.signs), 8) & 1 else -1

    def exponential(self, scale: Fraction) -> Fraction:
        return scale * -logarithm(self._uniform())

    def laplace(self, scale: Fraction) -> Fraction:
        return self.exponential(scale) * self._sign()

    def gaussian(self, scale: Fraction) -> Fraction:
        while True:
            u, v = self._uniform(), self._uniform()
            size = Fraction(8577638849607069, 10**16) * v / u
            if size**2 <= -4 * logarithm(u):
                return scale * size * self._sign()

    def uniform(self, low: Fraction, high: Fraction) -> Fraction:
        return low + (high - low) * self._uniform()

    def geometric(self, _scale: Fraction) -> Fraction:
        return Fraction(hashed(f"{self.seed}-step", next(self.steps), 3) - 3)

    def output(self, value: Any) -> None:
        self.told.append(value)


def logarithm(value: Fraction) -> Fraction:
    """ln: 2^k and a number between 1 and 2, whose 64th root is close to 1."""
    twos = value.numerator.bit_length() - value.denominator.bit_length()
    if twos > 0:
        number = (value.numerator << _POINT) // (value.denominator << twos)
    else:
        number = (value.numerator << _POINT - twos) // value.denominator
    for _ in range(_ROOTS):
        number = isqrt(number << _POINT)
    one = 1 << _POINT
    return (
        Fraction(_series((number - one << _POINT) // (number + one)) << _ROOTS, one) + twos * _two()
    )


def _series(t: int) -> int:
    """ln((1 + t) / (1 - t)) = 2 (t + t^3/3 + t^5/5 + ...), in steps of 2^-POINT."""
    total, power, square = 0, t, t * t >> _POINT
    for odd in itertools.count(1, 2):
        if not abs(power) > 1:
            return 2 * total
        total += power // odd
        power = power * square >> _POINT
    raise AssertionError


@functools.cache
def _two() -> Fraction:
    return Fraction(_series((1 << _POINT) // 3), 1 << _POINT)


def root(value: Fraction) -> Fraction:
    return Fraction(isqrt((value.numerator << 2 * BITS) // value.denominator), 1 << BITS)


def shown(value: Any) -> float | bool:
    """To the grid of 2^-40, halves up, and to the nearest float."""
    if isinstance(value, bool):
        return value
    steps = (2 * Fraction(value) * 2**40 + 1) // 2
    largest = Fraction(1.7976931348623157e308)
    return float(min(max(Fraction(steps, 2**40), -largest), largest))


def expected(body: str, seed: object, arguments: dict[str, Any]) -> list[float | bool]:
    """What Python says."""
    reference = Reference(seed)
    exec(compile(body, "generated", "exec"), {"F": Fraction, **reference.words(), **arguments})
    return [shown(value) for value in reference.told]


class Writer:
    """Random programs: huge and tiny constants, nested division, squares, comparisons at
    equality.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = ["x"]
        self.degree = {"x": 0}
        self.lines = list[str]()
        self.irrational = self.random.choice(("ln(F(3, 1))", "sqrt(F(2, 1))"))

    def program(self) -> str:
        for name in ("a", "b"):
            self.put(name, self.draw(), 1)
        for count in range(self.random.randint(3, 7)):
            getattr(
                self,
                self.random.choice(
                    (
                        "scaled",
                        "there_and_back",
                        "mixed",
                        "squared",
                        "chosen",
                        "looped",
                        "rounded",
                        "peeled",
                        "irrational_too",
                    )
                ),
            )(f"v{count}")
        for _ in range(2):
            self.lines.append(f"output({self.comparison()})")
        for name in self.random.sample(self.names, 2):
            self.lines.append(f"output({name} + 0 * a)")
        return "\n".join(self.lines)

    def put(self, name: str, text: str, degree: int) -> None:
        self.lines.append(f"{name} = {text}")
        self.names.append(name)
        self.degree[name] = degree

    def draw(self) -> str:
        word = self.random.choice(("laplace", "exponential", "gaussian", "uniform"))
        return (
            f"uniform(0, {self.constant()})" if word == "uniform" else f"{word}({self.constant()})"
        )

    def constant(self) -> str:
        kind = self.random.randrange(5)
        if kind == 0:
            return str(10 ** self.random.choice((1, 20, 98)))
        if kind == 1:
            return f"F(1, {10 ** self.random.choice((1, 20, 98))})"
        return f"F({self.random.randint(1, 9)}, {self.random.randint(1, 9)})"

    def any(self, most: int = 4) -> str:
        return self.random.choice([name for name in self.names if self.degree[name] <= most])

    def scaled(self, name: str) -> None:
        of = self.any()
        self.put(
            name,
            f"{of} {self.random.choice('*/')} {self.constant()} / {self.constant()}",
            self.degree[of],
        )

    def there_and_back(self, name: str) -> None:
        of, by, times = self.any(), self.random.choice((HUGE, 10**20, 3)), self.random.randint(1, 4)
        self.put(name, of, self.degree[of])
        first, second = self.random.choice(("/*", "*/"))
        self.lines += [f"{name} = {name} {first} {by}"] * times + [
            f"{name} = {name} {second} {by}"
        ] * times

    def mixed(self, name: str) -> None:
        one, other = self.any(), self.any()
        self.put(
            name,
            f"{one} {self.random.choice('+-')} {other} * {self.constant()}",
            max(self.degree[one], self.degree[other]),
        )

    def squared(self, name: str) -> None:
        one, other = self.any(1), self.any(1)
        self.put(
            name,
            f"({one} + {self.constant()}) * ({other} - {one})",
            self.degree[one] + max(self.degree[one], self.degree[other]),
        )

    def chosen(self, name: str) -> None:
        one, other = self.any(), self.any()
        word = self.random.choice(("min", "max"))
        self.put(name, f"{word}({one}, abs({other}))", max(self.degree[one], self.degree[other]))

    def looped(self, name: str) -> None:
        of, by = self.any(), self.constant()
        self.put(name, of, max(1, self.degree[of]))
        self.lines += [
            f"for i in range({self.random.randint(1, 4)}):",
            f"    {name} = {name} / {by} + {self.draw()}",
        ]

    def rounded(self, name: str) -> None:
        of = self.any()
        self.put(
            name, f"floor({of} * {self.random.choice((1, 1000))}) / 7 + {of} % 3", self.degree[of]
        )

    def peeled(self, name: str) -> None:
        """The digits that come late: they take as many bits of the draw."""
        of = f"{self.any(1)} * {self.random.choice((10**40, HUGE))}"
        self.put(name, f"{of} - floor({of})", 1)

    def irrational_too(self, name: str) -> None:
        of = self.any()
        self.put(
            name,
            f"{of} * {self.constant()} - {self.irrational} / {self.constant()}",
            self.degree[of] + 1,
        )

    def comparison(self) -> str:
        one, other, by = self.any(), self.any(), self.constant()
        return self.random.choice(
            (
                f"{one} / {by} * {by} == {one}",
                f"{one} * {by} / {by} < {one}",
                f"({one} - {other}) * {by} <= {one} * {by} - {other} * {by}",
                f"{one} + {by} != {by} + {one} / {by} * {by}",
                f"{one} < {other}",
                f"{one} - {other} <= {by} - {by}",
                f"{one} == {other}",
            )
        )


def agree(seed: int) -> tuple[list[Any], list[Any]]:
    """A generated program, as it runs and as it should."""
    text, x = Writer(seed).program(), Fraction(random.Random(-seed).choice((0, 1, 4217, -3)))
    program = read(
        re.sub(r"F\((\d+), (\d+)\)", r"(\1 / \2)", text), "x: private[float], eps: public[float]"
    )
    with pytest.MonkeyPatch.context() as patch:
        same_draws(patch, seed)
        ran = run_program(program, {"x": x, "eps": 1})
    # Python's own whole numbers must not be divided to floats.
    whole = re.sub(r"(?<![\w(])(\d+)(?![\w,])", r"F(\1)", text)
    return list(ran), expected(whole, seed, {"x": x})
