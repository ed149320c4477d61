"""Whom to introduce to whom, and which advert to show, from friendships that must not be given
away.

**Who is protected, and from whom.** One friendship {x, y}, which is there or not (add-remove of an
edge). A recommendation is shown to its target t and to nobody else. Protected against t is every
friendship that t is not part of. Her own friends she knows.

**The score of a stranger** c, somebody who is neither t nor a friend of t, is the number of their
common friends, u(c) = |N(t) & N(c)|.

**Its sensitivity is 1, it is monotone, and no edge moves more than one score.** Let {x, y} be an
edge without t. N(t) is the same with it and without it, so the strangers are the same people. u(c)
counts the w in N(t) that have an edge {w, c}. So {x, y} counts only for c = y, if x is a friend of
t, or for c = x, if y is. If both are friends of t, neither is a stranger, and no score moves. If
one is, the score of the other moves by 1, up when the edge comes. If none is, nothing moves. Scores
only rise when an edge comes: that is what ``monotone`` says, and it halves the price.

**An edge of t herself** is another matter. With {t, w} there, w is no stranger and cannot be
recommended. So whoever sees that w was recommended knows that the edge is not there: no epsilon at
all. Hence a recommendation is for the eyes of t only.

**Strangers are all strangers.** To choose only among friends of friends would look cheaper, and is
no longer private: who is one depends on edges that t does not have.

**The score of an advert** for a page is the number of ways from t over a friend to a stranger who
likes the page: the sum of u(c) over the strangers c who like it (likes are public). One edge moves
one u(c) by 1, so every advert moves by at most 1, all that c likes together, in the same direction:
sensitivity 1 and monotone again. A selection mechanism does not mind that many move at once.

**Many recommendations** to t add up; ``accounts`` has a budget for each target. Two targets who put
their screens side by side add up, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

import hedgerow as hr
from hedgerow.mechanisms import PermuteAndFlip

__all__ = ["MOVE", "Recommender", "advert_scores", "friend_scores", "strangers"]

MOVE = 1  # how far one friendship between others moves a score, see above

Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]


def strangers(friends: Booleans, target: int) -> Integers:
    """Return everybody who is neither the target nor a friend of the target, which the target
    knows."""
    known = friends[target].copy()
    known[target] = True
    return np.flatnonzero(~known)


def friend_scores(friends: Booleans, target: int) -> Integers:
    """Return the number of friends that each stranger has in common with the target."""
    return friends[friends[target]].sum(axis=0)[strangers(friends, target)]


def advert_scores(friends: Booleans, target: int, likes: Booleans) -> Integers:
    """Return the number of paths from the target over a friend to a stranger who likes a page."""
    return friend_scores(friends, target) @ likes[strangers(friends, target)]


@dataclass(slots=True)
class Recommender:
    """A recommender with the graph, and a budget of ``epsilon`` for each target, opened at the
    first recommendation."""

    friends: Booleans
    likes: Booleans
    epsilon: float
    accounts: dict[int, hr.Budget] = field(default_factory=dict)

    def people(self, target: int, epsilon: float, many: int = 1) -> list[int]:
        """Return different strangers for the target to meet, all for ``epsilon``."""
        choose = PermuteAndFlip.calibrate(
            sensitivity=MOVE, epsilon=Fraction(str(epsilon)) / many, monotone=True
        )
        self._charge(target, many * choose.loss(MOVE))
        names, scores = strangers(self.friends, target), friend_scores(self.friends, target)
        found = list[int]()
        for _ in range(many):
            place = choose.sample(scores)
            found.append(int(names[place]))
            names, scores = np.delete(names, place), np.delete(scores, place)
        return found

    def advert(self, target: int, epsilon: float) -> int:
        """Return a page to advertise to the target."""
        choose = PermuteAndFlip.calibrate(sensitivity=MOVE, epsilon=epsilon, monotone=True)
        self._charge(target, choose.loss(MOVE))
        return choose.sample(advert_scores(self.friends, target, self.likes))

    def _charge(self, target: int, loss: hr.Loss) -> None:
        """Charge the budget of a target before anything is read; refuse if it does not cover the
        charge."""
        self.accounts[target] = self.accounts.get(target, hr.Budget(epsilon=self.epsilon)).charge(
            loss
        )
