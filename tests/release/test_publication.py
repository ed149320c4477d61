"""The release of a publication: the program spends what was charged, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from doorway import (
    Cells,
    Plain,
    charge,
    ledger,
    plan,
)
from hedgerow.errors import BudgetExceeded, InvalidArgument, SourceError
from hedgerow.ledger.entry import Entry
from hedgerow.mechanisms import Laplace
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, Table
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.unit import Unit
from hedgerow.release.linear_queries import BinSums, QueryBlock
from hedgerow.release.noise import ReleaseNoise
from hedgerow.release.private_table import PrivateTable
from hedgerow.release.publication import release_publication
from hedgerow.release.release import SOURCE_FAILED, release

CROSS = Aggregate(
    Group(
        Bound(
            Project(
                Table(Schema("visits", (Column("x", "integer"),), "who")), (("v0", ColumnRef("x")),)
            ),
            (),
            1,
            3,
        ),
        (),
    ),
    (Contingency((("v0", 7),)),),
)


EACH = QueryBlock(((0, BinSums(7)),))


class Crossed(Plain):
    def run(self, plan: Aggregate) -> Cells:
        self.runs += 1
        table = np.empty(1, dtype=object)
        table[0] = ContingencyTable.from_codes([[row["x"]] for row in self.rows], (7,))
        return Cells([], [table])


def measured(purse: PrivateTable, _: Entry) -> str:
    return str(purse.measure(EACH, Laplace(Fraction(6))).tolist())


def test_a_program_spends_the_charge_and_its_result_is_stored() -> None:
    book, source = ledger(), Crossed()
    payload, entry = release_publication(
        CROSS, source, book, Loss(Fraction(1, 2)), measured, charge("r1")
    )
    assert len(eval(payload)) == 7
    assert Loss.from_dict(entry.body["charges"]["people"]) == Loss(Fraction(1, 2))
    again, same = release_publication(
        CROSS, source, book, Loss(Fraction(1, 2)), measured, charge("r1")
    )
    assert (again, same.seq, source.runs) == (payload, entry.seq, 1)


def test_a_private_table_prices_by_the_rows_of_a_unit() -> None:
    """Three rows of a unit count, so a scale of 6 costs 1/2; where a unit of two people is
    protected, 1.
    """
    seen: list[Loss] = []

    def look(purse: PrivateTable, _: Entry) -> str:
        seen.append(purse.price(EACH, Laplace(Fraction(6))))
        return "looked"

    release_publication(CROSS, Crossed(), ledger(), Loss(Fraction(1)), look, charge())
    release_publication(
        CROSS,
        Crossed(),
        ledger(),
        Loss(Fraction(1)),
        look,
        replace(charge(), unit=Unit("change-one", "who", 2)),
    )
    assert [loss.epsilon for loss in seen] == [Fraction(1, 2), 2]


def test_a_program_that_spends_more_than_was_paid_fails_and_stays_charged() -> None:
    book = ledger()
    with pytest.raises(SourceError, match="charged") as told:
        release_publication(CROSS, Crossed(), book, Loss(Fraction(1, 4)), measured, charge())
    assert told.value.args == (SOURCE_FAILED,)
    assert [entry.kind for entry in book.entries()][-2:] == ["charge", "failure"]


def test_nothing_runs_that_was_not_paid() -> None:
    source = Crossed()
    with pytest.raises(BudgetExceeded):
        release_publication(CROSS, source, ledger(1), Loss(Fraction(2)), measured, charge())
    assert source.runs == 0


def test_publications_and_answers_refuse_each_others_plans() -> None:
    with pytest.raises(InvalidArgument, match="must have one contingency table"):
        release_publication(
            plan(keys=(), domain=()), Plain(), ledger(), Loss(Fraction(1)), measured, charge()
        )
    with pytest.raises(InvalidArgument, match="use release_publication"):
        release(CROSS, Crossed(), ledger(), ReleaseNoise((Laplace(Fraction(1)),)), charge())
