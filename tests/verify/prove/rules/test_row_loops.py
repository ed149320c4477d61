"""Sums over all rows when one run has one more row."""

from __future__ import annotations

import time

import pytest

from hedgerow.verify.language.program import Program, While
from hedgerow.verify.prove.certificate import Certificate
from hedgerow.verify.prove.checker import normalise_program
from hedgerow.verify.prove.rules.row_loops import match_row_loop
from hedgerow.verify.prove.search.finder import find_certificate
from verify.prove.proving import program


def about(
    body: str,
    end: str = "return total + laplace(1 / eps)",
    neighbours: str = "row",
    before: str = "total = 0",
) -> Program:
    rounds = "\n".join(f"        {line}" for line in body.strip().split("\n"))
    return program(f"""
@mechanism(epsilon="eps", neighbours="{neighbours}")
def one(
    q: private[list], p: private[list], y: private[float], c: public[float], eps: public[float]
):
    {before}
    for x in q:
{rounds}
    {end}
""")


def fold(one: Program) -> object:
    (loop,) = [
        statement for statement in normalise_program(one).body if isinstance(statement, While)
    ]
    return match_row_loop(loop, normalise_program(one))


@pytest.mark.parametrize(
    ("body", "end", "proved"),
    [
        ("total += min(max(x, 0), 1)", "return total + laplace(1 / eps)", True),
        ("total += min(max(x, 0), 2)", "return total + laplace(1 / eps)", False),
        ("total += min(max(x, 0), 2)", "return total + laplace(2 / eps)", True),
        ("total += min(max(x, -1), 1)", "return total + laplace(1 / eps)", True),
        ("total += x", "return total + laplace(1 / eps)", False),
        ("total += 1", "return total + laplace(1 / eps)", True),
        ("if x > c:\n    total += 1", "return total + laplace(1 / eps)", True),
        (
            "if x > c:\n    total += 1\nelse:\n    total += -1",
            "return total + laplace(1 / eps)",
            True,
        ),
        ("y2 = min(max(x, 0), 1)\ntotal += y2 * 1", "return total + laplace(1 / eps)", True),
        ("total += min(max(x, 0), 1)", "return total", False),
        ("total += min(max(x, 0), 1)", "return total + laplace(1 / (2 * eps))", False),
    ],
)
def test_the_contribution_of_one_row_is_the_sensitivity(body: str, end: str, proved: bool) -> None:
    one = about(body, end)
    assert fold(one) is not None
    assert isinstance(find_certificate(one, time.process_time() + 60), Certificate) is proved


@pytest.mark.parametrize(
    "body",
    [
        "total += total",
        "total += y",
        "if total < 5:\n    total += 1",
        "total += q[0]",
        "total += len(q)",
        "output(1)",
        "total += laplace(1 / eps)",
        "if x > 0:\n    z = 1\ntotal += 1 if x > 0 else 0\nz = 2\nc2 = z + total",
        "total = 1 + total",
    ],
)
def test_loops_that_are_not_plain_sums_are_not_folded(body: str) -> None:
    one = about(body)
    assert fold(one) is None
    assert not isinstance(find_certificate(one, time.process_time() + 60), Certificate)


def test_a_value_overwritten_by_the_last_row_is_not_proved() -> None:
    one = about("total = min(max(x, 0), 1)")
    assert fold(one) is not None
    assert not isinstance(find_certificate(one, time.process_time() + 60), Certificate)


def test_a_sum_that_begins_in_the_middle_is_not_a_sum_over_all_rows() -> None:
    text = """
@mechanism(epsilon="eps", neighbours="row")
def one(q: private[list], eps: public[float]):
    total = 0
    i = {start}
    while i < len(q):
        total = total + min(max(q[i], 0), 1)
        i = i + 1
    return total + laplace(1 / eps)
"""
    assert isinstance(
        find_certificate(program(text.format(start=0)), time.process_time() + 60), Certificate
    )
    assert not isinstance(
        find_certificate(program(text.format(start=1)), time.process_time() + 60), Certificate
    )


def test_two_sums_over_the_same_rows_know_that_it_is_the_same_row() -> None:
    text = """
@mechanism(epsilon="eps", neighbours="row")
def one(q: private[list], eps: public[float]):
    low = 0
    high = 0
    for x in q:
        if x < 0:
            low += 1
    for x in q:
        if x >= 0:
            high += 1
    output(low + laplace(1 / eps))
    output(high + laplace(1 / eps))
"""
    assert isinstance(find_certificate(program(text), time.process_time() + 60), Certificate)
    both = text.replace("if x < 0", "if x < 1")
    assert not isinstance(find_certificate(program(both), time.process_time() + 60), Certificate)


def test_where_no_row_is_added_the_rounds_are_matched() -> None:
    one = about("total += min(max(x, 0), 1)", neighbours="one")
    assert fold(one) is None
    assert isinstance(find_certificate(one, time.process_time() + 60), Certificate)
