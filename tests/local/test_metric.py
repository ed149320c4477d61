"""The metric document."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from hashlib import sha256

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local import Metric
from hedgerow.local.protocols import (
    Duchi,
    Hadamard,
    Hybrid,
    KAry,
    LocalProtocol,
    LongitudinalUnary,
    Piecewise,
    Projective,
    Unary,
)

WARNER = Metric("smokes", "k_ary", (("truth", 32768), ("domain", 2)), 3)
TEXT = (
    '{"epoch":3,"id":"smokes","parameters":{"domain":2,"truth":32768},'
    '"protocol":"k_ary","version":1}'
)
SCHEMES: list[LocalProtocol] = [
    KAry(5, 300),
    Unary(9, 32768, 100),
    LongitudinalUnary(9, 32768, 100, 50000, 15536),
    Hadamard(100, 40000),
    Projective(100, 3, 5, 40000),
    Duchi(11, 200),
    Piecewise(11, 4, 40000),
    Hybrid(11, 4, 40000, 200, 300),
]


def test_the_canonical_text_and_its_hash() -> None:
    assert WARNER.to_json() == TEXT
    assert WARNER.hash == sha256(TEXT.encode()).digest()[:8]
    assert Metric.from_json(TEXT) == WARNER
    assert Metric.from_json(json.dumps(json.loads(TEXT), indent=3)) == WARNER


def test_permanent_parameters_do_not_change_with_the_epoch() -> None:
    later = Metric("smokes", "k_ary", WARNER.parameters, 4)
    assert later.hash != WARNER.hash
    assert (
        later.permanent_hash
        == WARNER.permanent_hash
        == sha256(TEXT.replace('"epoch":3,', "").encode()).digest()
    )
    assert Metric("smoke", "k_ary", WARNER.parameters, 3).permanent_hash != WARNER.permanent_hash


def test_epsilon_comes_from_the_integers_and_is_rounded_up() -> None:
    assert math.log(3) <= WARNER.epsilon < math.log(3) + 1e-11
    assert Fraction(WARNER.epsilon) >= WARNER.scheme.epsilon
    assert [WARNER.lifetime_epsilon(reports) for reports in (0, 1)] == [0.0, WARNER.epsilon]
    assert Fraction(WARNER.lifetime_epsilon(7)) >= 7 * WARNER.scheme.epsilon
    memoised = Metric.of("m", LongitudinalUnary(9, 32768, 100, 50000, 15536))
    assert memoised.lifetime_epsilon(1) > 2 * memoised.epsilon


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)
def test_every_protocol_travels(scheme: LocalProtocol) -> None:
    metric = Metric.of("any.metric_1-x", scheme, 7)
    assert metric.scheme == scheme
    assert Metric.from_json(metric.to_json()) == metric
    records = metric.scheme.encode([0, scheme.domain - 1])
    state = metric.scheme.aggregate(records)
    assert (records.shape, state.shape, int(state[-1])) == (
        (2, scheme.record_size),
        (scheme.counter_count,),
        2,
    )
    assert metric.scheme.estimate(state).n == 2
    assert 0 < scheme.total_variation < 1
    assert 0 < scheme.epsilon <= scheme.lifetime_epsilon


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": ""}, "id must be 1 to 64"),
        ({"id": "A"}, "id must be 1 to 64"),
        ({"id": "a" * 65}, "id must be 1 to 64"),
        ({"id": "a\n"}, "id must be 1 to 64"),
        ({"id": 5}, "id must be 1 to 64"),
        ({"id": "constructor"}, "is reserved"),
        ({"protocol": "none"}, "protocol must be one of k_ary"),
        ({"protocol": ["k_ary"]}, "protocol must be one of k_ary"),
        ({"epoch": -1}, "epoch"),
        ({"epoch": 1.0}, "epoch"),
        ({"epoch": True}, "epoch"),
        ({"version": 2}, "version"),
        ({"parameters": {"domain": 2}}, "parameters of k_ary must be domain, truth"),
        ({"parameters": {"domain": 2, "truth": 5, "more": 1}}, "parameters of k_ary must be"),
        ({"parameters": {"domain": 2, "truth": 0.5}}, "truth must be a whole number"),
        (
            {"parameters": {"domain": 2, "truth": 65536}},
            "truth must be a whole number between 1 and 65535",
        ),
        ({"parameters": [["domain", 2]]}, "nothing else"),
        ({"note": "hello"}, "nothing else"),
    ],
)
def test_a_document_that_is_not_one(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        Metric.from_json(json.dumps({**json.loads(TEXT), **change}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{",
        TEXT[:-1] + ',"epoch":4}',
        "[" * 9000,
        " " * 10_001,
        b"{}",
        TEXT.replace("3", "NaN"),
    ],
)
def test_a_text_that_is_not_one(text: str) -> None:
    with pytest.raises(InvalidArgument):
        Metric.from_json(text)


def test_a_parameter_twice_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="parameters"):
        Metric("a", "k_ary", (("domain", 2), ("truth", 5), ("truth", 6)))


def test_values_must_be_counted() -> None:
    with pytest.raises(InvalidArgument, match="values"):
        WARNER.lifetime_epsilon(-1)
