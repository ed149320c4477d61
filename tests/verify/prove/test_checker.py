"""The checker accepts manual proofs, and refuses every change to them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hedgerow.verify.language.program import Apply, Assign, Length, Name, Number, Output, Read
from hedgerow.verify.prove.certificate import Certificate, hash_program
from hedgerow.verify.prove.checker import (
    check,
    derive_obligations,
    is_discharged,
    normalise_program,
)
from hedgerow.verify.prove.obligations import OBLIGATION_NAMES
from verify.prove.proving import above_threshold, certificate, expression, program, shipped


def test_accepts_a_proof_of_the_sparse_vector_technique() -> None:
    about, proof = above_threshold()
    assert check(about, proof) is None
    assert check(about, Certificate.from_json(proof.to_json())) is None


def test_a_certificates_claims_about_its_program_are_not_trusted() -> None:
    """Check both directions: matching labels prove nothing, and a proof needs no labels."""
    about, proof = above_threshold()
    assert check(replace(about, source=about.source + "\n# a comment"), proof) is None
    assert check(about, replace(proof, source="", program="")) is None
    told = replace(about, body=(Output(Read("q", Number(Fraction(0)))), *about.body))
    failure = check(told, replace(proof, source=hash_program(told)))
    assert failure is not None
    assert failure.obligation == "output"


def test_refuses_another_claim() -> None:
    about, proof = above_threshold()
    failure = check(about, replace(proof, epsilon=Number(Fraction(7))))
    assert failure is not None
    assert failure.reason == "the certificate proves another claim; prove the program again"
    failure = check(about, replace(proof, delta=Name("eps")))
    assert failure is not None


@pytest.mark.parametrize(
    ("shifts", "obligation"),
    [
        (("1", "1 if q@1[i@1] + @noise >= threshold@1 else 0"), "branch"),
        (("0", "2 if q@1[i@1] + @noise >= threshold@1 else 0"), "branch"),
        (("1", "3 if q@1[i@1] + @noise >= threshold@1 else 0"), "kept"),
        (("1", "2 if q@1[i@1] + @noise <= threshold@1 else 0"), "one-to-one"),
        (("1", "@noise"), "piecewise"),
        (("2", "2 if q@1[i@1] + @noise >= threshold@1 else 0"), "branch"),
    ],
)
def test_refuses_a_tampered_alignment(shifts: tuple[str, ...], obligation: str) -> None:
    about, proof = above_threshold()
    failure = check(about, replace(proof, shifts=tuple(map(expression, shifts))))
    assert failure is not None
    assert failure.obligation == obligation
    assert failure.place.line > 0


@pytest.mark.parametrize(
    ("invariants", "obligation"),
    [
        (("i@1 == i@2", "count@1 == count@2", "@cost1 <= count@1", "count@1 <= N"), "kept"),
        (("i@1 == i@2", "count@1 == count@2", "@cost1 <= 2 * count@1", "count@1 <= N - 1"), "kept"),
        (("i@1 == i@2", "count@1 == count@2", "@cost1 <= 2 * count@1", "count@1 >= 1"), "entry"),
        (("i@1 == i@2", "count@1 == count@2", "@cost1 <= 2 * count@1"), "cost"),
        (("i@1 == i@2", "count@1 == count@2", "@cost1 <= 2 * count@1", "False"), "entry"),
        (("count@1 == count@2",), "loop"),
    ],
)
def test_refuses_a_tampered_invariant(invariants: tuple[str, ...], obligation: str) -> None:
    about, proof = above_threshold()
    failure = check(about, replace(proof, invariants=(tuple(map(expression, invariants)),)))
    assert failure is not None
    assert failure.obligation == obligation


@pytest.mark.parametrize("variant", ["size", "i@1", "count@1 - i@1"])
def test_refuses_a_tampered_variant(variant: str) -> None:
    about, proof = above_threshold()
    failure = check(about, replace(proof, variants=(expression(variant),)))
    assert failure is not None
    assert failure.obligation == "ends"


def test_refuses_what_does_not_fit_the_program() -> None:
    about, proof = above_threshold()
    for other in (
        replace(proof, shifts=proof.shifts[:1]),
        replace(proof, invariants=()),
        replace(proof, variants=()),
    ):
        failure = check(about, other)
        assert failure is not None
        assert "does not have a shift for each noise" in failure.reason


@pytest.mark.parametrize(
    "name",
    ["nobody@1", "nobody", "q@1", "threshold", "@answer", "@cost7", "threshold@3", "@where:p"],
)
def test_refuses_to_speak_of_what_is_not_there(name: str) -> None:
    about, proof = above_threshold()
    assert check(about, replace(proof, shifts=(expression("1"), expression(name)))) is not None


@pytest.mark.parametrize(
    "text", ["q[0]", "q@3[0]", "p@1[0]", "@spent:q[0.5]", "q@1[threshold@1]", "threshold@1[0]"]
)
def test_refuses_to_read_what_is_not_there(text: str) -> None:
    about, proof = above_threshold()
    assert check(about, replace(proof, shifts=(expression("1"), expression(text)))) is not None
    for length in ("q", "q@3", "p@1"):
        assert check(about, replace(proof, variants=(Length(length),))) is not None


def test_refuses_expressions_that_are_too_deep() -> None:
    about, proof = above_threshold()
    deep = Number(Fraction(1))
    for _ in range(5000):
        deep = Apply("+", (deep, Number(Fraction(0))))  # type: ignore[assignment]
    assert check(about, replace(proof, shifts=(deep, proof.shifts[1]))) is not None


def test_the_noise_that_is_drawn_is_not_known_before_it_is_drawn() -> None:
    """Refuse a shift that uses the sampled variable before the draw."""
    about = shipped()["laplace_mechanism"]
    failure = check(about, certificate(about, ("-noise@1",)))
    assert failure is not None
    assert "noise@1" in failure.reason


def test_the_inside_of_a_loop_does_not_know_that_the_loop_has_ended() -> None:
    """Keep the negated guard out of the loop body, where it would contradict the guard."""
    about, proof = above_threshold()
    wrong = replace(proof, shifts=(expression("1"), expression("0")))
    failure = check(about, wrong)
    assert failure is not None
    assert failure.obligation == "branch"
    loop = next(
        one for one in derive_obligations(normalise_program(about), proof) if one.name == "loop"
    )
    inside = [
        one
        for one in derive_obligations(normalise_program(about), proof)
        if one.name in ("branch", "output", "kept", "ends")
    ]
    assert inside
    assert all(len(one.assumptions) > len(loop.assumptions) for one in inside)


def test_a_noisy_maximum_with_too_little_noise_is_not_proved_by_the_shift_of_the_old_proof() -> (
    None
):
    about = shipped()["bad_noisy_max_small_noise"]
    kept = (
        "i@1 == i@2",
        "not (i@1 <= @answer) or best@2 - best@1 <= 1",
        "not (i@1 > @answer and winner@1 == @answer) or winner@2 == @answer",
        "not (i@1 <= @answer) or @cost0 <= 0",
        "@cost0 <= 1",
    )
    for shift in ("1 if i@1 == @answer else 0", "2 if i@1 == @answer else 0"):
        assert (
            check(
                about,
                certificate(
                    about, (shift,), mode="pointwise", invariants=(kept,), variants=("size - i@1",)
                ),
            )
            is not None
        )


def test_a_public_parameter_stays_what_it_was() -> None:
    about = program("""
@mechanism(epsilon="eps", neighbours="one")
def one(x: private[float], eps: public[float]):
    return x + laplace(1 / eps)
""")
    cheat = Assign("eps", Apply("*", (Number(Fraction(100)), Name("eps"))))
    cheating = replace(about, body=(cheat, *about.body))
    failure = check(cheating, certificate(cheating, ("x@1 - x@2",)))
    assert failure is not None
    assert "must not be assigned" in failure.reason


def test_a_claim_is_made_of_public_parameters() -> None:
    about, proof = above_threshold()
    private = replace(about, claim=replace(about.claim, epsilon=Name("threshold")))
    failure = check(
        private, replace(proof, source=hash_program(private), epsilon=Name("threshold"))
    )
    assert failure is not None
    assert failure.reason == "the claim must be made of public parameters; remove the others"


def test_statements_on_an_impossible_path_prove_nothing() -> None:
    """Refuse a path that contradicts the assumption of positive scales: it proves nothing."""
    about = program("""
@mechanism(epsilon="eps", neighbours="one")
def one(x: private[float], n: public[int], eps: public[float]):
    y = x + laplace(n / (n * n * eps))
    if n < 0:
        output(x)
    output(n)
""")
    failure = check(about, certificate(about, ("0",)))
    assert failure is not None
    assert failure.obligation == "possible"


def test_leaving_out_all_obligations_is_possible_in_tests_only() -> None:
    about, proof = above_threshold()
    nothing = replace(proof, shifts=(expression("0"), expression("0")))
    assert check(about, nothing) is not None
    assert check(about, nothing, required=()) is None
    assert len(set(OBLIGATION_NAMES)) == len(OBLIGATION_NAMES)


def test_every_obligation_of_a_proof_is_shown_by_itself() -> None:
    about, proof = above_threshold()
    every = derive_obligations(normalise_program(about), proof)
    assert {one.name for one in every} == {
        "scale",
        "entry",
        "loop",
        "one-to-one",
        "branch",
        "output",
        "kept",
        "ends",
        "cost",
    }
    assert all(map(is_discharged, every))
