"""Plans: both ways between clients and shares, means, metrics that there are, and shuffling with
its conditions.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from hedgerow.cli.local.plan import (
    choose_metric,
    compute_reach,
    compute_shuffled_loss,
    describe_metric,
    format_epsilon_up,
    format_metric,
    format_reach,
)
from hedgerow.errors import InvalidArgument
from hedgerow.local.accounting import SHUFFLING_CONDITIONS, compute_shuffled_epsilon
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry, Rappor

HOME = Metric.of("home", Rappor(k=32, h=2, m=4, f=16_384, p=16_384, q=49_152))


def lines(metric: Metric, told: dict[str, Any]) -> str:
    return "\n".join(format_reach(metric, told))


def test_a_mean_has_an_error_for_a_number_of_clients() -> None:
    metric, reason = choose_metric(None, domain=101, epsilon="1", mean=True)
    assert (metric.protocol, reason) == ("hybrid", "least variance in the worst case")
    told = compute_reach(metric, None, 10_000)
    (row,) = told["mean_error"]
    worst = max(metric.scheme.variance(x / 100, 10_000) for x in range(101))
    assert row == {"clients": 10_000, "error": pytest.approx(worst**0.5 / 10_000)}
    assert told["detectable"] == []
    assert lines(metric, told | {"shuffled": None}).startswith(
        "10,000 clients show the mean with a standard error of 0.01"
    )
    with pytest.raises(InvalidArgument, match="leave them out; got '--lifetime, --report-bytes'"):
        choose_metric(None, domain=101, epsilon="1", mean=True, lifetime="2", report_bytes=4)


def test_a_metric_that_there_is_may_begin_a_new_epoch(tmp_path: Path) -> None:
    file = tmp_path / "home.json"
    file.write_text(HOME.to_json())
    assert choose_metric(file, epoch=None, mean=False) == (HOME, "")
    later, _ = choose_metric(file, epoch=9)
    assert (later.epoch, later.permanent_hash) == (9, HOME.permanent_hash)
    with pytest.raises(InvalidArgument, match="leave out the rest; got '--name, --epoch'"):
        choose_metric(file, name="other", epoch=9)


def test_facts_and_words_agree() -> None:
    endless = Metric.of("home", Rappor(k=8, h=1, m=1, f=0, p=16_384, q=49_152))
    assert describe_metric(endless)["lifetime_epsilon"] is None
    assert format_metric(endless)[1].endswith("all reports of one value without bound.")
    assert describe_metric(HOME)["lifetime_epsilon"] == HOME.lifetime_epsilon(1)
    assert format_metric(HOME)[0] == "Protocol rappor: reports of 6 bytes about texts."


def test_shuffling_comes_with_its_conditions() -> None:
    metric = Metric.of("colour", KAry.calibrate(domain=5, epsilon=1))
    told = compute_reach(metric, Decimal("0.1"), 50_000)
    hidden = compute_shuffled_loss(metric, told, Decimal("1e-9"))
    needed = told["needed"]["clients"]
    assert hidden["conditions"] == list(SHUFFLING_CONDITIONS)
    assert [(row["clients"], row["alike"]) for row in hidden["batches"]] == [
        (needed, needed),
        (50_000, 50_000),
    ]
    assert (
        hidden["batches"][1]["epsilon"]
        == compute_shuffled_epsilon(metric.scheme, 50_000, 1e-9)
        < 0.05
    )
    said = lines(metric, told | {"shuffled": hidden})
    assert "Shuffled among 50,000 clients a report costs epsilon 0.0" in said
    assert all(f"- {condition};" in said for condition in SHUFFLING_CONDITIONS)
    assert said.endswith("otherwise it is 1, as above.")


def test_a_cohort_hides_only_among_itself() -> None:
    told = compute_reach(HOME, None, 400_002)
    hidden = compute_shuffled_loss(HOME, told, Decimal("1e-9"))
    assert hidden["batches"] == [
        {
            "clients": 400_002,
            "alike": 100_000,
            "epsilon": compute_shuffled_epsilon(HOME.scheme, 100_000, 1e-9),
        }
    ]
    said = lines(HOME, told | {"shuffled": hidden})
    assert "among 16,777,216 candidates; among fewer it takes less" in said
    assert "Shuffled among 400,002 clients, 100,000 in each cohort, a report costs" in said
    alone = compute_shuffled_loss(HOME, compute_reach(HOME, None, 3), Decimal("1e-9"))["batches"][0]
    assert alone == {"clients": 3, "alike": 1, "epsilon": pytest.approx(HOME.epsilon)}


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        (1.09861228867, "1.099"),
        (0.53431, "0.5344"),
        (4.39440001, "4.395"),
        (2.0, "2"),
        (0.25, "0.25"),
    ],
)
def test_an_epsilon_is_never_rounded_down(epsilon: float, said: str) -> None:
    assert float(said) >= epsilon
    assert format_epsilon_up(epsilon) == said
