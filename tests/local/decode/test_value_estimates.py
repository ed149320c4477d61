"""Decoded values: most frequent first, absent ones never, means as means."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.value_estimates import detect_values
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import Duchi, Hadamard, KAry, LocalProtocol, Piecewise, Rappor, Unary


def counted(scheme: LocalProtocol, values: np.ndarray) -> tuple[Metric, np.ndarray]:
    return Metric.of("colour", scheme), scheme.aggregate(scheme.encode(values))


@pytest.mark.parametrize(
    "scheme",
    [
        KAry.calibrate(domain=20, epsilon=3),
        Unary.optimised(domain=20, epsilon=3),
        Hadamard.calibrate(domain=20, epsilon=3),
    ],
)
@pytest.mark.parametrize("control", ["fdr", "fwer"])
def test_frequent_values_are_found_in_order(scheme: LocalProtocol, control: str) -> None:
    metric, counters = counted(scheme, np.repeat([3, 7], [60_000, 20_000]))
    found = detect_values(metric, counters, control=control, level=1e-10)
    # absent values: 18 chances of 1e-10 at most
    assert [finding.value for finding in found] == [3, 7]
    assert counters[-1] == 80_000
    for finding, truth in zip(found, (60_000, 20_000), strict=True):
        assert finding.low < finding.estimate < finding.high
        assert abs(finding.estimate - truth) < 7 * finding.stderr
        assert finding.p_value is not None
        assert finding.p_value < 1e-10
        assert list(finding.to_dict()) == ["value", "estimate", "stderr", "low", "high", "p_value"]


@pytest.mark.parametrize(
    "scheme", [Duchi.calibrate(domain=101, epsilon=2), Piecewise.calibrate(domain=101, epsilon=2)]
)
def test_a_mean_is_one_finding(scheme: LocalProtocol) -> None:
    metric, counters = counted(scheme, np.full(50_000, 25))
    (found,) = detect_values(metric, counters)
    assert (found.value, found.p_value) == ("mean", None)
    assert found.low < found.estimate < found.high
    assert abs(found.estimate - 0.25) < 7 * found.stderr
    assert found.stderr < 0.02


@pytest.mark.parametrize(
    "scheme", [Duchi.calibrate(domain=101, epsilon=2), KAry.calibrate(domain=9, epsilon=2)]
)
def test_nothing_counted_is_nothing_found(scheme: LocalProtocol) -> None:
    assert (
        detect_values(Metric.of("colour", scheme), np.zeros(scheme.counter_count, np.int64)) == []
    )


def test_codes_have_names() -> None:
    metric, counters = counted(
        KAry.calibrate(domain=3, epsilon=4), np.repeat([2, 0], [3_000, 1_000])
    )
    found = detect_values(metric, counters, names=["red", "green", "blue"], level=1e-10)
    assert [finding.value for finding in found] == ["blue", "red"]
    with pytest.raises(InvalidArgument, match="as many as the metric has values, 3; got 2"):
        detect_values(metric, counters, names=["red", "green"])


def test_texts_are_found_among_candidates() -> None:
    scheme = Rappor(k=32, h=2, m=4, f=16_384, p=16_384, q=49_152)
    metric = Metric.of("home", scheme)
    texts = np.repeat(["a.example", "b.example"], [20_000, 10_000])
    counters = scheme.aggregate(scheme.encode(texts, metric.permanent_hash))
    names = ["b.example", "c.example", "a.example", *(f"{number}.example" for number in range(40))]
    found = detect_values(metric, counters, names=names, control="fwer", level=1e-6)
    assert [finding.value for finding in found][:2] == ["a.example", "b.example"]
    # named twice, counted once
    assert (
        detect_values(metric, counters, names=[*names, "a.example"], control="fwer", level=1e-6)
        == found
    )
    assert counters[-1] == 30_000
    with pytest.raises(InvalidArgument, match="must name the candidates"):
        detect_values(metric, counters)


def test_other_controls_are_refused() -> None:
    metric, counters = counted(KAry.calibrate(domain=20, epsilon=3), np.arange(20))
    with pytest.raises(InvalidArgument, match="control must be one of"):
        detect_values(metric, counters, control="none")
