"""The door, where two populations meet: each is charged its own loss, both or neither."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from doorway import DAYS, Cells, Plain, charge, custom, plan
from hedgerow.engines.reference import interpreter as reference
from hedgerow.errors import BudgetExceeded, InvalidArgument
from hedgerow.ledger import MemoryLedger
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.privacy.unit import Unit
from hedgerow.release.custom_release import release_custom
from hedgerow.release.noise import CentredCounts, ReleaseNoise
from hedgerow.release.release import Charge, ChargedPopulation, release
from plan import meetings

DOCTORS = Unit("change-one", "id")


class Meeting(Plain):
    def run(self, plan: Aggregate) -> Cells:
        self.runs += 1
        random = Random(1)
        found = reference.interpret_plan(plan, meetings.world(random), meetings.rank)
        width = sum(measure.width for measure in plan.measures)
        keys = [[key[i] for key in sorted(found)] for i in range(len(plan.source.keys))]
        return Cells(
            keys,
            [
                np.array([found[key][i] for key in sorted(found)], dtype=np.int64)
                for i in range(width)
            ],
        )


def two_budgets(doctors: Fraction | int = 10) -> MemoryLedger:
    made = MemoryLedger()
    terms = {"delta": None, "unit": "id", "neighbours": "add-remove"}
    budgets = {
        "people": {**terms, "epsilon": 10},
        "doctors": {**terms, "epsilon": doctors, "neighbours": "change-one"},
    }
    made.accept_policy(digest="d", text="t", budgets=budgets, sources={})
    return made


def both(**changes: Any) -> Charge:
    return replace(
        charge(), **{"second_population": ChargedPopulation("doctors", DOCTORS), **changes}
    )


def test_two_populations_are_charged_their_own_losses_in_one_entry() -> None:
    asked, book, source = meetings.asked(("ward",), most=5), two_budgets(), Meeting()
    noise = ReleaseNoise((Laplace(Fraction(20)),))
    answer = release(asked, source, book, noise, both())
    # A patient has 2 bonds of 2 rows; a doctor who is replaced leaves one ward and enters another,
    # 5 rows each.
    assert answer.losses == {
        "people": Laplace(Fraction(20)).loss(4),
        "doctors": noise.loss(asked.second_population_sensitivity(DOCTORS)),
    }
    assert [loss.epsilon for loss in answer.losses.values()] == [Fraction(10, 20), Fraction(4, 20)]
    assert answer.loss.epsilon == Fraction(10, 20)
    assert answer.loss.rho == max(loss.rho for loss in answer.losses.values())
    assert [entry.kind for entry in book.entries()][-2:] == ["charge", "answer"]
    assert (
        book.state.budget("people").unit_loss.epsilon,
        book.state.budget("doctors").unit_loss.epsilon,
    ) == (Fraction(1, 5), Fraction(1, 2))
    assert (
        release(asked, source, book, noise, both(request=None)).keys
        == answer.keys
        == (("a",), ("b",))
    )


def test_where_one_of_two_budgets_is_short_neither_pays_and_nothing_is_read() -> None:
    book, source = two_budgets(doctors=Fraction(1, 3)), Meeting()
    with pytest.raises(BudgetExceeded, match="'doctors'"):
        release(
            meetings.asked(("ward",), most=5),
            source,
            book,
            ReleaseNoise((Laplace(Fraction(20)),)),
            both(),
        )
    assert source.runs == 0
    assert book.state.budget("people").unit_loss.epsilon == 0
    assert [entry.kind for entry in book.entries()] == ["policy"] or book.entries()[
        -1
    ].kind == "policy"


@pytest.mark.parametrize(
    ("asked", "charged"),
    [
        (meetings.asked(), both(second_population=None)),
        (meetings.asked(), both(second_population=ChargedPopulation("people", DOCTORS))),
        (plan(domain=DAYS), both()),
    ],
)
def test_the_second_population_is_charged_exactly_if_the_plan_joins_it(
    asked: Aggregate, charged: Charge
) -> None:
    book, source = two_budgets(), Meeting()
    with pytest.raises(InvalidArgument, match="must name another population"):
        release(asked, source, book, ReleaseNoise((Laplace(Fraction(20)),)), charged)
    assert (source.runs, book.entries()[-1].kind) == (0, "policy")


def test_custom_releases_and_centred_counts_refuse_two_populations() -> None:
    book = two_budgets()
    with pytest.raises(InvalidArgument, match="of one population"):
        release_custom([meetings.asked()], Meeting(), book, custom(), both())
    measures = (Measure("rows"), Measure("values", "cost"), Measure("units"))
    noise = ReleaseNoise((Gaussian(Fraction(9)),) * 3, centre=CentredCounts(2, ((0, 2), (1, 2))))
    with pytest.raises(InvalidArgument, match="or two populations"):
        release(meetings.asked((), measures), Meeting(), book, noise, both())
