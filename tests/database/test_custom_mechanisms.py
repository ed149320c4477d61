"""Mechanisms of an analyst's own: what is accepted, what is charged, what is refused before
anything is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from database.clinic import visits, write
from database.helpers_mechanisms import BY_REGION, NOISY, NOISY_PROOF, NORTH, SOUTH, paired
from database.proofs import back, entry_back, program, proof
from hedgerow import protect
from hedgerow.database import Database, open
from hedgerow.errors import BudgetExceeded, InvalidArgument, Refused, SourceError
from hedgerow.release.release import SOURCE_FAILED
from hedgerow.verify.language.interpreter.program_process import ProgramProcess
from hedgerow.verify.language.program import Name, Number, Output, Program
from hedgerow.verify.language.python import read_programs
from hedgerow.verify.prove.certificate import Certificate, hash_program


@pytest.fixture
def db() -> Iterator[Database]:
    columns = {"age": (0, 110), "region": ["north", "south"], "city": {"type": "text"}}
    with protect(
        visits(),
        unit="patient_id",
        neighbours="add-remove",
        columns=columns,
        epsilon=4,
        delta=1e-9,
        max_groups=1,
        max_rows_per_group=3,
    ) as found:
        yield found


def spent(db: Database) -> Any:
    return db.ledger.state.budget("people").charged.epsilon


def test_a_run_is_charged_its_proved_loss_and_returns_noisy_outputs(db: Database) -> None:
    found = db.run(NOISY, NOISY_PROOF, x=NORTH, eps=Fraction(3))
    assert spent(db) == found.cost.epsilon == found.receipt.epsilon == 3
    (noisy,) = found.outputs
    # a noise of scale 1/3 leaves that with probability e^-30
    assert noisy == pytest.approx(134, abs=10)
    body = db.ledger.entries()[-2].body
    assert body["about"] == {"table": "data", "mechanism": "noisy", "claim": "eps"}


def test_the_same_again_is_free_and_anything_else_is_not(db: Database) -> None:
    first = db.run(NOISY, NOISY_PROOF, x=NORTH, eps=1)
    again = db.run(
        NOISY,
        NOISY_PROOF.to_json(),
        x="select count(distinct patient_id) from data where 'north' = region",
        eps=1.0,
    )
    assert again.outputs == first.outputs
    assert again.receipt.reused
    assert (again.cost.epsilon, spent(db)) == (0, 1)
    db.run(NOISY, NOISY_PROOF, x=NORTH, eps=Fraction(1, 2))
    db.run(NOISY, NOISY_PROOF, x=SOUTH, eps=1)
    assert spent(db) == Fraction(5, 2)


def test_a_request_is_charged_once(db: Database) -> None:
    first = db.run(NOISY, NOISY_PROOF, x=NORTH, eps=1, request="r1")
    assert db.run(NOISY, NOISY_PROOF, x=NORTH, eps=1, request="r1").outputs == first.outputs
    assert spent(db) == 1


def test_lists_are_several_questions_or_one_by_declared_groups(db: Database) -> None:
    both, certificate = paired('"all"')
    several = db.run(both, certificate, q=[NORTH, SOUTH], eps=Fraction(1, 2))
    assert several.cost.epsilon == 1  # 2 * eps
    one, certificate = paired('"one"', "eps")
    grouped = db.run(one, certificate, q=BY_REGION, eps=2)
    assert grouped.cost.epsilon == 2
    north, south = grouped.outputs
    assert (type(north), type(south)) == (int, int)
    assert north == pytest.approx(134, abs=20)
    assert south == pytest.approx(133, abs=20)


@pytest.mark.parametrize("neighbours", ['("l1", 2)', '("group", 2)'])
def test_l1_and_group_neighbours_are_accepted(neighbours: str, db: Database) -> None:
    two, certificate = paired(neighbours)
    assert db.run(two, certificate, q=[NORTH, SOUTH], eps=Fraction(1, 4)).cost.epsilon == Fraction(
        1, 2
    )


def test_only_the_proof_of_this_very_program_is_accepted(db: Database) -> None:
    loud = program("noisy", scale="1 / (2 * eps)")
    for certificate in (
        NOISY_PROOF,
        proof(loud, back("x")),
        replace(NOISY_PROOF, source=hash_program(loud)),
    ):
        with pytest.raises(Refused, match=r"does not prove noisy: .*costs more than eps"):
            db.run(loud, certificate, x=NORTH, eps=1)
    with pytest.raises(Refused, match=r"does not prove noisy: .*another claim"):
        db.run(NOISY, replace(NOISY_PROOF, epsilon=Number(Fraction(0))), x=NORTH, eps=1)
    with pytest.raises(InvalidArgument, match="must be the certificate of a proof"):
        db.run(NOISY, x=NORTH, eps=1)
    with pytest.raises(InvalidArgument, match="to_json"):
        db.run(NOISY, "{}", x=NORTH, eps=1)
    with pytest.raises(InvalidArgument, match="function with @mechanism"):
        db.run(len, NOISY_PROOF, x=NORTH, eps=1)
    assert spent(db) == 0


@dataclass
class Verdict:
    verdict: str
    certificate: Certificate | None
    reason: str = ""


@dataclass
class Mechanism:
    program: Program
    found: Verdict

    def verify(self) -> Verdict:
        return self.found


def test_without_a_certificate_a_proof_is_looked_for(db: Database) -> None:
    assert (
        db.run(Mechanism(NOISY, Verdict("PROVED", NOISY_PROOF)), x=NORTH, eps=1).cost.epsilon == 1
    )
    with pytest.raises(
        Refused,
        match=(
            r"noisy is REFUTED, not PROVED. Change it until it is proved: only then may it run on"
            r" protected data. Too little noise."
        ),
    ):
        db.run(Mechanism(NOISY, Verdict("REFUTED", None, "Too little noise.")), x=NORTH, eps=1)


def test_a_run_that_cannot_go_well_is_refused_beforehand(db: Database) -> None:
    broken = program("broken")
    certificate = proof(broken, entry_back("q", Name("at")))
    assert (
        len(db.run(broken, certificate, q=[NORTH, SOUTH], at=1, extra=[1, 2], eps=1).outputs) == 1
    )
    with pytest.raises(
        Refused, match=r"broken fails at these arguments on any data: .*above 10,000"
    ):
        db.run(broken, certificate, q=[NORTH, SOUTH], at=20_000, extra=[], eps=1)
    with pytest.raises(InvalidArgument, match="extra must be a list"):
        db.run(broken, certificate, q=[NORTH, SOUTH], at=1, extra=5, eps=1)
    assert spent(db) == 1


def test_a_failure_on_the_data_is_charged_and_discloses_nothing(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hedgerow.verify.language import interpreter as running

    original = running.run_program

    def fails_on_data(of: Program, values: Any) -> Any:
        if values["x"] > 0:
            raise RuntimeError("the secret is 42")
        return original(of, values)

    monkeypatch.setattr(running, "run_program", fails_on_data)
    with pytest.raises(SourceError) as told:
        db.run(NOISY, NOISY_PROOF, x=NORTH, eps=1)
    assert told.value.args == (SOURCE_FAILED,)
    assert told.value.__context__ is None
    assert spent(db) == 1


def test_the_checked_program_is_the_one_that_runs(db: Database) -> None:
    """A program that shows one body to the checker and another to the runner is read once."""

    class Two(Program):
        looks = 0

        def __getattribute__(self, name: str) -> Any:
            if name == "body":
                type(self).looks += 1
                return NOISY.body if type(self).looks == 1 else (Output(Name("x")),)
            return object.__getattribute__(self, name)

    two = Two(NOISY.name, NOISY.parameters, NOISY.body, NOISY.claim, NOISY.source)
    (told,) = db.run(two, NOISY_PROOF, x=NORTH, eps=1).outputs
    assert told != 134
    assert Two.looks == 1


def test_a_number_that_could_grow_too_large_is_refused_beforehand(db: Database) -> None:
    squares = "".join("    y = y * y\n" for _ in range(12))
    head = (
        '@mechanism(epsilon="eps", neighbours="all")\ndef f(x: private[float], eps:'
        " public[float]):\n"
    )
    text = f"{head}    y = x\n{squares}    return x + laplace(1 / eps) + 0 * y\n"
    (grows,) = read_programs(text)
    assert isinstance(grows, Program)
    with pytest.raises(
        Refused,
        match=r"f is not run: line 13: on some data, a number in y \* y could exceed 65,536 bits",
    ):
        db.run(grows, proof(grows, back("x")), x=NORTH, eps=1)
    assert spent(db) == 0


def test_a_mechanism_runs_in_the_process_of_an_isolated_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, started = (
        "SELECT COUNT(DISTINCT patient_id) FROM visits WHERE region = 'north'",
        list[float](),
    )
    original = ProgramProcess.__init__

    def noted(self: ProgramProcess, *given: Any, seconds: float, memory: int) -> None:
        started.append(seconds)
        original(self, *given, seconds=seconds, memory=memory)

    monkeypatch.setattr(ProgramProcess, "__init__", noted)
    with open(write(tmp_path / "clinic"), analyst="ana", deadline=17) as db:
        db.run(NOISY, NOISY_PROOF, x=asked, eps=Fraction(1, 4))
        assert started == [17]
        assert db.run(NOISY, NOISY_PROOF, x=asked, eps=Fraction(1, 4)).receipt.reused
        monkeypatch.setattr(
            ProgramProcess, "run", lambda self, private: self._request({"nonsense": 1}, 17)
        )
        with pytest.raises(SourceError) as told:
            db.run(NOISY, NOISY_PROOF, x=asked, eps=Fraction(1, 8))
    assert told.value.args == (SOURCE_FAILED,)
    assert started == [17, 17]


def test_a_policy_file_governs_custom_mechanisms(tmp_path: Path) -> None:
    path = write(tmp_path / "clinic")
    with open(path, analyst="ana") as db:
        asked = "SELECT COUNT(DISTINCT patient_id) FROM visits WHERE region = 'north'"
        assert db.run(NOISY, NOISY_PROOF, x=asked, eps=Fraction(1, 2)).receipt.epsilon == Fraction(
            1, 2
        )
        with pytest.raises(BudgetExceeded, match="ana"):
            db.run(NOISY, NOISY_PROOF, x=asked, eps=Fraction(1, 4))
        with pytest.raises(Refused, match="at most 1"):
            db.run(NOISY, NOISY_PROOF, x=asked, eps=2)


@pytest.mark.long
def test_a_sparse_vector_is_proved_and_pays_for_one_answer_of_many(db: Database) -> None:
    from verify.programs.sparse import above_threshold, bad_above_threshold_no_query_noise

    asked = [
        f"SELECT COUNT(DISTINCT patient_id) FROM data WHERE age > {age}" for age in (78, 70, 20)
    ]
    found = db.run(above_threshold, q=asked, size=3, T=200, N=1, eps=3)
    assert found.cost.epsilon == 3
    # each is 100 away from the threshold; noise of that size has a chance below 1e-9
    assert found.outputs == (False, False, True)
    with pytest.raises(Refused, match="not PROVED"):
        db.run(bad_above_threshold_no_query_noise, q=asked, size=3, T=200, eps=1)
