"""Programs that are proved or not. The whole set, with mutants, is in
tests/slow/test_proofs_long.py.
"""

from __future__ import annotations

import time

import pytest

from hedgerow.verify.prove.certificate import Certificate, Failure
from hedgerow.verify.prove.checker import check
from hedgerow.verify.prove.search.finder import find_certificate
from hedgerow.verify.prove.work_limit import WorkLimit
from verify.prove.proving import line as text_of
from verify.prove.proving import program, shipped


def proved(name: str) -> Certificate | Failure:
    return find_certificate(shipped()[name], time.process_time() + 60)


@pytest.mark.parametrize(
    "name",
    [
        "laplace_mechanism",
        "geometric_mechanism",
        "randomised_response",
        "randomised_response_for_eps",
        "one_time_pad",
        "one_time_pad_two_shares",
        "one_time_pad_any_length",
        "count_rows",
        "prefix_sum",
        "above_threshold",
        "propose_test_release",
        "classical_gaussian",
    ],
)
def test_right_programs_are_proved_and_the_proof_checks(name: str) -> None:
    found = proved(name)
    assert isinstance(found, Certificate), found
    assert check(shipped()[name], Certificate.from_json(found.to_json())) is None


@pytest.mark.long
def test_one_answer_at_a_time() -> None:
    found = proved("noisy_max")
    assert isinstance(found, Certificate)
    assert found.mode == "pointwise"


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        (
            "bad_sum_without_noise",
            "return total",
            "the output total differs between neighbours; no noise hides it",
        ),
        ("bad_mean_without_noise", "return total / size", "no noise hides it"),
        (
            "bad_partial_sum",
            "output(total + laplace(1 / (2 * eps)))",
            "hiding it costs more than eps",
        ),
        ("bad_dummy_sum", "output(total + laplace(1 / eps))", "hiding it costs more than eps"),
        ("bad_smart_sum", "output(last)", "no shift of the noise hides it"),
        (
            "bad_above_threshold_no_query_noise",
            "if q[i] >= threshold:",
            "may hold for one neighbour and not for the other",
        ),
        (
            "bad_above_threshold_no_cutoff",
            "if q[i] + laplace(2 / eps) >= threshold:",
            "hiding it costs more than eps",
        ),
        ("bad_noisy_max_small_noise", "return winner", "differs between neighbours"),
        (
            "bad_geometric_mechanism",
            "return x + geometric(1 / (2 * eps))",
            "hiding it costs more than eps",
        ),
        (
            "bad_randomised_response",
            "truthful = bernoulli(4 / 5)",
            "may be likelier for one neighbour; hiding it costs more than ln(3)",
        ),
        (
            "bad_response_in_branches",
            "if bernoulli(1 / 5):",
            "may be likelier for one neighbour; hiding it costs more than ln(3)",
        ),
        (
            "bad_truth_or_a_coin",
            "if bernoulli(2 / 3):",
            "may be likelier for one neighbour; hiding it costs more than ln(3)",
        ),
        (
            "bad_geometric_of_reals",
            "return x + geometric(1 / eps)",
            "shifted by a value that may not be an integer",
        ),
        ("bad_pad_key_told", "output(m ^ key)", "differs between neighbours"),
        ("bad_pad_key_twice", "output(m ^ key)", "differs between neighbours"),
        ("bad_pad_and", "return m & key", "differs between neighbours"),
        ("bad_pad_or", "return m | key", "differs between neighbours"),
        ("bad_pad_half_key", "return m ^ concat(key, key)", "differs between neighbours"),
        (
            "bad_stability_histogram_pure",
            "if noisy > 1 + log(1 / (2 * delta)) / eps:",
            "may hold for one neighbour",
        ),
        (
            "bad_propose_test_release",
            "if distance > log(1 / delta) / eps:",
            "may hold for one neighbour",
        ),
        (
            "bad_classical_gaussian",
            "return x + gaussian(sqrt(2 * log(125000)) / 10)",
            "costs more than (10, 1 / 100000)",
        ),
    ],
)
def test_wrong_programs_are_not_and_the_line_is_named(name: str, line: str, said: str) -> None:
    failure = proved(name)
    assert isinstance(failure, Failure)
    assert said in failure.reason
    assert text_of(name, failure.place.line) == line


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return x + laplace(abs(x) / eps)", "not fixed by public parameters"),
        (
            "i = 0\n    while i < 3:\n        i = i + 0\n    return i",
            "no quantity was found that makes this loop end",
        ),
        (
            "i = 0\n    while i < x:\n        i += 1\n    return i",
            "the loop may go on for one neighbour",
        ),
        ("return x + gaussian(1)", "Gaussian noise hides nothing"),
        ("return x + uniform(0, 1)", "differs between neighbours"),
        (
            "done = False\n    while not done:\n        done = bernoulli(1 / 2)\n    return 0",
            "no quantity was found that makes this loop end",
        ),
    ],
)
def test_bad_input_has_a_reason_in_one_sentence(body: str, said: str) -> None:
    one = program(f"""
@mechanism(epsilon="eps", neighbours="one")
def one(x: private[float], eps: public[float]):
    {body}
""")
    failure = find_certificate(one, time.process_time() + 60)
    assert isinstance(failure, Failure)
    assert said in failure.reason


SEVERAL = {
    "two_lists": (
        """
@mechanism(epsilon="eps", neighbours="one")
def two_lists(q: private[list], p: private[list], size: public[int], eps: public[float]):
    a = 0
    b = 0
    for i in range(size):
        a += q[i]
        b += p[i]
    output(a + laplace(1 / eps))
    output(b + laplace(1 / eps))
"""
    ),
    "l1": (
        """
@mechanism(epsilon="3*eps", neighbours=("l1", 3))
def l1(q: private[list], size: public[int], eps: public[float]):
    for i in range(size):
        output(q[i] + laplace(1 / eps))
"""
    ),
    "group": (
        """
@mechanism(epsilon="2*eps", neighbours=("group", 2))
def group(q: private[list], size: public[int], eps: public[float]):
    total = 0
    for i in range(size):
        total += q[i]
    output(total + laplace(1 / eps))
"""
    ),
    "every_entry": (
        """
@mechanism(epsilon="size*eps", neighbours="all")
def every_entry(q: private[list], size: public[int], eps: public[float]):
    for i in range(size):
        output(q[i] + laplace(1 / eps))
"""
    ),
    "loop_in_loop": (
        """
@mechanism(epsilon="n*m*eps", neighbours="one")
def loop_in_loop(x: private[float], n: public[int], m: public[int], eps: public[float]):
    for i in range(n):
        for j in range(m):
            output(x + laplace(1 / eps))
"""
    ),
    "blocks": (
        """
@mechanism(epsilon="eps", neighbours="one")
def blocks(q: private[list], n: public[int], m: public[int], eps: public[float]):
    i = 0
    b = 0
    while b < n:
        j = 0
        total = 0
        while j < m:
            total += q[i]
            i += 1
            j += 1
        output(total + laplace(1 / eps))
        b += 1
"""
    ),
    "clamped": (
        """
@mechanism(epsilon="eps", neighbours="secret")
def clamped(x: private[float], eps: public[float]):
    y = x
    if y > 10:
        y = 10
    if y < 0:
        y = 0
    return y + laplace(10 / eps)
"""
    ),
    "after_processing": (
        """
@mechanism(epsilon="eps", neighbours="one")
def after_processing(x: private[float], eps: public[float]):
    y = x + laplace(1 / eps)
    if y > 0:
        output(y * y)
    else:
        output(0)
"""
    ),
    "many_coins": (
        """
@mechanism(epsilon="size*eps", neighbours="secret")
def many_coins(q: private["list[bool]"], size: public[int], eps: public[float]):
    for i in range(size):
        truthful = bernoulli(exp(eps) / (1 + exp(eps)))
        output(q[i] if truthful else not q[i])
"""
    ),
    "many_gaussians": (
        """
@mechanism(epsilon="1", delta="1/100000", neighbours="one")
def many_gaussians(q: private[list], size: public[int]):
    for i in range(size):
        output(q[i] + gaussian(5))
"""
    ),
    "how_many_above": (
        """
@mechanism(epsilon="eps", neighbours="one")
def how_many_above(q: private[list], size: public[int], T: public[float], eps: public[float]):
    count = 0
    for i in range(size):
        if q[i] > T:
            count += 1
    return count + geometric(1 / eps)
"""
    ),
    "factor": (
        """
@mechanism(epsilon="2*eps", neighbours="one")
def released_factor(x: private[float], eps: public[float]):
    a = x + laplace(1 / eps)
    output(a)
    factor = max(a, 1)
    return factor * (x + laplace(1 / eps))
"""
    ),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_lists_loops_in_loops_and_other_relations(name: str) -> None:
    found = find_certificate(program(SEVERAL[name]), time.process_time() + 60)
    assert isinstance(found, Certificate), found


@pytest.mark.parametrize("name", ["l1", "group", "every_entry", "many_coins", "factor"])
def test_but_not_for_less(name: str) -> None:
    cheaper = (
        SEVERAL[name]
        .replace('epsilon="3*eps"', 'epsilon="2*eps"')
        .replace('epsilon="size*eps"', 'epsilon="eps"')
    )
    for relation in ('("group", 2)', '"one"'):
        cheaper = cheaper.replace(
            f'epsilon="2*eps", neighbours={relation}', f'epsilon="eps", neighbours={relation}'
        )
    assert cheaper != SEVERAL[name]
    assert isinstance(find_certificate(program(cheaper), time.process_time() + 60), Failure)


COINS = (
    *(
        "response_in_branches",
        "truth_or_a_coin",
        "response_in_branches_for_eps",
        "response_that_lies_with",
        "coins_for_either",
    ),
    *(
        "one_of_four",
        "response_twice_removed",
        "response_of_each",
        "response_of_all",
        "count_of_responses",
    ),
    "response_that_fails_rarely",
)


@pytest.mark.parametrize("name", COINS)
def test_coins_that_are_not_matched_one_by_one_are_compared_by_their_laws(name: str) -> None:
    found = proved(name)
    assert isinstance(found, Certificate), found
    assert found.mode == "finite"
    assert check(shipped()[name], Certificate.from_json(found.to_json())) is None


@pytest.mark.parametrize("name", ["randomised_response", "randomised_response_for_eps"])
def test_a_coin_that_can_be_matched_is(name: str) -> None:
    found = proved(name)
    assert isinstance(found, Certificate), found
    assert found.mode == "sequence"


COINS = "".join(f"    output(bernoulli(1/{number}))\n" for number in (2, 3, 5, 7))


def test_within_a_stretch_of_coins_too_the_effort_and_the_clock_end_the_search() -> None:
    text = (
        '@mechanism(epsilon="eps", neighbours="secret")\ndef f(x: private[bool], eps:'
        " public[float]):\n"
    )
    about = program(f"{text}    output(x == bernoulli(exp(eps) / (1 + exp(eps))))\n{COINS}")
    assert isinstance(find_certificate(about, time.process_time() + 60), Certificate)
    few = find_certificate(about, time.process_time() + 60, effort=WorkLimit(100))
    late = find_certificate(about, time.process_time() - 1)
    for found in (few, late):
        assert isinstance(found, Failure)
        assert found.reason == "no proof was found in the time given"
