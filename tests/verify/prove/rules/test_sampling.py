"""The shifts that each noise allows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hedgerow.verify.language.program import Apply, Name, Program
from hedgerow.verify.prove.checker import check
from hedgerow.verify.prove.rules.sampling import is_piecewise_constant
from verify.prove.proving import certificate, expression, program


def about(noise: str, kind: str = "float", claim: str = "eps", neighbours: str = "one") -> Program:
    return program(f"""
@mechanism(epsilon="{claim}", neighbours="{neighbours}")
def one(x: private[{kind}], p: private[float], eps: public[float]):
    return x + {noise}
""")


def obligation(one: Program, shift: str, **details: object) -> str:
    failure = check(one, certificate(one, (shift,), **details))  # type: ignore[arg-type]
    return "" if failure is None else failure.obligation or failure.reason


def test_laplace() -> None:
    one = about("laplace(1 / eps)")
    assert obligation(one, "x@1 - x@2") == ""
    assert obligation(one, "0") == "output"
    assert obligation(one, "x@1 < x@2") != ""


def test_geometric_noise_is_moved_by_whole_numbers() -> None:
    assert obligation(about("geometric(1 / eps)", "int"), "x@1 - x@2") == ""
    assert obligation(about("geometric(1 / eps)"), "x@1 - x@2") == "support"


def test_exponential_noise_stays_positive() -> None:
    assert obligation(about("exponential(1 / eps)"), "x@1 - x@2") == "support"
    assert obligation(about("exponential(1 / eps)", neighbours="decreasing"), "x@1 - x@2") == ""
    assert (
        obligation(about("exponential(1 / eps)", neighbours="increasing"), "x@1 - x@2") == "support"
    )


def test_uniform_noise_stays_in_its_interval() -> None:
    assert obligation(about("0 * uniform(0, 1)"), "1") == "support"
    assert obligation(about("uniform(0, 1 + abs(p))"), "0") == "scale"
    swap = program("""
@mechanism(epsilon="0", neighbours="secret")
def one(x: private[bool]):
    u = uniform(0, 1)
    return x if u < 1 / 2 else not x
""")
    assert obligation(swap, "0") == "output"
    assert obligation(swap, "0.5 if @noise < 0.5 else 0") == "one-to-one"


def test_gaussian_noise_needs_a_delta() -> None:
    assert obligation(about("gaussian(1)"), "x@1 - x@2") == "support"
    assert "with a delta" in obligation(about("gaussian(1)"), "x@1 - x@2", mode="zcdp")


def test_in_zcdp_shifts_do_not_depend_on_the_noise() -> None:
    one = program("""
@mechanism(epsilon="1", delta="1/100000", neighbours="one")
def one(x: private[float]):
    return x + gaussian(10)
""")
    assert obligation(one, "x@1 - x@2", mode="zcdp") == ""
    assert obligation(one, "x@1 - x@2 if @noise < 3 else x@1 - x@2", mode="zcdp") == "piecewise"
    assert obligation(one, "0", mode="zcdp") == "output"


def test_the_scale_is_public() -> None:
    assert (
        obligation(about("laplace((1 + abs(p)) / eps)"), "x@1 - x@2")
        == "the scale (1 + abs(p)) / eps is not fixed by public parameters; use public parameters"
    )


@pytest.mark.parametrize(
    ("chance", "rate", "found"),
    [("3/4", "ln(3)", ""), ("3/4", "ln(2)", "ratio"), ("1", "ln(3)", "ratio")],
)
def test_coins(chance: str, rate: str, found: str) -> None:
    one = program(f"""
@mechanism(epsilon="{rate}", neighbours="secret")
def one(x: private[bool]):
    truthful = bernoulli({chance})
    return x if truthful else not x
""")
    assert obligation(one, "x@1 != x@2", rates=(rate,)) == found
    assert obligation(one, "x@1 != x@2") == "ratio"
    assert obligation(one, "x@1 != x@2", rates=("x@1",)) != ""


@pytest.mark.parametrize(
    ("rate", "found"), [("eps", ""), ("eps / 2", "ratio"), ("2 * eps", "ratio")]
)
def test_a_coin_with_a_private_bias_costs_its_probability_ratio(rate: str, found: str) -> None:
    one = program("""
@mechanism(epsilon="eps", neighbours="secret")
def one(x: private[bool], eps: public[float]):
    return bernoulli(exp(eps) / (1 + exp(eps)) if x else 1 / (1 + exp(eps)))
""")
    assert obligation(one, "False", rates=(rate,)) == found


def test_bits_are_moved_one_to_one() -> None:
    one = program("""
@mechanism(epsilon="0", neighbours="secret")
def one(m: private[bits[16]]):
    key = uniform_bits(16)
    return m ^ key
""")
    assert obligation(one, "@noise ^ (m@1 ^ m@2)") == ""
    assert obligation(one, "@noise") == "output"
    assert obligation(one, "m@1 ^ m@2") == "one-to-one"
    added = program("""
@mechanism(epsilon="0", neighbours="secret")
def one(m: private[bits[16]]):
    key = uniform_bits(16)
    return m + key
""")
    noise, first, second = Name("@noise"), Name("m@1"), Name("m@2")
    moved = Apply("-", (Apply("bits+", (noise, first)), second))
    empty = certificate(added)
    assert check(added, replace(empty, shifts=(moved,))) is None
    failure = check(added, replace(empty, shifts=(Apply("bits+", (noise, noise)),)))
    assert failure is not None
    assert failure.obligation == "one-to-one"


@pytest.mark.parametrize(
    ("text", "constant"),
    [
        ("x@1", True),
        ("1 if @noise < 3 else 2", True),
        ("abs(1 if @noise < 3 else 2) + x@1", True),
        ("@noise", False),
        ("2 if x@1 > 0 else @noise", False),
        ("min(@noise, 3)", False),
        ("floor(@noise)", False),
    ],
)
def test_pieces(text: str, constant: bool) -> None:
    assert is_piecewise_constant(expression(text)) is constant


def test_excused_noise_needs_a_known_tail() -> None:
    one = program("""
@mechanism(epsilon="eps", delta="delta", neighbours="one")
def one(x: private[float], eps: public[float], delta: public[float]):
    return x + laplace(1 / eps)
""")
    assert (
        obligation(one, "x@1 - x@2", bad=("False and ln(1 / (2 * delta)) / eps <= @noise",)) == ""
    )
    assert obligation(one, "0", bad=("True and ln(1 / (2 * delta)) / eps <= @noise",)) == "output"
    assert (
        obligation(one, "x@1 - x@2", bad=("True and ln(1 / (4 * delta)) / eps <= @noise",))
        == "tail"
    )
    assert "has no known bound" in obligation(one, "x@1 - x@2", bad=("True and x@1 <= @noise",))
    assert "has no known bound" in obligation(one, "x@1 - x@2", bad=("True and -1 <= @noise",))
