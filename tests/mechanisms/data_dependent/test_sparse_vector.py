"""The sparse vector technique: exact loss of whole runs; wrong variants are refuted by the same
sums.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.data_dependent.sparse_vector import SparseVector
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.divergence import Epsilon, is_private, ln, max_divergence
from mechanisms import helpers_bad_input as bad
from mechanisms import helpers_exact_distributions as exactly

HALF, MORE = Fraction(1, 2), Fraction(3, 4)
Answers = tuple[int, ...]


def table(length: int, values: Sequence[int], **how: Any) -> dict[Answers, dict[Any, Fraction]]:
    return {answers: exactly.run(answers, **how) for answers in product(values, repeat=length)}


def near(a: Answers, b: Answers) -> bool:
    """Return answers that move by at most 1, each in its own direction."""
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) == 1


def one_way(a: Answers, b: Answers) -> bool:
    return near(a, b) and all(x <= y for x, y in zip(a, b, strict=True))


def claim(first: Fraction, second: Fraction, shifts: int) -> Epsilon:
    return ln(1 / first) + shifts * ln(1 / second)


def pair(below: int, above: int, **how: Any) -> Epsilon | float:
    """Return the worst-case loss of a run.

    Answers that rise and are still below come first, then answers that fall and are still above.
    """
    one, other = (
        exactly.run((up,) * below + (down,) * above, **how) for up, down in ((0, 0), (1, -1))
    )
    return max(max_divergence(one, other), max_divergence(other, one))


def test_the_exact_distributions_sum_to_one() -> None:
    for first, second, leads in product((Fraction(0), HALF), (Fraction(0), MORE), (None, 2)):
        law = exactly.run((0, 1, -2), first, second, 2, leads)
        assert sum(law.values()) == 1
        assert min(law.values()) >= 0
    # By hand: the threshold noise is 0 with probability 1/3, at least 1 with 1/3; without answer
    # noise 0 is above when it is at most 0.
    assert exactly.run((0,), HALF, Fraction(0), 1) == {
        (False,): Fraction(1, 3),
        (True,): Fraction(2, 3),
    }


@pytest.mark.parametrize("cutoff", [1, 2, 3])
def test_three_questions_keep_epsilon_in_all_patterns(cutoff: int) -> None:
    laws = table(3, (-1, 0, 1), first=HALF, second=MORE, cutoff=cutoff)
    assert is_private(laws, claim(HALF, MORE, 2 * cutoff), 0, near)
    assert is_private(laws, claim(HALF, MORE, cutoff), 0, one_way)


@pytest.mark.parametrize("cutoff", [1, 2, 3])
def test_four_questions_keep_epsilon_in_all_patterns(cutoff: int) -> None:
    laws = table(4, (0, 1), first=MORE, second=HALF, cutoff=cutoff)
    assert is_private(laws, claim(MORE, HALF, 2 * cutoff), 0, near)
    assert is_private(laws, claim(MORE, HALF, cutoff), 0, one_way)


@pytest.mark.parametrize("cutoff", [1, 2])
def test_the_gap_costs_nothing_more(cutoff: int) -> None:
    laws = table(3, (-1, 0), first=HALF, second=MORE, cutoff=cutoff, leads=3)
    assert is_private(laws, claim(HALF, MORE, 2 * cutoff), 0, near)
    assert is_private(laws, claim(HALF, MORE, cutoff), 0, one_way)


def test_the_claim_is_nearly_reached() -> None:
    found = pair(6, 1, first=HALF, second=HALF, cutoff=1)
    assert found < claim(HALF, HALF, 2)
    assert float(found.bounds()[0]) == pytest.approx(
        float(claim(HALF, HALF, 2).bounds()[0]), rel=1e-3
    )  # type: ignore[union-attr]
    # So the monotone claim is too small for answers that do not move the same way.
    assert found > claim(HALF, HALF, 1)


def test_no_noise_on_the_answers_is_refuted() -> None:
    one, other = (exactly.run(answers, HALF, Fraction(0), 1) for answers in ((0, 1), (1, 0)))
    assert max_divergence(one, other) == inf
    assert not is_private({0: one, 1: other}, 100, Fraction(1, 20), [(0, 1)])


def test_no_noise_on_the_threshold_is_refuted() -> None:
    assert pair(6, 1, first=Fraction(0), second=HALF, cutoff=1) > claim(HALF, HALF, 2)
    # Each "below" costs again, so no claim that leaves out the number of questions can hold.
    assert pair(6, 1, first=Fraction(0), second=HALF, cutoff=1) > pair(
        5, 1, first=Fraction(0), second=HALF, cutoff=1
    ) + Fraction(1, 2)


def test_noise_that_does_not_grow_with_the_cutoff_is_refuted() -> None:
    for cutoff in (2, 3):
        found = pair(3, cutoff, first=HALF, second=HALF, cutoff=cutoff)
        assert found > claim(HALF, HALF, 2)
        assert found < claim(HALF, HALF, 2 * cutoff)


def test_no_cutoff_is_refuted() -> None:
    assert pair(3, 1, first=HALF, second=HALF, cutoff=1) < claim(HALF, HALF, 2)
    assert pair(3, 3, first=HALF, second=HALF, cutoff=None) > claim(HALF, HALF, 2)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(5)], ids=str)
@pytest.mark.parametrize("cutoff", [1, 3])
@pytest.mark.parametrize("monotone", [False, True])
def test_the_mechanism_passes_the_laws(epsilon: Fraction, cutoff: int, monotone: bool) -> None:
    mechanism = SparseVector.calibrate(
        sensitivity=1, epsilon=epsilon, cutoff=cutoff, monotone=monotone
    )
    assert mechanism.loss(1).epsilon == epsilon
    first, second = exactly.q_of(mechanism.threshold_scale), exactly.q_of(mechanism.answer_scale)
    up, down = (1, 0) if monotone else (1, -1)
    for one, other in (
        ((0,) * 4, (up, up, down, down)),
        ((0,) * 4, (-up, -up, -down, -down)),
        ((1, 0, 0, 1), (0, 0, 0, 0)),
    ):
        laws = {answers: exactly.run(answers, first, second, cutoff) for answers in (one, other)}
        assert is_private(laws, epsilon, exactly.HAIR, [(one, other)])


def test_calibration_meets_its_target_and_no_more() -> None:
    mechanism = SparseVector.calibrate(sensitivity=3, epsilon=1, cutoff=4)
    first, second = 3 / mechanism.threshold_scale, 24 / mechanism.answer_scale
    assert first + second == 1
    assert float(second / first) == pytest.approx(4, rel=1e-3)  # (2 cutoff)^(2/3)
    assert SparseVector.calibrate(sensitivity=1, epsilon=1, monotone=True) == SparseVector(
        Fraction(2), Fraction(2), 1, True
    )
    assert mechanism.loss(6).epsilon == 2
    # every answer moves: what counts is by how much each
    assert mechanism.loss(Sensitivity.each(10, 3)).epsilon == 1
    assert SparseVector.calibrate(sensitivity=1, epsilon=1, cutoff=10**6).loss(1).epsilon == 1


def test_draws_follow_the_exact_distribution() -> None:
    mechanism, n, answers = SparseVector(Fraction(2), Fraction(3), 2), 5_000, (1, -1, 2)
    for leads, gap in ((None, False), (2, True)):
        law = exactly.run(answers, exactly.q_of(Fraction(2)), exactly.q_of(Fraction(3)), 2, leads)
        runs = (tuple(mechanism.sample(answers, 0, gap=gap)) for _ in range(n))
        counts = Counter(
            tuple(x if x is None or not gap else min(x, 2) for x in run) for run in runs
        )
        assert set(counts) <= set(law)
        for outcome, weight in law.items():
            p = float(weight)
            assert abs(counts[outcome] - n * p) < 7 * (n * p * (1 - p)) ** 0.5 + 10


def test_a_lead_of_0_is_above() -> None:
    still = SparseVector(Fraction(1, 1000), Fraction(1, 1000), 3)
    assert list(still.sample([5, 4, 7, 9, 11], 5)) == [True, False, True, True]
    assert list(still.sample([5, 4, 7, 9, 11], 5, gap=True)) == [0, None, 2, 4]
    assert [type(x) for x in still.sample([5, 4], 5)] == [bool, bool]
    assert [type(x) for x in still.sample([5], 5, gap=True)] == [int]


def test_answers_come_one_by_one_and_stop_at_the_cutoff() -> None:
    asked: list[int] = []
    said: list[bool] = []

    def adaptive() -> Iterator[int]:
        while True:
            answer = 100 if len(said) >= 3 else -100
            asked.append(answer)
            yield answer

    run = SparseVector(Fraction(1), Fraction(1), 2).sample(adaptive(), 0)
    assert asked == []  # nobody has asked for a verdict yet
    said.extend(run.__next__() for _ in range(3))
    assert asked == [-100] * 3
    said.extend(run)
    assert said == [False, False, False, True, True]
    assert asked == [-100] * 3 + [100] * 2  # not one question beyond the cut-off
    assert list(run) == []


def test_every_run_has_a_threshold_of_its_own() -> None:
    wide = SparseVector(Fraction(10**6), Fraction(1, 1000), 1)
    # one chance in 2^199 to be all alike
    assert len({tuple(wide.sample([0], 0)) for _ in range(200)}) == 2


def test_large_numbers_and_other_kinds_of_whole_numbers() -> None:
    still = SparseVector(Fraction(1, 1000), Fraction(1, 1000), 10)
    assert list(still.sample([10**30, 10**30 - 1, -(10**400)], 10**30)) == [True, False, False]
    assert list(still.sample(np.array([1, 2, 3]), 2)) == [False, True, True]
    assert list(still.sample((1.0, Decimal(2), Fraction(3), np.int8(4)), 3.0)) == [
        False,
        False,
        True,
        True,
    ]  # type: ignore[arg-type]
    assert list(still.sample([], 3)) == []
    assert list(still.sample(range(3), 1)) == [False, True, True]


@pytest.mark.parametrize("scales", [(1, 1), (2, 30), (Fraction(1, 3), Fraction(1, 3))], ids=str)
def test_error_is_the_union_bound(scales: tuple[Fraction, Fraction]) -> None:
    mechanism = SparseVector(*scales)
    beta, questions = Fraction(1, 20), 100
    radius = mechanism.error(beta, questions)
    tails = []
    for scale, share in zip((Fraction(s) for s in scales), (beta / 2, beta / 200), strict=True):
        q, k = exactly.q_of(scale), 0
        while 2 * exactly.at_least(q, k + 1) > share:
            k += 1
        tails.append(k)
    assert radius == sum(tails)


def test_errors_are_as_rare_as_stated() -> None:
    mechanism, beta, n = SparseVector(Fraction(5), Fraction(5), 1), 0.3, 2_000
    radius = mechanism.error(beta, 5)
    low = sum(any(mechanism.sample([-radius - 1] * 5, 0)) for _ in range(n))
    assert low < n * beta


@pytest.mark.parametrize("epsilon", bad.EPSILONS, ids=bad.name)
def test_bad_epsilon_is_refused(epsilon: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        SparseVector.calibrate(sensitivity=1, epsilon=epsilon)  # type: ignore[arg-type]
    assert refusal.value.argument == "epsilon"


@pytest.mark.parametrize(
    "sensitivity", [*bad.SENSITIVITIES, 0.5, Sensitivity.each(2, Fraction(1, 2))], ids=bad.name
)
def test_bad_sensitivity_is_refused(sensitivity: object) -> None:
    for use in (
        lambda s: SparseVector.calibrate(sensitivity=s, epsilon=1),
        SparseVector(Fraction(1), Fraction(1)).loss,
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use(sensitivity)
        assert refusal.value.argument == "sensitivity"


@pytest.mark.parametrize("cutoff", [0, -1, 1.5, nan, None, "1", True, 10**6 + 1, 10**400])
def test_bad_cutoff_is_refused(cutoff: object) -> None:
    for use in (
        lambda c: SparseVector.calibrate(sensitivity=1, epsilon=1, cutoff=c),
        lambda c: SparseVector(Fraction(1), Fraction(1), c),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use(cutoff)
        assert refusal.value.argument == "cutoff"


@pytest.mark.parametrize("flag", [1, 0, None, "no", np.True_])
def test_bad_flags_are_refused(flag: Any) -> None:
    for use, name in (
        (lambda: SparseVector.calibrate(sensitivity=1, epsilon=1, monotone=flag), "monotone"),
        (lambda: SparseVector(Fraction(1), Fraction(1), 1, flag), "monotone"),
        (lambda: SparseVector(Fraction(1), Fraction(1)).sample([1], 0, gap=flag), "gap"),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use()
        assert refusal.value.argument == name


def test_bad_scales_are_refused() -> None:
    for scales, name in (
        ((0, 1), "threshold_scale"),
        ((1, nan), "answer_scale"),
        ((10**13, 1), "threshold_scale"),
        ((1, 1e-13), "answer_scale"),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            SparseVector(*scales)  # type: ignore[arg-type]
        assert refusal.value.argument == name


@pytest.mark.parametrize("beta", bad.LEVELS, ids=bad.name)
def test_bad_beta_is_refused(beta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        SparseVector(Fraction(1), Fraction(1)).error(beta, 10)  # type: ignore[arg-type]
    assert refusal.value.argument == "beta"


def test_bad_number_of_questions_are_refused() -> None:
    for questions in (0, 1.5, nan, None, True):
        with pytest.raises(InvalidArgument) as refusal:
            SparseVector(Fraction(1), Fraction(1)).error(0.1, questions)  # type: ignore[arg-type]
        assert refusal.value.argument == "questions"


ANSWERS = {
    "half": [1, bad.SECRET + 0.5],
    "NaN": [1, nan],
    "infinity": [bad.SECRET, inf],
    "None": [None, bad.SECRET],
    "text": [f"x{bad.SECRET}"],
    "booleans": [True],
    "array of truth values": np.array([True, False]),
    "table": np.array([[bad.SECRET, 2], [3, 4]]),
    "masked": np.ma.array([bad.SECRET, 2], mask=[True, False]),
    "no list": bad.SECRET,
    "nothing": None,
}


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.usefixtures("dry")
def test_bad_answers_are_refused_before_anything_is_drawn(answers: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^answers must be whole numbers\.$") as refusal:
        SparseVector(Fraction(1), Fraction(1)).sample(answers, 0)
    assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize("threshold", [0.5, nan, inf, None, "1", True, [1]], ids=bad.name)
@pytest.mark.usefixtures("dry")
def test_bad_thresholds_are_refused(threshold: Any) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        SparseVector(Fraction(1), Fraction(1)).sample([1], threshold)
    assert refusal.value.argument == "threshold"


def test_a_bad_answer_in_a_generator_ends_the_run() -> None:
    run = SparseVector(Fraction(1), Fraction(1)).sample(iter([-100, bad.SECRET + 0.5, 100]), 0)
    assert next(run) is False
    with pytest.raises(InvalidArgument) as refusal:
        next(run)
    assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))
    assert list(run) == []


@pytest.mark.usefixtures("dry")
def test_good_answers_reach_the_sampler() -> None:
    with pytest.raises(AssertionError, match="draw"):
        SparseVector(Fraction(1), Fraction(1)).sample([1], 0)
