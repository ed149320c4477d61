"""The one door, with the obvious interpreter as its source and a real ledger in memory."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from doorway import (
    DAYS,
    MEDIANS,
    UNIT,
    Broken,
    Cells,
    Plain,
    Sampled,
    charge,
    custom,
    ledger,
    noise_of,
    picking,
    plan,
)
from hedgerow.errors import BudgetExceeded, InvalidArgument, SourceError, Unsupported
from hedgerow.ledger.entry import Entry
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, Table
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.group_selection import Threshold
from hedgerow.release.linear_queries import BinSums, QueryBlock
from hedgerow.release.private_table import PrivateTable
from hedgerow.release.release import (
    SOURCE_FAILED,
    CentredCounts,
    Release,
    ReleaseNoise,
    release,
    release_custom,
    release_publication,
)


def test_it_charges_the_loss_of_the_noise_and_then_answers() -> None:
    asked, book = (
        plan(Measure("rows"), Measure("moments", "v0", ClampedGrid(Fraction(1), 0, 6))),
        ledger(),
    )
    noise = noise_of(asked)
    found = release(asked, Plain(), book, noise, charge())
    assert found.loss == noise.loss(asked.sensitivity(UNIT))
    assert found.loss.epsilon == found.epsilon == 1
    assert 0 < found.loss.delta <= Fraction(1, 10**7)
    assert book.state.budget("people").charged == found.loss
    assert [entry.kind for entry in book.entries()][-2:] == ["charge", "answer"]
    assert len(found.numbers) == 3
    assert all(isinstance(number, int) for numbers in found.numbers for number in numbers)
    stored = [Release.from_payload(entry, payload) for entry, payload in book.answers("q", "1")]
    assert stored == [found]


def test_the_charge_comes_before_the_data() -> None:
    book, seen = ledger(), []

    class Watching(Plain):
        def run(self, plan: Aggregate) -> Cells:
            seen.extend(entry.kind for entry in book.entries())
            return super().run(plan)

    release(plan(), Watching(), book, noise_of(plan()), charge())
    assert seen[-1] == "charge"


def test_a_budget_that_does_not_cover_it_leaves_the_data_alone() -> None:
    source, book = Plain(), ledger(Fraction(1, 2))
    with pytest.raises(BudgetExceeded):
        release(plan(), source, book, noise_of(plan()), charge())
    assert source.runs == 0
    assert book.state.budget("people").charged == Loss(Fraction(0))


def test_what_cannot_be_run_is_refused_before_it_is_paid_for() -> None:
    class Unable(Plain):
        def prepare(self, plan: Aggregate) -> None:
            raise Unsupported("This engine knows no dates.")

    book = ledger()
    with pytest.raises(Unsupported, match="no dates"):
        release(plan(), Unable(), book, noise_of(plan()), charge())
    assert book.state.budget("people").charged == Loss(Fraction(0))


def test_a_failure_is_charged_and_says_nothing() -> None:
    book = ledger()
    with pytest.raises(SourceError) as caught:
        release(plan(), Broken(), book, noise_of(plan()), charge("key"))
    assert str(caught.value) == SOURCE_FAILED
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None  # nothing of the original hides behind it
    assert book.entries()[-1].kind == "failure"
    assert book.state.budget("people").charged.epsilon == 1
    # the same request again meets the same end, free of charge
    with pytest.raises(SourceError, match="failed while it answered"):
        release(plan(), Plain(), book, noise_of(plan()), charge("key"))
    assert book.state.budget("people").charged.epsilon == 1


def test_a_request_sent_twice_gets_one_answer() -> None:
    book, source = ledger(), Plain()
    first = release(plan(), source, book, noise_of(plan()), charge("key"))
    assert release(plan(), source, book, noise_of(plan()), charge("key")) == first
    assert source.runs == 1
    assert book.state.budget("people").charged.epsilon == 1


def test_two_runs_that_race_for_one_charge_give_the_same_answer() -> None:
    book, both = ledger(), threading.Barrier(2)

    class Slow(Plain):
        def run(self, plan: Aggregate) -> Cells:
            both.wait(10)
            return super().run(plan)

    found: list[Release] = []
    runs = [
        threading.Thread(
            target=lambda: found.append(
                release(plan(), Slow(), book, noise_of(plan()), charge("key"))
            )
        )
        for _ in range(2)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert len(found) == 2
    assert found[0] == found[1]
    assert sum(entry.kind == "answer" for entry in book.entries()) == 1


def test_declared_groups_all_come_out_and_others_need_a_threshold() -> None:
    days = (date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 3))
    found = release(
        plan(domain=(days,)), Plain(), ledger(), noise_of(plan(domain=(days,))), charge()
    )
    assert found.keys == tuple((day,) for day in days)
    with pytest.raises(InvalidArgument, match="a threshold just where groups are not declared"):
        release(plan(domain=(days,)), Plain(), ledger(), noise_of(plan()), charge())
    with pytest.raises(InvalidArgument, match="one mechanism for each measure"):
        release(
            plan(),
            Plain(),
            ledger(),
            replace(noise_of(plan()), mechanisms=noise_of(plan()).mechanisms * 2),
            charge(),
        )


def test_groups_of_few_are_not_shown() -> None:
    few = [{"who": 1, "day": date(2026, 1, 1), "x": 1}]
    for _ in range(20):
        assert release(plan(), Plain(few), ledger(), noise_of(plan()), charge()).keys == ()
    assert release(plan(), Plain([]), ledger(), noise_of(plan()), charge()).numbers == ((),)


def test_without_keys_there_is_one_cell() -> None:
    found = release(
        plan(domain=(), keys=()), Plain(), ledger(), noise_of(plan(domain=(), keys=())), charge()
    )
    assert found.keys == ((),)
    assert abs(found.numbers[0][0] - 120) < 200


def test_sums_beyond_64_bits_stay_exact() -> None:
    days = ((date(2026, 1, 1), date(2026, 1, 2)),)

    class Huge(Plain):
        def run(self, plan: Aggregate) -> Cells:
            return Cells([list(days[0])], [np.array([2**70, -(2**70)], dtype=object)])

    found = release(plan(domain=days), Huge(), ledger(), noise_of(plan(domain=days)), charge())
    assert abs(found.numbers[0][0] - 2**70) < 10**6
    assert abs(found.numbers[0][1] + 2**70) < 10**6


def test_noise_is_of_its_own_in_every_cell() -> None:
    keys = tuple(date(2026, 1, 1 + n) for n in range(31))
    found = release(
        plan(domain=(keys,)),
        Plain([]),
        ledger(),
        noise_of(plan(domain=(keys,)), Fraction(1, 100)),
        charge(),
    )
    assert len(set(found.numbers[0])) > 10


def test_gaussian_noise_is_charged_in_rho() -> None:
    asked = plan()
    law = Gaussian.calibrate(sensitivity=asked.sensitivity(UNIT)[0], rho=Fraction(1, 100))
    noise = ReleaseNoise(
        (law,), Threshold.calibrate(0, law, most=3, groups=2, delta=Fraction(1, 10**8))
    )
    found = release(asked, Plain(), ledger(), noise, charge())
    assert found.loss.epsilon == float("inf")
    assert found.loss.rho <= Fraction(1, 100)
    assert Fraction(99, 10**10) < found.loss.delta <= Fraction(1, 10**8)
    assert found.noise == noise


def test_gaussian_noise_read_at_an_epsilon_is_charged_all_three() -> None:
    """Two measures together, at one epsilon: less delta than each with half of it, and the same
    rho.
    """
    asked, book = plan(Measure("rows"), Measure("units"), domain=DAYS), ledger()
    moves = asked.sensitivity(UNIT)
    laws = (Gaussian(Fraction(60)), Gaussian(Fraction(20)))
    noise = ReleaseNoise(laws, gaussian_epsilon=Fraction(1))
    found = release(asked, Plain(), book, noise, charge())
    assert found.loss == noise.loss(moves)
    assert found.loss.epsilon == 1
    assert found.loss.rho == ReleaseNoise(laws).loss(moves).rho
    assert ReleaseNoise(laws).loss(moves).epsilon == float("inf")
    apart = [law.loss(move, Fraction(1, 2)).delta for law, move in zip(laws, moves, strict=True)]
    assert 0 < found.loss.delta < sum(apart)
    assert found.noise == noise
    assert [Release.from_payload(entry, payload) for entry, payload in book.answers("q", "1")] == [
        found
    ]
    assert book.state.budget("people").charged == found.loss
    release(
        plan(domain=DAYS),
        Plain(),
        book,
        noise_of(plan(domain=DAYS)),
        replace(charge(), question="r"),
    )
    assert book.state.budget("people").unit_loss.epsilon == 2  # both branches stay open


def test_noise_on_a_coarser_grid_is_priced_in_its_steps() -> None:
    """A move by 3 is 2 steps of 2 on a grid of 2, as far as 4: it costs what 4 would, not what 3
    would.
    """
    coarse, move = Gaussian(Fraction(40), Fraction(2)), Sensitivity.each(2, 3)
    for at in (None, Fraction(1, 10)):
        assert ReleaseNoise((coarse,), gaussian_epsilon=at).loss([move]) == ReleaseNoise(
            (Gaussian(Fraction(20)),), gaussian_epsilon=at
        ).loss([Sensitivity.each(2, 2)])
        assert ReleaseNoise((coarse,), gaussian_epsilon=at).loss([move]) == coarse.loss(move, at)


def test_a_threshold_beside_noise_that_is_read_at_an_epsilon() -> None:
    asked, book = plan(MEDIANS, Measure("rows")), ledger()
    law = Gaussian.calibrate(
        sensitivity=asked.sensitivity(UNIT)[1], epsilon=Fraction(1, 2), delta=Fraction(1, 10**7)
    )
    threshold = Threshold.calibrate(1, law, most=3, groups=2, delta=Fraction(1, 10**7))
    noise = ReleaseNoise((picking(MEDIANS, asked), law), threshold, gaussian_epsilon=Fraction(1, 2))
    found = release(asked, Sampled(), book, noise, charge())
    assert found.noise == noise
    assert found.loss.epsilon <= 1
    # Whoever is alone in both groups moves nothing else, and whoever is alone in one has half of
    # either at most.
    assert threshold.delta <= found.loss.delta < Fraction(12, 10**8)
    assert [Release.from_payload(entry, payload) for entry, payload in book.answers("q", "1")] == [
        found
    ]
    laplace = noise_of(plan())
    assert replace(laplace, gaussian_epsilon=Fraction(1)).loss(
        plan().sensitivity(UNIT)
    ) == laplace.loss(plan().sensitivity(UNIT))


def test_noise_is_drawn_again_beyond_the_cut() -> None:
    law, made = Laplace(Fraction(5)), Threshold(0, -100, Fraction(1, 1000), groups=2, truncation=3)
    for number in (7, 2**70):  # beyond 64 bits as well
        counts = np.array([number] * 400, dtype=np.int64 if number < 2**62 else object)
        _, (noisy,) = ReleaseNoise((law,), made).sample(
            SimpleNamespace(keys=[range(400)], numbers=[counts]), [Measure("rows")]
        )
        assert {value - number for value in noisy} == set(range(-3, 4))


def test_only_laplace_noise_is_cut_and_the_cut_is_stored() -> None:
    asked, book = plan(), ledger()
    law = Laplace.calibrate(sensitivity=asked.sensitivity(UNIT)[0], epsilon=1)
    threshold = Threshold.calibrate(0, law, most=3, groups=2, delta=Fraction(1, 10**7), moved=2)
    found = release(asked, Plain(), book, ReleaseNoise((law,), threshold), charge())
    assert found.noise.threshold == threshold
    assert threshold.truncation is not None
    assert Fraction(8, 10) < found.loss.delta * 10**7 <= 1
    assert [Release.from_payload(entry, payload) for entry, payload in book.answers("q", "1")] == [
        found
    ]
    with pytest.raises(InvalidArgument, match="must be Laplace noise where it is cut"):
        release(
            asked, Plain(), ledger(), ReleaseNoise((Gaussian(Fraction(60)),), threshold), charge()
        )


def test_beside_gaussian_noise_the_delta_of_a_cut_is_added_in_full() -> None:
    """It is spent in groups that both worlds have, where the Gaussian noise spends its own as
    well.
    """
    count, other = Laplace(Fraction(10)), Gaussian(Fraction(5))
    made = Threshold.calibrate(0, count, most=1, groups=1, delta=Fraction(1, 1000), moved=1)
    assert made.truncation is not None
    moves = (Sensitivity.each(1, 1), Sensitivity.each(1, 1))
    loss = ReleaseNoise((count, other), made, gaussian_epsilon=Fraction(1, 2)).loss(moves)
    alone = ReleaseNoise((count, other), gaussian_epsilon=Fraction(1, 2)).loss(moves)
    assert loss.delta == alone.delta + made.delta
    assert (loss.epsilon, loss.rho) == (alone.epsilon, alone.rho)


def test_the_edge_is_stored_with_the_answer() -> None:
    asked, book = plan(), ledger()
    noise = noise_of(asked)
    assert noise.threshold is not None
    assert noise.threshold.edge_probability > 0
    found = release(asked, Plain(), book, noise, charge())
    ((entry, payload),) = book.answers("q", "1")
    assert Release.from_payload(entry, payload).noise == noise == found.noise


COUNTS = (Measure("rows"), Measure("total", "v0", ClampedGrid(Fraction(1), 0, 6)), Measure("units"))
CENTRE = CentredCounts(2, ((0, 3), (1, 18)))


def centred(scale: Fraction) -> ReleaseNoise:
    return ReleaseNoise((Gaussian(scale),) * 3, centre=CENTRE)


def test_counts_are_measured_from_the_middle() -> None:
    cells = Plain().run(plan(*COUNTS, domain=DAYS))
    plain, wanted = cells.numbers, []
    for bound, exact in ((3, plain[0]), (18, plain[1])):
        wanted.append([2 * int(x) - bound * int(p) for x, p in zip(exact, plain[2], strict=True)])
    # noise that is 0 with overwhelming probability
    keys, noisy = centred(Fraction(1, 100)).sample(cells, COUNTS)
    assert keys == [(day,) for day in DAYS[0]]
    assert noisy == [*wanted, plain[2].tolist()]


def test_nothing_wraps_round_on_the_way_to_the_middle() -> None:
    bound = 2**45
    cells = Cells([], [np.array([2**62]), np.array([2**20])])
    noise = ReleaseNoise((Gaussian(Fraction(1, 100)),) * 2, centre=CentredCounts(1, ((0, bound),)))
    _, noisy = noise.sample(
        cells, (Measure("total", "v0", ClampedGrid(Fraction(1), 0, bound)), Measure("units"))
    )
    assert noisy == [[2**63 - 2**65], [2**20]]


def test_what_is_measured_from_the_middle_is_stored_so() -> None:
    asked, book = plan(*COUNTS, domain=DAYS), ledger()
    found = release(asked, Plain(), book, centred(Fraction(10**4)), charge())
    assert found.noise.centre == CENTRE
    assert [Release.from_payload(entry, payload) for entry, payload in book.answers("q", "1")] == [
        found
    ]
    assert found.loss == centred(Fraction(10**4)).loss(asked.sensitivity(UNIT))


def test_thresholds_are_for_one_person_at_a_time() -> None:
    """Two who are protected together may be alone in twice as many groups, or twice in each."""
    asked, book, source = plan(), ledger(), Plain()
    laws = (Laplace(Fraction(3)), Laplace(Fraction(3)))
    noise = ReleaseNoise(
        laws[: len(asked.measures)],
        Threshold.calibrate(0, laws[0], most=1, groups=3, delta=Fraction(1, 1000)),
    )
    with pytest.raises(InvalidArgument, match="must be one person where groups are not declared"):
        release(asked, source, book, noise, replace(charge(), unit=Unit("add-remove", "who", 2)))


def test_forged_noise_is_refused_before_it_is_charged() -> None:
    """What noise says of itself decides its price: each number of it is compared with the plan."""
    law, gauss = Laplace(Fraction(10)), Gaussian(Fraction(60))
    open_, moments = (
        plan(MEDIANS, Measure("rows")),
        Measure("moments", "v0", ClampedGrid(Fraction(1), 0, 6)),
    )
    chosen = picking(MEDIANS, open_)
    right = Threshold.calibrate(1, law, most=3, groups=2, delta=Fraction(1, 10**7))
    cut = Threshold.calibrate(1, law, most=3, groups=2, delta=Fraction(1, 10**7), moved=2)
    assert cut.truncation is not None
    assert cut.delta <= right.delta < cut.delta * 2
    counts, wrong = plan(*COUNTS, domain=DAYS), "must have a threshold that states all of its delta"
    forged: list[tuple[Aggregate, ReleaseNoise, str]] = [
        *(
            (open_, ReleaseNoise((chosen, law), one), wrong)
            for one in _forged_thresholds(right, cut)
        ),
        *(
            (open_, ReleaseNoise((chosen, law), replace(right, **said)), "must decide by a count")
            for said in ({"groups": 1}, {"measure_index": -1})
        ),
        (
            open_,
            ReleaseNoise((chosen, law), replace(right, measure_index=0)),
            "must decide by a count",
        ),
        (
            plan(moments),
            ReleaseNoise((law,), replace(right, measure_index=0)),
            "must decide by a count",
        ),
        (open_, ReleaseNoise((chosen, Laplace(Fraction(10), Fraction(2))), right), wrong),
        (open_, ReleaseNoise((chosen, gauss), right), wrong),
        *(
            (open_, ReleaseNoise((one, law), right), "must choose what the plan asks for")
            for one in _forged_pickings(chosen)
        ),
        *(
            (
                counts,
                replace(centred(Fraction(10**4)), centre=one),
                "must be centred by the count of units",
            )
            for one in _forged_centres()
        ),
    ]
    for asked, noise, told in forged:
        book, source = ledger(), Plain()
        with pytest.raises(InvalidArgument, match=told):
            release(asked, source, book, noise, charge())
        assert source.runs == 0
        assert len(book.entries()) == 2
    for threshold in (
        right,
        cut,
        replace(right, minimum_count=right.minimum_count + 5),
        replace(right, delta=right.delta * 2),
    ):
        # true, or on the safe side
        release(open_, Sampled(), ledger(), ReleaseNoise((chosen, law), threshold), charge())


def _forged_thresholds(right: Threshold, cut: Threshold) -> list[Threshold]:
    """The first is lower than can be, with a delta of nothing."""
    low = Threshold(1, 1, Fraction(0), groups=2)
    others = [
        replace(right, minimum_count=right.minimum_count - 1),
        replace(right, delta=right.delta * Fraction(999, 1000)),
        replace(right, edge_probability=-right.edge_probability),
    ]
    cuts = [
        {"delta": cut.delta / 2},
        {"minimum_count": cut.minimum_count - 1},
        {"edge_probability": Fraction(1, 2)},
        {"truncation": 2, "minimum_count": 3},
        {"truncation": 3, "minimum_count": 4},
    ]
    return [
        low,
        *others,
        replace(right, edge_probability=Fraction(2)),
        *(replace(cut, **said) for said in cuts),
    ]  # type: ignore[arg-type]


def _forged_pickings(right: CalibratedSelection) -> list[CalibratedSelection]:
    said: list[dict[str, Any]] = [
        {"rows": 1},
        {"groups": 1},
        {"touched": 1},
        {"neighbours": "change-one"},
        {"high": 1},
        {"low": 1},
    ]
    return [
        replace(right, **one)
        for one in [
            *said,
            {"at": (Fraction(1, 2),)},
            {"method": "inverse"},
            {"delta": Fraction(1, 9)},
        ]
    ]


def _forged_centres() -> list[CentredCounts]:
    bounds = [((0, 3000),), ((0, 2), (1, 18)), ((0, 3), (1, 17)), ((2, 3),), ((7, 3),)]
    return [
        *(CentredCounts(2, one) for one in bounds),
        *(CentredCounts(place, CENTRE.bounds) for place in (0, 3, -1)),
    ]


def test_a_sum_that_may_be_negative_has_no_middle() -> None:
    asked = plan(
        Measure("total", "v0", ClampedGrid(Fraction(1), -6, 6)), Measure("units"), domain=DAYS
    )
    with pytest.raises(InvalidArgument, match="must be centred by the count of units"):
        release(
            asked,
            Plain(),
            ledger(),
            ReleaseNoise((Gaussian(Fraction(10**4)),) * 2, centre=CentredCounts(1, ((0, 18),))),
            charge(),
        )


def test_there_is_no_middle_where_a_unit_may_be_replaced() -> None:
    book, source = ledger(), Plain()
    moved = replace(charge(), unit=Unit("change-one", "who"))
    with pytest.raises(InvalidArgument, match="must not be centred where a unit may be replaced"):
        release(plan(*COUNTS, domain=DAYS), source, book, centred(Fraction(10**4)), moved)
    assert source.runs == 0
    assert len(book.entries()) == 2


# What is published: the program spends what was paid.

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


def test_a_program_spends_what_was_charged_and_its_words_are_stored() -> None:
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


def test_the_purse_knows_how_many_rows_a_unit_has() -> None:
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


def test_each_door_takes_its_own_plans() -> None:
    with pytest.raises(InvalidArgument, match="must cross"):
        release_publication(
            plan(keys=(), domain=()), Plain(), ledger(), Loss(Fraction(1)), measured, charge()
        )
    with pytest.raises(InvalidArgument, match="for publish"):
        release(CROSS, Crossed(), ledger(), ReleaseNoise((Laplace(Fraction(1)),)), charge())


def test_a_mechanism_of_ones_own_is_charged_before_it_sees_the_numbers() -> None:
    book, source, seen = ledger(), Plain(), []

    def run(numbers: Sequence[int]) -> str:
        seen.append([entry.kind for entry in book.entries()][-1])
        return json.dumps(list(numbers))

    by_day = plan(Measure("units"), domain=((date(2026, 1, 2), date(2026, 1, 1)),))
    plans = [
        replace(by_day, source=replace(by_day.source, source=replace(by_day.bound, max_groups=1))),
        plan(Measure("units"), keys=(), domain=()),
    ]
    payload, entry = release_custom(plans, source, book, custom(run), charge("r1"))
    first, second, whole = json.loads(payload)
    assert whole == 40
    assert first + second == 40  # of one group each, in the order that was declared
    assert seen == ["charge"]
    assert Loss.from_dict(entry.body["charges"]["people"]) == Loss(Fraction(1, 2))
    again, same = release_custom(plans, source, book, custom(run), charge("r1"))
    assert (again, same.seq, source.runs, len(seen)) == (payload, entry.seq, 2, 1)


def test_numbers_that_move_further_than_was_proved_are_refused_for_nothing() -> None:
    book, source = ledger(), Plain()
    units, rows = (plan(Measure(kind), keys=(), domain=()) for kind in ("units", "rows"))
    for plans, reach in (
        ([units, units], Sensitivity.of(1)),  # two numbers move, where one may
        ([rows], Sensitivity.each(3, 1)),  # by three, where it may be one
        # together too far
        ([units, units], Sensitivity(3, Fraction(1), Fraction(3, 2), Fraction(3, 2))),
        # too far in squares
        ([rows, rows], Sensitivity(3, Fraction(4), Fraction(6), Fraction(17))),
    ):
        with pytest.raises(InvalidArgument, match="must move no further"):
            release_custom(plans, source, book, custom(reach=reach), charge())
    assert source.runs == 0
    assert book.state.budget("people").charged == Loss(Fraction(0))


@pytest.mark.parametrize(
    "plans",
    [
        [],
        [plan(Measure("units"))],
        [plan(Measure("units"), Measure("rows"), keys=(), domain=())],
        [plan(Measure("moments", "v0", ClampedGrid(Fraction(1), 0, 6)), keys=(), domain=())],
        [CROSS],
    ],
)
def test_a_mechanism_of_ones_own_gets_single_numbers_of_declared_groups(
    plans: list[Aggregate],
) -> None:
    with pytest.raises(InvalidArgument, match="must each add up one number"):
        release_custom(plans, Plain(), ledger(), custom(), charge())


def test_a_mechanism_that_fails_is_charged_and_says_nothing() -> None:
    book = ledger()

    def run(numbers: Sequence[int]) -> str:
        raise RuntimeError(f"the secret is {numbers}")

    with pytest.raises(SourceError) as told:
        release_custom(
            [plan(Measure("units"), keys=(), domain=())], Plain(), book, custom(run), charge()
        )
    assert told.value.args == (SOURCE_FAILED,)
    assert told.value.__context__ is None
    assert [entry.kind for entry in book.entries()][-2:] == ["charge", "failure"]


def test_a_mechanism_that_cannot_be_paid_sees_nothing() -> None:
    source = Plain()
    with pytest.raises(BudgetExceeded):
        release_custom(
            [plan(Measure("units"), keys=(), domain=())],
            source,
            ledger(Fraction(1, 4)),
            custom(),
            charge(),
        )
    assert source.runs == 0
