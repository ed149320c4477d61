"""Tails of noise that a proof may excuse."""

from __future__ import annotations

from hedgerow.verify.language.program import Truth, format_expression
from hedgerow.verify.prove.checker import normalise_program
from hedgerow.verify.prove.search.excused_tails import list_excused_tails
from verify.language.reading import read
from verify.prove.proving import shipped


def test_a_tail_is_excused_while_a_private_condition_differs() -> None:
    about = normalise_program(shipped()["propose_test_release"])
    found = [format_expression(tail) for one in list_excused_tails(about) for tail in one.values()]
    assert found
    assert all(text.endswith("<= @noise") for text in found)
    assert all("@1" in text and "@2" in text and "!=" in text for text in found)


def test_uniform_noise_may_leave_its_interval() -> None:
    about = read("return x + uniform(0, 1)")
    assert list(list_excused_tails(about)) == [{}, {0: Truth(True)}]


def test_nothing_is_excused_first_and_without_private_conditions() -> None:
    assert list(list_excused_tails(read("return x + laplace(1 / eps)"))) == [{}]
