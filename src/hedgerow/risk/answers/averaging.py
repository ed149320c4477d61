"""Averaging: fresh noise on every answer vanishes when the same question is asked often enough.

The mean of m answers with independent noise of standard deviation s has a standard error of s /
sqrt(m): a hundred answers take one digit off the noise. If the exact value is known to be whole,
rounding the mean gives it for certain once the standard error is well below a half. A stored answer
that is returned again has no fresh noise, so averaging it gains nothing: Hedgerow stores answers,
and charges once.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers.findings import DisclosureFinding
from hedgerow.risk.answers.published_answer import PublishedAnswer, PublishedAnswers

if TYPE_CHECKING:
    from hedgerow.database import Database

__all__ = [
    "AveragingExperiment",
    "RepeatedQuestion",
    "averaging",
    "find_averaged_noise",
    "find_repeated_questions",
]

_MIN_CERTAINTY: Final = 0.95
_DEFAULT_RUNS: Final = 32


@dataclass(frozen=True, slots=True)
class RepeatedQuestion:
    """Several answers to one question, however it was written."""

    question: str
    names: tuple[str, ...]
    values: tuple[Fraction, ...]
    is_integer: bool

    def __post_init__(self) -> None:
        if len(self.values) < 2 or len(self.names) != len(self.values):
            raise InvalidArgument(
                "values", "must be at least two, each with a name", len(self.values)
            )

    @property
    def estimate(self) -> float:
        """The mean."""
        return float(sum(self.values, Fraction(0)) / len(self.values))

    @property
    def standard_deviation(self) -> float:
        """The sample standard deviation of one answer; 0 if all are the same."""
        values = [float(value) for value in self.values]
        return statistics.stdev(values) if len(set(self.values)) > 1 else 0.0

    @property
    def standard_error(self) -> float:
        """The standard error of the mean."""
        return self.standard_deviation / math.sqrt(len(self.values))

    @property
    def nearest_integer(self) -> int | None:
        """The whole number nearest to the mean, if the exact value is known to be whole."""
        return math.floor(self.estimate + 0.5) if self.is_integer else None

    @property
    def certainty(self) -> float | None:
        """The probability that ``nearest_integer`` is exact, if the mean is about normal."""
        if not self.is_integer or not self.standard_error:
            return None
        return 2 * NormalDist().cdf(0.5 / self.standard_error) - 1


def find_repeated_questions(answers: PublishedAnswers) -> list[RepeatedQuestion]:
    """Return the questions that were answered more than once, most often first."""
    found: dict[Any, list[PublishedAnswer]] = {}
    for answer in answers.answers:
        if answer.value is not None and not answer.is_implied:
            found.setdefault(answer.question_key, []).append(answer)
    made = [
        RepeatedQuestion(
            same[0].description,
            tuple(each.name for each in same),
            tuple(each.low or Fraction(0) for each in same),
            same[0].measure == "count",
        )
        for same in found.values()
        if len(same) > 1
    ]
    return sorted(made, key=lambda each: -len(each.values))


def find_averaged_noise(answers: PublishedAnswers) -> list[DisclosureFinding]:
    """Return a finding for each question that was answered again with fresh noise."""
    findings = []
    for each in find_repeated_questions(answers):
        if not each.standard_deviation:
            continue
        count, error = len(each.values), each.standard_error
        sentence = (
            f"{each.question}: {count:,} answers that differ. One is off by about"
            f" {each.standard_deviation:.3g}; their mean {each.estimate:.6g} only by {error:.3g},"
            " and by less with each further answer."
        )
        if each.certainty is not None and each.certainty >= _MIN_CERTAINTY:
            sure = min(each.certainty, 0.9999)
            sentence += (
                f" A count is whole: it is {each.nearest_integer:,}, with a probability of"
                f" {100 * sure:.4g} %."
            )
        findings.append(
            DisclosureFinding(
                "averaged",
                sentence,
                each.question,
                None,
                None,
                each.names,
                f"mean of {count:,} answers",
            )
        )
    return findings


@dataclass(frozen=True, slots=True)
class AveragingExperiment:
    """The error of the mean after each number of answers in ``steps``.

    ``naive`` is for fresh noise (root mean square of several runs), ``expected`` its theory, and
    ``protected`` for the database.
    """

    steps: tuple[int, ...]
    naive: tuple[float, ...]
    expected: tuple[float, ...]
    protected: tuple[float, ...]
    distinct_answers: int  # answers of the database that are not the same
    charge_count: int  # how often it charged
    epsilon: Fraction  # what it charged in all


def averaging(
    database: Database,
    sql: str,
    exact: Any,
    *,
    sensitivity: Any,
    epsilon: Any,
    repeats: int = 10_000,
    runs: int = _DEFAULT_RUNS,
) -> AveragingExperiment:
    """Ask the same question ``repeats`` times and average the answers.

    Once of a program that adds fresh Laplace noise of this epsilon each time, and once of a
    database. The question has one number, ``exact`` without noise, to which one unit contributes at
    most ``sensitivity``.
    """
    from hedgerow.answers.answer import Answer
    from hedgerow.mechanisms import Laplace

    for name, value, least in (("repeats", repeats, 2), ("runs", runs, 2)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InvalidArgument(name, f"must be a whole number of at least {least}", value)
    truth, steps = float(exact), _list_steps(repeats)
    mechanism = Laplace.calibrate(sensitivity=sensitivity, epsilon=epsilon)
    off = np.array(
        [
            _compute_running_means(mechanism.sample(np.zeros(repeats, dtype=np.int64)), steps)
            for _ in range(runs)
        ]
    )
    given, charged, spent = [], 0, Fraction(0)
    for _ in range(repeats):
        answer = database.query(sql, epsilon=epsilon)
        if not isinstance(answer, Answer):
            raise InvalidArgument(
                "sql", "must ask for one number, such as SELECT AVG(age) FROM data"
            )
        given.append(_read_single_number(answer.rows))
        if not answer.receipt.reused:
            charged, spent = charged + 1, spent + Fraction(answer.receipt.epsilon)
    scale = math.sqrt(2) * float(mechanism.scale)
    return AveragingExperiment(
        steps,
        tuple(np.sqrt(np.mean(off**2, axis=0)).tolist()),
        tuple(scale / math.sqrt(step) for step in steps),
        tuple(np.abs(_compute_running_means(np.array(given), steps) - truth).tolist()),
        len(set(given)),
        charged,
        spent,
    )


def _list_steps(repeats: int) -> tuple[int, ...]:
    """Return 1, 10, 100, … and the number of repeats."""
    return tuple(
        dict.fromkeys([*(10**power for power in range(10) if 10**power < repeats), repeats])
    )


def _compute_running_means(values: Any, steps: tuple[int, ...]) -> Any:
    sums = np.cumsum(np.asarray(values, dtype=np.float64))
    return np.array([sums[step - 1] / step for step in steps])


def _read_single_number(rows: list[dict[str, Any]]) -> float:
    if (
        len(rows) != 1
        or len(rows[0]) != 1
        or not isinstance(next(iter(rows[0].values())), int | float)
    ):
        raise InvalidArgument("sql", "must ask for one number, such as SELECT AVG(age) FROM data")
    return float(next(iter(rows[0].values())))
