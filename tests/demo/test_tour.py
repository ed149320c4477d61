"""The tour's arithmetic: what is paid, what is answered, what is refused. Alarm rate of each statistical check: 1e-9."""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
import pytest

from hedgerow import BudgetExceeded
from hedgerow.demo import clinic, tour
from hedgerow.demo.chapters import Averaged, Counted, Histogram, Refusal
from hedgerow.demo.clinic import DIAGNOSES, Clinic, Visit
from hedgerow.mechanisms import Laplace

RARE = Fraction(1, 10**9)


@pytest.fixture(scope="module")
def patients() -> Clinic:
    return clinic.invent()


@pytest.fixture
def session(patients: Clinic) -> tour.Session:
    return tour.Session(patients)


def test_the_budget_falls_to_exactly_nothing(patients: Clinic) -> None:
    chapters = list(tour.tour(patients))
    left = [chapter.payment.account.left for chapter in chapters if hasattr(chapter, "payment")]
    assert left == [Fraction(n, 10) for n in (9, 7, 4, 2, 0)]
    refusal = next(chapter for chapter in chapters if isinstance(chapter, Refusal))
    assert [paid.account.left for paid in refusal.paid] == left
    assert refusal.account.left == 0
    assert "asks for epsilon 0.100000000000 with 0.000000000000 left" in refusal.message


def test_nothing_is_read_before_it_is_paid_for(session: tour.Session) -> None:
    tour.count(session)
    session.budget = session.budget.after(Laplace.calibrate(sensitivity=1, epsilon=0.9).loss(1))
    session.clinic = None  # type: ignore[assignment]  # reading it would fail otherwise
    for question in (tour.count, lambda it: tour.mean(it, 1200), tour.histogram, tour.choice, tour.lead):
        with pytest.raises(BudgetExceeded):
            question(session)


def test_who_is_protected(session: tour.Session) -> None:
    chapter = tour.protected(session)
    assert (chapter.relation, chapter.owner, chapter.distance) == ("add-remove", "patient_id", 1)
    assert chapter.guess == pytest.approx(0.731058578)
    assert tour.protected(tour.Session(Clinic(()))).distance == 0


def test_count(session: tour.Session) -> None:
    counted = tour.count(session)
    assert counted.truth == 1200
    assert counted.radius == 30
    assert abs(counted.answer - counted.truth) <= Laplace.calibrate(sensitivity=1, epsilon=0.1).error(RARE)


def test_mean_lies_in_its_interval(session: tour.Session) -> None:
    averaged = tour.mean(session, 1200)
    assert averaged.low <= averaged.answer <= averaged.high
    noise = Laplace.calibrate(sensitivity=55, epsilon=0.2)
    assert abs(averaged.answer - averaged.truth) <= noise.error(RARE) / 1200 + 1e-9
    # Sum within error(0.025) of itself, count within 37 of 1200: the extremes of the quotient.
    assert averaged.high - averaged.low >= 2 * noise.error(0.025) / 1200
    assert averaged.high - averaged.low < 4


@pytest.mark.parametrize("patients_answered", [-5, 0, 37])
def test_a_count_lost_in_noise_leaves_the_whole_range(session: tour.Session, patients_answered: int) -> None:
    averaged = tour.mean(session, patients_answered)
    assert (averaged.low, averaged.high) == (0, 110)


def test_histogram(session: tour.Session) -> None:
    histogram = tour.histogram(session)
    assert [bar.label for bar in histogram.bars][::10] == ["0–9", "100–110"]
    assert sum(bar.truth for bar in histogram.bars) == 1200
    noise = Laplace.calibrate(sensitivity=1, epsilon=0.3)
    assert histogram.radius == noise.error(Fraction(5, 1100))
    for bar in histogram.bars:
        assert 0 <= bar.low <= bar.answer <= bar.high
        assert abs(bar.answer - bar.truth) <= noise.error(RARE / 11)


def test_choices(session: tour.Session) -> None:
    chosen, led = tour.choice(session), tour.lead(session)
    scores = dict(zip(DIAGNOSES, session.clinic.diagnosed, strict=True))
    assert chosen.truth == led.truth == max(scores, key=lambda name: scores[name])
    assert led.true_lead == sorted(scores.values())[-1] - sorted(scores.values())[-2]
    assert led.lead >= 0
    # exp(0.2 * score): a score 120 below the first is chosen with less than e^-24 * 8 < 1e-9.
    assert scores[chosen.answer] > scores[chosen.truth] - 120
    assert chosen.radius == pytest.approx(log(7 * 19) / 0.2)


def test_survey_estimates_the_share() -> None:
    survey = tour.survey()
    assert survey.low <= survey.answer <= survey.high
    # Hoeffding: the reported share is off by more than t with 2 exp(-2 n t^2); inverting the coin doubles it.
    assert abs(survey.answer - survey.truth) <= 2 * (log(2e9) / (2 * survey.people)) ** 0.5
    assert survey.trusted < (survey.high - survey.low) / 10


def test_audit_tells_the_two_apart() -> None:
    ours, floats = tour.audited().findings
    assert (ours.refuted, floats.refuted) == (False, True)
    assert 0.7 < ours.epsilon <= 1 < 5 < floats.epsilon
    assert "multiple of 2^-" in floats.event


def test_the_textbook_noise_is_laplace_at_least_roughly() -> None:
    noise = tour.textbook(3.0, 100_000) - 3.0
    # |noise| is exponential: its mean has standard error 0.0032, and 0.025 is more than seven of them.
    assert abs(np.abs(noise).mean() - 1) < 0.025


@pytest.mark.parametrize("visits", [(), (Visit("A", 50, "north", "2026-01", "flu", 1),)])
def test_a_tiny_clinic_gets_the_whole_tour(visits: tuple[Visit, ...]) -> None:
    chapters = list(tour.tour(Clinic(visits)))
    assert len(chapters) == 9
    assert [chapter.truth for chapter in chapters if isinstance(chapter, Counted)] == [len(visits)]
    assert [chapter.truth for chapter in chapters if isinstance(chapter, Averaged)] == [50.0 * len(visits)]
    assert [len(chapter.bars) for chapter in chapters if isinstance(chapter, Histogram)] == [11]
