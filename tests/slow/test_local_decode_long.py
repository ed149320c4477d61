"""RAPPOR's decoder over many collections: false positives at the stated level, standard errors
true, recall against a plain reference; and false discoveries of protocols whose estimates take from
each other. Where draws are those of the test its seeds are fixed, and it cannot fail by chance; on
live noise limits leave the room that chance needs at 1e-9."""

from __future__ import annotations

import numpy as np
import pytest

from goodness import FAR
from hedgerow.local.decode.estimates import benjamini_hochberg, benjamini_yekutieli, bonferroni
from hedgerow.local.decode.rappor.decoder import decode_candidates
from hedgerow.local.protocols import KAry
from local.settings import SETTINGS, SHAPES, Setting, draw, recall, reference, surest

LEVEL = 0.05
STRESSED = {  # few cohorts, and half of the frequent values unlisted
    "one cohort": Setting(512, 1, "demo", 2.0, True, values=25, hashes=4, every=2),
    "two cohorts": Setting(128, 2, "demo", 2.0, True, values=25, every=2),
    "four cohorts, one hash": Setting(8, 4, "demo", 2.0, True, values=25, hashes=1, every=2),
    "four cohorts": Setting(32, 4, "chrome", 2.0, True, values=25, every=3),
    "eight cohorts": Setting(16, 8, "demo", 2.0, True, values=25, every=2),
    "sixteen cohorts": Setting(8, 16, "demo", 2.0, True, values=25, every=2),
    "thirty-two cohorts": Setting(8, 32, "demo", 2.0, True, values=25, every=2),
}


def collected(setting: Setting, shape: str, seed: int) -> tuple[float, bool, np.ndarray]:
    """(false share of those found with fdr control, any false one with fwer control, errors in
    standard errors).
    """
    case = draw(setting, shape, seed)
    found, there = decode_candidates(case.rates, case.candidates), case.truth > 0
    shares, family = benjamini_hochberg(found.p_values, LEVEL), bonferroni(found.p_values, LEVEL)
    false = float((shares & ~there).sum() / max(1, shares.sum()))
    return false, bool((family & ~there).any()), (found.counts - case.truth) / found.standard_errors


def at_the_level(setting: Setting, runs: int) -> np.ndarray:
    """Checks both kinds of control over so many collections; returns all errors in standard
    errors.
    """
    results = [collected(setting, SHAPES[seed % len(SHAPES)], 5000 + seed) for seed in range(runs)]
    false, some, errors = zip(*results, strict=True)
    # seeds are fixed: this fails by a change, never by chance
    assert np.mean(some) <= LEVEL + 2 * (LEVEL * (1 - LEVEL) / runs) ** 0.5
    assert np.mean(false) <= LEVEL + 2 * float(np.std(false)) / runs**0.5
    return np.concatenate(errors)


@pytest.mark.parametrize("name", SETTINGS)
def test_false_positives_and_standard_errors(name: str) -> None:
    errors = at_the_level(SETTINGS[name], 200)
    assert abs(float(errors.mean())) < 0.1
    assert float(np.mean(errors**2)) ** 0.5 == pytest.approx(1.0, abs=0.07)


@pytest.mark.parametrize("name", STRESSED)
def test_few_cohorts_and_many_unlisted_values(name: str) -> None:
    errors = at_the_level(STRESSED[name], 100)
    assert float(np.median(np.abs(errors))) < 0.85  # of a normal law 0.67


def test_p_values_of_absent_candidates_are_true_in_the_far_tail() -> None:
    """A thousand absent candidates beside ninety that are there, 600 times. Where fits list the
    candidate that is judged, a sixth more of them are below 1e-3 than should be, and a third more
    below 1e-4: four and two and a half standard deviations."""
    chances = []
    for seed in range(600):
        case = draw(SETTINGS["over x10"], SHAPES[seed % len(SHAPES)], 9000 + seed)
        chances.append(decode_candidates(case.rates, case.candidates).p_values[case.truth == 0])
    absent = np.concatenate(chances)
    for limit in (1e-3, 3e-4, 1e-4):
        due = limit * absent.size
        assert abs(int((absent <= limit).sum()) - due) <= 2 * due**0.5


@pytest.mark.parametrize(
    "name", [name for name in SETTINGS if name not in ("sharp", "little data")]
)
def test_recall_at_equal_false_positives(name: str) -> None:
    """Setting by setting, the shapes together: no lower than the reference, however that is ranked,
    beyond what chance does in so few collections. False ones are as many as google/rappor's rule
    lets through."""
    gains = []
    for seed in range(4):
        for shape in SHAPES:
            case = draw(SETTINGS[name], shape, seed)
            there, others, found = (
                case.truth > 0,
                reference(case, seed),
                decode_candidates(case.rates, case.candidates),
            )
            allowed = int((~there & (others[0] > 2)).sum())
            gains.append(
                [
                    recall(surest(found), there, allowed) - recall(other, there, allowed)
                    for other in others
                ]
            )
    assert (np.mean(gains, axis=0) >= -2 * np.std(gains, axis=0) / len(gains) ** 0.5).all()


@pytest.mark.parametrize("domain", [20, 200])
@pytest.mark.parametrize("present", [2, 10])
def test_false_discoveries_of_estimates_that_take_from_each_other(
    domain: int, present: int
) -> None:
    """k-ary counts add up to the reports: a large one makes others small, which the proof of
    Benjamini and Hochberg does not cover. Measured, their false share stays below the level; that
    of Benjamini and Yekutieli, proven for every dependence, far below."""
    scheme, n, runs, level = KAry.calibrate(domain=domain, epsilon=1), 20_000, 4000, 0.2
    values = np.where(np.arange(n) % 4 < 1, np.arange(n) % present, 0)
    absent = np.bincount(values, minlength=domain) == 0
    shares = np.zeros((runs, 2))
    for run in range(runs):
        chances = scheme.estimate(scheme.aggregate(scheme.encode(values))).p_values
        for place, rule in enumerate((benjamini_hochberg, benjamini_yekutieli)):
            found = rule(chances, level)
            shares[run, place] = (found & absent).sum() / max(1, found.sum())
    room = FAR * shares.std(axis=0) / runs**0.5
    assert shares[:, 0].mean() < level * absent.mean() + room[0]
    assert shares[:, 0].mean() > 0  # not idle
    assert shares[:, 1].mean() < level * absent.mean() / 2 + room[1]
