"""The two forms of a batch: each read back whole, everything else refused."""

from __future__ import annotations

import json
import re
import tracemalloc
from contextlib import suppress
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.local.collector.batch_parsing import _PARSING_FACTORS
from hedgerow.local.metric import Metric
from hedgerow.local.report_batch import ReportBatch

HASH = bytes(range(1, 9))


def batch(*rows: bytes) -> ReportBatch:
    return ReportBatch(HASH, np.array([list(row) for row in rows], np.uint8))


def test_the_packed_form_is_what_the_page_says() -> None:
    assert (
        batch(b"\x00\xff\x10", b"\x01\x02\x03").to_bytes()
        == HASH + b"\x00\x03" + b"\x00\xff\x10\x01\x02\x03"
    )
    assert ReportBatch(HASH, np.zeros((1, 258), np.uint8)).to_bytes()[8:10] == b"\x01\x02"


def test_reports_packed_by_every_client_are_read() -> None:
    vector = json.loads(
        files("hedgerow.local").joinpath("vectors.json").read_text(encoding="utf-8")
    )["batch"]
    read = ReportBatch.from_bytes(bytes.fromhex(vector["body"]))
    assert read.metric == Metric.from_json(vector["metric"]).hash
    assert [row.tobytes().hex() for row in read.records] == vector["records"]


def test_the_json_form_is_what_the_page_says() -> None:
    assert json.loads(batch(b"\x00\xff", b"\x01\x02").to_json()) == {
        "metric": "0102030405060708",
        "reports": ["00ff", "0102"],
    }


@given(st.binary(min_size=8, max_size=8), st.integers(1, 40), st.integers(1, 9), st.data())
def test_both_forms_are_read_back_whole(
    metric: bytes, size: int, count: int, data: st.DataObject
) -> None:
    records = np.frombuffer(
        data.draw(st.binary(min_size=size * count, max_size=size * count)), np.uint8
    ).reshape(count, size)
    made = ReportBatch(metric, records)
    for again in (
        ReportBatch.from_bytes(made.to_bytes()),
        ReportBatch.from_json(made.to_json().encode()),
    ):
        assert again.metric == metric
        assert len(again) == count
        assert np.array_equal(again.records, records)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "was truncated"),
        (HASH + b"\x00", "was truncated"),
        (HASH + b"\x00\x03", "whole records of 3 bytes; it was truncated; got 0"),
        (HASH + b"\x00\x03" + b"abcd", "whole records of 3 bytes; it was truncated; got 4"),
        (HASH + b"\x00\x00" + b"abcd", "at least 1 byte"),
    ],
)
def test_a_packed_body_that_is_not_whole(body: bytes, told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        ReportBatch.from_bytes(body)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("", "must be valid JSON"),
        ('{"metric": "0102030405060708", "reports": ["00', "may have been truncated"),
        ("[" * 100_000, 'object with "metric" and "reports"'),
        (
            '{"metric": "0102030405060708", "reports": ["00"], "reports": ["01"]}',
            "each exactly once",
        ),
        (
            '{"metric": "0102030405060708", "metric": "0102030405060708", "reports": ["00"]}',
            "each exactly once",
        ),
        ('{"metric": "0102030405060708", "reports": [[]]}', 'object with "metric" and "reports"'),
        ('{"metric": {}, "reports": ["00"]}', 'object with "metric" and "reports"'),
        ('{"metric": "0102030405060708", "reports": [NaN]}', "must be a list of texts"),
        ('{"metric": "0102030405060708", "reports": [-1, 1e999, 0.5]}', "must be a list of texts"),
        ("1" * 10_000, "must be valid JSON"),
        ('"\\ud800', "must be valid JSON"),
        ("[]", 'object with "metric" and "reports"'),
        ('{"metric": "0102030405060708"}', 'object with "metric" and "reports"'),
        (
            '{"metric": "0102030405060708", "reports": ["00"], "client": 7}',
            'object with "metric" and "reports"',
        ),
        (
            '{"metric": "0102030405060708", "reports": ["é0"]}',
            "must be JSON in ASCII; it has other bytes",
        ),
        (
            '{"metric": "' + "0" * 100 + '", "reports": ["00"]}',
            "metric must be 16 hex digits; got '0000000000000000000000000",
        ),
        ('{"metric": 7, "reports": ["00"]}', "metric must be 16 hex digits; got 7"),
        ('{"metric": "01", "reports": ["00"]}', "metric must be 16 hex digits; got '01'"),
        ('{"metric": "010203040506070x", "reports": ["00"]}', "metric must be hex digits"),
        ('{"metric": "0102030405060708", "reports": "00"}', "must be a list of texts"),
        ('{"metric": "0102030405060708", "reports": []}', "at least one"),
        ('{"metric": "0102030405060708", "reports": [0]}', "must be a list of texts"),
        ('{"metric": "0102030405060708", "reports": [""]}', "same even number"),
        ('{"metric": "0102030405060708", "reports": ["000"]}', "same even number"),
        ('{"metric": "0102030405060708", "reports": ["00", "0000"]}', "same even number"),
        ('{"metric": "0102030405060708", "reports": ["0x"]}', "reports must be hex digits"),
        (
            '{"metric": "0102030405060708", "reports": ["00  ", "0000"]}',
            "reports must be hex digits",
        ),
        (
            '{"metric": "0102030405060708", "reports": ["' + "00" * 65_536 + '"]}',
            "same even number",
        ),
    ],
)
def test_a_json_body_that_is_not_a_batch(body: str, told: str) -> None:
    with pytest.raises(InvalidArgument, match=re.escape(told)):
        ReportBatch.from_json(body.encode())


def listed(piece: str, last: str = "00") -> str:
    return f'{{"metric":"0102030405060708","reports":[{piece * 50_000}"{last}"]}}'


def named(value: int, last: str) -> str:
    return (
        "{"
        + "".join(f'"{number}":{value},' for number in range(50_000))
        + f'"{last}":"0102030405060708"}}'
    )


LONG = "\x7f" * 250_000 + r"\ud83d\ude00"
LARGE = {
    piece: listed(piece)
    for piece in ("[],", "{},", "1.5,", "-9,", '"00",', '"Ā",', '"😀",', r'"\u0100",')
} | {
    "an emoji": listed('"00",', "😀"),
    "an emoji after numbers": listed("-9,", "😀"),
    "names": named(1, "metric"),
    "names and an emoji": named(-9, "😀"),
    "a long name": f'{{"{LONG}":"0102030405060708"}}',
    "a hash that is long when it is shown": f'{{"metric":"{LONG}","reports":["00"]}}',
}
"""What takes up to thirty times its length when it is taken apart."""


@pytest.mark.parametrize("name", LARGE)
def test_no_body_takes_more_memory_than_the_collector_makes_room_for(name: str) -> None:
    body = LARGE[name].encode()
    tracemalloc.start()
    try:
        with suppress(InvalidArgument):
            ReportBatch.from_json(body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak + len(body) < _PARSING_FACTORS["application/json"] * len(body)


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(InvalidArgument, match="must be JSON in ASCII"):
        ReportBatch.from_json(b"\xff\xfe\xfd")


@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_a_batch_in_another_coding(coding: str) -> None:
    with pytest.raises(InvalidArgument, match=r"must be (valid JSON|JSON in ASCII)"):
        ReportBatch.from_json(batch(b"\x00").to_json().encode(coding))


@pytest.mark.parametrize(
    "records",
    [
        np.zeros((0, 3), np.uint8),
        np.zeros((3, 0), np.uint8),
        np.zeros(3, np.uint8),
        np.zeros((1, 3)),
        np.zeros((1, 65_536), np.uint8),
    ],
)
def test_records_are_rows_of_bytes(records: np.ndarray) -> None:
    with pytest.raises(InvalidArgument, match="must be rows of bytes"):
        ReportBatch(HASH, records)


def test_a_hash_has_eight_bytes() -> None:
    with pytest.raises(InvalidArgument, match="hash of 8 bytes"):
        ReportBatch(HASH[1:], np.zeros((1, 1), np.uint8))
