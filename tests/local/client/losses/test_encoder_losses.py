"""What reports of one client and of many lose, measured by the auditor."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from hedgerow.local.client.encoder import (
    DrawStream,
    compute_cohort,
    compute_permanent_bits,
    encode_report,
)
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import ALL
from hedgerow.verify.audit import audit
from local.auditing import AUDITED, CHECKS, Build, bits_of, differing, secrets
from local.client.helpers_encoder_bugs import (
    HOME,
    audited,
    cohort_0_redrawn,
    forgotten,
    forgotten_each_epoch,
    last_bit_told,
    metric_left_out,
    never_cleared,
    never_cleared_permanently,
    one_coin_for_two,
)
from local.vectors import METRICS, RAPPOR, bytes_of


@pytest.mark.long
def test_the_reference_passes_the_auditor() -> None:
    assert [name for name, check in CHECKS.items() if check(encode_report, HOME)] == []


@pytest.mark.parametrize(
    ("build", "fault"),
    [
        (never_cleared, "coins"),
        (never_cleared_permanently, "permanent"),
        (forgotten, "memo"),
        (forgotten_each_epoch, "memo"),
        (last_bit_told, "coins"),
        (cohort_0_redrawn, "cohorts"),
        (metric_left_out, "shared"),
        (one_coin_for_two, "entangled"),
    ],
)
def test_planted_bugs_are_caught(build: Build, fault: str) -> None:
    assert CHECKS[fault](build, HOME)


def test_reports_are_linked_through_the_permanent_answer_and_hardly_through_what_leaves() -> None:
    """Which of two clients of one cohort and one value made yesterday's report? The one whose
    report of today is more alike.

    Secrets and coins are fixed bytes: the shares are the same on every run.
    """
    group = [secret for secret in secrets(1600) if compute_cohort(HOME, secret) == 0]
    through = {"permanent": 0.0, "report": 0.0}
    for place, (same, other) in enumerate(pairwise(group)):
        coins = [bytes_of(f"day {place} {i}", 64) for i in range(3)]
        reports = [
            bits_of(encode_report(HOME, "a", DrawStream(coin), who))
            for coin, who in zip(coins, (same, same, other), strict=True)
        ]
        answers = [compute_permanent_bits(HOME, who, "a") for who in (same, same, other)]
        for name, (yesterday, today, stranger) in (("permanent", answers), ("report", reports)):
            alike = [
                sum(a == b for a, b in zip(yesterday, now, strict=True))
                for now in (today, stranger)
            ]
            through[name] += (
                1.0 if alike[0] > alike[1] else 0.5 if alike[0] == alike[1] else 0.0
            ) / (len(group) - 1)
    assert through["permanent"] == pytest.approx(1.0)
    assert 0.4 < through["report"] < 0.65


@pytest.mark.long
@pytest.mark.parametrize(("name", "values"), AUDITED)
def test_reports_lose_no_more_than_stated(name: str, values: tuple[int, int]) -> None:
    metric = METRICS[name]
    assert audited(encode_report, metric, values, 4000) <= metric.epsilon


def test_no_protocol_is_left_out_of_the_audit() -> None:
    assert {METRICS[name].protocol for name, _ in AUDITED} | {"rappor"} == set(ALL)


@pytest.mark.parametrize(("name", "values"), AUDITED)
def test_reports_of_many_clients_at_once_lose_no_more_than_stated(
    name: str, values: tuple[int, int]
) -> None:
    """What simulations and ``hedgerow local encode`` draw is made by other code than a client's
    single report.
    """
    metric = METRICS[name]

    def reports(value: int, count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        return np.unpackbits(metric.scheme.encode(np.full(count, value)), axis=1).astype(np.int64)

    assert (
        audit(reports, *values, samples=4_000, confidence=1 - 1e-9, batch=True).epsilon
        <= metric.epsilon
    )


@pytest.mark.parametrize("name", ["rappor one", "longitudinal_unary"])
def test_all_reports_of_a_value_lose_no_more_than_the_lifetime_and_more_than_one(name: str) -> None:
    """40 reports from one remembered answer, as the bits that most of them have: nearly the
    answer itself.
    """
    metric = METRICS[name]
    scheme: Any = metric.scheme

    def histories(value: Any, count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        kept = scheme.permanent_response([value] * count)
        ones = np.zeros((count, 8 * scheme.record_size), dtype=np.int64)
        for _ in range(40):
            ones += np.unpackbits(scheme.instantaneous_response(kept), axis=1)
        return (ones > 20).astype(np.int64)

    one, other = (0, 20) if name == "longitudinal_unary" else differing(metric)
    found = audit(histories, one, other, samples=20_000, confidence=1 - 1e-9, batch=True).epsilon
    assert metric.epsilon < found <= metric.lifetime_epsilon(1)


@pytest.mark.long
def test_rappor_loses_no_more_than_stated_and_a_bit_never_cleared_does() -> None:
    metric = Metric("home", "rappor", tuple((RAPPOR | {"k": 8, "m": 1}).items()))
    values = differing(metric)
    assert audited(encode_report, metric, values, 4000) <= metric.epsilon
    assert audited(never_cleared, metric, values, 4000) > metric.epsilon
