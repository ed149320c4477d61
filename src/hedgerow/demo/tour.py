"""The tour: questions about the sample clinic, answered in order under one budget.

Everything is what a user of the library would write: calibrate a mechanism, charge its loss to the budget, and only then look at the
data. The budget is exact, so that 0.1 + 0.2 + 0.3 + 0.2 + 0.2 leaves nothing at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from fractions import Fraction
from math import exp, log

import numpy as np

from hedgerow import Budget, BudgetExceeded, Loss, Unit
from hedgerow.demo.chapters import (
    Audited,
    Averaged,
    Bar,
    Chapter,
    Chosen,
    Counted,
    Finding,
    Histogram,
    Led,
    Payment,
    Protected,
    Refusal,
    Survey,
)
from hedgerow.demo.clinic import DIAGNOSES, OLDEST, Clinic
from hedgerow.mechanisms import Exponential, Laplace, NoisyMax, RandomizedResponse
from hedgerow.numeric.bits import words
from hedgerow.numeric.chunk import Floats
from hedgerow.privacy.account import Account

__all__ = ["Session", "tour"]

EPSILON = Fraction(1)
OUTSIDE = Fraction(5, 100)  # what a 95 % interval may miss
PEOPLE = 2000
SAMPLES = 50_000
CONFIDENCE = 1 - 1e-6


class Session:
    """One clinic, one budget; pays first, looks afterwards."""

    def __init__(self, clinic: Clinic) -> None:
        self.clinic = clinic
        self.budget = Budget(EPSILON)
        self.paid: list[Payment] = []

    @property
    def account(self) -> Account:
        return Account(self.budget.epsilon, self.budget.charged.epsilon)

    def pay(self, question: str, loss: Loss) -> Payment:
        self.budget = self.budget.after(loss)
        self.paid.append(Payment(question, Fraction(loss.epsilon), self.account))
        return self.paid[-1]


def tour(clinic: Clinic) -> Iterator[Chapter]:
    """The chapters, each made when it is asked for."""
    session = Session(clinic)
    yield protected(session)
    yield (counted := count(session))
    yield mean(session, counted.answer)
    yield histogram(session)
    yield choice(session)
    yield lead(session)
    yield survey()
    yield refusal(session)
    yield audited()


def protected(session: Session) -> Protected:
    """The unit, a neighbour, and what the whole budget means: from even odds, belief in presence rises to e^E/(1 + e^E) at most."""
    unit = Unit("add-remove", owner="patient_id")
    clinic = session.clinic
    distance = unit.distance(clinic.visits, clinic.without(clinic.visits[0].patient_id)) if clinic.visits else 0
    return Protected(unit.relation, unit.owner, int(distance), 1 / (1 + exp(-float(EPSILON))), session.account)


def count(session: Session) -> Counted:
    """How many patients: one of them moves it by 1."""
    mechanism = Laplace.calibrate(sensitivity=1, epsilon=Fraction(1, 10))
    payment = session.pay("patients", mechanism.loss(1))
    truth = len(session.clinic.ages)
    return Counted(mechanism.sample(truth), mechanism.error(OUTSIDE), float(mechanism.scale), truth, payment)


def mean(session: Session, patients: int) -> Averaged:
    """The mean age, from a noisy sum and the noisy count that is known already.

    Ages are measured from the middle of their range, so that one patient moves the sum by half the range only. Each of the two radii
    fails with 2.5 % at most, so both hold with 95 %, and the mean then lies between the extremes of the quotient.
    """
    middle = OLDEST // 2
    mechanism = Laplace.calibrate(sensitivity=middle, epsilon=Fraction(2, 10))
    payment = session.pay("mean age", mechanism.loss(middle))
    ages = session.clinic.ages
    total = mechanism.sample(sum(age - middle for age in ages))
    radius, count_radius = mechanism.error(OUTSIDE / 2), Laplace.calibrate(sensitivity=1, epsilon=Fraction(1, 10)).error(OUTSIDE / 2)
    if (fewest := patients - count_radius) > 0:
        corners = [end / people for end in (total - radius, total + radius) for people in (fewest, patients + count_radius)]
        answer, low, high = total / patients, min(corners), max(corners)
    else:  # the noise may have swallowed the count: nothing is known
        answer, low, high = 0.0, float(-middle), float(middle)
    answer, low, high = (min(max(middle + value, 0.0), float(OLDEST)) for value in (answer, low, high))
    return Averaged(answer, low, high, 0, OLDEST, sum(ages) / len(ages) if ages else 0.0, payment)


def histogram(session: Session) -> Histogram:
    """Patients by age: each stands in one bar, so all bars together move by 1. Negative counts become 0, which is free."""
    mechanism = Laplace.calibrate(sensitivity=1, epsilon=Fraction(3, 10))
    payment = session.pay("ages", mechanism.loss(1))
    labels = [f"{start}–{start + 9}" for start in range(0, OLDEST - 10, 10)] + [f"{OLDEST - 10}–{OLDEST}"]
    groups = np.array([min(age // 10, len(labels) - 1) for age in session.clinic.ages], dtype=np.int64)
    truth = np.bincount(groups, minlength=len(labels))
    radius = mechanism.error(OUTSIDE / len(labels))
    bars = [
        Bar(label, max(noisy, 0), max(noisy - radius, 0), max(noisy + radius, 0), exact)
        for label, noisy, exact in zip(labels, mechanism.sample(truth).tolist(), truth.tolist(), strict=True)
    ]
    return Histogram(tuple(bars), radius, payment)


def choice(session: Session) -> Chosen:
    """The most common diagnosis. A patient who comes adds at most 1 to each count and lowers none: the scores are monotone."""
    mechanism = Exponential.calibrate(sensitivity=1, epsilon=Fraction(2, 10), monotone=True)
    payment = session.pay("most common", mechanism.loss(1))
    scores = session.clinic.diagnosed
    chosen = DIAGNOSES[mechanism.sample(scores)]
    return Chosen(DIAGNOSES, chosen, mechanism.error(OUTSIDE, len(DIAGNOSES)), DIAGNOSES[scores.index(max(scores))], payment)


def lead(session: Session) -> Led:
    """The same by noisy max, which tells the winner's lead at no further cost."""
    mechanism = NoisyMax.calibrate(sensitivity=1, epsilon=Fraction(2, 10), monotone=True)
    payment = session.pay("lead", mechanism.loss(1))
    scores = session.clinic.diagnosed
    place, gap = mechanism.sample_with_gap(scores)
    second, first = sorted(scores)[-2:]
    return Led(DIAGNOSES[place], gap, DIAGNOSES[scores.index(first)], first - second, payment)


def survey() -> Survey:
    """People who trust nobody: others than the patients, with an epsilon of their own, ln 3 (one coin for truth, one for the answer)."""
    truth = np.array([hashlib.sha256(f"survey/{person}".encode()).digest()[0] < 80 for person in range(PEOPLE)])
    mechanism = RandomizedResponse(Fraction(1, 2))
    reports = mechanism.sample(truth)
    yes = mechanism.estimate(reports, 1 - OUTSIDE)[1]
    trusted = Laplace.calibrate(sensitivity=1, epsilon=mechanism.loss(1).epsilon).error(OUTSIDE) / PEOPLE
    return Survey(PEOPLE, log(3), float(reports.mean()), yes.share, yes.low, yes.high, trusted, float(truth.mean()))


def refusal(session: Session) -> Refusal:
    """One question more than the budget holds."""
    asked = Laplace.calibrate(sensitivity=1, epsilon=Fraction(1, 10)).loss(1)
    try:
        session.pay("patients again", asked)
    except BudgetExceeded as refused:
        return Refusal(tuple(session.paid), "patients again", Fraction(asked.epsilon), str(refused), session.account)
    raise AssertionError("the tour spends the whole budget before it asks once more")


def audited() -> Audited:
    """Our Laplace noise beside the textbook's, told apart by bit patterns; so confident that chance does not refute the right one."""
    from hedgerow.verify.audit import audit  # brings scipy, which the other chapters do without

    mechanism = Laplace.calibrate(sensitivity=1, epsilon=1, grid=2**-20)

    def exact(value: float, runs: int) -> Floats:
        noisy: Floats = mechanism.sample(np.full(runs, value))
        return noisy

    found = []
    for name, noise in (("Hedgerow", exact), ("floating point", textbook)):
        result = audit(noise, 0.0, 1.0, samples=SAMPLES, confidence=CONFIDENCE, batch=True)
        found.append(Finding(name, 1.0, result.epsilon, result.event, result.refutes(1)))
    return Audited(tuple(found), SAMPLES, CONFIDENCE)


def textbook(value: float, runs: int) -> Floats:
    """value + Lap(1) as numpy computes it: a double U of 53 bits, ± ln(2U) in floating point. Not private; here to be caught."""
    u = np.maximum(words(runs) >> np.uint64(11), np.uint64(1)).astype(np.float64) * 2.0**-53
    noisy: Floats = np.where(u >= 0.5, value - np.log(2.0 - u - u), value + np.log(u + u))
    return noisy
