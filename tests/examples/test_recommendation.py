"""The recommendation study runs, and what it says of one friendship is so in every small graph.
Live noise: alarm rate below 1e-9 a run.
"""

from __future__ import annotations

import itertools
import runpy
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[2] / "examples"))

from recommendation.graph import make
from recommendation.recommender import MOVE, Recommender, advert_scores, friend_scores, strangers

import hedgerow as hr
from hedgerow.mechanisms import Exponential, PermuteAndFlip

STUDY = Path(__file__).parents[2] / "examples" / "recommendation" / "study.py"
USERS = 5
LIKES = np.array([[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1], [1, 0, 0]], dtype=np.bool_)
PAIRS = list(itertools.combinations(range(USERS), 2))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The names of the script after its small run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            sys,
            "argv",
            ["study.py", "--small", "--out", str(tmp_path_factory.mktemp("recommendation"))],
        )
        return runpy.run_path(str(STUDY), run_name="__main__")


def graphs() -> Iterator[np.ndarray]:
    """All graphs of five users."""
    for edges in itertools.product((False, True), repeat=len(PAIRS)):
        friends = np.zeros((USERS, USERS), dtype=np.bool_)
        for there, (x, y) in zip(edges, PAIRS, strict=True):
            friends[x, y] = friends[y, x] = there
        yield friends


def with_one_more(friends: np.ndarray, target: int) -> Iterator[np.ndarray]:
    """With each friendship that is not there, between others than the target."""
    for x, y in PAIRS:
        if target not in (x, y) and not friends[x, y]:
            more = friends.copy()
            more[x, y] = more[y, x] = True
            yield more


def test_one_friendship_moves_scores_within_the_sensitivity_in_all_graphs_of_five() -> None:
    # Users are interchangeable, so one target will do.
    seen, together, losses = 0, 0, set[tuple[tuple[int, ...], tuple[int, ...]]]()
    for friends in graphs():
        before, adverts = friend_scores(friends, 0), advert_scores(friends, 0, LIKES)
        for more in with_one_more(friends, 0):
            assert strangers(more, 0).tolist() == strangers(friends, 0).tolist()
            rise, more_ways = (
                friend_scores(more, 0) - before,
                advert_scores(more, 0, LIKES) - adverts,
            )
            assert rise.min(initial=0) >= 0  # monotone
            assert more_ways.min() >= 0
            assert rise.sum() <= MOVE  # one stranger at most, by one
            assert more_ways.max() <= MOVE
            seen, together = max(seen, int(rise.sum())), max(together, int(more_ways.sum()))
            losses |= {
                (tuple(before), tuple(before + rise)),
                (tuple(adverts), tuple(adverts + more_ways)),
            }
    assert seen == MOVE
    assert together == 3  # several adverts move at once
    assert_within(1.0, losses)


def assert_within(epsilon: float, losses: set[tuple[tuple[int, ...], tuple[int, ...]]]) -> None:
    """No recommendation is more than e^epsilon times likelier with the friendship than without,
    or the other way round.
    """
    largest = 0.0
    for mechanism in (
        kind.calibrate(sensitivity=MOVE, epsilon=epsilon, monotone=True)
        for kind in (Exponential, PermuteAndFlip)
    ):
        for one, other in losses:
            for place in range(len(one)):
                largest = max(
                    largest, abs(mechanism.log_prob(place, one) - mechanism.log_prob(place, other))
                )
    assert 0.6 * epsilon < largest <= epsilon + 1e-9


def test_own_friends_are_not_hidden_from_the_target() -> None:
    friends = np.zeros((USERS, USERS), dtype=np.bool_)
    assert 1 in strangers(friends, 0)
    friends[0, 1] = friends[1, 0] = True
    assert 1 not in strangers(friends, 0)


def test_the_graph_is_like_one_of_people() -> None:
    graph = make(800, 12, 10)
    assert (graph.friends == graph.friends.T).all()
    assert not graph.friends.diagonal().any()
    degrees = graph.degrees()
    assert degrees.max() > 4 * np.median(degrees)
    same = graph.community[:, None] == graph.community[None, :]
    assert graph.friends[same].mean() > 5 * graph.friends[~same].mean()


def test_recommended_are_strangers_each_once_and_good_at_a_large_epsilon() -> None:
    graph = make(120, 4, 5)
    recommender = Recommender(graph.friends, graph.likes, epsilon=1000)
    found = recommender.people(7, epsilon=900, many=3)
    assert len(set(found)) == 3
    assert not graph.friends[7][[*found]].any()
    assert 7 not in found
    best = np.sort(friend_scores(graph.friends, 7))[::-1][:3]
    assert [
        int(np.count_nonzero(graph.friends[7] & graph.friends[one])) for one in found
    ] == best.tolist()
    ways = advert_scores(graph.friends, 7, graph.likes)
    assert ways[recommender.advert(7, epsilon=100)] == ways.max()
    paths = sum(
        graph.friends[7, w] and graph.friends[w, c] and graph.likes[c, 2]
        for w in range(120)
        for c in strangers(graph.friends, 7)
    )
    assert ways[2] == paths


def test_each_target_has_a_budget_of_its_own(study: dict[str, Any]) -> None:
    recommender, ana = study["recommender"], study["ana"]
    assert recommender.accounts[ana].charged.epsilon == 2 + 2 + Fraction(1, 5) + 3 * Fraction(1, 4)
    assert study["given"] == 6
    assert set(recommender.accounts) == {ana}
    with pytest.raises(hr.BudgetExceeded):
        recommender.people(ana, epsilon=0.25)
    assert recommender.people(ana + 1, epsilon=0.25)


def test_unpaid_questions_read_no_data() -> None:
    recommender = Recommender(None, None, epsilon=0.1)  # type: ignore[arg-type]
    with pytest.raises(hr.BudgetExceeded):
        recommender.people(0, epsilon=1)
    with pytest.raises(hr.BudgetExceeded):
        recommender.advert(0, epsilon=1)
    assert recommender.accounts == {}


def test_quality_goes_from_blind_to_best(study: dict[str, Any]) -> None:
    curves, blindly = study["curves"], study["blindly"]
    for name, scores in (
        ("permute-and-flip", study["known"]),
        ("exponential", study["known"]),
        ("adverts", study["wares"]),
    ):
        # more than six standard deviations of a mean of sixty
        assert abs(curves[name][0][1] - blindly(scores)) < 0.25
        assert curves[name][-1][1] == 1.0
        assert all(low <= middle <= high for _, middle, low, high in curves[name])
    assert (study["moved"], study["furthest"]) == (1, 1)
    assert 0 < study["ratio"] <= 1


def test_the_picture_is_drawn(study: dict[str, Any]) -> None:
    text = study["file"].read_text(encoding="utf-8")
    root = ET.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(root.findall("{*}polyline")) > 20
    assert "nan" not in text
    assert "inf" not in text
