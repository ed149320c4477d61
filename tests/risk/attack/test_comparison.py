"""The attack works where it should, and no better than its ceiling where Hedgerow stands."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.risk.attack import comparison as module
from hedgerow.risk.attack.baseline_publishers import BASELINE_PUBLISHERS, ExactPublisher
from hedgerow.risk.attack.comparison import (
    CROSSING,
    HALVES,
    ONE_BY_ONE,
    AttackComparison,
    AttackResult,
    Crowd,
    compare_attacks,
    count_default_runs,
    run_attack,
)
from hedgerow.risk.attack.hedgerow_publisher import HedgerowPublisher
from hedgerow.risk.attack.question_sets import ask_individuals, draw_crossing_groups
from hedgerow.risk.attack.success_rate import SuccessRate

CROWD = Crowd(np.arange(400) % 2 == 0)


def test_people_are_drawn_by_coins() -> None:
    # one in ten has the secret, and 100 of them at most are drawn
    crowd = Crowd(np.arange(1000) % 10 == 0)
    assert crowd.people == 100
    shares = [crowd.draw_secrets().mean() for _ in range(50)]
    assert abs(np.mean(shares) - 0.5) < 6.2 * 0.5 / 5000**0.5
    assert len(set(shares)) > 5


@pytest.mark.parametrize("habit", BASELINE_PUBLISHERS, ids=lambda habit: habit.name)
def test_habits_are_broken(habit: object) -> None:
    """Halves of 200 people: exact, rounded to 5 and to 10, small cells left out: at least 95 %
    come back from each.
    """
    found = run_attack(
        habit,  # type: ignore[arg-type]
        lambda: draw_crossing_groups(200, 900, 2),
        CROWD,
        1,
    )
    assert found.rate >= 0.95
    assert not found.is_independent


def test_lookup_breaks_what_is_exact_and_nothing_else() -> None:
    rates = [
        run_attack(habit, lambda: ask_individuals(200), CROWD, 5).rate
        for habit in BASELINE_PUBLISHERS
    ]
    assert rates[0] == 1
    assert all(abs(rate - 0.5) < 6.2 * 0.5 / 1000**0.5 for rate in rates[1:])


@pytest.mark.long
def test_hedgerow_holds_its_ceiling_and_the_attack_reaches_it() -> None:
    """At 1 the rate is the ceiling itself, 81.6 %: six standard deviations of 600 guesses around
    it.
    """
    guard = HedgerowPublisher("add-remove", Fraction(1))
    found = run_attack(guard, lambda: ask_individuals(200), CROWD, 3)
    assert not found.exceeds(guard.ceiling, 1e-9)
    assert found.rate > float(guard.ceiling) - 6.2 * (0.816 * 0.184 / 600) ** 0.5


@pytest.mark.long
def test_before_and_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CROSSING_QUESTIONS", 3)
    told: list[tuple[int, int]] = []
    guards = (
        HedgerowPublisher("add-remove", Fraction(1, 10)),
        HedgerowPublisher("add-remove", Fraction(40)),
    )
    crowd = Crowd(np.arange(100) % 2 == 0)
    found = compare_attacks(
        crowd,
        guards,
        runs=1,
        habits=(ExactPublisher(),),
        tell=lambda done, total: told.append((done, total)),
    )
    assert (found.people, found.runs, found.hedgerow_publishers) == (50, 1, guards)
    assert found.publishers == ("exact", "epsilon 0.1", "epsilon 40")
    assert [line.attack for line in found.baseline_results] == [ONE_BY_ONE, HALVES]
    assert [line.attack for line in found.hedgerow_results] == [ONE_BY_ONE, CROSSING] * 2
    assert all(line.success.rate == 1 and line.ceiling is None for line in found.baseline_results)
    assert [line.epsilon for line in found.hedgerow_results] == [Fraction(1, 10)] * 2 + [
        Fraction(40)
    ] * 2
    assert found.find_best("epsilon 40").success.rate >= 0.95
    assert found.find_above_ceiling(1e-9) == ()
    assert told == [*((done, 6) for done in range(6)), (6, 6)]
    assert found.hedgerow_results[0].to_dict()["ceiling"] == pytest.approx(0.5476, abs=1e-4)
    assert found.baseline_results[0].to_dict()["epsilon"] is None


def test_a_line_above_its_ceiling_is_found() -> None:
    """Of a guard that spent ten times what it said: nearly all secrets come back."""
    broken = run_attack(
        HedgerowPublisher("add-remove", Fraction(10)), lambda: ask_individuals(200), CROWD, 1
    )
    assert broken.rate >= 0.95
    lines = tuple(
        AttackResult(
            "epsilon 1",
            ONE_BY_ONE,
            success,
            Fraction(1),
            HedgerowPublisher("add-remove", Fraction(1)).ceiling,
        )
        for success in (broken, SuccessRate(163, 200, 1, is_independent=True))
    )
    assert AttackComparison(200, 1, (), lines, ()).find_above_ceiling(1e-9) == lines[:1]


@pytest.mark.parametrize(
    ("hits", "ceiling", "lucky"),
    [(600, Fraction(1, 2), False), (520, Fraction(1, 2), True), (490, Fraction(1, 2), False)],
)
def test_a_share_above_its_ceiling_is_luck_unless_it_is_proved(
    hits: int, ceiling: Fraction, lucky: bool
) -> None:
    success = SuccessRate(hits, 100, 10, is_independent=True)
    line = AttackResult("epsilon 1", ONE_BY_ONE, success, Fraction(1), ceiling)
    assert line.is_lucky(1e-9) == lucky
    assert not AttackResult("exact", ONE_BY_ONE, success).is_lucky(1e-9)


def test_the_default_runs_make_thousands_of_guesses_whatever_the_crowd() -> None:
    for size in (40, 60, 400, 4000):
        crowd = Crowd(np.arange(size) % 2 == 0)
        assert count_default_runs(crowd) * crowd.people >= 4_000
    assert count_default_runs(CROWD) == 20


def test_bad_crowds_and_runs_are_refused() -> None:
    with pytest.raises(Refused, match="at least 20 with the secret and 20 without"):
        Crowd(np.arange(100) < 19)
    with pytest.raises(InvalidArgument, match="people must be at least 20"):
        Crowd(np.arange(100) < 50, 19)
    with pytest.raises(InvalidArgument, match="secrets must be a one-dimensional array"):
        Crowd(np.zeros((2, 2), dtype=np.bool_))
    with pytest.raises(InvalidArgument, match="runs must lie between"):
        run_attack(ExactPublisher(), lambda: ask_individuals(200), CROWD, 0)
    twice = HedgerowPublisher("add-remove", Fraction(1))
    with pytest.raises(InvalidArgument, match="guards must have different epsilons"):
        compare_attacks(CROWD, [twice, twice])
