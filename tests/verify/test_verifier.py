"""Examining programs: the right verdict with its line and its reason, and never a traceback."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from hedgerow.verify import verifier
from hedgerow.verify.language.program import Apply, Name, Number, Place, Program
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove import checker, prover, repair
from hedgerow.verify.prove.certificate import Failure
from hedgerow.verify.prove.search import finder
from hedgerow.verify.refute import paths, search
from hedgerow.verify.refute import refute as refuter
from hedgerow.verify.verdict import Verdict, VerdictKind
from hedgerow.verify.verifier import (
    compute_claim_multiple,
    format_claim,
    parse_document,
    verify_judgement,
    verify_program,
)
from verify.helpers_bad_programs import BAD
from verify.language.reading import PROGRAMS, gallery, python, read

X = "x: private[float], n: public[int], eps: public[float]"


def test_a_right_program_is_proved_with_its_costs() -> None:
    verdict = verify_program(
        read("return x + laplace(2 / eps)", X, '@mechanism(epsilon="eps/2", neighbours="one")\n')
    )
    assert verdict.verdict is VerdictKind.PROVED
    assert verdict.claim == "eps / 2 for one"
    assert (verdict.epsilon_upper, verdict.line, verdict.reason, verdict.witness) == (
        0.5,
        0,
        "",
        None,
    )
    assert verdict.epsilon_lower == pytest.approx(0.5)
    (cost,) = verdict.costs
    assert cost.line == 3
    assert "x<2>" in cost.shift
    assert "@" not in str(cost)
    assert cost.unit_cost == "eps / 2"
    assert (
        checker.check(
            read(
                "return x + laplace(2 / eps)", X, '@mechanism(epsilon="eps/2", neighbours="one")\n'
            ),
            verdict.certificate,
        )
        is None
    )


def test_a_loose_claim_is_proved_and_the_smallest_one_reported() -> None:
    verdict = verify_program(read("return x + laplace(4 / eps)", X))
    assert verdict.verdict is VerdictKind.PROVED
    assert verdict.claim == "eps for one"
    assert verdict.epsilon_upper == 0.25


def test_a_wrong_program_is_refuted_with_its_line() -> None:
    verdict = verify_program(read("y = laplace(1 / (2 * eps))\nreturn x + y", X))
    assert verdict.verdict is VerdictKind.REFUTED
    assert verdict.epsilon_lower == pytest.approx(2)
    assert verdict.line in (3, 4)
    assert verdict.reason
    assert verdict.witness.replay().ratio == pytest.approx(math.e**2)


def test_no_clock_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step takes an hour here, and there are years: nothing but the number of steps ends a
    search.
    """
    hours = count(step=3600.0)
    slow = SimpleNamespace(process_time=lambda: next(hours))
    for one in (finder, repair):
        monkeypatch.setattr(one, "time", slow)
    for other in (verifier, search, paths, refuter):
        monkeypatch.setattr(other, "process_time", slow.process_time)
    found = [
        verify_program(read(body, X), seconds=1e12)
        for body in ("return x + laplace(4 / eps)", "return x + laplace(1 / (2 * eps))")
    ]
    monkeypatch.undo()
    quick = [
        verify_program(read(body, X))
        for body in ("return x + laplace(4 / eps)", "return x + laplace(1 / (2 * eps))")
    ]
    assert [replace(one, seconds=0) for one in found] == [replace(one, seconds=0) for one in quick]
    assert [one.epsilon_upper for one in found] == [0.25, 2.0]


@pytest.mark.long
def test_noisy_max_that_claims_twice_what_it_costs() -> None:
    noisy_max = gallery()["noisy_max"]
    verdict = verify_program(
        replace(
            noisy_max,
            claim=replace(noisy_max.claim, epsilon=Apply("*", (Number(Fraction(2)), Name("eps")))),
        )
    )
    assert verdict.verdict is VerdictKind.PROVED
    assert verdict.epsilon_upper == 1


def response(chance: str, claim: str) -> Program:
    return read(
        f"return not x if bernoulli({chance}) else x",
        "x: private[bool]",
        f'@mechanism(epsilon="{claim}", neighbours="one")\n',
    )


def test_the_smallest_provable_bound_of_a_numeric_claim_is_reported() -> None:
    loose, exact, wrong = (
        verify_program(response(*one)) for one in (("1/4", "2"), ("1/4", "ln(3)"), ("1/5", "ln(3)"))
    )
    assert [one.verdict for one in (loose, exact, wrong)] == [
        VerdictKind.PROVED,
        VerdictKind.PROVED,
        VerdictKind.REFUTED,
    ]
    assert [one.epsilon_upper for one in (loose, exact, wrong)] == pytest.approx(
        [math.log(3), math.log(3), math.log(4)], rel=1e-12
    )
    assert wrong.epsilon_lower == pytest.approx(math.log(4), rel=1e-9)
    assert "hiding it costs more than ln(3)" in wrong.reason


WIDER = """
Wide(x : private real, b : public real) : public real
  z :=$ Laplace(b);
  return x + z

judge Wide ~ Wide : x<1> = x<2> and b<1> = 1 and b<2> = 2 ==> res<1> = res<2> [1/2]
"""


def test_a_judgement_about_two_scales_is_never_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    (judgement,) = parse_document(WIDER, "a.hr").judgements
    assert verify_judgement(judgement).verdict in (VerdictKind.REFUTED, VerdictKind.UNKNOWN)

    def failing(*_: Any, **__: Any) -> Any:
        raise KeyError("x")

    monkeypatch.setattr("hedgerow.verify.judgement.symbolic.decide_judgement", failing)
    verdict = verify_judgement(judgement)
    assert verdict.verdict is VerdictKind.UNKNOWN
    assert "Hedgerow failed" in verdict.reason


def test_coins_cost_what_their_law_costs() -> None:
    verdict = verify_program(
        read("if bernoulli(1/4):\n    output(not x)\nelse:\n    output(x)", "x: private[bool]", LN3)
    )
    (cost,) = verdict.costs
    assert str(cost) == "line 3: the coins from here on have other probabilities if x<1> != x<2>"
    assert cost.with_unit_cost.endswith("; ln(3) each time")


LN3 = '@mechanism(epsilon="ln(3)", neighbours="one")\n'


def test_private_data_without_noise_is_refuted_at_the_line_where_it_gets_out() -> None:
    for name, line in (("bad_mean_without_noise", 34), ("BadMean", 15)):
        verdict = verify_program(gallery()[name])
        assert verdict.verdict is VerdictKind.REFUTED
        assert verdict.line == line
        assert "without noise" in verdict.reason
        assert verdict.epsilon_lower == math.inf


def test_an_unsupported_program_is_unknown_with_its_line() -> None:
    verdict = verify_program(UnsupportedProgram("lambda is not in the language", Place(7), "f"))
    assert (verdict.name, verdict.verdict, verdict.line, verdict.reason) == (
        "f",
        VerdictKind.UNKNOWN,
        7,
        "lambda is not in the language",
    )


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_never_proved_and_always_explained(name: str) -> None:
    body, told = BAD[name]
    verdict = verify_program(python(body, X))
    assert verdict.verdict in (VerdictKind.UNKNOWN, VerdictKind.REFUTED)
    assert told in verdict.reason
    assert verdict.reason
    assert verdict.line >= 2


def test_a_missing_annotation_is_unknown() -> None:
    verdict = verify_program(python("return 1", "x, eps: public[float]"))
    assert verdict.verdict is VerdictKind.UNKNOWN
    assert verdict.line == 2


def test_without_time_nothing_is_claimed() -> None:
    verdict = verify_program(gallery()["smart_sum"], seconds=0.05)
    assert verdict.verdict is VerdictKind.UNKNOWN
    assert verdict.reason


def test_under_row_a_program_with_a_public_size_is_unknown_and_says_why() -> None:
    verdict = verify_program(gallery()["unclear_dummy_sum"])
    assert verdict.verdict is VerdictKind.UNKNOWN
    assert 'under "row" the length of q is private' in verdict.reason


GOOD = read("return x + laplace(1 / eps)", X)


def test_a_proof_that_the_checker_does_not_accept_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "check", lambda *_: Failure("this does not follow", Place(3)))
    verdict = verify_program(GOOD)
    assert verdict.verdict is VerdictKind.UNKNOWN
    assert verdict.reason == "this does not follow"


def test_a_proof_and_a_counterexample_together_claim_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whichever of the two is wrong, neither is believed."""
    monkeypatch.setattr(
        refuter,
        "run_refuter",
        lambda *_, **__: SimpleNamespace(counterexample=None, strongest=None, epsilon_lower=1.5),
    )
    assert "bug in Hedgerow" in verify_program(GOOD).reason
    monkeypatch.undo()
    bad = read("return x + laplace(1 / (2 * eps))", X)
    certificate = verify_program(GOOD).certificate
    monkeypatch.setattr(prover, "prove", lambda *_, **__: certificate)
    verdict = verify_program(bad)
    assert verdict.verdict is VerdictKind.UNKNOWN
    assert "bug in Hedgerow" in verdict.reason


NOWHERE_NEGATIVE = """
@mechanism(epsilon="a - c", neighbours="secret")
def leak(x: private[bool], a: public[float], c: public[float]):
    k = bernoulli(1/2)
    if a < c:
        output(x)
    else:
        output(k)
"""


def test_an_infinite_lower_bound_is_never_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the claim is no multiple of one parameter, so that nothing else compares the
    two.
    """
    (program,) = parse_document(NOWHERE_NEGATIVE, "a.py").programs
    assert isinstance(program, Program)
    # the claim, a - c, is its own unit
    assert compute_claim_multiple(program.claim.epsilon, program) == 1.0
    verdict = verify_program(program)
    # where c is above a, there is no run and no claim
    assert (verdict.verdict, verdict.epsilon_lower) == (VerdictKind.PROVED, 0.0)
    assert verdict.unit == "the claim"
    monkeypatch.setattr(
        refuter,
        "run_refuter",
        lambda *_, **__: SimpleNamespace(
            counterexample=None, strongest=None, epsilon_lower=math.inf
        ),
    )
    assert "bug in Hedgerow" in verify_program(program).reason


def test_a_mistake_in_a_part_is_no_proof_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any, **__: Any) -> Any:
        raise KeyError("x")

    monkeypatch.setattr(refuter, "run_refuter", failing)
    verdict = verify_program(GOOD)
    assert verdict.verdict is VerdictKind.UNKNOWN
    assert "Hedgerow failed on this program (KeyError)" in verdict.reason


def test_without_z3_the_install_command_is_shown_and_refutations_work() -> None:
    code = """if True:
        import sys
        sys.modules["z3"] = None
        from hedgerow.verify.verifier import verify_program
        from hedgerow.verify.language.python import read_programs
        head = '@mechanism(epsilon="eps", neighbours="one")\\n\
def f(x: private[float], eps: public[float]):\\n    return x'
        for text in (head + " + laplace(1 / eps)", head):
            (program,) = read_programs(text)
            print(verify_program(program))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    unknown, refuted = done.stdout.splitlines()
    assert unknown.startswith("UNKNOWN f")
    assert "pip install 'hedgerow[verify]'" in unknown
    assert refuted.startswith("REFUTED f (line 3)")


def raising(*_: Any, **__: Any) -> Any:
    raise RecursionError


def test_errors_of_prover_and_refuter_become_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "prove", raising)
    verdict = verify_program(GOOD)
    assert verdict.verdict is VerdictKind.UNKNOWN
    assert verdict.reason == "the program is nested too deeply; flatten it"
    monkeypatch.undo()
    monkeypatch.setattr(refuter, "run_refuter", raising)
    assert verify_program(GOOD).epsilon_lower is None


def test_a_refutation_without_any_hint_points_at_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prover, "prove", raising)
    verdict = verify_program(read("return x + laplace(1 / (2 * eps))", X))
    assert verdict.verdict is VerdictKind.REFUTED
    assert "more likely on one neighbour" in verdict.reason


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("eps", 1.0),
        ("5/4*eps", 1.25),
        ("n*eps", None),
        ("eps*eps", None),
        ("n", 1.0),  # told in itself
        ("ln(3)", math.log(3)),
        ("eps + 1", None),
        ("0", 0.0),
    ],
)
def test_claims_in_units_of_eps(claim: str, expected: float | None) -> None:
    program = read("return 1", X, f'@mechanism(epsilon="{claim}", neighbours="one")\n')
    found = compute_claim_multiple(program.claim.epsilon, program)
    assert found == (pytest.approx(expected) if expected is not None else None)


def test_a_symbolic_claim_has_no_units() -> None:
    program = read("return 1", X, '@mechanism(epsilon="1/(eps - 1)", neighbours="one")\n')
    assert compute_claim_multiple(program.claim.epsilon, program) is None


def test_claims_as_text() -> None:
    program = read(
        "return 1", X, '@mechanism(epsilon="2*eps", delta="1/8", neighbours=("group", 3))\n'
    )
    assert format_claim(program.claim) == "2 * eps, 1 / 8 for group 3"


def test_files_are_read_by_how_their_names_end() -> None:
    assert isinstance(parse_document("f()\n  return 1", "a.hr").programs[0], Program)
    (found,) = parse_document("f( $", "a.hr").programs
    assert isinstance(found, UnsupportedProgram)
    assert found.name == "a.hr"
    assert parse_document("x = 1", "a.py").programs == ()


def judged() -> list[Verdict]:
    text = (PROGRAMS / "judgements.hr").read_text(encoding="utf-8")
    return [verify_judgement(one) for one in parse_document(text, "judgements.hr").judgements]


def test_judgements_are_decided() -> None:
    found = judged()
    assert [one.verdict for one in found].count(VerdictKind.REFUTED) == 2
    assert [one.verdict for one in found].count(VerdictKind.PROVED) == len(found) - 2
    refuted = next(one for one in found if one.verdict is VerdictKind.REFUTED)
    assert refuted.name == "Leak ~ Leak"
    assert "probability 1" in str(refuted.witness)
    assert refuted.to_dict()["witness"]["probabilities"] == [1.0, 0.5]
    assert found[5].claim == "True ==> res<1> == res<2> [ln(3)]"
    assert all(one.line for one in found)


def test_a_judgement_that_was_not_read_is_unknown() -> None:
    verdict = verify_judgement(UnsupportedProgram("Foul is not a program", Place(3), "judge"))
    assert (verdict.verdict, verdict.line) == (VerdictKind.UNKNOWN, 3)
