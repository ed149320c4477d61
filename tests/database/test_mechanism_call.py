"""The arguments of a custom mechanism: which questions and public values are refused."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from database.clinic import visits
from database.helpers_mechanisms import BY_REGION, NOISY, NOISY_PROOF, NORTH, SOUTH, paired
from database.proofs import back, program, proof
from hedgerow import protect
from hedgerow.database import Database
from hedgerow.errors import InvalidArgument, Refused


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


def test_questions_that_move_too_far_are_named() -> None:
    one, certificate = paired('"one"', "eps")
    with protect(
        visits(),
        unit="patient_id",
        neighbours="add-remove",
        epsilon=4,
        max_groups=2,
        max_rows_per_group=3,
        columns={"region": ["north", "south"]},
    ) as db:
        with pytest.raises(
            Refused,
            match=(
                r"One person changes 'SELECT COUNT\(\*\) FROM data' by up to 3, but noisy is proved"
                r" for answers that"
            ),
        ):
            db.run(NOISY, NOISY_PROOF, x="SELECT COUNT(*) FROM data", eps=1)
        with pytest.raises(
            Refused,
            match=(
                r"'south'' by up to 1, and all questions up to this one by 2 together, but pair is"
                r" proved for one"
            ),
        ):
            db.run(one, certificate, q=[NORTH, SOUTH], eps=1)
        with pytest.raises(
            Refused,
            match=r"by up to 1 in 2 groups, but pair is proved for one answer that changes by at",
        ):
            db.run(one, certificate, q=BY_REGION, eps=1)
        two, certificate = paired('("l1", 1)', "eps")
        with pytest.raises(Refused, match="proved for answers that change by at most 1 together"):
            db.run(two, certificate, q=[NORTH, SOUTH], eps=1)
        three, certificate = paired('("group", 1)', "eps")
        with pytest.raises(
            Refused, match="proved for at most 1 answers that change by at most 1 each"
        ):
            db.run(three, certificate, q=[NORTH, SOUTH], eps=1)
        assert spent(db) == 0


def test_a_replaced_unit_moves_two_groups() -> None:
    one, certificate = paired('"one"', "eps")
    two, other = paired('("group", 2)')
    rows = pa.table({"region": ["north"] * 30 + ["south"] * 20})
    with protect(
        rows, unit="row", neighbours="change-one", columns={"region": ["north", "south"]}, epsilon=4
    ) as db:
        asked = "SELECT region, COUNT(*) FROM data GROUP BY region"
        with pytest.raises(Refused, match="in 2 groups"):
            db.run(one, certificate, q=asked, eps=1)
        assert db.run(two, other, q=asked, eps=1).cost.epsilon == 2


def test_the_assumptions_of_the_proof_are_checked(db: Database) -> None:
    scaled = program("scaled")
    certificate = proof(scaled, back("x"))
    assert db.run(scaled, certificate, x=NORTH, N=2, loud=True, eps=1).outputs[0] is True
    assert spent(db) == Fraction(1, 2)
    for wrong, told in (
        ({"N": -1}, "the scale N / eps of laplace noise must be above 0"),
        ({"eps": 0}, "eps must be above 0"),
        ({"eps": -1, "N": -1}, "eps must be above 0"),
        ({"N": Fraction(1, 2)}, "N must be a whole number"),
        ({"loud": 1}, "loud must be True or False"),
        ({"eps": "1"}, "eps must be a number"),
        ({"N": 10**4001}, "N must be a number of at most 4,000 digits"),
        ({"N": 10**13}, "the price must lie between"),
        (
            {"eps": 4000, "N": 1},
            "costs epsilon 4000 with these arguments; one question may use at most 4",
        ),
    ):
        with pytest.raises((Refused, InvalidArgument), match=told):
            db.run(scaled, certificate, **{"x": NORTH, "N": 2, "loud": True, "eps": 1, **wrong})
    assert spent(db) == Fraction(1, 2)


def test_a_price_is_rounded_up(db: Database) -> None:
    thirds = program("noisy", claim="eps / 3", scale="3 / eps")
    found = db.run(thirds, proof(thirds, back("x")), x=NORTH, eps=1)
    assert Fraction(1, 3) < found.receipt.epsilon < Fraction(1, 3) + Fraction(1, 10**17)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (3, "x is private and must be given as a question"),
        ([], "x is private and must be given as a question"),
        ([NORTH, SOUTH], "must be given as one question with one answer"),
        (BY_REGION, "must be given as one question with one answer"),
        ("SELECT SUM(age) FROM data", "is not a single COUNT"),
        ("SELECT AVG(age) FROM data", "is not a single COUNT"),
        ("SELECT COUNT(*), COUNT(age) FROM data", "is not a single COUNT"),
        ("SELECT COUNT(*) + 1 FROM data", "is not a single COUNT"),
        (
            "SELECT COUNT(*) FILTER (WHERE age > 40) FROM data",
            "with more than 3, but a mechanism needs whole numbers",
        ),
        ("SELECT COUNT(age) FROM data", "with more than 3, but a mechanism needs whole numbers"),
        ("SELECT city, COUNT(*) FROM data GROUP BY city", "groups of .* are not declared"),
        ("SELECT COUNT(*) AS n FROM data HAVING COUNT(*) > 5", "sorts or filters its answers"),
        ("SELECT COUNT(*) FROM data LIMIT 1", "sorts or filters its answers"),
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) COUNT(*) FROM data",
            "names a price",
        ),
        ("EXPLAIN PRIVACY SELECT COUNT(*) FROM data", "leave EXPLAIN PRIVACY out"),
    ],
)
def test_only_plain_counts_are_handed_over(asked: Any, told: str, db: Database) -> None:
    with pytest.raises((Refused, InvalidArgument), match=told):
        db.run(NOISY, NOISY_PROOF, x=asked, eps=1)
    assert spent(db) == 0


def test_arguments_match_the_program(db: Database) -> None:
    with pytest.raises(InvalidArgument, match="eps must be given: noisy takes x, eps"):
        db.run(NOISY, NOISY_PROOF, x=NORTH)
    with pytest.raises(InvalidArgument, match="T must be left out: noisy takes x, eps"):
        db.run(NOISY, NOISY_PROOF, x=NORTH, eps=1, T=3)
    with pytest.raises(InvalidArgument, match="analyst"):
        db.run(NOISY, NOISY_PROOF, x=NORTH, eps=1, analyst="")


def test_directed_and_other_relations_are_refused(db: Database) -> None:
    for neighbours in ("increasing", "decreasing"):
        mono = program("noisy", neighbours=neighbours)
        with pytest.raises(
            Refused,
            match=(
                f'noisy is proved for neighbours "{neighbours}", but one unit can raise and lower'
                " counts"
            ),
        ):
            db.run(mono, proof(mono, back("x")), x=NORTH, eps=1)
