"""What the commands read: files that are right, and each mistake in words that do not show data."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from hedgerow.cli.local import files as local_files
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry


def test_a_metric_file_comes_back(tmp_path: Path) -> None:
    metric, file = (
        Metric.of("colour", KAry.calibrate(domain=5, epsilon=1)),
        tmp_path / "colour.json",
    )
    local_files.write_file(file, metric.to_json().encode() + b"\n")
    assert local_files.read_metric(file) == metric
    file.write_bytes(b"\xff")
    with pytest.raises(
        InvalidArgument, match="METRIC must be a metric file that exists and can be read"
    ):
        local_files.read_metric(file)
    with pytest.raises(SourceError, match="cannot be written"):
        local_files.write_file(tmp_path / "no" / "folder", b"")


@pytest.mark.parametrize(
    "content",
    [
        "alice,7\nbob,3\n",
        "7",
        '["alice"]',
        '{"alice": 7}',
        '{"alice": 7, "alice": 8}',
        "alice" * 5_000,
    ],
)
def test_a_file_named_by_mistake_is_not_shown(tmp_path: Path, content: str) -> None:
    file = tmp_path / "values.txt"
    file.write_text(content)
    with pytest.raises(
        InvalidArgument,
        match=r"^METRIC must be a metric file, as 'hedgerow local plan --to' writes it; got",
    ) as caught:
        local_files.read_metric(file)
    assert "alice" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_mistake_in_a_metric_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "metric.json"
    file.write_text(Metric.of("a", KAry(3, 40_000)).to_json().replace("40000", "65536"))
    with pytest.raises(
        InvalidArgument, match="truth must be a whole number between 1 and 65535; got 65536"
    ):
        local_files.read_metric(file)


def test_names_are_lines_and_none_stands_twice(tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text(" red\n\ncafé \n", encoding="utf-8")
    assert local_files.read_names(None) is None
    assert local_files.read_names(file) == ["red", "café"]
    file.write_text("red\nblue\n\n red\n")
    with pytest.raises(InvalidArgument, match="names must all differ; line 4 repeats line 1"):
        local_files.read_names(file)
    file.write_text("\n")
    with pytest.raises(InvalidArgument, match="names must hold at least one line"):
        local_files.read_names(file)


def test_codes_are_those_of_the_file_or_of_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "values.txt"
    file.write_text("0\n\n 4 \n")
    assert local_files.read_codes(file, 5) == [0, 4]
    monkeypatch.setattr(sys, "stdin", io.StringIO("3\n"))
    assert local_files.read_codes(None, 5) == [3]
    with pytest.raises(
        InvalidArgument, match="codes from 0 to 3, one per line; line 3 is not"
    ) as caught:
        local_files.read_codes(file, 4)
    assert "got" not in str(caught.value)


def test_a_file_is_the_same_under_any_name(tmp_path: Path) -> None:
    one, other = tmp_path / "a.batch", tmp_path / "b.batch"
    one.write_bytes(b"x")
    other.write_bytes(b"x")  # two small batches may be equal by chance
    local_files.refuse_repeated_files([one, other])
    os.link(one, tmp_path / "c.batch")
    for again in (
        one,
        Path(str(one)),
        tmp_path / ".." / tmp_path.name / "a.batch",
        tmp_path / "c.batch",
    ):
        with pytest.raises(InvalidArgument, match="must name each file once"):
            local_files.refuse_repeated_files([one, other, again])
    with pytest.raises(SourceError, match="cannot be read"):
        local_files.refuse_repeated_files([tmp_path / "none"])
