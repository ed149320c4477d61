"""Before and after: the same attack against what people publish by habit, and against Hedgerow at
several totals of epsilon.

**The game.** Each run fills seats from a crowd of people with and without a secret: a fair coin for
each seat decides of which. Nothing but how many there are of each is taken from a table, which
limits the seats. So the attacker begins at 50 %, whatever the share of the secret is, and the
ceilings of ``ceilings`` are about exactly this game. The attacker knows everything but the secrets:
who sits where, all groups that she asks about, how the answers are made.

**The attack.** Ask for one number of each group of people (``QuestionSet``), put all answers
together (``reconstruction``), guess everybody's secret. Both ways of grouping are tried. Against
habits the crossing groups are halves, which rounding hardly changes and no rule about small cells
touches; against noise they are groups of four, which need few questions, so that each gets much of
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
    "count_halvings",
    "ignore_progress",
    "run_attack",
]

ONE_BY_ONE: Final = "one by one"
HALVES: Final = "crossing halves"  # of everybody, against habits
CROSSING: Final = "crossing groups"  # of a few, against noise
MAX_PEOPLE: Final = 200  # drawn in a run, at most
MIN_PEOPLE: Final = 20  # of each kind: fewer say nothing
CROSSING_QUESTIONS: Final = 12  # questions in crossing groups to somebody who adds noise
CROSSING_GROUP_SIZE: Final = 4  # people in each of those groups
_MAX_RUNS: Final = 10_000

ProgressCallback = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """The secrets of people who can be drawn; ``people`` of them in each run."""

    secrets: Mask
    people: int = MAX_PEOPLE

    def __post_init__(self) -> None:
        if self.secrets.ndim != 1 or self.secrets.dtype != np.bool_:
            raise InvalidArgument(
                "secrets", "must be a column of true and false", self.secrets.shape
            )
        fewer = min(int(self.secrets.sum()), int((~self.secrets).sum()))
        if fewer < MIN_PEOPLE:
            raise Refused(
                f"There are too few people: the attack needs at least {MIN_PEOPLE} with the secret"
                f" and {MIN_PEOPLE} without it."
            )
        if self.people < MIN_PEOPLE:
            raise InvalidArgument("people", f"must be at least {MIN_PEOPLE}", self.people)
        object.__setattr__(self, "people", min(self.people, fewer))

    def draw_secrets(self) -> Mask:
        """A coin for each seat says whether one with the secret or one without it sits there,
        and nobody sits in two.
        """
        coins = (draw_words(self.people) >> np.uint64(63)).astype(np.bool_)
        seats = np.empty(self.people, dtype=np.int64)
        for kind in (False, True):
            those = np.flatnonzero(self.secrets == kind)
            shuffled = those[np.argsort(draw_words(those.size))]
            seats[coins == kind] = shuffled[: int((coins == kind).sum())]
        return self.secrets[seats]


@dataclass(frozen=True, slots=True)
class AttackResult:
    """How one attack on one publisher went. ``epsilon`` and ``ceiling`` are Hedgerow's; a habit
    promises nothing.
    """

    publisher: str
    attack: str
    success: SuccessRate
    epsilon: Fraction | None = None
    ceiling: Fraction | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
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
    """Every line, before and after; and with what the guards were set up."""

    people: int
    runs: int
    baseline_results: tuple[AttackResult, ...]
    hedgerow_results: tuple[AttackResult, ...]
    hedgerow_publishers: tuple[HedgerowPublisher, ...]

    def find_best(self, publisher: str) -> AttackResult:
        """The attack that did best on a publisher."""
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
        """Everybody who was attacked, habits first."""
        return tuple(
            dict.fromkeys(
                line.publisher for line in (*self.baseline_results, *self.hedgerow_results)
            )
        )

    def find_above_ceiling(self, error: float) -> tuple[AttackResult, ...]:
        """Lines that are shown to be above their ceiling: there should be none. Each is wrongly
        here with at most this probability.
        """
        return tuple(
            line
            for line in self.hedgerow_results
            if line.ceiling is not None and line.success.exceeds(line.ceiling, error)
        )


def ignore_progress(done: int, total: int) -> None:
    """Nobody wants to know how far it is."""


def run_attack(
    publisher: CountPublisher,
    divided: Callable[[], QuestionSet],
    crowd: Crowd,
    runs: int,
    tell: ProgressCallback = ignore_progress,
) -> SuccessRate:
    """So many runs, each with people drawn anew and divided anew."""
    if not 1 <= runs <= _MAX_RUNS:
        raise InvalidArgument("runs", f"must lie between 1 and {_MAX_RUNS:,}", runs)
    hits, apart = 0, True
    for run in range(runs):
        tell(run, runs)
        secret, grouping = crowd.draw_secrets(), divided()
        told = publisher.publish(grouping, secret)
        # Where nobody's answer depends on another, both ways are plain rounding; of differences
        # HiGHS makes more work.
        way = (
            linear_program
            if publisher.has_laplace_noise and not grouping.is_independent
            else least_squares
        )
        hits += way(grouping.members, told.answers, told.scales).count_hits(secret)
        apart = apart and grouping.is_independent
    return SuccessRate(hits, crowd.people, runs, apart)


def compare_attacks(
    crowd: Crowd,
    guards: Sequence[HedgerowPublisher],
    *,
    runs: int = 20,
    habits: Sequence[CountPublisher] = BASELINE_PUBLISHERS,
    tell: ProgressCallback = ignore_progress,
) -> AttackComparison:
    """Both attacks against every habit and every guard. ``tell`` hears how many runs are done,
    and of how many.
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
        divided = _choose_question_set(crowd.people, name)
        success = run_attack(
            publisher,
            divided,
            crowd,
            runs,
            lambda run, _, done=place * runs: tell(done + run, total),  # type: ignore[misc]
        )
        promised = (None, None) if guard is None else (guard.epsilon, guard.ceiling)
        lines.append(AttackResult(publisher.name, name, success, *promised))
    tell(total, total)
    many = 2 * len(habits)
    return AttackComparison(
        crowd.people, runs, tuple(lines[:many]), tuple(lines[many:]), tuple(guards)
    )


def count_halvings(people: int) -> int:
    """How often everybody is divided in halves, against habits."""
    return 100 + 3 * people


def _choose_question_set(people: int, name: str) -> Callable[[], QuestionSet]:
    if name == ONE_BY_ONE:
        return lambda: ask_individuals(people)
    if name == CROSSING:
        return lambda: draw_crossing_groups(
            people, CROSSING_QUESTIONS, people // CROSSING_GROUP_SIZE
        )
    return lambda: draw_crossing_groups(people, count_halvings(people), 2)
