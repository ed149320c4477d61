from __future__ import annotations

import hmac
import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.client.encoder import (
    ENCODERS,
    DrawStream,
    compute_bloom_filter,
    compute_cohort,
    compute_permanent_bits,
    compute_tag,
    encode_report,
    encode_value,
    pack_bits,
)
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import ALL, Rappor
from local import vectors
from local.auditing import SCALE, heads
from local.client.helpers_encoder_bugs import (
    HOME,
    SECRET,
    laws,
)
from local.vectors import METRICS, RAPPOR, TEXTS, bytes_of


def test_the_vectors_are_those_of_the_reference() -> None:
    assert vectors.PLACE.read_text(encoding="ascii") == vectors.text(), (
        "run 'python tests/local/vectors.py'"
    )


def test_the_vectors_cover_every_encoder_and_cohort_0() -> None:
    held = json.loads(vectors.PLACE.read_text(encoding="ascii"))
    documents = [Metric.from_json(row["document"]) for row in held["metrics"]]
    assert (
        {documents[row["metric"]].protocol for row in held["reports"]} == set(ENCODERS) == set(ALL)
    )
    assert any(
        row["cohort"] == 0 and documents[row["metric"]].protocol == "rappor"
        for row in held["cohorts"]
    )
    assert len(held["reports"]) > 200


def test_the_rules_as_they_are_written() -> None:
    """Said again in the plainest way, from the words at the top of the module."""

    def mac(key: bytes, message: bytes) -> bytes:
        return hmac.new(key, message, sha256).digest()

    document = json.loads(HOME.to_json())
    del document["epoch"]
    lasting = sha256(json.dumps(document, sort_keys=True, separators=(",", ":")).encode()).digest()
    assert lasting == HOME.permanent_hash
    group = int.from_bytes(mac(SECRET, lasting + b"cohort")[:4], "big") % RAPPOR["m"]
    assert group == compute_cohort(HOME, SECRET)
    for value in TEXTS:
        text = value.encode()
        filter_ = [0] * RAPPOR["k"]
        # 8 cohorts of 2 hashes: one digest serves all
        places = np.frombuffer(mac(lasting, bytes(4) + text), ">u2")
        for place in places[2 * group : 2 * group + 2]:
            filter_[place % RAPPOR["k"]] = 1
        assert filter_ == compute_bloom_filter(HOME, group, value)
        head = lasting + b"permanent" + group.to_bytes(4, "big") + text
        noise = np.frombuffer(mac(SECRET, head + bytes(4)) + mac(SECRET, head + b"\0\0\0\1"), ">u2")
        bits = np.where(noise < RAPPOR["f"] // 2, 1, np.where(noise < RAPPOR["f"], 0, filter_))
        assert bits.tolist() == compute_permanent_bits(HOME, SECRET, value)
        assert compute_tag(HOME, SECRET, value) == mac(SECRET, lasting + b"value" + text)[:16].hex()
        draws = np.frombuffer(bytes_of("draws", 64), ">u2")
        report = np.packbits(draws < np.where(bits == 1, RAPPOR["q"], RAPPOR["p"])).tobytes()
        assert (
            encode_report(HOME, value, DrawStream(bytes_of("draws", 64)), SECRET)
            == group.to_bytes(2, "big") + report
        )


def test_the_decoder_looks_for_the_bits_that_clients_set() -> None:
    for metric in (HOME, METRICS["rappor wide"], METRICS["rappor one"]):
        scheme = metric.scheme
        assert isinstance(scheme, Rappor)
        places = scheme.hash_values(TEXTS, metric.permanent_hash)
        for text, rows in zip(TEXTS, places, strict=True):
            for group in range(0, scheme.m, max(1, scheme.m // 64)):
                assert set(rows[group].tolist()) == {
                    place
                    for place, bit in enumerate(compute_bloom_filter(metric, group, text))
                    if bit
                }


def test_permanent_noise_lasts_over_epochs_and_differs_between_metrics() -> None:
    later, other, wider = (
        replace(HOME, epoch=5),
        METRICS["rappor other"],
        Metric("home.page", "rappor", tuple((RAPPOR | {"f": 2}).items())),
    )
    assert compute_permanent_bits(later, SECRET, "a") == compute_permanent_bits(HOME, SECRET, "a")
    assert (compute_cohort(later, SECRET), compute_tag(later, SECRET, "a")) == (
        compute_cohort(HOME, SECRET),
        compute_tag(HOME, SECRET, "a"),
    )
    for changed in (other, wider):
        assert compute_tag(changed, SECRET, "a") != compute_tag(HOME, SECRET, "a")
        assert [compute_bloom_filter(changed, 0, text) for text in TEXTS] != [
            compute_bloom_filter(HOME, 0, text) for text in TEXTS
        ]
        assert [compute_permanent_bits(changed, SECRET, text) for text in TEXTS] != [
            compute_permanent_bits(HOME, SECRET, text) for text in TEXTS
        ]
    assert compute_permanent_bits(
        HOME, bytes_of("another", 32), TEXTS[0]
    ) != compute_permanent_bits(HOME, SECRET, TEXTS[0])


def test_bits_are_packed_as_numpy_does() -> None:
    for size in range(1, 40):
        bits = [byte & 1 for byte in bytes_of(f"bits {size}", size)]
        assert pack_bits(bits) == np.packbits(bits).tobytes()


def test_k_ary_reports_have_exactly_the_stated_probabilities() -> None:
    metric = Metric("age", "k_ary", (("domain", 4), ("truth", 20000)))
    found = Counter[int]()
    for draw in range(0, SCALE, 16):  # the truth is a multiple of 16
        for other in range(4):
            found[
                encode_report(metric, 3, DrawStream(draw.to_bytes(2, "big") + bytes([0, other])))[0]
            ] += 16
    assert found == {code: SCALE - 20000 + 4 * 20000 * (code == 3) for code in range(4)}


def test_hadamard_reports_have_exactly_the_stated_probabilities() -> None:
    metric = Metric("page", "hadamard", (("domain", 4), ("keep", 40000)))
    for index in range(4):
        for value in range(4):
            parity = (index & value).bit_count() & 1
            for draw, told in (
                (0, parity),
                (39999, parity),
                (40000, 1 - parity),
                (65535, 1 - parity),
            ):
                stream = DrawStream(index.to_bytes(2, "big") + draw.to_bytes(2, "big"))
                assert encode_report(metric, value, stream) == bytes([2 * index + told])


def test_unary_bits_have_exactly_the_stated_probabilities() -> None:
    metric = Metric("page", "unary", (("domain", 3), ("one", 32768), ("zero", 17632)))
    assert [16 * count for count in heads(encode_report, metric, 1, b"", 0, 16)] == [
        17632,
        32768,
        17632,
        0,
        0,
        0,
        0,
        0,
    ]


def test_projective_reports_have_exactly_the_stated_probabilities() -> None:
    """Over 3 elements in 3 places: 13 points, 4 of them orthogonal to any, 9 not."""
    metric = Metric(
        "page", "projective", (("dimension", 3), ("domain", 13), ("field", 3), ("truth", 40000))
    )
    own, scheme = Fraction(40000, SCALE), metric.scheme
    for value in range(13):
        # 36 is a multiple of 4 and of 9: a number below it is uniform below both
        law = laws(metric, value, (-40000, 36))
        near = {record for record, chance in law.items() if chance == own / 4}
        assert len(near) == 4
        assert sorted(law) == [bytes([point]) for point in range(13)]
        assert all(chance == (1 - own) / 9 for record, chance in law.items() if record not in near)
        state = scheme.aggregate(np.frombuffer(b"".join(near), np.uint8).reshape(-1, 1))
        # the collector finds the same points orthogonal
        assert scheme.estimate(state).counts.argmax() == value


def test_means_have_exactly_the_stated_probabilities() -> None:
    truth, coin, mix = Fraction(50000, SCALE), Fraction(30000, SCALE), Fraction(20000, SCALE)
    duchi = Metric("age", "duchi", (("domain", 5), ("truth", 30000)))
    fine = Metric("age", "piecewise", (("domain", 5), ("truth", 50000), ("window", 2)))
    both = Metric(
        "age",
        "hybrid",
        (("coin", 30000), ("domain", 5), ("mix", 20000), ("truth", 50000), ("window", 2)),
    )
    for value in range(5):
        one = (1 - coin) / 2 + coin * Fraction(value, 4)
        places = [truth / 2 if value <= y < value + 2 else (1 - truth) / 4 for y in range(6)]
        assert laws(duchi, value, (4, -30000, 2)) == {b"\0": 1 - one, b"\1": one}
        assert laws(fine, value, (-50000, 4)) == {
            bytes([y]): chance for y, chance in enumerate(places)
        }
        mixed = [mix * chance for chance in places] + [(1 - mix) * (1 - one), (1 - mix) * one]
        low, high = (dict(both.parameters) | {"mix": end} for end in (0, SCALE))
        ends = [
            laws(Metric("age", "hybrid", tuple(given.items())), value, (-1, *sizes))
            for given, sizes in ((low, (4, -30000, 2)), (high, (-50000, 4)))
        ]
        found = {
            record: (1 - mix) * ends[0].get(record, 0) + mix * ends[1].get(record, 0)
            for record in ends[0] | ends[1]
        }
        assert found == {bytes([y]): chance for y, chance in enumerate(mixed)}


@pytest.mark.parametrize("bound", [1, 2, 10, 257, 40000, 65536])
def test_numbers_below_a_bound_are_uniform_over_all_draws(bound: int) -> None:
    """A draw that is thrown away is followed by the end of the stream here."""
    kept = Counter[int]()
    for draw in range(SCALE):
        with suppress(InvalidArgument):
            kept[DrawStream(draw.to_bytes(2, "big")).draw_below(bound)] += 1
    assert kept == dict.fromkeys(range(bound), SCALE // bound)


def test_numbers_below_a_large_bound_take_two_draws() -> None:
    assert DrawStream(bytes.fromhex("0001 0002")).draw_below(65537) == 0x10002 % 65537
    # 2^32 - 1 is above the last multiple
    assert DrawStream(bytes.fromhex("ffffffff 00000007")).draw_below(65538) == 7


def test_fresh_numbers_come_from_the_system_and_do_not_end() -> None:
    stream = DrawStream()
    draws = [stream.draw() for _ in range(5000)]
    assert len(set(draws)) > 4000  # about 4,813 are expected, with a standard deviation of 13
    assert max(draws) > 60000
    assert min(draws) < 5000


def test_invalid_documents_of_the_vectors_are_refused() -> None:
    held = json.loads(vectors.PLACE.read_text(encoding="ascii"))
    for document in held["documents"]:
        with pytest.raises(InvalidArgument):
            Metric.from_json(document)
    for row in held["values"]:
        metric = Metric.from_json(held["metrics"][row["metric"]]["document"])
        with pytest.raises(InvalidArgument, match=r"^value must be"):
            encode_report(metric, row["value"], DrawStream(), SECRET)


@pytest.mark.parametrize("name", METRICS)
def test_records_are_what_the_collector_counts(name: str) -> None:
    metric = METRICS[name]
    for value in vectors.values_of(metric):
        record = encode_report(metric, value, DrawStream(), SECRET)
        assert len(record) == metric.scheme.record_size
        state = metric.scheme.aggregate(np.frombuffer(record, np.uint8).reshape(1, -1))
        assert state[-1] == 1


@pytest.mark.parametrize(
    ("name", "code"),
    [("coin", 1), ("k_ary 257", 256), ("k_ary 65537", 65536), ("OUE", 12)],
)
def test_an_honest_draw_supports_the_value_alone(name: str, code: int) -> None:
    """The collector reads the same code out of the record that went in."""
    metric = METRICS[name]
    given = dict(metric.parameters)
    draws = [given["zero"]] * given["domain"] if name == "OUE" else [0] * 8
    if name == "OUE":
        draws[code] = 0
    record = encode_report(
        metric, code, DrawStream(b"".join(draw.to_bytes(2, "big") for draw in draws))
    )
    state = metric.scheme.aggregate(np.frombuffer(record, np.uint8).reshape(1, -1))
    assert np.flatnonzero(state[:-1]).tolist() == [code]


@pytest.mark.parametrize("value", [-1, 2, True, 0.5, "0", None, Fraction(1)])
def test_codes_outside_the_domain(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^value must be a whole number from 0 to 1\.$"):
        encode_value(METRICS["coin"], value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["", "x" * 4097, "é" * 2049, "\ud800", 1, b"a", None])
def test_texts_that_are_none(value: object) -> None:
    with pytest.raises(
        InvalidArgument, match=r"^value must be text of 1 to 4096 bytes in UTF-8\.$"
    ):
        encode_value(HOME, value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "encode",
    [
        lambda: DrawStream(b"\0").draw(),
        lambda: encode_report(METRICS["coin"], 0, DrawStream(b"\0\0\0")),
    ],
)
def test_a_stream_that_ends(encode: Callable[[], object]) -> None:
    with pytest.raises(InvalidArgument, match="it ended in the middle of a report"):
        encode()
