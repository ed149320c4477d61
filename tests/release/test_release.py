"""The one door, with the obvious interpreter as its source and a real ledger in memory."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from datetime import date
from fractions import Fraction
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
    ledger,
    noise_of,
    picking,
    plan,
)
from hedgerow.errors import BudgetExceeded, InvalidArgument, SourceError, Unsupported
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.privacy.loss import Loss
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import ReleaseNoise
from hedgerow.release.payload import Release
from hedgerow.release.release import (
    SOURCE_FAILED,
    Charge,
    charge_together,
    release,
    release_reserved,
)


def test_a_release_charges_the_loss_of_its_noise_and_then_answers() -> None:
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


def test_a_plan_that_cannot_be_run_is_refused_before_it_is_charged() -> None:
    class Unable(Plain):
        def prepare(self, plan: Aggregate) -> None:
            raise Unsupported("This engine knows no dates.")

    book = ledger()
    with pytest.raises(Unsupported, match="no dates"):
        release(plan(), Unable(), book, noise_of(plan()), charge())
    assert book.state.budget("people").charged == Loss(Fraction(0))


def test_a_failure_is_charged_and_reveals_nothing() -> None:
    book = ledger()
    with pytest.raises(SourceError) as caught:
        release(plan(), Broken(), book, noise_of(plan()), charge("key"))
    assert str(caught.value) == SOURCE_FAILED
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None  # nothing of the original hides behind it
    assert book.entries()[-1].kind == "failure"
    assert book.state.budget("people").charged.epsilon == 1
    # the same request again meets the same end, free of charge
    with pytest.raises(SourceError, match="failed while it ran this question"):
        release(plan(), Plain(), book, noise_of(plan()), charge("key"))
    assert book.state.budget("people").charged.epsilon == 1


def test_a_request_sent_twice_gets_one_answer() -> None:
    book, source = ledger(), Plain()
    first = release(plan(), source, book, noise_of(plan()), charge("key"))
    assert release(plan(), source, book, noise_of(plan()), charge("key")) == first
    assert source.runs == 1
    assert book.state.budget("people").charged.epsilon == 1


def test_releases_charged_together_are_paid_before_the_first_one_runs() -> None:
    book, source, asked = ledger(), Plain(), plan()
    charges = [replace(charge(key), question=key) for key in ("a", "b")]
    charge_together(source, book, [(asked, noise_of(asked), one) for one in charges])
    assert (source.runs, book.state.budget("people").charged.epsilon) == (0, 2)
    for one in charges:
        release(asked, source, book, noise_of(asked), one)
    assert (source.runs, book.state.budget("people").charged.epsilon) == (2, 2)


def test_releases_without_a_request_key_are_not_charged_together() -> None:
    book, asked = ledger(), plan()
    with pytest.raises(InvalidArgument, match="request key"):
        charge_together(Plain(), book, [(asked, noise_of(asked), charge())])
    assert book.state.budget("people").charged == Loss(Fraction(0))


def reserve(book: Any, loss: Loss, **changes: Any) -> Any:
    terms = replace(charge("first"), question="template", **changes)
    (entry,) = charge_together(Plain(), book, [], [({"people": loss}, terms)])
    return entry


def release_for(book: Any, source: Plain, entry: Any, one: Charge) -> Release:
    return release_reserved(plan(), source, book, noise_of(plan()), one, entry)


def test_a_reserved_charge_pays_for_a_question_that_is_known_later() -> None:
    book, source, known = ledger(), Plain(), replace(charge("first"), question="known")
    entry = reserve(book, Loss(1, Fraction(1, 10**7)))
    assert source.runs == 0
    found = release_for(book, source, entry, known)
    assert book.state.budget("people").charged == Loss(1, Fraction(1, 10**7))
    stored = [Release.from_payload(*pair) for pair in book.answers("known", "1")]
    assert stored == [found] == [release_for(book, source, entry, known)]
    assert source.runs == 1
    assert book.answers("template", "1") == []


def test_a_reserved_charge_is_not_used_for_a_second_question() -> None:
    book, source = ledger(), Plain()
    entry = reserve(book, Loss(1, Fraction(1, 10**7)))
    release_for(book, source, entry, replace(charge(), question="a"))
    with pytest.raises(InvalidArgument, match="another question"):
        release_for(book, source, entry, replace(charge(), question="b"))
    assert source.runs == 1
    assert book.answers("b", "1") == []


@pytest.mark.parametrize(
    ("loss", "changes"),
    [
        (Loss(Fraction(1, 2), Fraction(1, 10**7)), {}),
        (Loss(1), {}),
        (Loss(math.inf, Fraction(1, 10**7), Fraction(1, 100)), {}),
        (Loss(1, Fraction(1, 10**7)), {"analyst": "bob"}),
        (Loss(1, Fraction(1, 10**7)), {"version": "2"}),
    ],
)
def test_a_reserved_charge_that_does_not_cover_the_plan_is_refused(
    loss: Loss, changes: dict[str, str]
) -> None:
    book, source = ledger(), Plain()
    entry = reserve(book, loss, **changes)
    with pytest.raises(InvalidArgument, match="must cover the loss"):
        release_for(book, source, entry, charge())
    assert source.runs == 0


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
    with pytest.raises(InvalidArgument, match="a threshold exactly if groups are not declared"):
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
        (law,), Threshold.calibrate(0, law, max_count=3, groups=2, delta=Fraction(1, 10**8))
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


def test_a_threshold_beside_noise_that_is_read_at_an_epsilon() -> None:
    asked, book = plan(MEDIANS, Measure("rows")), ledger()
    law = Gaussian.calibrate(
        sensitivity=asked.sensitivity(UNIT)[1], epsilon=Fraction(1, 2), delta=Fraction(1, 10**7)
    )
    threshold = Threshold.calibrate(1, law, max_count=3, groups=2, delta=Fraction(1, 10**7))
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


def test_only_laplace_noise_is_truncated_and_the_truncation_is_stored() -> None:
    asked, book = plan(), ledger()
    law = Laplace.calibrate(sensitivity=asked.sensitivity(UNIT)[0], epsilon=1)
    threshold = Threshold.calibrate(
        0, law, max_count=3, groups=2, delta=Fraction(1, 10**7), touched=2
    )
    found = release(asked, Plain(), book, ReleaseNoise((law,), threshold), charge())
    assert found.noise.threshold == threshold
    assert threshold.truncation is not None
    assert Fraction(8, 10) < found.loss.delta * 10**7 <= 1
    assert [Release.from_payload(entry, payload) for entry, payload in book.answers("q", "1")] == [
        found
    ]
    with pytest.raises(InvalidArgument, match="must be Laplace noise where it is truncated"):
        release(
            asked, Plain(), ledger(), ReleaseNoise((Gaussian(Fraction(60)),), threshold), charge()
        )


# What is published: the program spends what was paid.
