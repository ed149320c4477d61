"""Pruning removes wrong candidates, keeps right ones, and leaves out unneeded ones."""

from __future__ import annotations

from dataclasses import replace

from hedgerow.verify.prove.checker import check, normalise_program
from hedgerow.verify.prove.search.invariant_pruning import InvariantPruning
from verify.prove.proving import above_threshold, expression

WRONG = ("count@1 == 0", "i@1 <= 3", "@cost1 <= 1", "count@1 <= N - 1", "False")


def settled(*more: str) -> InvariantPruning:
    about, proof = above_threshold()
    every = (*map(expression, more), *proof.invariants[0])
    houdini = InvariantPruning(normalise_program(about), replace(proof, invariants=(every,)))
    houdini.prune()
    return houdini


def test_keeps_the_largest_set_that_holds_together() -> None:
    houdini = settled(*WRONG)
    assert houdini.alive == {(0, number) for number in range(len(WRONG), len(WRONG) + 4)}
    assert houdini.find_first_failing() is None


def test_leaves_out_what_is_not_needed() -> None:
    about, proof = above_threshold()
    (needed,) = settled("i@1 >= 0", "@cost1 >= 0", *WRONG).list_needed_invariants()
    assert set(needed) <= set(proof.invariants[0])
    assert check(about, replace(proof, invariants=(needed,))) is None


def test_says_what_does_not_follow() -> None:
    about, proof = above_threshold()
    few = tuple(one for one in proof.invariants[0] if one != expression("count@1 <= N"))
    houdini = InvariantPruning(normalise_program(about), replace(proof, invariants=(few,)))
    houdini.prune()
    worst = houdini.find_first_failing()
    assert worst is not None
    assert worst.name == "cost"
    assert "costs more than eps" in worst.reason
