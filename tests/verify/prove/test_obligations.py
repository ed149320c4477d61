"""Every obligation is needed: without it, the bad program listed here would be "proved"."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from hedgerow.verify.prove.checker import check
from hedgerow.verify.prove.obligations import OBLIGATION_NAMES
from verify.prove.proving import certificate, program


@dataclass(frozen=True)
class Bad:
    """A program that is not private, with a certificate that a careless checker would accept."""

    text: str
    shifts: tuple[str, ...] = ()
    details: dict[str, object] = field(default_factory=dict)


BAD = {
    "branch": Bad("""
@mechanism(epsilon="eps", neighbours="one")
def tells_the_sign(x: private[float], eps: public[float]):
    if x > 0:
        output(True)
"""),
    "loop": Bad(
        """
@mechanism(epsilon="eps", neighbours="one")
def counts_up_to_it(x: private[int], eps: public[float]):
    i = 0
    while i < x:
        i += 1
    return i
""",
        details={"invariants": (("i@1 == i@2",),), "variants": ("x@1 - i@1",)},
    ),
    "ends": Bad(
        """
@mechanism(epsilon="eps", neighbours="one")
def never_ends(x: private[float], n: public[int], eps: public[float]):
    i = 0
    while i < n:
        i = i + 0
    return x + laplace(1 / eps)
""",
        ("x@1 - x@2",),
        {"invariants": (("i@1 == i@2",),), "variants": ("n - i@1",)},
    ),
    "entry": Bad(
        """
@mechanism(epsilon="eps", neighbours="one")
def copies_it(x: private[float], eps: public[float]):
    copy = x
    i = 0
    while i < 1:
        copy = copy + 0
        i += 1
    return copy
""",
        details={"invariants": (("i@1 == i@2", "copy@1 == copy@2"),), "variants": ("1 - i@1",)},
    ),
    "kept": Bad(
        """
@mechanism(epsilon="eps", neighbours="one")
def sums_without_noise(q: private[list], size: public[int], eps: public[float]):
    total = 0
    i = 0
    while i < size:
        total += q[i]
        i += 1
    return total
""",
        details={
            "invariants": (("i@1 == i@2", "total@1 == total@2"),),
            "variants": ("size - i@1",),
        },
    ),
    "output": Bad("""
@mechanism(epsilon="eps", neighbours="one")
def tells_it(x: private[float], eps: public[float]):
    return x
"""),
    "countable": Bad(
        """
@mechanism(epsilon="0", neighbours="secret")
def tells_it_second(x: private[bool], silent: public[bool]):
    output(0)
    output(0 if silent else (1 if x else 2))
""",
        details={"mode": "pointwise"},
    ),
    "scale": Bad(
        """
@mechanism(epsilon="eps", neighbours="one")
def noise_as_wide_as_it(x: private[float], eps: public[float]):
    return uniform(0, 1 + abs(x))
""",
        ("0",),
    ),
    "piecewise": Bad(
        """
@mechanism(epsilon="eps", neighbours="decreasing")
def noise_twice_as_wide(x: private[int], eps: public[float]):
    y = uniform(0, 1)
    return y if x > 0 else 2 * y
""",
        ("-(@noise / 2) if x@1 > 0 and x@2 <= 0 else 0",),
    ),
    "one-to-one": Bad(
        """
@mechanism(epsilon="eps", neighbours="decreasing")
def sure_or_a_coin(x: private[int], eps: public[float]):
    coin = bernoulli(1 / 2)
    return coin or x > 0
""",
        ("(x@1 > 0 and x@2 <= 0) and not @noise",),
        {"rates": ("eps / 2",)},
    ),
    "support": Bad(
        """
@mechanism(epsilon="eps", neighbours="one")
def noise_that_only_adds(x: private[float], eps: public[float]):
    return x + exponential(1 / eps)
""",
        ("x@1 - x@2",),
    ),
    "ratio": Bad(
        """
@mechanism(epsilon="ln(3)", neighbours="secret")
def too_truthful(x: private[bool]):
    truthful = bernoulli(4 / 5)
    return x if truthful else not x
""",
        ("x@1 != x@2",),
        {"rates": ("ln(3)",)},
    ),
    "chance": Bad(
        """
@mechanism(epsilon="0", neighbours="secret")
def chances_below_0(x: private[bool], p: public[float]):
    a = bernoulli(p if x else p * p)
    b = bernoulli(p if x else 1)
    return a and b
""",
        ("False", "False"),
        {"mode": "finite"},
    ),
    "answers": Bad(
        """
@mechanism(epsilon="ln(3)", neighbours="secret")
def lies_too_seldom(x: private[bool]):
    if bernoulli(1 / 5):
        output(not x)
    else:
        output(x)
""",
        ("x@1 != x@2",),
        {"mode": "finite", "rates": ("ln(3)",)},
    ),
    "cost": Bad(
        """
@mechanism(epsilon="eps", neighbours="one")
def half_the_noise(x: private[float], eps: public[float]):
    return x + laplace(1 / (2 * eps))
""",
        ("x@1 - x@2",),
    ),
    "tail": Bad(
        """
@mechanism(epsilon="eps", delta="delta", neighbours="one")
def fails_ten_times_as_often(
    count: private[int], K: public[int], eps: public[float], delta: public[float]
):
    distance = count - K if count > K else K - count + 1
    if distance + laplace(1 / eps) > 1 + log(1 / (20 * delta)) / eps:
        output(count > K)
    else:
        output(0)
""",
        ("distance@1 - distance@2",),
        {"bad": ("(K < count@1) != (K < count@2) and ln(1 / (20 * delta)) / eps <= @noise",)},
    ),
    "possible": Bad(
        """
@mechanism(epsilon="eps", neighbours="one")
def noise_of_no_scale(x: private[float], eps: public[float]):
    unused = laplace(-1 / eps)
    return x
""",
        ("0",),
    ),
}


def test_the_list_is_whole() -> None:
    assert tuple(BAD) == OBLIGATION_NAMES


@pytest.mark.parametrize("name", OBLIGATION_NAMES)
def test_each_is_needed(name: str) -> None:
    bad = BAD[name]
    about = program(bad.text)
    wrong = certificate(about, bad.shifts, **bad.details)  # type: ignore[arg-type]
    failure = check(about, wrong)
    assert failure is not None
    assert failure.obligation == name
    assert check(about, wrong, required=[one for one in OBLIGATION_NAMES if one != name]) is None
