"""Patients and doctors at the seam: neither moves an answer further than its budget is charged."""

from __future__ import annotations

import pytest

from database.attacks.wards import seek_wards
from hedgerow.plan.nodes import Aggregate
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit


@pytest.mark.long
def test_no_patient_and_no_doctor_moves_an_answer_further_than_declared() -> None:
    counts, problems = seek_wards("wards", 60)
    assert problems == []
    assert min(counts.values()) > 10


@pytest.mark.long
def test_a_doctor_who_is_charged_for_one_row_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted mistake: a doctor has one row in a group, as a patient may have."""
    real = Aggregate.second_population_sensitivity

    def charge_one_row(plan: Aggregate, unit: Unit) -> tuple[Sensitivity, ...]:
        rows = plan.population_join.population.max_rows  # type: ignore[union-attr]
        return tuple(
            Sensitivity(one.l0, one.linf / rows, one.l1 / rows, one.l2_squared / rows**2)
            for one in real(plan, unit)
        )

    monkeypatch.setattr(Aggregate, "second_population_sensitivity", charge_one_row)
    _, problems = seek_wards("planted", 24)
    assert any("a doctor moved" in problem for problem in problems)
