"""Truths that are measured: the same verdicts as for numbers, and no way round that would let
``return b`` pass.
"""

from __future__ import annotations

from itertools import product

import pytest

from hedgerow.verify.language.private_booleans import encode_booleans, list_measured_booleans
from hedgerow.verify.language.program import Kind, Program, format_expression
from hedgerow.verify.verdict import VerdictKind
from hedgerow.verify.verifier import verify_program
from verify.language.reading import read

MIXED = (
    "b: private[bool], q: private[list[bool]], x: private[float], n: public[int], p: public[bool],"
    " eps: public[float]"
)


def mixed(body: str, neighbours: str = '"one"', claim: str = "eps") -> Program:
    return read(body, MIXED, f'@mechanism(epsilon="{claim}", neighbours={neighbours})\n')


@pytest.mark.parametrize(
    "relation", ['"one"', '"all"', '"increasing"', '"decreasing"', '("l1", 2)', '("group", 2)']
)
def test_private_truths_become_numbers(relation: str) -> None:
    program = mixed(
        "y = q[n]\nif b and p:\n    y = not b\nwhile y:\n    y = False\nreturn bernoulli(1 / 2 if b"
        " else 1 / 3)",
        relation,
    )
    assert [one.name for one in list_measured_booleans(program)] == ["b", "q"]
    found = encode_booleans(program)
    assert {one.name: one.kind for one in found.parameters if one.kind is not Kind.REAL} == {
        "b": Kind.INT,
        "q": Kind.INT,
        "n": Kind.INT,
        "p": Kind.BOOL,
    }
    assert format_expression(found.body[0].value) == "0 < q[n]"  # type: ignore[union-attr]
    assert format_expression(found.body[1].condition) == "0 < b and p"  # type: ignore[union-attr]
    assert format_expression(found.samples[0].parameters[0]) == "1 / 2 if 0 < b else 1 / 3"
    assert encode_booleans(found) == found


@pytest.mark.parametrize("relation", ['"secret"', '"row"'])
def test_booleans_stay_under_relations_without_a_measure(relation: str) -> None:
    program = mixed("return b", relation)
    assert list_measured_booleans(program) == []
    assert encode_booleans(program) is program


@pytest.mark.parametrize("relation", ["one", "all", "increasing", "decreasing"])
def test_neighbouring_numbers_are_neighbouring_truths_and_all_of_them(relation: str) -> None:
    """The lemma, on two entries and small numbers."""
    allowed = {
        "one": lambda moves: sum(map(bool, moves)) <= 1,
        "all": lambda _: True,
        "increasing": lambda moves: min(moves) >= 0,
        "decreasing": lambda moves: max(moves) <= 0,
    }[relation]
    numbers, truths = product(range(-2, 3), repeat=2), list(product((0, 1), repeat=2))
    images = {
        (tuple(a > 0 for a in one), tuple(a + move > 0 for a, move in zip(one, moves, strict=True)))
        for one in numbers
        for moves in product((-1, 0, 1), repeat=2)
        if allowed(moves)
    }
    turned = [
        (one, other)
        for one, other in product(truths, repeat=2)
        if allowed([b - a for a, b in zip(one, other, strict=True)])
    ]
    assert images == {(tuple(map(bool, one)), tuple(map(bool, other))) for one, other in turned}


@pytest.mark.parametrize(
    "body",
    [
        "return b",
        "return q[0]",
        "return x + (2 if b else 0) + laplace(1 / eps)",
        "output(b)\noutput(bernoulli(1 / 2))",
    ],
)
@pytest.mark.parametrize(
    "relation", ['"one"', '"all"', '"increasing"', '("l1", 1)', '("group", 1)']
)
def test_outputting_a_boolean_is_refuted(body: str, relation: str) -> None:
    verdict = verify_program(mixed(body, relation))
    assert verdict.verdict is VerdictKind.REFUTED
    assert "0 <" not in verdict.reason
    one, other = verdict.witness.first, verdict.witness.second
    assert (one["b"], one["q"]) != (other["b"], other["q"])


@pytest.mark.parametrize(
    ("body", "neighbours", "claim"),
    [
        ("return x + (1 if b else 0) + laplace(1 / eps)", '"one"', "eps"),
        ("return x + (1 if b else 0) + laplace(2 / eps)", '"all"', "eps"),
        (
            (
                "t = 0\nfor i in range(n):\n    if q[i]:\n        t += 1\nreturn t + geometric(1 /"
                " eps)"
            ),
            '"one"',
            "eps",
        ),
        (
            (
                "t = 0\nfor i in range(n):\n    if q[i]:\n        t += 1\nreturn t + geometric(1 /"
                " eps)"
            ),
            '("group", 2)',
            "2*eps",
        ),
        (
            "for i in range(n):\n    output(q[i] if bernoulli(1 / 2) else bernoulli(1 / 2))",
            '"one"',
            "ln(3)",
        ),
    ],
)
def test_randomised_booleans_are_proved(body: str, neighbours: str, claim: str) -> None:
    verdict = verify_program(mixed(body, neighbours, claim))
    assert verdict.verdict is VerdictKind.PROVED, verdict
    assert not any("0 <" in str(one) for one in verdict.costs)


def test_counts_of_rows_that_are_truths() -> None:
    head = '@mechanism(epsilon="eps", neighbours="row")\n'
    body = "t = 0\nfor i in range(len(q)):\n    if q[i]:\n        t += 1\nreturn t + geometric({})"
    parameters = "q: private[list[bool]], eps: public[float]"
    assert (
        verify_program(read(body.format("1 / eps"), parameters, head)).verdict is VerdictKind.PROVED
    )
    assert (
        verify_program(read(body.format("1 / (2 * eps)"), parameters, head)).verdict
        is VerdictKind.REFUTED
    )
