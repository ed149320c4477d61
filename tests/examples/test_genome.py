"""The genome study runs, and what it says about itself is true. Live noise: alarm rate below
1e-9 a run.
"""

from __future__ import annotations

import itertools
import runpy
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[2] / "examples"))

from genome.association import SCORE, Custodian, chi_square, odds_ratio, p_value, scores, top
from genome.cohort import WIDTH, make

import hedgerow as hr
from hedgerow.mechanisms import Exponential, Gaussian

STUDY = Path(__file__).parents[2] / "examples" / "genome" / "study.py"
FAR = 6.2  # standard deviations: a normal variable leaves them with probability 6e-10


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The names of the script after its small run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            sys, "argv", ["study.py", "--small", "--out", str(tmp_path_factory.mktemp("genome"))]
        )
        return runpy.run_path(str(STUDY), run_name="__main__")


def tabled(controls: tuple[int, ...], cases: tuple[int, ...]) -> np.ndarray:
    """The table of one variant, from everybody's number of copies."""
    return np.array(
        [
            np.bincount(group, minlength=3)
            for group in (np.array(controls, int), np.array(cases, int))
        ]
    )[:, :, None]


def test_one_person_moves_a_score_by_one_in_every_small_study() -> None:
    most = 0
    for n, m in itertools.product(range(3), repeat=2):
        for controls in itertools.product(range(3), repeat=n):
            for cases in itertools.product(range(3), repeat=m):
                before = int(scores(tabled(controls, cases))[0])
                for copies in range(3):
                    for more in (
                        tabled((*controls, copies), cases),
                        tabled(controls, (*cases, copies)),
                    ):
                        most = max(most, abs(int(scores(more)[0]) - before))
    assert most == SCORE


def test_one_person_moves_many_scores_both_ways() -> None:
    cohort = make(30, 12, (2.0,))
    exact = scores(cohort.tables())
    moves = [
        scores(cohort.without(group, person).tables()) - exact
        for group in range(2)
        for person in range(12)
    ]
    assert max(np.abs(move).max() for move in moves) == SCORE
    # so the scores are not monotone
    assert all((move > 0).any() and (move < 0).any() for move in moves)
    assert min(np.count_nonzero(move) for move in moves) > 100


def test_the_people_are_as_the_generator_says() -> None:
    cohort = make(40, 20_000, (1.5, 2.0))
    tables = cohort.tables()
    assert (tables.sum(axis=1) == 20_000).all()
    assert len({item.variant // WIDTH for item in cohort.planted}) == 2
    for item in cohort.planted:
        estimate, low, high = odds_ratio(tables[:, :, item.variant], 0.0)
        assert abs(np.log(estimate / item.odds)) < FAR / 1.96 * np.log(high / low) / 2
    share = (tables[:, 1] + 2 * tables[:, 2])[0] / 40_000
    assert share.max() < 0.51
    assert np.median(share) < 0.25  # rare alleles are common
    assert cohort.place(0)[0] == 1
    assert cohort.place(cohort.variants - 1)[0] == 22


def test_without_noise_the_test_is_pearsons() -> None:
    table = np.array([[[2100], [800], [100]], [[1500], [650], [90]]])
    cells = table[:, :, 0]
    expected = cells.sum(axis=1, keepdims=True) * cells.sum(axis=0) / cells.sum()
    assert chi_square(table, 0.0)[0] == pytest.approx(np.sum((cells - expected) ** 2 / expected))
    assert p_value(np.array([5.991464547]))[0] == pytest.approx(0.05)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_false_alarms_hold_the_level_where_the_usual_test_does_not(share: float) -> None:
    tries, level = 40_000, 0.05
    noise = Gaussian(scale=25)
    shares = [(1 - share) ** 2, 2 * share * (1 - share), share**2]
    tables = np.moveaxis(np.random.default_rng(5).multinomial(3000, shares, size=(2, tries)), 2, 1)
    seen = noise.sample(tables)
    rate = np.mean(p_value(chi_square(seen, 25.0)) < level)
    radius = FAR * np.sqrt(level / tries)
    assert 0.92 * level - radius < rate < 1.05 * level + radius
    assert np.mean(p_value(chi_square(seen, 0.0)) < level) > 2 * level


def test_intervals_of_odds_ratios_cover() -> None:
    tries, truth, share = 1500, 1.4, 0.3
    tilted = share * truth / (1 - share + share * truth)
    chance, noise = np.random.default_rng(8), Gaussian(scale=20)
    groups = [
        chance.multinomial(2500, [(1 - p) ** 2, 2 * p * (1 - p), p * p], size=tries)
        for p in (share, tilted)
    ]
    seen = noise.sample(np.stack(groups, axis=1))
    held = np.mean(
        [low < truth < high for _, low, high in (odds_ratio(table, 20.0) for table in seen)]
    )
    narrow = np.mean(
        [low < truth < high for _, low, high in (odds_ratio(table, 0.0) for table in seen)]
    )
    assert held > 0.945 - FAR * np.sqrt(0.05 * 0.95 / tries)
    assert narrow < held


def test_a_tiny_epsilon_chooses_blindly_and_a_large_one_the_best() -> None:
    exact = np.arange(20) * 50
    blind = Exponential.calibrate(sensitivity=SCORE, epsilon=1e-9)
    counts = np.bincount([top(exact, blind, 1, 1)[0] for _ in range(2000)], minlength=20)
    assert counts.min() > 20  # 100 are expected, give or take 10
    assert counts.max() < 180
    sharp = Exponential.calibrate(sensitivity=SCORE, epsilon=10)
    assert top(exact, sharp, 3, 1) == [19, 18, 17]
    assert top(exact, sharp, 3, 5) == [19, 14, 9]  # a locus is found once


def test_the_study_finds_what_was_planted(study: dict[str, Any]) -> None:
    assert {variant // WIDTH for variant in study["found"]} == set(study["planted"])
    assert (study["p_values"] < study["level"]).all()
    for rows in study["recall"].values():
        assert rows[-1][1:] == (1.0, 1.0, 1.0)
        assert rows[0][1] < 1.0
        assert all(low <= middle <= high for _, middle, low, high in rows)
    for rates in study["false_alarms"].values():
        assert rates["known"][0] < 0.05 + 0.0025 + FAR * (0.05 / study["tries"]) ** 0.5


def test_everything_is_in_one_budget_and_adds_up(study: dict[str, Any]) -> None:
    budget, wanted = study["custodian"].budget, study["wanted"]
    tables = hr.Sensitivity.each(wanted, 1)
    noise = Gaussian.calibrate(sensitivity=tables, rho=study["to_tell"])
    assert float(noise.scale) == study["noise"]
    assert budget.charged == wanted * study["choice"].loss(SCORE) + noise.loss(tables)
    assert budget.rho * Fraction(999_999, 1_000_000) < budget.charged.rho <= budget.rho
    with pytest.raises(hr.BudgetExceeded):
        study["custodian"].noisy_tables(study["found"][:1], study["to_tell"])


def test_unpaid_questions_read_no_data() -> None:
    custodian = Custodian(None, hr.Budget(epsilon=0.01, delta=1e-6))  # type: ignore[arg-type]
    with pytest.raises(hr.BudgetExceeded):
        custodian.most_associated(1, Fraction(1), WIDTH)
    with pytest.raises(hr.BudgetExceeded):
        custodian.noisy_tables([0], Fraction(1))
    assert custodian.budget.charged.rho == 0


def test_the_picture_is_drawn(study: dict[str, Any]) -> None:
    text = study["file"].read_text(encoding="utf-8")
    root = ET.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    # those that were chosen, and two in the legend
    assert len(root.findall("{*}circle")) == study["wanted"] + 2
    assert "nan" not in text
    assert "inf" not in text
