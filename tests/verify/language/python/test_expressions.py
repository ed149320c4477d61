"""Expressions in Python: what they mean, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.language.program import (
    Assign,
    Noise,
    Number,
    Output,
    Sample,
    format_expression,
)
from verify.language.reading import read, refused


def value(text: str) -> str:
    """How the value of an expression was understood."""
    program = read(f"output({text})")
    (told,) = (one for one in program.body if isinstance(one, Output))
    return format_expression(told.value)


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("x + 2 * k", "x + 2 * k"),
        ("-x", "-x"),
        ("-2", "-2"),
        ("+x", "x"),
        ("0.1", "1/10"),
        ("1e3", "1000"),
        ("x ** 3", "x * x * x"),
        ("x ** 0", "1"),
        ("n // 2", "floor(n / 2)"),
        ("n % 2", "n % 2"),
        ("q[n - 1]", "q[n - 1]"),
        ("len(q)", "len(q)"),
        ("x > k", "k < x"),
        ("x >= k", "k <= x"),
        ("0 < x <= 1 != k", "0 < x and x <= 1 and 1 != k"),
        ("b and not b or x == 1", "b and not b or x == 1"),
        ("1 if b else 2", "1 if b else 2"),
        ("abs(x)", "abs(x)"),
        ("min(x, 1, k)", "min(min(x, 1), k)"),
        ("max(x, 1)", "max(x, 1)"),
        ("math.log(eps)", "ln(eps)"),
        ("math.sqrt(eps)", "sqrt(eps)"),
        ("exp(eps)", "exp(eps)"),
        ("floor(x)", "floor(x)"),
        ("b ^ b", "b != b"),
        ("b & b", "b and b"),
        ("b | b", "b or b"),
        ("~b", "not b"),
    ],
)
def test_expressions(text: str, understood: str) -> None:
    assert value(text) == understood


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("lambda: 1", "not in the language"),
        ("[x for x in q]", "not in the language"),
        ("(y := 1)", "not in the language"),
        ("x @ k", "operator"),
        ("n << 1", "operator"),
        ("x is k", "compare with"),
        ("x in q", "can only be indexed"),
        ("q", "can only be indexed"),
        ("q[0:1]", "one entry"),
        ("q[0, 1]", "one entry"),
        ("q[-1]", r"q[len(q) - 1]"),
        ("x[0]", "only a list parameter"),
        ("q.p[0]", "only a list parameter"),
        ("x.real", "not in the language"),
        ("x ** n", "an exponent"),
        ("x ** 9", "an exponent"),
        ("x ** -1", "an exponent"),
        ("x ** True", "an exponent"),
        ("'text'", "is not a number"),
        ("None", "None is not a number"),
        ("1j", "is not a number"),
        ("1e999", "must be finite"),
        ("1" + "0" * 101, "hundred digits"),
        ("print(x)", "print cannot be called"),
        ("np.log(x)", "cannot be called"),
        ("f(1)(2)", "cannot be called"),
        ("len(x)", "len cannot be called"),
        ("abs(x, k)", "abs takes 1 argument"),
        ("abs(*q)", "by position"),
        ("laplace(scale=1)", "by position"),
        ("laplace()", "laplace takes 1 parameter"),
        ("exponential(1, 2)", "exponential takes 1 parameter"),
        ("uniform(1)", "uniform takes 2 parameters"),
        ("laplace(1, 2, 3)", "laplace takes 1 parameter"),
        ("f'{x}'", "not in the language"),
        ("y", "y may be read before it is assigned"),
        ("(" * 80 + "x" + " + x)" * 80, "expressions are nested more than"),
        ("+".join(["x"] * 300), "expressions are nested more than"),
    ],
)
def test_expressions_outside_of_the_language(text: str, told: str) -> None:
    outside = refused(f"y1 = 1\noutput({text})")
    assert told in outside.reason
    assert outside.place.line == 4


def test_noise_in_an_expression_is_drawn_before_it() -> None:
    program = read("y = x + laplace(1 / eps) * laplace(2)")
    assert [type(one) for one in program.body] == [Sample, Sample, Assign]
    assert [one.name for one in program.samples] == ["noise", "noise2"]
    assert isinstance(program.body[2], Assign)
    assert format_expression(program.body[2].value) == "x + noise * noise2"


def test_noise_that_is_assigned_has_the_name_it_is_assigned_to() -> None:
    program = read("y = laplace(1 / eps)\nreturn y")
    assert [one.name for one in program.samples] == ["y"]


@pytest.mark.parametrize("word", ["laplace", "gaussian", "geometric"])
def test_noise_around_a_centre_is_the_centre_and_noise(word: str) -> None:
    program = read(f"y = {word}(x, 1 / eps)\nreturn y")
    (sample,) = program.samples
    assert [format_expression(one) for one in sample.parameters] == ["1 / eps"]
    assert isinstance(program.body[1], Assign)
    assert format_expression(program.body[1].value) == "x + noise"


@pytest.mark.parametrize(
    ("call", "noise"),
    [
        ("exponential(1)", Noise.EXPONENTIAL),
        ("uniform(0, 1)", Noise.UNIFORM),
        ("bernoulli(1 / 2)", Noise.BERNOULLI),
        ("uniform_bits(8)", Noise.BITS),
        ("geometric(2)", Noise.GEOMETRIC),
        ("gaussian(2)", Noise.GAUSSIAN),
    ],
)
def test_every_noise_can_be_drawn(call: str, noise: Noise) -> None:
    (sample,) = read(f"y = {call}\nreturn 1").samples
    assert sample.noise is noise


def test_a_decimal_is_what_is_written() -> None:
    program = read("y = 0.1\nreturn y")
    assert program.body[0] == Assign("y", Number(Fraction(1, 10)))
