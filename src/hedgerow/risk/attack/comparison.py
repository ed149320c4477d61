"""The same attack on common practice and on Hedgerow at several budgets.

**The game.** Each run fills seats from a crowd of people with and without a secret: a fair coin for
each seat decides which. Only the numbers of both are taken from a table, and they limit the seats.
So the attacker begins at 50 %, whatever the share of the secret is, and the bounds of
``attack_bounds`` are about exactly this game. The attacker knows everything but the secrets: who
sits where, all groups that she asks about, how the answers are made.

**The attack.** Ask for one number of each group of people (``QuestionSet``), combine all answers
(``reconstruction``), guess everybody's secret. Both ways of grouping are tried. Against common
practice the crossing groups are halves, which rounding hardly changes and no rule about small cells
affects; against noise they are groups of four, which need few questions, so that each gets much of
the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.bits import draw_words
from hedgerow.risk.attack.baseline_publishers import BASELINE_PUBLISHERS, CountPublisher
from hedgerow.risk.attack.hedgerow_publisher import HedgerowPublisher
from hedgerow.risk.attack.question_sets import QuestionSet, ask_individuals, draw_crossing_groups
from hedgerow.risk.attack.reconstruction import Mask, least_squares, linear_program
from hedgerow.risk.attack.success_rate import SuccessRate

__all__ = [
    "CROSSING",
    "CROSSING_GROUP_SIZE",
    "CROSSING_QUESTIONS",
    "HALVES",
    "MAX_PEOPLE",
    "MIN_PEOPLE",
    "ONE_BY_ONE",
    "AttackComparison",
    "AttackResult",
    "Crowd",
    "compare_attacks",
    "count_default_runs",
    "count_halvings",
    "ignore_progress",
    "run_attack",
]

ONE_BY_ONE: Final = "one by one"
HALVES: Final = "crossing halves"  # of everybody, against common practice
CROSSING: Final = "crossing groups"  # of a few, against noise
MAX_PEOPLE: Final = 200  # in a run
MIN_PEOPLE: Final = 20  # of each kind; fewer show nothing
CROSSING_QUESTIONS: Final = 12  # about crossing groups, against noise
CROSSING_GROUP_SIZE: Final = 4  # people in each of those groups
_MAX_RUNS: Final = 10_000
_MIN_RUNS: Final = 20
_MIN_GUESSES: Final = 4_000  # chance then moves a share of right guesses by less than a point

ProgressCallback = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """The secrets of people who can be drawn; ``people`` of them in each run."""

    secrets: Mask
    people: int = MAX_PEOPLE

    def __post_init__(self) -> None:
        if self.secrets.ndim != 1 or self.secrets.dtype != np.bool_:
            raise InvalidArgument(
                "secrets", "must be a one-dimensional array of booleans", self.secrets.shape
            )
        fewer = min(int(self.secrets.sum()), int((~self.secrets).sum()))
        if fewer < MIN_PEOPLE:
            raise Refused(
                f"There are too few people: the attack needs at least {MIN_PEOPLE} with the secret"
                f" and {MIN_PEOPLE} without it. Define the secret differently."
            )
        if self.people < MIN_PEOPLE:
            raise InvalidArgument("people", f"must be at least {MIN_PEOPLE}", self.people)
        object.__setattr__(self, "people", min(self.people, fewer))

    def draw_secrets(self) -> Mask:
        """Draw people for the seats: a coin for each seat decides who sits there, and nobody
        sits twice.
        """
        coins = (draw_words(self.people) >> np.uint64(63)).astype(np.bool_)
        seats = np.empty(self.people, dtype=np.int64)
        for kind in (False, True):
            people = np.flatnonzero(self.secrets == kind)
            shuffled = people[np.argsort(draw_words(people.size))]
            seats[coins == kind] = shuffled[: int((coins == kind).sum())]
        return self.secrets[seats]


@dataclass(frozen=True, slots=True)
class AttackResult:
    """The result of one attack on one publisher.

    ``epsilon`` and ``ceiling`` are Hedgerow's; common practice guarantees nothing.
    """

    publisher: str
    attack: str
    success: SuccessRate
    epsilon: Fraction | None = None
    ceiling: Fraction | None = None

    def is_lucky(self, error: float) -> bool:
        """Return whether more was guessed right than an attack can on average, without a proof that
        the attack is better."""
        return (
            self.ceiling is not None
            and self.success.rate > self.ceiling
            and not self.success.exceeds(self.ceiling, error)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON."""
        low, high = self.success.interval()
        return {
            "publisher": self.publisher,
            "attack": self.attack,
            "success": self.success.rate,
            "low": low,
            "high": high,
            "epsilon": None if self.epsilon is None else str(self.epsilon),
            "ceiling": None if self.ceiling is None else float(self.ceiling),
        }


@dataclass(frozen=True, slots=True)
class AttackComparison:
    """The results for common practice and for Hedgerow with these publishers."""

    people: int
    runs: int
    baseline_results: tuple[AttackResult, ...]
    hedgerow_results: tuple[AttackResult, ...]
    hedgerow_publishers: tuple[HedgerowPublisher, ...]

    def find_best(self, publisher: str) -> AttackResult:
        """Return the most successful attack on a publisher."""
        return max(
            (
                line
                for line in (*self.baseline_results, *self.hedgerow_results)
                if line.publisher == publisher
            ),
            key=lambda line: line.success.rate,
        )

    @property
    def publishers(self) -> tuple[str, ...]:
        """The names of all publishers, common practice first."""
        return tuple(
            dict.fromkeys(
                line.publisher for line in (*self.baseline_results, *self.hedgerow_results)
            )
        )

    def find_above_ceiling(self, error: float) -> tuple[AttackResult, ...]:
        """Return results that are proved to be above their ceiling: there should be none.

        Each is here by mistake with at most this probability.
        """
        return tuple(
            line
            for line in self.hedgerow_results
            if line.ceiling is not None and line.success.exceeds(line.ceiling, error)
        )


def ignore_progress(done: int, total: int) -> None:
    """Ignore the progress of the attacks."""


def run_attack(
    publisher: CountPublisher,
    draw_questions: Callable[[], QuestionSet],
    crowd: Crowd,
    runs: int,
    tell: ProgressCallback = ignore_progress,
) -> SuccessRate:
    """Run an attack several times, each with new people and new questions."""
    if not 1 <= runs <= _MAX_RUNS:
        raise InvalidArgument("runs", f"must lie between 1 and {_MAX_RUNS:,}", runs)
    hits, independent = 0, True
    for run in range(runs):
        tell(run, runs)
        secret, grouping = crowd.draw_secrets(), draw_questions()
        counts = publisher.publish(grouping, secret)
        # Independent answers are just rounded by either method, and least squares is the faster.
        crossing_noise = publisher.has_laplace_noise and not grouping.is_independent
        reconstruct = linear_program if crossing_noise else least_squares
        column = reconstruct(grouping.members, counts.answers, counts.scales)
        hits += column.count_hits(secret)
        independent = independent and grouping.is_independent
    return SuccessRate(hits, crowd.people, runs, independent)


def compare_attacks(
    crowd: Crowd,
    guards: Sequence[HedgerowPublisher],
    *,
    runs: int = 20,
    habits: Sequence[CountPublisher] = BASELINE_PUBLISHERS,
    tell: ProgressCallback = ignore_progress,
) -> AttackComparison:
    """Run both attacks against common practice and against each Hedgerow publisher.

    ``tell`` is called with the number of runs done and the total.
    """
    if len({guard.name for guard in guards}) < len(guards):
        raise InvalidArgument(
            "guards", "must have different epsilons", [guard.name for guard in guards]
        )
    attacked: list[tuple[CountPublisher, str]] = [
        (habit, name) for habit in habits for name in (ONE_BY_ONE, HALVES)
    ]
    attacked += [(guard, name) for guard in guards for name in (ONE_BY_ONE, CROSSING)]
    total = runs * len(attacked)
    lines = []
    for place, (publisher, name) in enumerate(attacked):
        guard = publisher if isinstance(publisher, HedgerowPublisher) else None
        success = run_attack(
            publisher,
            _choose_question_set(crowd.people, name),
            crowd,
            runs,
            lambda run, _, done=place * runs: tell(done + run, total),  # type: ignore[misc]
        )
        guarantee = (None, None) if guard is None else (guard.epsilon, guard.ceiling)
        lines.append(AttackResult(publisher.name, name, success, *guarantee))
    tell(total, total)
    split = 2 * len(habits)
    return AttackComparison(
        crowd.people, runs, tuple(lines[:split]), tuple(lines[split:]), tuple(guards)
    )


def count_halvings(people: int) -> int:
    """Return the number of divisions into halves, against common practice."""
    return 100 + 3 * people


def _choose_question_set(people: int, name: str) -> Callable[[], QuestionSet]:
    if name == ONE_BY_ONE:
        return lambda: ask_individuals(people)
    if name == CROSSING:
        return lambda: draw_crossing_groups(
            people, CROSSING_QUESTIONS, people // CROSSING_GROUP_SIZE
        )
    return lambda: draw_crossing_groups(people, count_halvings(people), 2)


def count_default_runs(crowd: Crowd) -> int:
    """Return a number of runs after which chance cannot look like a breach."""
    return max(_MIN_RUNS, -(-_MIN_GUESSES // crowd.people))
