"""Regions of coins: true comparisons of their distributions are shown, and false ones are not."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.verify.language.program import Apply, Number, Program, Sample
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.certificate import Failure
from hedgerow.verify.prove.checker import check, normalise_program
from hedgerow.verify.prove.product_program import ProductProgram
from hedgerow.verify.prove.sorts import infer_sorts
from hedgerow.verify.prove.symbolic_inputs import SymbolicInputs
from hedgerow.verify.prove.work_limit import WorkLimit, limit_work
from hedgerow.verify.refute.paths import enumerate_paths
from verify.prove.proving import certificate, program

SECRET = '@mechanism(epsilon="{claim}", neighbours="secret")\ndef f(x: private[bool], {public}):\n'
CHANCES = st.sampled_from(["1/2", "1/3", "3/4", "1", "0", "1/5 if x else 2/5"])


@st.composite
def bodies(draw: st.DrawFn, depth: int = 3) -> list[str]:
    """Draw coins, branches and outputs; x is private, y is the last computed value."""
    if not depth:
        return [f"output({draw(st.sampled_from(['y', 'not y', 'x != y', 'True']))})"]
    match draw(st.integers(0, 4)):
        case 0:
            return [f"y = bernoulli({draw(CHANCES)})", *draw(bodies(depth=depth - 1))]
        case 1:
            return [f"y = x != bernoulli({draw(CHANCES)})", *draw(bodies(depth=depth - 1))]
        case 2:
            return [
                f"if bernoulli({draw(CHANCES)}):",
                *_in(draw(bodies(depth=depth - 1))),
                "else:",
                *_in(draw(bodies(depth=depth - 1))),
            ]
        case 3:
            condition = draw(st.sampled_from(["x", "y"]))
            return [
                f"if {condition}:",
                *_in(draw(bodies(depth=depth - 1))),
                "else:",
                *_in(draw(bodies(depth=depth - 1))),
            ]
        case _:
            return [f"output(bernoulli({draw(CHANCES)}))", *draw(bodies(depth=depth - 1))]


def _in(body: list[str]) -> list[str]:
    return [f"    {line}" for line in body]


def law(about: Program, x: bool) -> dict[tuple[object, ...], Fraction]:
    """Compute the distribution by another method: the refuter's paths."""
    found: dict[tuple[object, ...], Fraction] = {}
    for path in enumerate_paths(about, {"x": x, "n": Fraction(1)}):
        assert isinstance(path.condition.weight, Fraction)
        found[path.outputs] = found.get(path.outputs, Fraction(0)) + path.condition.weight
    return found


def ratio(about: Program) -> Fraction | None:
    """Return the largest ratio of an answer's probabilities for both inputs; None if unbounded."""
    one, other = law(about, False), law(about, True)
    if one.keys() != other.keys():
        return None
    return max(max(one[said] / other[said], other[said] / one[said]) for said in one)


def claiming(about: Program, worth: Fraction) -> Program:
    return replace(about, claim=replace(about.claim, epsilon=Apply("ln", (Number(worth),))))


def accepted(about: Program, worth: Fraction) -> bool:
    claim = claiming(about, worth)
    sites = max(one.site for one in claim.samples) + 1
    shifts = ("x@1 != x@2", *["False"] * (sites - 1))
    return (
        check(
            claim,
            certificate(
                claim, shifts, mode="finite", rates=(f"ln({worth})", *[None] * (sites - 1))
            ),
        )
        is None
    )


@settings(derandomize=True, max_examples=40, deadline=None)
@given(bodies())
def test_a_law_is_accepted_at_its_ratio_and_not_below(lines: list[str]) -> None:
    text = "\n".join(_in(["y = False", "y = bernoulli(1/2)", *lines]))
    about = program(SECRET.format(claim="1", public="n: public[int]") + text)
    exact = ratio(about)
    if exact is None:
        assert not accepted(about, Fraction(10**6))
        return
    assert accepted(about, exact)
    if exact > 1:
        assert not accepted(about, (exact * 99 + 1) / 100)


def run(claim: str, public: str, body: str, shift: str = "x@1 != x@2", rate: str = "") -> object:
    about = program(SECRET.format(claim=claim, public=public) + body)
    sites = max(one.site for one in about.samples) + 1
    shifts, rates = (shift, *["False"] * (sites - 1)), (rate or claim, *[None] * (sites - 1))
    return check(about, certificate(about, shifts, mode="finite", rates=rates))


@pytest.mark.parametrize(
    ("claim", "one", "other", "holds"),
    [
        ("1", "exp(-1000000)", "exp(-1000000)", True),
        ("1", "exp(-1000000000000)", "exp(-1000000000000) / 2", True),
        ("1", "exp(-1000000000000)", "exp(-1000000000000) / 3", False),
        ("100000000000000000000000", "1/2", "1/3", True),
        ("100000000000000000000000", "1/2", "0", False),
        ("1", "exp(-1" + "0" * 90 + ")", "exp(-1" + "0" * 90 + ")", True),
    ],
)
def test_large_exponents_are_neither_written_out_nor_raised(
    claim: str, one: str, other: str, holds: bool
) -> None:
    found = run(
        claim,
        "n: public[int]",
        f"    b = bernoulli({one} if x else {other})\n    output(b)\n    output(bernoulli(1/2))\n",
    )
    assert (found is None) is holds, found


LIES = "    if bernoulli({chance}):\n        return not x\n    return x\n"


@pytest.mark.parametrize(
    ("claim", "chance", "holds"),
    [
        ("eps", "1 / (1 + exp(eps))", True),
        ("eps", "1 / (2 + exp(eps))", False),
        ("eps", "1 / (1 + exp(eps / 2))", True),
        ("eps / 2", "1 / (1 + exp(eps / 2))", True),
        ("eps / 2", "1 / (1 + exp(eps))", False),
        ("1.0987", "1 / 4", True),
        ("1.0986", "1 / 4", False),
        ("ln(3) + eps", "1 / 4", True),
        ("2 * ln(2)", "1 / 5", True),
        ("ln((1 - p) / p)", "p", True),
        ("ln((1 - p) / p)", "p * p", False),
        ("eps", "1 / (1 + exp(n * eps))", False),
        ("n * eps", "1 / (1 + exp(n * eps))", True),  # claims are not negative, so that n is not
    ],
)
def test_for_every_eps(claim: str, chance: str, holds: bool) -> None:
    found = run(
        claim, "p: public[float], n: public[int], eps: public[float]", LIES.format(chance=chance)
    )
    assert (found is None) is holds, found


def test_private_probabilities_are_proved_to_be_probabilities() -> None:
    body = "    if bernoulli({one} if x else {other}):\n        return True\n    return False\n"
    public = "p: public[float], eps: public[float]"
    good = body.format(one="exp(eps) / (1 + exp(eps))", other="1 / (1 + exp(eps))")
    assert run("eps", public, good) is None
    found = run("eps", public, body.format(one="p", other="p"))
    assert "may lie outside of 0 to 1 for some private data" in str(found)
    assert run("0", public, body.format(one="7", other="1"), "False") is None  # cut to 1
    assert "the probability 7 is outside" in str(run("0", public, "    return bernoulli(7)\n"))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "    a = bernoulli(1/2)\n" + "    a = bernoulli(1/2)\n    output(a)\n" * 8,
            "more than 256 outcomes",
        ),
        ("    key = uniform_bits(7)\n    return bit(key, 0) != x\n", "at most 6 bits per draw"),
    ],
)
def test_oversized_programs_are_refused_with_the_reason(body: str, reason: str) -> None:
    assert reason in str(run("0", "n: public[int]", body, "False"))


TOLD = "    a = bernoulli(exp(eps) / (1 + exp(eps)))\n    output(a == x)\n" + "".join(
    f"    output(bernoulli(1/{n}))\n" for n in (2, 3, 5, 7, 11)
)


def test_coins_released_beside_a_response_cost_nothing_and_little_work() -> None:
    begun = WorkLimit(1_000)
    assert run("eps", "eps: public[float]", TOLD) is None
    assert not begun.is_exhausted
    found = run("eps / 2", "eps: public[float]", TOLD)
    assert isinstance(found, Failure)
    assert found.obligation == "answers"


def test_polynomials_that_are_too_long_are_refused() -> None:
    names = [f"p{number}" for number in range(6)]
    body = "".join(f"    output(bernoulli({name}))\n" for name in names)
    public = ", ".join(f"{name}: public[float]" for name in ("eps", *names))
    found = run("eps", public, "    output(x == bernoulli(exp(eps) / (1 + exp(eps))))\n" + body)
    assert "polynomials of more than 100 terms" in str(found)


def test_proofs_beyond_the_work_limit_are_refused() -> None:
    about = program(SECRET.format(claim="eps", public="eps: public[float]") + TOLD)
    proof = certificate(about, ("True", *["False"] * 5), mode="finite", rates=("eps", *[None] * 5))
    read, known = normalise_program(about, "finite"), infer_sorts(about, exact=True)
    with pytest.raises(UnsupportedProgram, match="exceed the work limit of a proof"):
        ProductProgram(
            read, proof, known, SymbolicInputs(read, known), spend_work=limit_work(50)
        ).run()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("1", "2 / 2", True),
        ("1", "2", False),
        ("True", "x or not x", True),
        ("True", "1", False),
        ("n", "n + 0", True),
        ("n", "n + 1", False),
    ],
)
def test_equal_outputs_make_the_choice_between_them_free(one: str, other: str, same: bool) -> None:
    """Choose between two outputs by a coin: if they are equal, its probability is irrelevant."""
    body = (
        f"    if bernoulli(1/3 if x else 2/3):\n        output({one})\n    else:\n       "
        f" output({other})\n"
    )
    assert (run("0", "n: public[int]", body, "True") is None) is same


def test_a_certificate_must_state_its_condition() -> None:
    assert "must state a condition under which" in str(
        run("1", "n: public[int]", LIES.format(chance="1/4"), shift="n")
    )


def test_short_bits_are_counted_with_the_bits_they_have() -> None:
    """Give the truth once in four times, else any of four values: 7/16 against 3/16."""
    text = """
@mechanism(epsilon="ln({ratio})", neighbours="secret")
def f(x: private[bits[2]]):
    if bernoulli(1/4):
        return x
    return uniform_bits(2)
"""
    for worth, holds in (("7/3", True), ("9/4", False)):
        about = program(text.format(ratio=worth))
        found = check(
            about,
            certificate(
                about, ("x@1 != x@2", "False"), mode="finite", rates=(f"ln({worth})", None)
            ),
        )
        assert (found is None) is holds


def test_the_same_numbers_as_by_hand() -> None:
    about = program(SECRET.format(claim="1", public="n: public[int]") + LIES.format(chance="1/4"))
    assert ratio(about) == 3
    assert math.isclose(math.log(3), 1.0986, rel_tol=1e-4)


RARELY = """
@mechanism(epsilon="{epsilon}", delta="delta", neighbours="secret")
def f(x: private[bool], n: public[int], eps: public[float], delta: public[float]):
    if bernoulli({chance}):
        output(x)
        output({flag})
    elif bernoulli(1 / (1 + exp(eps))):
        output(not x)
        output(False)
    else:
        output(x)
        output(False)
"""


@pytest.mark.parametrize("flag", ["True", "False"])
@pytest.mark.parametrize(
    ("epsilon", "chance", "holds"),
    [("eps", "delta", True), ("eps", "2 * delta", False), ("eps / 2", "delta", False)],
)
def test_with_a_delta_every_set_of_answers_is_compared(
    flag: str, epsilon: str, chance: str, holds: bool
) -> None:
    about = program(RARELY.format(epsilon=epsilon, chance=chance, flag=flag))
    found = check(
        about, certificate(about, ("x@1 != x@2", "False"), mode="finite", rates=(epsilon, None))
    )
    assert (found is None) is holds, found


def test_answers_that_each_gain_less_than_delta_may_gain_more_together() -> None:
    text = """
@mechanism(epsilon="0", delta="{delta}", neighbours="secret")
def f(x: private[bool]):
    output(bernoulli(1/10 if x else 1/50))
    output(bernoulli(1/2))
"""
    for delta, holds in (("1/20", False), ("8/100", True)):
        about = program(text.format(delta=delta))
        found = check(
            about, certificate(about, ("True", "False"), mode="finite", rates=("0", None))
        )
        assert (found is None) is holds, found


ONCE = """
    if bernoulli(delta):
        output(x)
    else:
        output(False)
"""
SPENT = {
    "in a loop": (
        "    i = 0\n    while i < n:" + ONCE.replace("\n    ", "\n        ") + "    i += 1\n"
    ),
    "twice": ONCE + "    i = 0\n    while i < n:\n        i += 1\n" + ONCE,
    "beside other noise": ONCE + "    output(laplace(1))\n",
}


@pytest.mark.parametrize("name", SPENT)
def test_a_delta_is_spent_once(name: str) -> None:
    head = '@mechanism(epsilon="0", delta="delta", neighbours="secret")\n'
    about = program(
        f"{head}def f(x: private[bool], n: public[int], delta:"
        f" public[float]):\n{SPENT[name].lstrip(chr(10))}"
    )
    sites = len(about.samples)
    shifts = tuple("True" if one.noise == "bernoulli" else "0" for one in about.samples)
    kept: dict[str, Any] = (
        {}
        if "while" not in SPENT[name]
        else {"invariants": (("i@1 == i@2",),), "variants": ("n - i@1",)}
    )
    found = check(about, certificate(about, shifts, mode="finite", rates=("0",) * sites, **kept))
    assert found is not None
    assert found.obligation == "answers"


def test_one_stretch_that_stands_twice_is_two() -> None:
    """Check a program that no front end produces."""
    head = '@mechanism(epsilon="0", delta="delta", neighbours="secret")\n'
    about = program(
        f"{head}def f(x: private[bool], n: public[int], delta: public[float]):{ONCE}    i = 0\n   "
        " while i < n:\n        i += 1\n"
    )
    kept: dict[str, Any] = {"invariants": (("i@1 == i@2",),), "variants": ("n - i@1",)}
    assert check(about, certificate(about, ("True",), mode="finite", rates=("0",), **kept)) is None
    again = replace(about, body=(*about.body, *about.body[:2]))
    found = check(again, certificate(again, ("True",), mode="finite", rates=("0",), **kept))
    assert found is not None
    assert found.reason == "two sampling statements have the same site; number them anew"
    coin, told = about.body[:2]
    assert isinstance(coin, Sample)
    own = replace(about, body=(*about.body, replace(coin, site=1), told))
    found = check(own, certificate(own, ("True",) * 2, mode="finite", rates=("0",) * 2, **kept))
    assert found is not None
    assert found.obligation == "answers"


def test_more_answers_than_can_be_compared_in_sets_are_refused() -> None:
    body = "    output(bernoulli(1/2))\n" * 3
    about = program(
        '@mechanism(epsilon="0", delta="1/10", neighbours="secret")\ndef f(x:'
        f" private[bool]):\n{body}"
    )
    found = check(
        about,
        certificate(about, ("True", "False", "False"), mode="finite", rates=("0", None, None)),
    )
    assert "at most 6 answers" in str(found)
