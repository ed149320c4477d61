"""Counters from files, equal to those of a collector."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.local.collector import count_files as counting
from hedgerow.local.collector.count_files import count_files
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry
from hedgerow.local.report_batch import ReportBatch

METRIC = Metric.of("colour", KAry.calibrate(domain=300, epsilon=1), epoch=7)
OTHER = replace(METRIC, epoch=8)


def made() -> tuple[list[bytes], np.ndarray]:
    records = METRIC.scheme.encode(np.arange(1_000) % 300)
    return [row.tobytes() for row in records], METRIC.scheme.aggregate(records)


def write(place: Path, reports: list[bytes], metric: Metric = METRIC, upper: bool = False) -> Path:
    name = metric.hash.hex().upper() if upper else metric.hash.hex()
    if place.suffix == ".parquet":
        parquet.write_table(pa.table({"report": reports, "metric": [name] * len(reports)}), place)
    elif place.suffix == ".csv":
        place.write_text(
            "metric,report\n" + "".join(f"{name},{report.hex()}\n" for report in reports)
        )
    elif place.suffix == ".batch":
        place.write_bytes(
            ReportBatch(
                metric.hash, np.array([list(report) for report in reports], np.uint8)
            ).to_bytes()
        )
    else:
        place.write_text(
            "".join(
                json.dumps({"metric": name, "report": report.hex()}) + "\n" for report in reports
            )
        )
    return place


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".json", ".jsonl", ".ndjson", ".batch"])
def test_every_kind_of_file_gives_the_same_counters(tmp_path: Path, suffix: str) -> None:
    reports, counters = made()
    assert np.array_equal(
        count_files(METRIC, [write(tmp_path / f"reports{suffix}", reports)]), counters
    )


def test_files_add_and_pieces_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_CHUNK_BYTES", 20)
    reports, counters = made()
    files = [
        write(tmp_path / "a.parquet", reports[:400]),
        write(tmp_path / "b's.csv", reports[400:600], upper=True),
        write(tmp_path / "c.batch", reports[600:]),
    ]
    assert np.array_equal(count_files(METRIC, map(str, files)), counters)


def test_rows_of_other_metrics_are_passed_over(tmp_path: Path) -> None:
    reports, counters = made()
    text = (
        write(tmp_path / "a.jsonl", reports).read_text()
        + write(tmp_path / "b.jsonl", [b"\xff" * 9] * 5, OTHER).read_text()
    )
    (tmp_path / "both.jsonl").write_text(text)
    assert np.array_equal(count_files(METRIC, [tmp_path / "both.jsonl"]), counters)
    assert not count_files(METRIC, []).any()


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".json"])
def test_the_name_of_a_folder_is_not_read_as_a_column(suffix: str, tmp_path: Path) -> None:
    folder = tmp_path / "metric=home"
    folder.mkdir()
    reports, counters = made()
    assert np.array_equal(
        count_files(METRIC, [write(folder / f"reports{suffix}", reports)]), counters
    )


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".json"])
@pytest.mark.parametrize(
    ("report", "told"),
    [(b"\x00", "the 2 bytes"), (b"\x00" * 3, "the 2 bytes"), (b"\xff\xff", "not below 300")],
)
def test_one_wrong_report_and_nothing_is_counted(
    tmp_path: Path, suffix: str, report: bytes, told: str
) -> None:
    file = write(tmp_path / f"reports{suffix}", [*made()[0], report])
    with pytest.raises(InvalidArgument, match=told):
        count_files(METRIC, [file])


def test_a_missing_report_is_wrong_too(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    parquet.write_table(
        pa.table({"report": [b"\x00\x00", None], "metric": [METRIC.hash.hex()] * 2}), file
    )
    with pytest.raises(InvalidArgument, match="the 2 bytes"):
        count_files(METRIC, [file])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"colour,report\nx,00\n"),
        ("a.csv", b"metric,report\n" + METRIC.hash.hex().encode() + b",secret\n"),
        ("a.parquet", b"no parquet"),
        ("a.json", b"{"),
    ],
)
def test_an_unreadable_file_is_reported_without_its_contents(
    tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match="cannot be read as a table") as caught:
        count_files(METRIC, [tmp_path / name])
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None


def test_batches_of_others_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(
        SourceError,
        match=(r"a.batch' is not a batch of 'colour' in epoch 7. Use the metric file,"),
    ):
        count_files(METRIC, [write(tmp_path / "a.batch", [b"\x00\x00"], OTHER)])
    (tmp_path / "b.batch").write_bytes(b"a file of something else")
    with pytest.raises(SourceError, match="is not a batch of"):
        count_files(METRIC, [tmp_path / "b.batch"])
    (tmp_path / "c.batch").write_bytes(write(tmp_path / "d.batch", [b"\x00\x00"]).read_bytes()[:-1])
    with pytest.raises(
        SourceError,
        match=(
            r"c.batch' cannot be counted. Copy it again: its batch must hold whole records of 2"
            r" bytes; it was truncated"
        ),
    ):
        count_files(METRIC, [tmp_path / "c.batch"])
    with pytest.raises(SourceError, match=r"does not exist\. Check its path"):
        count_files(METRIC, [tmp_path / "none.csv"])
