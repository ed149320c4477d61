from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Length,
    Name,
    Noise,
    Number,
    Read,
    Truth,
)
from hedgerow.verify.refute.linear_noise import (
    LinearForm,
    NoiseBand,
    NoiseDistribution,
    PathCondition,
)
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import (
    BitWord,
    Environment,
    PathValue,
    evaluate_alternatives,
    require_number,
)


def number(value: int | str) -> Number:
    return Number(Fraction(value))


def apply(operator: str, *arguments: Expression) -> Apply:
    return Apply(operator, arguments)


def values(expression: Expression, **names: PathValue) -> list[PathValue]:
    lists: dict[str, tuple[PathValue, ...]] = {"q": (Fraction(7), Fraction(8))}
    return [
        value
        for _, value in evaluate_alternatives(
            expression, Environment(names, lists), PathCondition()
        )
    ]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (apply("+", number(1), number("1/2")), Fraction(3, 2)),
        (apply("-", number(1), number(3)), Fraction(-2)),
        (apply("*", number(2), number(3)), Fraction(6)),
        (apply("/", number(1), number(3)), Fraction(1, 3)),
        (apply("%", number(7), number(4)), Fraction(3)),
        (apply("min", number(7), number(4)), Fraction(4)),
        (apply("max", number(7), number(4)), Fraction(7)),
        (apply("abs", number(-7)), Fraction(7)),
        (apply("negate", number(7)), Fraction(-7)),
        (apply("floor", number("7/2")), Fraction(3)),
        (apply("sqrt", number(9)), Fraction(3)),
        (apply("ln", apply("exp", number(3))), Fraction(3)),
        (apply("<", number(1), apply("exp", number(0))), False),
        (apply("<=", number(1), apply("exp", number(0))), True),
        (apply("==", apply("exp", number(1)), apply("exp", number(1))), True),
        (apply("!=", Truth(True), Truth(False)), True),
        (apply("not", Truth(True)), False),
        (apply("and", Truth(False), Name("nowhere")), False),
        (apply("or", Truth(True), Name("nowhere")), True),
        (apply("and", Truth(True), Truth(False)), False),
        (apply("if", Truth(True), number(1), number(2)), Fraction(1)),
        (Read("q", number(1)), Fraction(8)),
        (Length("q"), Fraction(2)),
    ],
)
def test_plain_values(expression: Expression, expected: PathValue) -> None:
    assert values(expression) == [expected]


def test_words() -> None:
    a, b = BitWord(4, 0b1100), BitWord(4, 0b1010)
    expected = {"xor": 0b0110, "bits&": 0b1000, "bits|": 0b1110, "bits+": 0b0110}
    for operator, value in expected.items():
        assert values(apply(operator, Name("a"), Name("b")), a=a, b=b) == [BitWord(4, value)]
    assert values(apply("concat", Name("a"), Name("b")), a=a, b=b) == [BitWord(8, 0b11001010)]
    assert values(apply("bits~", Name("a")), a=a) == [BitWord(4, 0b0011)]
    assert values(apply("bit", Name("a"), number(2)), a=a) == [True]
    assert values(apply("bit", Name("a"), number(0)), a=a) == [False]
    assert values(apply("==", Name("a"), Name("b")), a=a, b=a) == [True]
    assert values(apply("xor", Truth(True), Truth(True))) == [False]
    assert str(BitWord(4, 3)) == "0011"


@pytest.mark.parametrize(
    "expression",
    [
        Name("nowhere"),
        Read("q", number(2)),
        Read("q", number("1/2")),
        apply("/", number(1), number(0)),
        apply("%", number(1), number(0)),
        apply("%", apply("sqrt", number(2)), number(1)),
        apply("not", number(1)),
        apply("negate", Truth(True)),
        apply("<", Truth(True), number(1)),
        apply("==", Truth(True), number(1)),
        apply("bits~", number(1)),
        apply("bit", Name("a"), number(4)),
        apply("xor", Name("a"), Name("short")),
        apply(
            "floor",
            apply("-", apply("*", apply("sqrt", number(2)), apply("sqrt", number(2))), number(2)),
        ),
        apply("if", number(1), number(1), number(1)),
        apply("sqrt", Truth(True)),
    ],
)
def test_undefined_values_are_out_of_scope(expression: Expression) -> None:
    with pytest.raises(OutOfScope):
        values(expression, a=BitWord(4, 1), short=BitWord(3, 1))


def _noisy(
    expression: Expression, noise: Noise = Noise.LAPLACE
) -> list[tuple[dict[object, NoiseBand], PathValue]]:
    store, z = PathCondition().add_variable(NoiseDistribution(noise, (Fraction(1),)))
    environment = Environment({"z": z}, {"q": (Fraction(7),)})
    return [
        (dict(here.bands or {}), value)
        for here, value in evaluate_alternatives(expression, environment, store)
    ]


def test_noise_forks_where_it_decides() -> None:
    direction = ((0, Fraction(1)),)
    below, above = {direction: NoiseBand(high=Fraction(2))}, {direction: NoiseBand(low=Fraction(2))}
    assert _noisy(apply("<", Name("z"), number(2))) == [(below, True), (above, False)]
    assert _noisy(apply("or", apply("<", Name("z"), number(2)), Truth(False))) == [
        (below, True),
        (above, False),
    ]
    larger = _noisy(apply("max", Name("z"), number(2)))
    assert larger == [(below, Fraction(2)), (above, LinearForm(direction, Fraction(0)))]
    assert _noisy(apply("==", Name("z"), number(2))) == [
        (below, False),
        (above, False),
    ], "has no atom"
    assert [value for _, value in _noisy(apply("==", Name("z"), number(2)), Noise.GEOMETRIC)] == [
        False,
        False,
        True,
    ]
    mirrored = _noisy(apply("abs", Name("z")))
    assert [value for _, value in mirrored] == [
        LinearForm(((0, Fraction(-1)),), Fraction(0)),
        LinearForm(direction, Fraction(0)),
    ]


@pytest.mark.parametrize("operator", ["*", "%", "/"])
def test_noise_is_followed_while_it_is_linear(operator: str) -> None:
    with pytest.raises(OutOfScope):
        _noisy(apply(operator, number(2) if operator == "/" else Name("z"), Name("z")))
    with pytest.raises(OutOfScope):
        _noisy(Read("q", Name("z")))
    with pytest.raises(OutOfScope):
        require_number(LinearForm(((0, Fraction(1)),), Fraction(0)))
