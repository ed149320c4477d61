"""The last step: costs against the claim, and excused noise against its delta."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.program import Program
from hedgerow.verify.prove.certificate import Failure
from hedgerow.verify.prove.checker import check
from verify.prove.proving import certificate, program


def twice(claim: str, first: str, second: str) -> Program:
    return program(f"""
@mechanism(epsilon="{claim}", neighbours="one")
def one(x: private[float], n: public[int], eps: public[float]):
    output(x + laplace({first}))
    output(x + laplace({second}))
""")


def checked(one: Program, *shifts: str, **details: object) -> Failure | None:
    return check(one, certificate(one, shifts, **details))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("claim", "first", "second", "good"),
    [
        ("eps", "2 / eps", "2 / eps", True),
        ("eps", "3 / eps", "2 / eps", True),
        ("3/4 * eps", "3 / eps", "2 / eps", False),
        ("eps", "3 / eps", "3 / (2 * eps)", True),
        ("eps", "3 / eps", "1.4 / eps", False),
        ("2*eps", "1 / eps", "1 / eps", True),
        ("eps / n", "2 * n / eps", "2 * n / eps", True),
        ("eps", "2 * n / eps", "2 * n / eps", True),
        ("eps", "(n + 1) / eps", "(n + 1) / (n * eps)", True),
        ("n * eps", "2 / (n * eps)", "2 / (n * eps)", True),
        ("eps * eps", "2 / eps", "2 / eps", False),
        ("1", "2", "2", True),
        ("ln(2)", "2 / ln(2)", "2 / ln(2)", True),
    ],
)
def test_sequential_composition_for_every_eps(
    claim: str, first: str, second: str, good: bool
) -> None:
    failure = checked(twice(claim, first, second), "x@1 - x@2", "x@1 - x@2")
    assert (failure is None) is good
    assert failure is None or failure.obligation == "cost"


GAUSSIAN = """
@mechanism(epsilon="{epsilon}", delta="{delta}", neighbours="one")
def one(x: private[float], rho: public[float], delta: public[float]):
    output(x + gaussian({sigma}))
    output(x + laplace({scale}))
"""


@pytest.mark.parametrize(
    ("epsilon", "delta", "sigma", "scale", "good"),
    [
        ("1", "1/100000", "10", "10", True),
        ("1", "1/100000", "4", "100", False),
        ("1", "1/100000", "10", "2", False),
        ("rho + 2*sqrt(rho*ln(1/delta))", "delta", "1/sqrt(rho)", "1/sqrt(rho)", True),
        ("rho + 2*sqrt(rho*ln(1/delta))", "delta", "1/sqrt(2*rho)", "1/sqrt(rho)", False),
        ("rho + sqrt(rho*ln(1/delta))", "delta", "1/sqrt(rho)", "1/sqrt(rho)", False),
        ("rho", "delta", "1/sqrt(rho)", "1/sqrt(rho)", False),
        ("1", "2", "10", "10", False),
    ],
)
def test_zcdp(epsilon: str, delta: str, sigma: str, scale: str, good: bool) -> None:
    one = program(GAUSSIAN.format(epsilon=epsilon, delta=delta, sigma=sigma, scale=scale))
    assert (checked(one, "x@1 - x@2", "x@1 - x@2", mode="zcdp") is None) is good


def test_excuses_are_not_for_one_answer_at_a_time() -> None:
    """Refuse an excuse that an integer output would use once for each of its answers."""
    one = program("""
@mechanism(epsilon="eps", delta="delta", neighbours="one")
def one(x: private[int], eps: public[float], delta: public[float]):
    z = laplace(1 / eps)
    return x
""")
    excuse = "x@1 == @answer and ln(1 / (2 * delta)) / eps <= @noise"
    failure = checked(one, "0", mode="pointwise", bad=(excuse,))
    assert failure is not None
    assert "a pointwise proof cannot excuse noise" in failure.reason


ADVANCED = """
@mechanism(epsilon="{claim}", delta="delta", neighbours="one")
def one(x: private[float], k: public[int], eps: public[float], delta: public[float]):
    for i in range({rounds}):
        output(x + laplace(1 / eps))
"""
ROUND = ("i@1 == i@2", "i@1 >= 0", "i@1 <= max(k, 0)", "@cost0 <= i@1")


@pytest.mark.parametrize(
    ("claim", "rounds", "good"),
    [
        ("eps*sqrt(2*k*ln(1/delta)) + k*eps*(exp(eps) - 1)", "k", True),
        ("k*eps*(exp(eps) - 1) + eps*sqrt(2*k*ln(1/delta))", "k", True),
        ("eps*sqrt(2*k*ln(1/delta)) + k*eps*eps/2", "k", True),
        ("eps*sqrt(2*k*ln(1/delta)) + k*eps*eps/3", "k", False),
        ("eps*sqrt(k*ln(1/delta)) + k*eps*(exp(eps) - 1)", "k", False),
        ("-eps*sqrt(2*k*ln(1/delta)) + k*eps*(exp(eps) - 1)", "k", False),
        ("eps*sqrt(2*k*ln(2/delta)) + k*eps*(exp(eps) - 1)", "k", False),
        ("eps*sqrt(2*k*ln(1/delta)) + k*eps*(exp(eps) - 1)", "k + 1", False),
    ],
)
def test_advanced_composition(claim: str, rounds: str, good: bool) -> None:
    one = program(ADVANCED.format(claim=claim, rounds=rounds))
    failure = checked(
        one,
        "x@1 - x@2",
        mode="zcdp",
        invariants=(ROUND,),
        variants=(f"{rounds} - i@1".replace("k + 1", "(k + 1)"),),
    )
    assert (failure is None) is good


def test_zcdp_does_not_spend_its_delta_twice() -> None:
    one = program(GAUSSIAN.format(epsilon="1", delta="1/100000", sigma="10", scale="10"))
    failure = checked(
        one, "x@1 - x@2", "x@1 - x@2", mode="zcdp", bad=(None, "True and 1000 <= @noise")
    )
    assert failure is not None
    assert "no excused noise" in failure.reason


TAIL = """
@mechanism(epsilon="eps", delta="{delta}", neighbours="one")
def one(x: private[float], eps: public[float], delta: public[float]):
    return x + {noise}
"""


@pytest.mark.parametrize(
    ("noise", "delta", "start", "good"),
    [
        ("laplace(1 / eps)", "delta", "ln(1 / (2 * delta)) / eps", True),
        ("laplace(1 / eps)", "delta", "ln(1 / delta) / eps", True),
        ("laplace(1 / eps)", "delta / 2", "ln(1 / delta) / eps", True),
        ("laplace(1 / eps)", "delta / 3", "ln(1 / delta) / eps", False),
        ("laplace(1 / eps)", "delta", "1 + ln(1 / (2 * delta)) / eps", True),
        ("laplace(1 / eps)", "delta", "ln(1 / (2 * delta)) / eps - 1", False),
        ("laplace(2 / eps)", "delta", "ln(1 / (2 * delta)) / eps", False),
        ("laplace(1 / eps)", "delta * delta", "2 * ln(1 / delta) / eps", True),
        ("laplace(1 / eps)", "delta", "-ln(2 * delta) / eps", True),
    ],
)
def test_excuses_are_as_rare_as_delta(noise: str, delta: str, start: str, good: bool) -> None:
    one = program(TAIL.format(noise=noise, delta=delta))
    failure = checked(one, "x@1 - x@2", bad=(f"True and {start} <= @noise",))
    shift_costs = noise == "laplace(2 / eps)"
    assert (failure is None) is good
    assert (
        failure is None
        or shift_costs
        or failure.obligation == "tail"
        or "has no known bound" in failure.reason
    )


STABLE = """
@mechanism(epsilon="1 / b", delta="{delta}", neighbours="one")
def one(k: private[int], K: public[int], t: public[int], b: public[float]):
    distance = k - K if k > K else K - k + 1
    if {guard}:
        if distance + geometric(b) >= t:
            output(k > K)
"""
APART = "(K < k@1) != (K < k@2)"


@pytest.mark.parametrize(
    ("delta", "guard", "start", "good"),
    [
        ("exp(-(t - 1) / b) / (1 + exp(-1 / b))", "t >= 1", "t - 1", True),
        ("exp((1 - t) / b) / (1 + exp(-(1 / b)))", "t >= 1", "t - 1", True),
        ("exp(-(t - 1) / b)", "t >= 1", "t - 1", True),
        ("exp(-(t - 1) / b) / 2", "t >= 1", "t - 1", False),  # 1/(1 + q) is above a half
        ("exp(-(t - 1) / b) / (2 + exp(-1 / b))", "t >= 1", "t - 1", False),
        ("exp(-(t - 1) / b) / (1 + exp(-2 / b))", "t >= 1", "t - 1", False),  # true, but not seen
        # as if the noise had to be larger
        ("exp(-t / b) / (1 + exp(-1 / b))", "t >= 1", "t - 1", False),
        # below 0 the tail is another
        ("exp(-(t - 1) / b) / (1 + exp(-1 / b))", "t >= 0", "t - 1", False),
        ("exp(-(t - 1) / b)", "t >= 0", "t - 1", True),
    ],
)
def test_tails_of_whole_noise(delta: str, guard: str, start: str, good: bool) -> None:
    about = program(STABLE.format(delta=delta, guard=guard))
    failure = checked(about, "distance@1 - distance@2", bad=(f"{APART} and {start} <= @noise",))
    assert (failure is None) is good, failure
    assert failure is None or failure.obligation in ("tail", "")


def test_below_0_the_tail_is_another() -> None:
    """Refuse the tail formula below 0: at t = 0, Pr[Z >= -1] is 1 - q^2/(1 + q), less than q^-1/(1
    + q).
    """
    q = 0.5
    assert 1 - q**2 / (1 + q) < q**-1 / (1 + q)
    assert 1 - q / (1 + q) == pytest.approx(1 / (1 + q))
