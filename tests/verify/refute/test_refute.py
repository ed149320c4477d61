from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hedgerow.verify.refute.interval_arithmetic import approximate
from hedgerow.verify.refute.refute import find_lower_bound, refute, run_refuter
from verify.refute.programs import gallery, one

GALLERY = gallery()
WRONG = sorted(name for name in GALLERY if name.lower().startswith("bad"))
SUMS = (
    "laplace_mechanism",
    "laplace_mechanism_around",
    "noisy_mean",
    "partial_sum",
    "prefix_sum",
    "dummy_sum",
    "smart_sum",
)
COINS = (
    "geometric_mechanism",
    "randomised_response",
    "randomised_response_for_eps",
    "one_time_pad",
    "one_time_pad_by_addition",
)
OTHERS = (
    "clamped_sum",
    "count_rows",
    "unclear_dummy_sum",
    "stable_value",
    "stability_histogram",
    "propose_test_release",
    "classical_gaussian",
)


@pytest.mark.parametrize("name", WRONG)
def test_every_wrong_program_is_refuted_and_the_witness_replays(name: str) -> None:
    witness = refute(GALLERY[name], seconds=60)
    assert witness is not None
    assert approximate(witness.likely) > 0
    assert witness.replay() == witness


@pytest.mark.parametrize("name", [*SUMS, *COINS, *OTHERS, "noisy_max_exponential"])
def test_no_right_program_is(name: str) -> None:
    assert refute(GALLERY[name], seconds=60) is None


# What verify.md's table has as the exact lower bound, or more: in units of eps, no more than what
# is claimed.
@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("laplace_mechanism", 0.999999, 1),
        ("partial_sum", 0.999999, 1),
        ("prefix_sum", 0.999999, 1),
        ("dummy_sum", 4.99999, 5),
        ("smart_sum", 1.99999, 2),
        ("bad_sum_without_noise", math.inf, math.inf),
        ("bad_partial_sum", 1.999999, 2),
        ("bad_smart_sum", math.inf, math.inf),
        ("bad_above_threshold_no_query_noise", math.inf, math.inf),
        ("noisy_max_exponential", 0.999, 1),
        ("geometric_mechanism", 0.999999, 1),
        ("bad_classical_gaussian", 10.3, 10.5),
        ("randomised_response", math.log(3) - 1e-9, math.log(3)),
    ],
)
def test_lower_bounds(name: str, least: float, most: float) -> None:
    found, witness = find_lower_bound(GALLERY[name], seconds=60)
    assert least <= found <= most
    assert witness is not None
    assert witness.replay().loss == witness.loss


@pytest.mark.long
def test_a_lower_bound_that_needs_a_climb() -> None:
    """The sparse vector costs all of eps, but only long lists come near it: three queries show
    0.67.
    """
    assert 0.99 <= find_lower_bound(GALLERY["above_threshold"], seconds=100)[0] <= 1


def test_a_multiple_of_the_claim() -> None:
    twice = GALLERY["bad_partial_sum"]
    assert refute(twice, multiple=2) is None
    witness = refute(twice, multiple=Fraction(199, 100))
    assert witness is not None
    assert witness.multiple == Fraction(199, 100)
    assert refute(GALLERY["dummy_sum"], multiple=Fraction(99, 100)) is not None


def test_nothing_to_compare_is_no_lower_bound() -> None:
    constant = one("return 1", "x: private[float], eps: public[float]")
    assert find_lower_bound(constant) == (0.0, None)
    assert refute(constant) is None


def test_claims_that_are_only_just_false() -> None:
    """Noise too small by one part in a thousand."""
    just = one("return x + laplace(999 / (1000 * eps))")
    witness = refute(just)
    assert witness is not None
    assert 1 < witness.loss < 1.0011


def test_losses_too_large_to_write_down() -> None:
    nearly_none = one("return x + laplace(1 / (1000000000 * eps))")
    witness = refute(nearly_none)
    assert witness is not None
    assert witness.loss > 10_000
    assert witness.replay() == witness


@pytest.mark.parametrize(
    ("body", "least"),
    [
        ("return x + exponential(1 / eps)", math.inf),
        ("return x + uniform(0, 10 / eps)", math.inf),
        ("return laplace(abs(x) + 1)", 1),
        ("return abs(x + laplace(1 / (2 * eps)))", 1),
        ("return x + gaussian(10 / eps)", 1),
        ("return x + laplace(1 / (eps * eps))", 1),
        ("return x + geometric(1 / eps)", math.inf),
        ("return 2 * x + geometric(2 / eps)", math.inf),
        ("return 1 if x + laplace(1 / (2 * eps)) > 0 else 0", 1),
    ],
)
def test_other_noise_other_scales_and_post_processing(body: str, least: float) -> None:
    witness = refute(one(body))
    assert witness is not None
    assert witness.loss >= min(least, 1)
    if least == math.inf:
        assert find_lower_bound(one(body))[0] == math.inf


@pytest.mark.parametrize(
    "body",
    [
        "return min(max(x + laplace(1 / eps), 0), 5)",
        "y = laplace(1 / eps)\nreturn 1 if x + y > 0 else 0",
    ],
)
def test_post_processing_costs_nothing(body: str) -> None:
    assert refute(one(body)) is None


def test_whole_noise_shows_the_fraction_of_what_it_is_added_to() -> None:
    witness = refute(one("return x + geometric(1 / eps)"))
    assert witness is not None
    assert {witness.first["x"], witness.second["x"]} == {Fraction(0), Fraction(1, 2)}
    assert approximate(witness.likely) > 0.4
    assert approximate(witness.rare) == 0
    assert witness.replay() == witness


def test_public_truths_are_tried_both_ways() -> None:
    tells = one(
        "return x + laplace(1 / eps) if b else laplace(1 / eps)",
        "x: private[float], b: public[bool], eps: public[float]",
    )
    assert refute(tells) is None
    for condition in ("b", "not b"):
        body = f"return x + (laplace(1 / (2 * eps)) if {condition} else laplace(1 / eps))"
        assert (
            refute(one(body, "x: private[float], b: public[bool], eps: public[float]")) is not None
        )


def test_a_survey_finds_both_in_one_go() -> None:
    right, wrong, none = (
        run_refuter(GALLERY[name])
        for name in ("laplace_mechanism", "bad_dummy_sum", "bad_smart_sum")
    )
    assert right.counterexample is None
    assert right.strongest is not None
    assert right.epsilon_lower == pytest.approx(1)
    assert wrong.counterexample is not None
    assert wrong.strongest is not None
    assert wrong.strongest.multiple == 0
    assert wrong.epsilon_lower == wrong.strongest.loss > wrong.counterexample.loss > 1
    assert none.epsilon_lower == math.inf
    assert run_refuter(one("return 1", "x: private[float], eps: public[float]")).epsilon_lower == 0
