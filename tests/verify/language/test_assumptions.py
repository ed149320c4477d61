"""What a proof takes for granted is looked at before a program runs, and only what is public."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from hedgerow.errors import HedgerowError
from hedgerow.verify.language.assumptions import (
    check_arguments,
    find_constants,
    find_public_scalars,
    has_checked_parameters,
)
from hedgerow.verify.language.interpreter import run_program
from hedgerow.verify.language.program import Program, format_expression
from hedgerow.verify.language.python import read_programs


def program(body: str) -> Program:
    lines = "\n    ".join(body.splitlines())
    (found,) = read_programs(f"""
@mechanism(epsilon="eps", delta="delta", neighbours="one")
def one(x: private[float], n: public[int], loud: public[bool], \
eps: public[float], delta: public[float]):
    {lines}
""")
    assert isinstance(found, Program)
    return found


GOOD: dict[str, Any] = {"n": 1, "loud": True, "eps": Fraction(1), "delta": Fraction(1, 2)}


@pytest.mark.parametrize(
    ("body", "wrong", "told"),
    [
        (
            "return laplace(n / eps)",
            {"n": 0},
            r"line 4: the scale n / eps of laplace noise must be above 0",
        ),
        (
            "scale = n - 3\nif loud:\n    return laplace(scale)\nreturn 0",
            {},
            "scale scale of laplace noise must be above 0",
        ),
        ("return bernoulli(n)", {"n": 2}, "the probability n must be between 0 and 1"),
        ("return bernoulli(n)", {"n": -1}, "the probability n must be between 0 and 1"),
        (
            "return uniform(0, n)",
            {"n": -1},
            "the high end n of uniform noise must not be below its low end 0",
        ),
        ("return laplace(1 / eps)", {"eps": Fraction(0)}, "eps must be above 0"),
        (
            "return laplace(1 / eps)",
            {"delta": Fraction(1)},
            "delta must be above 0 and below 1",
        ),
    ],
)
def test_arguments_that_no_proof_is_about_are_refused(
    body: str, wrong: dict[str, Any], told: str
) -> None:
    with pytest.raises(HedgerowError, match=told):
        check_arguments(program(body), GOOD | wrong)
    with pytest.raises(HedgerowError, match=told):
        run_program(program(body), {"x": 1, **GOOD, **wrong})


def claiming(epsilon: str, delta: str = "delta") -> Program:
    (found,) = read_programs(f"""
@mechanism(epsilon="{epsilon}", delta="{delta}", neighbours="secret")
def one(x: private[bool], a: public[float], c: public[float], delta: public[float]):
    return x if a < c else True
""")
    assert isinstance(found, Program)
    return found


@pytest.mark.parametrize(
    ("epsilon", "delta", "a", "told"),
    [
        ("a - c", "delta", "0", r"epsilon a - c may be negative at a = 0, c = 1/2"),
        ("a", "delta", "-1/3", r"epsilon a may be negative at a = -1/3"),
        (
            "ln(a / (1 - a))",
            "delta",
            "1/4",
            r"epsilon ln\(a / \(1 - a\)\) may be negative",
        ),
        ("ln(a / (1 - a))", "delta", "1", "divides by 0"),
        ("ln(a / (1 - a))", "delta", "-1", "logarithm of a number that is not positive"),
        ("c", "delta * (a - c)", "0", r"delta delta \* \(a - c\) may be negative"),
        ("2 - 3", "delta", "1", "at all arguments"),
    ],
)
def test_a_claim_that_is_negative_or_none_is_refused(
    epsilon: str, delta: str, a: str, told: str
) -> None:
    """A proof takes for granted that there is a claim; without this check x would be told."""
    arguments = {"x": True, "a": Fraction(a), "c": Fraction(1, 2), "delta": Fraction(1, 2)}
    with pytest.raises(HedgerowError, match=told):
        run_program(claiming(epsilon, delta), arguments)


@pytest.mark.parametrize(
    ("epsilon", "a"), [("a - c", "1/2"), ("ln(a / (1 - a))", "1/2"), ("a", "0"), ("ln(a / c)", "3")]
)
def test_a_claim_of_0_or_more_is_none_to_refuse(epsilon: str, a: str) -> None:
    assert run_program(
        claiming(epsilon),
        {"x": False, "a": Fraction(a), "c": Fraction(1, 2), "delta": Fraction(1, 2)},
    ) in ([True], [False])


def test_what_is_chosen_is_not_taken_for_granted_and_runs() -> None:
    chosen, plain = program("return bernoulli(n if n < 1 else 1)"), program("return bernoulli(n)")
    assert [has_checked_parameters(one, one.samples[0]) for one in (chosen, plain)] == [False, True]
    assert run_program(chosen, {"x": 1, **GOOD, "n": 7}) == [True]
    assert run_program(chosen, {"x": 1, **GOOD, "n": -7}) == [False]  # cut to 0
    with pytest.raises(HedgerowError, match="cannot be evaluated from public numbers"):
        check_arguments(program("return laplace(n if n < 1 else 1)"), GOOD)


def test_private_data_are_not_looked_at() -> None:
    check_arguments(program("return bernoulli(x)"), {"x": Fraction(7), **GOOD})
    check_arguments(program("y = x\nreturn laplace(y)"), {"x": Fraction(-7), **GOOD})


def test_constants_are_what_public_parameters_say() -> None:
    about = program("a = 2 * n\nb = a + 1\nc = x\nd = 1\nd = 2\nreturn laplace(b)")
    assert find_public_scalars(about) == {"n", "loud", "eps", "delta"}
    assert {name: format_expression(value) for name, value in find_constants(about).items()} == {
        "a": "2 * n",
        "b": "2 * n + 1",
    }
