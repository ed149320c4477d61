"""Candidate invariants of loops."""

from __future__ import annotations

from hedgerow.verify.language.program import format_expression
from hedgerow.verify.language.type_inference import infer_kinds
from hedgerow.verify.prove.checker import normalise_program
from hedgerow.verify.prove.search.invariant_candidates import list_invariant_candidates
from verify.prove.proving import program, shipped


def guesses(name: str, pointwise: bool = False) -> list[list[str]]:
    about = normalise_program(shipped()[name])
    return [
        [format_expression(one) for one in loop]
        for loop in list_invariant_candidates(about, infer_kinds(about), pointwise)
    ]


def test_has_what_known_proofs_need() -> None:
    (sparse,) = guesses("above_threshold")
    for needed in ("i@1 == i@2", "count@1 <= N", "@cost1 <= 2 * (count@1 - count@1@0)"):
        assert needed in sparse
    (smart,) = guesses("smart_sum")
    assert "@cost0 + abs(total@2 - total@1) <= 1" in smart
    (adaptive,) = guesses("adaptive_above_threshold")
    assert "@cost1 + 2 * @cost2 <= 2 * (cost@1 - cost@1@0)" in adaptive
    (maximum,) = guesses("noisy_max", pointwise=True)
    assert "not i@1 <= @answer or best@2 - best@1 <= 1" in maximum


def test_counters_that_are_counted_down() -> None:
    about = normalise_program(
        program("""
@mechanism(epsilon="eps", neighbours="all")
def one(q: private[list], size: public[int], N: public[int], eps: public[float]):
    left = N
    for i in range(size):
        above = q[i] + laplace(1 / eps) >= 0
        output(above)
        left = left - (1 if above else 0)
        if left == 0:
            break
""")
    )
    (several,) = [
        [format_expression(one) for one in loop]
        for loop in list_invariant_candidates(about, infer_kinds(about), False)
    ]
    for needed in (
        "left@1 <= left@1@0",
        "0 <= left@1",
        "@cost0 <= 2 * (left@1@0 - left@1)",
        "not not broken@1 or 0 + 1 <= left@1",
    ):
        assert needed in several


def test_none_twice_and_none_about_what_has_no_value() -> None:
    for name in ("gap_above_threshold", "numeric_above_threshold"):
        (several,) = guesses(name)
        assert len(several) == len(set(several))
        assert not any("noisy@1 " in one for one in several)
