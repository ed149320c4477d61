from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.verify.divergence.distance import epsilon_distance
from hedgerow.verify.divergence.distribution import Distribution
from hedgerow.verify.divergence.epsilon import Epsilon, ln
from hedgerow.verify.divergence.exponential_sum import ExponentialSum
from hedgerow.verify.divergence.properties import (
    check_composition,
    check_group_privacy,
    check_post_processing,
)
from verify.divergence.distributions import OUTCOMES, clamped_laplace, epsilons, few, laws, response

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
TRUE, FALSE = response(HALF, 0), response(HALF, 1)

kernels = st.fixed_dictionaries({z: laws(range(2)) for z in OUTCOMES})


@few
@given(laws(), laws(), kernels, epsilons())
def test_post_processing_never_takes_laws_apart(
    one: Distribution, other: Distribution, kernel: dict[int, Distribution], epsilon: Epsilon
) -> None:
    check = check_post_processing(one, other, kernel, epsilon)
    assert check.holds
    assert check.allowed == epsilon_distance(one, other, epsilon).value


@few
@given(laws(), laws(), epsilons())
def test_a_reversible_step_keeps_the_distance(
    one: Distribution, other: Distribution, epsilon: Epsilon
) -> None:
    check = check_post_processing(one, other, lambda z: f"<{z}>", epsilon)
    assert check.whole.value == check.allowed
    assert check_post_processing(one, other, lambda _: 0, epsilon).whole.value == 0


@few
@given(laws(), laws(), kernels, kernels, epsilons(), epsilons())
def test_composition_even_when_the_second_question_depends_on_the_first_answer(
    one: Distribution,
    other: Distribution,
    here: dict[int, Distribution],
    there: dict[int, Distribution],
    e: Epsilon,
    f: Epsilon,
) -> None:
    check = check_composition((one, other), (here, there), (e, f))
    assert check.holds
    assert check.parts[0].value <= check.allowed
    assert check.whole.epsilon == e + f


def test_composition_of_two_survey_questions() -> None:
    check = check_composition((TRUE, FALSE), (lambda _: TRUE, lambda _: FALSE), (ln(3), ln(3)))
    assert check
    assert (check.whole.value, check.allowed, check.whole.epsilon) == (0, 0, ln(9))
    # Two answers at ln 2 each: 9/16 of (0, 0) against 1/16 at ratio 4 is 5/16, where the sum allows
    # 1/2.
    cheaper = check_composition((TRUE, FALSE), (lambda _: TRUE, lambda _: FALSE), (ln(2), ln(2)))
    assert (cheaper.whole.value, cheaper.allowed) == (Fraction(5, 16), HALF)
    assert str(cheaper) == "sequential composition holds: 0.3125 at epsilon ln(4), allowed 0.5"
    assert cheaper.whole.event == frozenset({(0, 0)})


def test_deltas_of_composition_add_up_where_each_part_may_fail() -> None:
    """Each part gives itself away with probability 1/10; together with 19/100, which is less
    than 2/10.
    """
    parts = [{side: Fraction(1, 10), "nothing": Fraction(9, 10)} for side in ("one", "other")]
    check = check_composition(
        (parts[0], parts[1]), (lambda _: parts[0], lambda _: parts[1]), (1, 1)
    )
    assert (check.whole.value, check.allowed) == (Fraction(19, 100), Fraction(1, 5))


@few
@given(st.lists(laws(), min_size=2, max_size=4), epsilons())
def test_group_privacy_along_any_chain(chain: list[Distribution], epsilon: Epsilon) -> None:
    check = check_group_privacy(dict(enumerate(chain)), range(len(chain)), epsilon)
    k, worst = len(chain) - 1, max(step.value for step in check.parts)
    assert check.holds
    assert check.whole.epsilon == k * epsilon
    assert check.allowed <= k * ((k - 1) * epsilon).exp * worst


def test_group_privacy_of_a_noisy_count_is_tight() -> None:
    table = {count: clamped_laplace(THIRD, count, -2, 6) for count in range(5)}
    check = check_group_privacy(table, [0, 1, 2, 3, 4], ln(3))
    assert (check.whole.value, check.allowed, check.whole.epsilon) == (0, 0, ln(81))
    assert epsilon_distance(table[0], table[4], ln(80)).value > 0
    # At ln 2 a step fails by (1 - e^eps q)/(1 + q), and two steps by at most 1 + e^eps times that.
    looser = check_group_privacy(table, [0, 1, 2], ln(2))
    step = (1 - 2 * THIRD) / (1 + THIRD)
    assert looser.allowed == (1 + 2) * step
    assert looser.holds


def test_a_law_that_fails_says_so() -> None:
    broken = replace(check_post_processing(TRUE, FALSE, {0: 0, 1: 1}, 0), allowed=ExponentialSum())
    assert not broken
    assert str(broken) == "post-processing fails: 0.5 at epsilon 0, allowed 0"


def test_bad_input() -> None:
    with pytest.raises(InvalidArgument, match="kernel must map every outcome"):
        check_post_processing(TRUE, FALSE, {0: 0}, 1)
    with pytest.raises(InvalidArgument, match="epsilons must"):
        check_composition((TRUE, FALSE), (lambda _: TRUE, lambda _: FALSE), (1, -1))
    with pytest.raises(InvalidArgument, match="first must sum"):
        check_composition((TRUE, {0: 0.5}), (lambda _: TRUE, lambda _: FALSE), (1, 1))
    for chain in ([0], [0, 7], []):
        with pytest.raises(InvalidArgument, match="chain must name at least two data sets"):
            check_group_privacy({0: TRUE, 1: FALSE}, chain, 1)
