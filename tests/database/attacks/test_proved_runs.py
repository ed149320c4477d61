"""Programs that are proved and try to tell exact counts nevertheless: by what they say, by
failing, by taking long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from database.proofs import entry_back, proof
from hedgerow import protect
from hedgerow.database import Database
from hedgerow.errors import Refused
from hedgerow.verify.language.interpreter import run_program
from hedgerow.verify.language.interpreter.work_bounds import check_resources
from hedgerow.verify.language.program import Expression, Program
from hedgerow.verify.language.python import read_programs
from hedgerow.verify.prove.certificate import Certificate, hash_program
from hedgerow.verify.prove.checker import check

COUNT, TRUTH, BIG = "SELECT COUNT(*) FROM data", 4217, 10**98
HEAD = (
    '@mechanism(epsilon="eps", neighbours="one")\ndef f(q: private[list[int]], n: public[int], eps:'
    " public[float]):\n"
)


def written(body: str) -> Program:
    (found,) = read_programs(HEAD + "".join(f"    {line}\n" for line in body.splitlines()))
    assert isinstance(found, Program), found
    return found


def proved(body: str, *more: Expression) -> tuple[Program, Certificate]:
    """A program whose first noise makes up for the move of the count; the others stay as they
    are.
    """
    program = written(body)
    certificate = proof(program, entry_back("q", 0), *more)
    assert check(program, certificate) is None, check(program, certificate)
    return program, certificate


@pytest.fixture
def db() -> Iterator[Database]:
    table = pa.table({"id": list(range(TRUTH))})
    with protect(
        table,
        unit="id",
        max_groups=3,
        neighbours="add-remove",
        columns={},
        epsilon=1,
        max_rows_per_group=1,
    ) as found:
        yield found


def spent(db: Database) -> Any:
    return db.ledger.state.budget("people").charged.epsilon


# Over the reals each of them is the count with noise of scale 1/eps, or made of it.
THERE_AND_BACK = (
    f"y = x / {BIG}\n" + f"y = y / {BIG}\n" * 6 + f"y = y * {BIG}\n" * 7 + "return q[0] + y"
)
SAYINGS = {
    "there and back": THERE_AND_BACK,
    "back and there": (
        f"y = x * {BIG}\n" + f"y = y * {BIG}\n" * 6 + f"y = y / {BIG}\n" * 7 + "return q[0] + y"
    ),
    "with the count": (
        f"y = (q[0] + x) / {BIG}\n" + f"y = y / {BIG}\n" * 6 + f"y = y * {BIG}\n" * 7 + "return y"
    ),
    "by squares": "y = (x + 1) * (x - 1) - x * x + 1 + x\nreturn q[0] + y",
    "by the smaller": (
        f"y = min(x / {BIG}, x / {BIG})\ny = abs(y * {BIG}) if x > 0 else 0 - abs(y *"
        f" {BIG})\nreturn q[0] + y"
    ),
    "by the rest": f"z = q[0] + x\ny = z / {BIG} % 1 + floor(z / {BIG})\nreturn y * {BIG}",
}


# The checker does not see these two; what runs is looked at all the same.
UNSEEN = {
    "in a loop": (
        f"y = x\nfor i in range(n):\n    y = y / {BIG}\nfor j in range(n):\n    y = y *"
        f" {BIG}\nreturn q[0] + y"
    ),
    "by a root": f"y = x * sqrt(2) / {BIG}\ny = y * sqrt(2) / 2 * {BIG}\nreturn q[0] + y",
}


@pytest.mark.parametrize("name", SAYINGS)
def test_outputs_keep_their_noise(name: str, db: Database) -> None:
    """At epsilon 10^-9 the noise is below 1 once in 10^9 runs."""
    program, certificate = proved(f"x = laplace(1 / eps)\n{SAYINGS[name]}")
    for k in range(6):
        (told,) = db.run(program, certificate, q=[COUNT], n=7, eps=Fraction(1 + k, 10**10)).outputs
        assert abs(told - TRUTH) > 1


@pytest.mark.parametrize("name", UNSEEN)
def test_unproved_programs_keep_their_noise_too(name: str) -> None:
    program = written(f"x = laplace(1 / eps)\n{UNSEEN[name]}")
    for _ in range(6):
        (told,) = run_program(program, {"q": [TRUTH], "n": 7, "eps": Fraction(1, 10**10)})
        assert abs(told - TRUTH) > 1


def test_a_digest_that_was_replaced_changes_nothing(db: Database) -> None:
    """What is proved may run, whatever the label says; what is not may not."""
    plain, certificate = proved("x = laplace(1 / eps)\nreturn q[0] + x")
    evil = written("x = laplace(1 / eps)\nreturn q[0] + x / 1000")
    with pytest.raises(Refused, match="does not prove f"):
        db.run(evil, replace(certificate, source=hash_program(evil)), q=[COUNT], n=1, eps=1)
    assert spent(db) == 0
    db.run(
        plain, replace(certificate, source=hash_program(evil)), q=[COUNT], n=1, eps=Fraction(1, 10)
    )


# Nothing of these is told, so that their proofs are true. Reached on some data only, each would
# fail there, or take long.
HIDDEN = {
    "noise of a scale that is not drawn": (
        "y = geometric(10000000000000 / eps)",
        "scale must lie between",
    ),
    "a logarithm of 0": ("y = ln(n - 7)", "ln is applied"),
    "the root of -1": ("y = sqrt(6 - n)", "sqrt is applied"),
    "e to the power of 20,000": ("y = exp(n + 20000)", "above 10,000"),
    "two constants": (
        "y = q[0] * (ln(6) - ln(2) - ln(3))\nz = 1 if y < 0 else 2",
        "two irrational constants",
    ),
    "a number of a gigabyte": ("y = q[0]\n" + "y = y * y\n" * 30, "could exceed"),
    "bits of no width": ("y = uniform_bits(n - 7)", "width of a bit string is below 1"),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_nothing_fails_where_data_decide(name: str) -> None:
    body, told = HIDDEN[name]
    inside = "".join(f"    {line}\n" for line in body.splitlines())
    program = written(f"x = laplace(1 / eps)\nif q[0] > {TRUTH - 1}:\n{inside}return q[0] + x")
    with pytest.raises(Refused, match=told):
        check_resources(program, {"n": 7, "eps": Fraction(1)}, {"q": 1})


def test_a_program_that_always_fails_is_refused_before_the_charge(db: Database) -> None:
    program, certificate = proved(
        f"x = laplace(1 / eps)\nif q[0] > {TRUTH - 1}:\n    y = ln(n - 7)\nreturn q[0] + x"
    )
    with pytest.raises(Refused, match="f fails at these arguments on any data: ln is applied"):
        db.run(program, certificate, q=[COUNT], n=7, eps=1)
    assert spent(db) == 0


def test_nothing_takes_long_where_data_decide() -> None:
    heavy = "".join(f"        y{k} = q[0] * {BIG} * {k}\n" for k in range(100))
    program = written(
        f"x = laplace(1 / eps)\nfor i in range(n):\n    if q[0] > {TRUTH - 1}:\n{heavy}return"
        " q[0] + x"
    )
    public = {"n": 100_000, "eps": Fraction(1)}
    check_resources(program, public, {"q": 1})
    with pytest.raises(
        Refused, match=r"on some data it could take [\d,]+ seconds, above the deadline of 60"
    ):
        check_resources(program, public, {"q": 1}, seconds=60)
