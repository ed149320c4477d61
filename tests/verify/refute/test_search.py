from __future__ import annotations

from fractions import Fraction
from time import process_time

import pytest

from hedgerow.verify.refute.input_search import InputPair
from hedgerow.verify.refute.search import CounterexampleSearch
from verify.refute.programs import gallery, given, one

GALLERY = gallery()


def search(name: str, multiple: int = 1) -> CounterexampleSearch:
    return CounterexampleSearch(GALLERY[name], Fraction(multiple), process_time() + 60)


def test_the_climb_makes_lists_longer() -> None:
    """With noise of 4/eps on the queries, four answers cost no more than eps: five or more are
    needed.
    """
    witness = search("bad_gap_above_threshold").find_first([])
    assert witness is not None
    assert len(witness.first["q"]) > 4  # type: ignore[arg-type]
    assert witness.loss > 1


def test_given_inputs_are_tried_first() -> None:
    pair = InputPair(given(q=[7, 7], size=2, eps=1), given(q=[7, 8], size=2, eps=1))
    witness = search("bad_partial_sum").find_first([pair])
    assert witness is not None
    assert {witness.first["q"], witness.second["q"]} == {pair.first["q"], pair.second["q"]}


def test_inputs_without_a_claim_are_not_tried() -> None:
    """If c is above a, the output is x itself, but the program claims nothing there, so no run is
    made.
    """
    body = "k = bernoulli(1/2)\noutput(x if a < c else k)"
    program = one(
        body,
        "x: private[bool], a: public[float], c: public[float]",
        '@mechanism(epsilon="a - c", neighbours="secret")\n',
    )
    pair = InputPair(given(x=False, a=0, c=1), given(x=True, a=0, c=1))
    trials = list(
        CounterexampleSearch(program, Fraction(0), process_time() + 60).iterate_trials([pair])
    )
    assert trials
    assert max(trial.loss for trial in trials) == 0
    assert all(
        trial.pair.first["a"] >= trial.pair.first["c"]  # type: ignore[operator]
        for trial in trials
    )


def test_many_events_together_may_gain_more_than_delta() -> None:
    """Each of four answers gains 1/50; only all of them together more than delta = 1/20."""
    body = """
        leak = bernoulli(1/10 if x > 0 else 1/50)
        a = bernoulli(1/2)
        b = bernoulli(1/2)
        output(leak)
        output(a)
        output(b)
    """
    head = '@mechanism(epsilon="0", delta="1/20", neighbours="one")\n'
    found = CounterexampleSearch(
        one(body, "x: private[int]", head), Fraction(1), process_time() + 60
    ).find_first([])
    assert found is not None
    assert len(found.events) == 4
    assert found.likely - found.rare == Fraction(8, 100)  # type: ignore[operator]
    assert found.replay() == found
    ample = one(body, "x: private[int]", head.replace("1/20", "8/100"))
    assert CounterexampleSearch(ample, Fraction(1), process_time() + 60).find_first([]) is None


def test_time_that_is_over_finds_nothing() -> None:
    assert (
        CounterexampleSearch(
            GALLERY["bad_partial_sum"], Fraction(1), process_time() - 1
        ).find_first([])
        is None
    )


@pytest.mark.parametrize(
    "body", ["while x == x:\n    i = 1\nreturn x", "z = laplace(1)\nreturn z * z", "return q[9]"]
)
def test_programs_that_cannot_be_followed_are_not_refuted(body: str) -> None:
    program = one(body, "q: private[list], x: private[float], eps: public[float]")
    assert CounterexampleSearch(program, Fraction(1), process_time() + 1).find_first([]) is None
