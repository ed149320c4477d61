"""The attack works where it should, and no better than its ceiling where Hedgerow stands."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.risk.attack import comparison as module
from hedgerow.risk.attack.comparison import CROSSING, HALVES, ONE_BY_ONE, Comparison, Crowd, Line, attack, before_and_after
from hedgerow.risk.attack.grouping import crossing, one_by_one
from hedgerow.risk.attack.guarded import Guarded
from hedgerow.risk.attack.publisher import HABITS, Exact
from hedgerow.risk.attack.success import Success

CROWD = Crowd(np.arange(400) % 2 == 0)


def test_people_are_drawn_by_coins() -> None:
    crowd = Crowd(np.arange(1000) % 10 == 0)  # one in ten has the secret, and 100 of them at most are drawn
    assert crowd.people == 100
    shares = [crowd.draw().mean() for _ in range(50)]
    assert abs(np.mean(shares) - 0.5) < 6.2 * 0.5 / 5000**0.5
    assert len(set(shares)) > 5


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.name)
def test_habits_are_broken(habit: object) -> None:
    """Halves of 200 people: exact, rounded to 5 and to 10, small cells left out: at least 95 % come back from each."""
    found = attack(habit, lambda: crossing(200, 900, 2), CROWD, 1)  # type: ignore[arg-type]
    assert found.rate >= 0.95
    assert not found.apart


def test_lookup_breaks_what_is_exact_and_nothing_else() -> None:
    rates = [attack(habit, lambda: one_by_one(200), CROWD, 5).rate for habit in HABITS]
    assert rates[0] == 1
    assert all(abs(rate - 0.5) < 6.2 * 0.5 / 1000**0.5 for rate in rates[1:])


@pytest.mark.long
def test_hedgerow_holds_its_ceiling_and_the_attack_reaches_it() -> None:
    """At 1 the rate is the ceiling itself, 81.6 %: six standard deviations of 600 guesses around it."""
    guard = Guarded("add-remove", Fraction(1))
    found = attack(guard, lambda: one_by_one(200), CROWD, 3)
    assert not found.above(guard.ceiling, 1e-9)
    assert found.rate > float(guard.ceiling) - 6.2 * (0.816 * 0.184 / 600) ** 0.5


@pytest.mark.long
def test_before_and_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NOISY", 3)
    told: list[tuple[int, int]] = []
    guards = (Guarded("add-remove", Fraction(1, 10)), Guarded("add-remove", Fraction(40)))
    crowd = Crowd(np.arange(100) % 2 == 0)
    found = before_and_after(crowd, guards, runs=1, habits=(Exact(),), tell=lambda done, total: told.append((done, total)))
    assert (found.people, found.runs, found.guards) == (50, 1, guards)
    assert found.publishers == ("exact", "epsilon 0.1", "epsilon 40")
    assert [line.attack for line in found.before] == [ONE_BY_ONE, HALVES]
    assert [line.attack for line in found.after] == [ONE_BY_ONE, CROSSING] * 2
    assert all(line.success.rate == 1 and line.ceiling is None for line in found.before)
    assert [line.epsilon for line in found.after] == [Fraction(1, 10)] * 2 + [Fraction(40)] * 2
    assert found.best("epsilon 40").success.rate >= 0.95
    assert found.above(1e-9) == ()
    assert told == [*((done, 6) for done in range(6)), (6, 6)]
    assert found.after[0].to_dict()["ceiling"] == pytest.approx(0.5476, abs=1e-4)
    assert found.before[0].to_dict()["epsilon"] is None


def test_a_line_above_its_ceiling_is_found() -> None:
    """Of a guard that spent ten times what it said: nearly all secrets come back."""
    broken = attack(Guarded("add-remove", Fraction(10)), lambda: one_by_one(200), CROWD, 1)
    assert broken.rate >= 0.95
    lines = tuple(
        Line("epsilon 1", ONE_BY_ONE, success, Fraction(1), Guarded("add-remove", Fraction(1)).ceiling)
        for success in (broken, Success(163, 200, 1, apart=True))
    )
    assert Comparison(200, 1, (), lines, ()).above(1e-9) == lines[:1]


def test_what_is_refused() -> None:
    with pytest.raises(Refused, match="at least 20 with the secret and 20 without"):
        Crowd(np.arange(100) < 19)
    with pytest.raises(InvalidArgument, match="people must be at least 20"):
        Crowd(np.arange(100) < 50, 19)
    with pytest.raises(InvalidArgument, match="secrets must be a column"):
        Crowd(np.zeros((2, 2), dtype=np.bool_))
    with pytest.raises(InvalidArgument, match="runs must lie between"):
        attack(Exact(), lambda: one_by_one(200), CROWD, 0)
    twice = Guarded("add-remove", Fraction(1))
    with pytest.raises(InvalidArgument, match="guards must have different epsilons"):
        before_and_after(CROWD, [twice, twice])
