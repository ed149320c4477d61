"""What the service shows beside its answers: of neighbouring data in every form that raises in
plain engines, and by the time of a response and of a draw."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.channels import ATTACKS, measure_attack
from bench.timing import _measure, spearman

from depth import many
from hedgerow.mechanisms import Gaussian, Laplace
from service.channels.helpers_neighbours import STATEMENTS, find_differences, serve_pair


def test_responses_do_not_distinguish_neighbouring_data(tmp_path: Path) -> None:
    assert len(STATEMENTS) >= 200
    with serve_pair(tmp_path) as pair:
        differences = [found for sql in STATEMENTS for found in find_differences(pair, sql)]
        assert differences == []
        assert pair[0].list_entries() == pair[1].list_entries()
        kinds = [kind for kind, _ in pair[0].list_entries()]
        assert kinds.count("charge") >= 200
        assert "failure" not in kinds


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_time_of_a_response_does_not_tell_who_is_in_the_data(attack: str) -> None:
    """On schedule the area may be 0.55. Where it is that small, chance exceeds the limit with a
    probability below 1e-9: it is six standard errors higher."""
    rows = measure_attack(attack, many(80))
    for row in rows:
        area, error = row["AUC"], row["standard error"]
        assert isinstance(area, float)
        assert isinstance(error, float)
        if row["responses leave"] == "on schedule":
            assert area <= 0.55 + 6 * error, row


@pytest.mark.parametrize("mechanism", [Laplace, Gaussian])
@pytest.mark.parametrize("scale", [1, 1000])
def test_the_time_of_a_draw_does_not_tell_its_noise(
    mechanism: type[Laplace] | type[Gaussian], scale: int
) -> None:
    """Chance alone is within 0.02 but for 3e-10: six standard deviations at 100,000 draws."""
    ((noise, taken),) = _measure(
        {("hedgerow", "", scale): mechanism(scale).sample}, 100_000
    ).values()
    assert abs(spearman(noise, taken)) <= 0.02
