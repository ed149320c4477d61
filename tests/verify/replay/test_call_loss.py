"""How far inputs moved, for every mechanism, and what that costs: never more than the law of the
mechanism says.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from hedgerow.mechanisms import (
    ALL,
    Exponential,
    Extreme,
    Gaussian,
    InverseSensitivity,
    Laplace,
    NoisyMax,
    ProposeTestRelease,
    Quantiles,
    RandomizedResponse,
    SmoothSensitivity,
    SparseVector,
    StabilityHistogram,
    Stable,
)
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.sensitivity import Quantile
from hedgerow.verify.decorator import ProgramMechanism
from hedgerow.verify.replay.call import CodeLine, RecordedCall
from hedgerow.verify.replay.call_loss import (
    MOVE_RULES,
    PRIVATE_ARGUMENTS,
    compute_loss,
    find_public_difference,
    measure_move,
)
from hedgerow.verify.replay.interception import DRAW_METHODS

PLACE = CodeLine("glue.py", 1)
COLUMN: dict[str, Any] = {"lower": 0, "upper": 100, "grid": None}


def move(mechanism: Any, one: dict[str, Any], other: dict[str, Any], method: str = "sample") -> Any:
    return measure_move(
        RecordedCall(mechanism, method, one, None, PLACE),
        RecordedCall(mechanism, method, other, None, PLACE),
    )


def test_every_method_that_draws_is_known() -> None:
    drawing = {(one, name) for one in ALL for name in DRAW_METHODS if name in vars(one)}
    assert set(MOVE_RULES) == drawing | {(ProgramMechanism, "__call__")}


def test_additive_moves_are_counted_in_steps() -> None:
    law = Laplace(Fraction(3))
    assert move(law, {"exact": 5}, {"exact": 5}) == 0
    assert move(law, {"exact": 5}, {"exact": 9}) == Sensitivity.of(4)
    assert move(law, {"exact": np.array([1, 2, 3])}, {"exact": np.array([1, 5, 1])}) == Sensitivity(
        2, 3, 5, 13
    )  # type: ignore[arg-type]
    assert "number of cells" in move(law, {"exact": np.array([1])}, {"exact": np.array([1, 2])})
    fine = Gaussian(Fraction(1), Fraction(1, 4))
    found = move(fine, {"exact": 0.1}, {"exact": 0.6})
    assert found == Sensitivity.of(2)
    assert (
        compute_loss(RecordedCall(fine, "sample", {}, None, PLACE), found).rho
        == fine.loss(Fraction(1, 2)).rho
    )
    assert compute_loss(RecordedCall(fine, "sample", {}, None, PLACE), 0) == Loss(
        Fraction(0), rho=Fraction(0)
    )


def test_a_mechanism_of_ones_own_goes_by_its_shape() -> None:
    class Mine:
        shape: ClassVar[str] = "additive"
        grid = Fraction(1, 2)

        def loss(self, sensitivity: Any) -> Loss:
            return Loss(Sensitivity.of(sensitivity).l1)

    found = move(Mine(), {"exact": 1.0}, {"exact": 3.0})
    assert compute_loss(RecordedCall(Mine(), "sample", {}, None, PLACE), found) == Loss(Fraction(2))
    assert "has no rule to compare its inputs" in move(object(), {}, {})
    assert "cannot be compared" in move(Mine(), {"exact": "x"}, {"exact": "y"})


def test_scores() -> None:
    plain, monotone = Exponential(Fraction(1)), NoisyMax(Fraction(1), monotone=True)
    assert move(plain, {"scores": [1, 2]}, {"scores": [1, 2]}) == 0
    assert move(plain, {"scores": np.array([1.5, 2.0])}, {"scores": np.array([1.0, 4.0])}).linf == 2
    assert move(monotone, {"scores": [1, 2]}, {"scores": [2, 2]}, "sample_with_gap").linf == 1
    assert "monotone" in move(monotone, {"scores": [1, 2]}, {"scores": [2, 1]})
    assert "number of candidates" in move(plain, {"scores": [1]}, {"scores": [1, 2]})
    assert (
        move(SparseVector(Fraction(1), Fraction(1)), {"answers": [1, 5]}, {"answers": [1, 3]}).linf
        == 2
    )
    assert move(InverseSensitivity(Fraction(1)), {"lengths": [0, 3]}, {"lengths": [2, 3]}) == 2


def test_reports() -> None:
    law = RandomizedResponse(Fraction(1, 2))
    assert move(law, {"exact": np.array([0, 1, 1])}, {"exact": np.array([0, 0, 0])}) == 2
    assert "number of reports" in move(law, {"exact": np.array([0])}, {"exact": np.array([0, 1])})


def test_columns() -> None:
    comes, changes = (
        Quantiles((Fraction(1, 2),), relation, Fraction(1))
        for relation in ("add-remove", "change-one")
    )
    one, less, other = ({"values": values, **COLUMN} for values in ([1, 2, 3], [1, 2], [1, 2, 4]))
    assert move(comes, one, less) == 1
    assert move(comes, one, other) == 2
    assert move(changes, one, other) == 1
    assert "the number of rows changes" in move(changes, one, less)
    assert "bounds or the grid" in move(comes, one, {**one, "upper": 90})
    assert move(Extreme("max", 3, Fraction(1)), one, other) == 1
    for relation, far in (("add-remove", 2), ("change-one", 1)):
        asked = {"quantile": Quantile(Fraction(1, 2), relation)}
        assert (
            move(InverseSensitivity(Fraction(1)), {**one, **asked}, {**other, **asked}, "quantile")
            == far
        )


def test_smooth_bounds() -> None:
    law = SmoothSensitivity.calibrate(epsilon=1, bound=100)
    beta = float(law.beta)
    assert move(law, {"exact": 5, "smooth": 2.0}, {"exact": 5, "smooth": 2.0}) == 0
    assert move(law, {"exact": 5, "smooth": 2.0}, {"exact": 7, "smooth": 2.0}) == 1
    assert move(law, {"exact": 5, "smooth": 2.0}, {"exact": 8, "smooth": 2.0}) == 2
    assert (
        move(law, {"exact": 5, "smooth": 2.0}, {"exact": 5, "smooth": 2.0 * math.exp(2.5 * beta)})
        == 3
    )
    wide = SmoothSensitivity.calibrate(epsilon=1, bound=100, dimension=2)
    assert "more than a smooth bound allows" in move(
        wide, {"exact": [1, 2], "smooth": 1.0}, {"exact": [1, 2, 3], "smooth": 1.0}
    )


def test_answers_that_are_tested_first() -> None:
    tested = ProposeTestRelease.calibrate(bound=2, epsilon=1, delta=1e-6)
    assert move(tested, {"exact": 5, "distance": 9}, {"exact": 5, "distance": 9}) == 0
    assert move(tested, {"exact": 5, "distance": 9}, {"exact": 7, "distance": 8}) == 1
    assert move(tested, {"exact": 5, "distance": 9}, {"exact": 10, "distance": 9}) == 3
    # nothing is promised there
    assert move(tested, {"exact": 5, "distance": 0}, {"exact": 1000, "distance": 0}) == 1
    assert move(tested, {"exact": 5, "distance": math.inf}, {"exact": 9, "distance": math.inf}) == 2
    assert "more than any unit" in move(
        tested, {"exact": 5, "distance": math.inf}, {"exact": 5, "distance": 3}
    )
    stable = Stable.calibrate(epsilon=1, delta=1e-6)
    assert move(stable, {"answer": "a", "distance": 4}, {"answer": "a", "distance": 3}) == 1
    assert move(stable, {"answer": "a", "distance": 1}, {"answer": "b", "distance": 1}) == 1
    assert move(stable, {"answer": "a", "distance": 4}, {"answer": "b", "distance": 3}) == 4


def test_counts_by_key() -> None:
    law = StabilityHistogram.calibrate(
        epsilon=1, delta=1e-6, neighbours="add-remove", max_keys=2, per_key=3
    )
    assert move(law, {"counts": {"a": 5}}, {"counts": {"a": 5}}) == 0
    assert move(law, {"counts": {"a": 5, "b": 1}}, {"counts": {"a": 8}}) == 1
    assert move(law, {"counts": {"a": 5, "b": 1, "c": 1}}, {"counts": {"a": 8}}) == 2
    assert move(law, {"counts": {"a": 5}}, {"counts": {"a": 12}}) == 3


def test_public_arguments() -> None:
    one = RecordedCall(None, "sample", {"answers": [1], "threshold": 5}, None, PLACE)
    assert (
        find_public_difference(
            one, RecordedCall(None, "sample", {"answers": [2], "threshold": 5}, None, PLACE)
        )
        is None
    )
    assert (
        find_public_difference(
            one, RecordedCall(None, "sample", {"answers": [1], "threshold": 6}, None, PLACE)
        )
        == "threshold"
    )
    assert "threshold" not in PRIVATE_ARGUMENTS


@pytest.mark.parametrize("law", [Laplace(Fraction(7, 2)), Laplace(Fraction(1), Fraction(1, 8))])
def test_the_cost_of_a_move_bounds_the_ratio_of_probabilities(law: Laplace) -> None:
    one, other = {"exact": 3}, {"exact": 10}
    found = compute_loss(RecordedCall(law, "sample", one, None, PLACE), move(law, one, other))
    ratio = max(abs(float(law.log_prob(y, 3) - law.log_prob(y, 10))) for y in range(-30, 30))
    assert ratio == pytest.approx(float(found.epsilon))
