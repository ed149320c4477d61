"""The product of both runs, and its obligations."""

from __future__ import annotations

from hedgerow.verify.prove.checker import (
    check,
    derive_obligations,
    is_discharged,
    normalise_program,
)
from hedgerow.verify.prove.obligations import Obligation
from verify.prove.proving import certificate, program

HEAD = """
@mechanism(epsilon="eps", neighbours="one")
def one(x: private[float], y: private[float], n: public[int], eps: public[float]):
"""


def shown(body: str, *shifts: str, **details: object) -> dict[tuple[str, int], bool]:
    """Return the obligations of each line with True if all of them hold."""
    about = program(HEAD + "".join(f"    {line}\n" for line in body.strip().split("\n")))
    every: list[Obligation] = derive_obligations(
        normalise_program(about), certificate(about, shifts, **details)
    )  # type: ignore[arg-type]
    found: dict[tuple[str, int], bool] = {}
    for one in every:
        where = (one.name, one.place.line - 6)
        found[where] = found.get(where, True) and is_discharged(one)
    return found


def test_outputs_must_be_equal() -> None:
    found = shown("output(n)\noutput(x)\noutput(x - x)")
    assert [found["output", line] for line in (1, 2, 3)] == [True, False, True]


def test_runs_may_part_where_nothing_is_said_and_meet_again() -> None:
    found = shown("a = 1\nif x > 0:\n    a = 2\nelse:\n    a = 2\noutput(a)")
    assert found["output", 6]
    assert ("branch", 2) not in found
    assert not shown("a = 1\nif x > 0:\n    a = 2\noutput(a)")["output", 4]


def test_where_something_is_said_both_must_have_come() -> None:
    assert not shown("if x > 0:\n    output(1)")["branch", 1]
    assert shown("if n > 0:\n    output(1)")["branch", 1]
    assert shown("if x > 0:\n    if n > 0:\n        if x < 0:\n            output(1)")["branch", 3]


def test_where_noise_is_drawn_both_go_the_same_way() -> None:
    found = shown(
        "z = laplace(1 / eps)\nif z > 0:\n    w = laplace(1 / eps)\n    output(w)", "0", "0"
    )
    assert found["branch", 2]
    assert not shown(
        "z = x + laplace(1 / eps)\nif z > 0:\n    w = laplace(1 / eps)\n    output(w)", "0", "0"
    )["branch", 2]
    assert shown(
        "z = x + laplace(1 / eps)\nif z > 0:\n    w = laplace(1 / eps)\n    output(w)",
        "x@1 - x@2",
        "0",
    )["branch", 2]


def test_facts_of_a_branch_hold_in_that_branch_only() -> None:
    loops = {"invariants": (("i@1 == i@2", "i@1 >= 7"),), "variants": ("n - i@1",)}
    body = (
        "i = 0\nif n > 3:\n    i = 7\n    while i < n:\n        i += 1\noutput(i)\nif i < 7:\n   "
        " output(i - i)"
    )
    found = shown(body, **loops)
    assert found["entry", 4]
    assert found["kept", 4]
    assert found["output", 6]


def test_a_loop_forgets_what_it_changes_and_no_more() -> None:
    loops = {"invariants": (("i@1 == i@2",),), "variants": ("n - i@1",)}
    found = shown("i = 0\na = 5\nwhile i < n:\n    i += 1\noutput(a)\noutput(i)", **loops)
    assert found["output", 5]
    assert found["output", 6]
    changed = shown("i = 0\na = 5\nwhile i < n:\n    i += 1\n    a = 5\noutput(a)", **loops)
    assert not changed["output", 6]


def test_values_at_the_beginning_of_the_loop() -> None:
    loops = {
        "invariants": (("i@1 == i@2", "i@1 >= i@1@0", "@cost0 - @cost0@0 <= i@1 - i@1@0"),),
        "variants": ("n - i@1",),
    }
    found = shown(
        "i = 3\nwhile i < n:\n    output(x + laplace(1 / eps))\n    i += 1", "x@1 - x@2", **loops
    )
    assert found["entry", 2]
    assert found["kept", 2]


def test_a_loop_ends_when_something_shrinks_while_it_goes_on() -> None:
    for body, ends in [
        ("i = 0\nwhile i < n:\n    i += 1", True),
        ("i = 0\nwhile i < n:\n    i += 0", False),
        ("i = 0\nwhile i < n:\n    if n > 5:\n        i += 1", False),
        ("i = 0\nwhile i < n:\n    if n > 5:\n        i += 1\n    else:\n        i = n", True),
    ]:
        found = shown(body, invariants=(("i@1 == i@2",),), variants=("n - i@1",))
        assert found["ends", 2] is ends


def test_one_answer_at_a_time() -> None:
    about = program("""
@mechanism(epsilon="eps", neighbours="one")
def larger(x: private[float], y: private[float], eps: public[float]):
    a = x + laplace(1 / eps)
    return a > y
""")
    assert (
        check(about, certificate(about, ("(x@1 - x@2) - (y@1 - y@2)",), mode="pointwise")) is None
    )
    up = "abs(x@1 - x@2) + abs(y@1 - y@2)"
    assert (
        check(about, certificate(about, (f"{up} if @answer else -({up})",), mode="pointwise"))
        is None
    )
    failure = check(about, certificate(about, (f"{up} if @answer else 0",), mode="pointwise"))
    assert failure is not None
    assert failure.obligation == "output"
    failure = check(about, certificate(about, (f"{up} if @answer else -({up})",)))
    assert failure is not None
    assert "only a pointwise proof" in failure.reason
