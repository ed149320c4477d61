"""``hedgerow local`` plan, simulate, encode and collect, and how each refuses."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cli.local.helpers_metrics import HOME, METRIC, told, watch_progress
from hedgerow.cli import main
from hedgerow.cli.local import commands as local
from hedgerow.errors import InvalidArgument
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry, LongitudinalUnary
from hedgerow.local.report_batch import ReportBatch


def test_a_plan_says_which_protocol_and_how_many_clients(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["local", "plan", "--domain", "1000", "--epsilon", "1"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Protocol projective: reports of 2 bytes about 1,000 values."
    assert said[1] == "One report costs at most epsilon 1, each further one as much again."
    assert [line.split()[0] for line in said[3:]] == [
        "10,000",
        "100,000",
        "1,000,000",
        "10,000,000",
    ]


def test_a_plan_in_json_answers_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["local", "plan", "--domain", "5", "--epsilon", "1", "--json"]
    assert main([*words, "--frequency", "0.01"]) == 0
    found = told(capsys)
    assert (found["protocol"], found["domain"], found["report_bytes"], found["memoised"]) == (
        "k_ary",
        5,
        1,
        False,
    )
    assert 0.999 < found["epsilon"] <= 1
    assert found["detectable"] == []
    clients = found["needed"]["clients"]
    assert main([*words, "--clients", str(clients)]) == 0
    (seen,) = told(capsys)["detectable"]
    assert seen["clients"] == clients
    assert abs(seen["frequency"] - 0.01) < 1e-4
    assert main([*words, "--clients", "2"]) == 0
    assert told(capsys)["detectable"] == [{"clients": 2, "frequency": None}]


def test_a_plan_in_words_answers_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "local",
                "plan",
                "--domain",
                "5",
                "--epsilon",
                "1",
                "--frequency",
                "0.01",
                "--clients",
                "2",
            ]
        )
        == 0
    )
    said = capsys.readouterr().out
    assert "A value that 1 % of clients hold is detected, nine times in ten, among " in said
    assert "2 clients show no value yet." in said


def test_a_plan_writes_the_metric_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "home.json"
    words = [
        "--domain",
        "20",
        "--epsilon",
        "1",
        "--repeats",
        "--lifetime",
        "3",
        "--to",
        str(file),
        "--name",
        "home",
        "--epoch",
        "9",
    ]
    assert main(["local", "plan", *words]) == 0
    metric = Metric.from_json(file.read_text())
    assert (metric.id, metric.epoch, metric.protocol) == ("home", 9, "longitudinal_unary")
    assert f"its hash is {metric.hash.hex()}" in (said := capsys.readouterr().out)
    assert "all reports of one value 3." in said


def test_encoding_reports_its_progress(
    metric: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = watch_progress(monkeypatch, local)
    monkeypatch.setattr(local, "_CHUNK_VALUES", 2)
    (tmp_path / "values.txt").write_text("0\n1\n2\n3\n4\n")
    batch = str(tmp_path / "a.batch")
    assert main(["local", "encode", metric, str(tmp_path / "values.txt"), "--to", batch]) == 0
    assert progress == [("randomising", 2, 5), ("randomising", 4, 5), ("randomising", 5, 5)]


def test_values_become_a_batch(
    metric: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    values, to = tmp_path / "values.txt", tmp_path / "a.batch"
    values.write_text("0\n 4 \n\n2\n")
    assert main(["local", "encode", metric, str(values), "--to", str(to), "--json"]) == 0
    assert told(capsys) == {
        "metric": "colour",
        "epoch": 7,
        "hash": METRIC.hash.hex(),
        "reports": 3,
        "file": str(to),
    }
    batch = ReportBatch.from_bytes(to.read_bytes())
    assert batch.metric == METRIC.hash
    assert METRIC.scheme.aggregate(batch.records)[-1] == 3
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 500))
    assert main(["local", "encode", metric, "--to", str(to)]) == 0
    assert capsys.readouterr().out.startswith("500 reports of 1 byte in ")
    counters = METRIC.scheme.aggregate(ReportBatch.from_bytes(to.read_bytes()).records)
    assert 300 < counters[1] < 500  # the truth nine times in ten, and not always


@pytest.mark.long
def test_the_collector_serves_until_it_is_interrupted(metric: str, tmp_path: Path) -> None:
    code = "import sys; from hedgerow.cli import main; sys.exit(main())"
    words = ["local", "collect", metric, "--store", str(tmp_path / "counts"), "--port", "0"]
    with subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines = [process.stdout.readline() for _ in range(4)]
        os.kill(process.pid, signal.SIGINT)
        assert process.stderr.read() == ""
    assert lines[0].startswith("Collecting colour (epoch 7), counters in ")
    assert re.fullmatch(r"Clients send batches to http://127\.0\.0\.1:\d+/v1/reports\.\n", lines[1])
    assert re.fullmatch(
        r"Open (\S+) to see estimates, \1/demo to see what a client sends\.\n", lines[2]
    )
    assert lines[3] == "Ctrl-C stops it.\n"
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["plan", "--domain", "1", "--epsilon", "1"], 2, "domain must be a whole number"),
        (["plan", "--domain", "10", "--epsilon", "0"], 2, "epsilon"),
        (
            ["plan", "--domain", "10", "--epsilon", "much"],
            2,
            "epsilon must be a number, such as 0.5; got 'much'",
        ),
        (
            ["plan", "--domain", "10", "--epsilon", "1", "--lifetime", "2"],
            2,
            "for repeated reports",
        ),
        (
            ["plan", "--domain", "10"],
            2,
            "must be set by --domain and --epsilon together, or by --metric alone; got '--domain'",
        ),
        (["plan", "--metric", "METRIC", "--domain", "10"], 2, "sets everything but --epoch"),
        (
            ["plan", "--domain", "10", "--epsilon", "1", "--mean", "--repeats"],
            2,
            "leave them out; got '--repeats'",
        ),
        (
            ["plan", "--domain", "10", "--epsilon", "1", "--mean", "--frequency", "0.1"],
            2,
            "use --clients to see its error",
        ),
        (
            ["plan", "--domain", "10", "--epsilon", "1", "--mean", "--clients", "0"],
            2,
            "clients must be",
        ),
        (["plan", "--domain", "10", "--epsilon", "1", "--delta", "2"], 2, "delta must"),
        (["plan", "--domain", "10", "--epsilon", "1", "--frequency", "2"], 2, "frequency"),
        (
            ["plan", "--domain", "1000000", "--epsilon", "1", "--report-bytes", "1"],
            3,
            "No protocol fits reports of 1 bytes",
        ),
        (
            ["plan", "--domain", "10", "--epsilon", "1", "--to", "/no/such/folder/x"],
            1,
            "cannot be written",
        ),
        (["plan", "--domain", "10", "--epsilon", "1", "--name", "Bad Name"], 2, "id must be"),
        (
            ["simulate", "--domain", "10", "--epsilon", "1", "--shape", "flat"],
            2,
            "shape must be one of",
        ),
        (["simulate", "--domain", "10", "--epsilon", "1", "--clients", "0"], 2, "clients must be"),
        (
            ["simulate", "--metric", "METRIC", "--domain", "10"],
            2,
            "domain is set by the metric file",
        ),
        (["simulate", "--metric", "HOME"], 2, "the number of candidate texts"),
        (
            [
                "simulate",
                "--domain",
                "10",
                "--epsilon",
                "1",
                "--clients",
                "9",
                "--picture",
                "no/folder/x",
            ],
            1,
            "cannot be written",
        ),
        (
            ["encode", "none.json", "--to", "x"],
            2,
            "METRIC must be a metric file that exists and can be read",
        ),
        (["encode", "METRIC", "none.txt", "--to", "x"], 2, "FILE must be a text file"),
        (["encode", "AGAIN", "none.txt", "--to", "x"], 3, "Use hedgerow.local.Client"),
        (["collect", "METRIC", "METRIC", "--store", "x"], 2, "with distinct names"),
        (["collect", "METRIC", "--store", "no/folder/x"], 1, "does not exist"),
        (
            ["collect", "METRIC", "--store", "x", "--port", "70000"],
            2,
            "port must be from 0 to 65,535",
        ),
        (["collect", "METRIC", "--store", "x", "--late", "-1"], 2, "late must be"),
    ],
)
def test_wrong_options_are_refused_with_the_fix(
    metric: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    again = Metric.of("home", LongitudinalUnary.calibrate(domain=9, epsilon=1, lifetime=3))
    Path("again.json").write_text(again.to_json())
    Path("home.json").write_text(HOME.to_json())
    files = {"METRIC": metric, "AGAIN": "again.json", "HOME": "home.json"}
    assert main(["local", *(files.get(word, word) for word in words)]) == code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["", "\n\n", "0\n5\n", "0\nsecret\n", "-1\n", "1.0\n", "²\n", "9" * 5_000 + "\n"]
)
def test_a_value_that_is_wrong_is_never_shown(
    metric: str, tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    values, to = tmp_path / "values.txt", tmp_path / "a.batch"
    values.write_text(text)
    assert main(["local", "encode", metric, str(values), "--to", str(to)]) == 2
    said = capsys.readouterr().err
    assert "must" in said
    assert "secret" not in said
    assert "line" in said or not text.strip()
    assert not to.exists()


def test_candidates_go_to_the_metric_that_takes_texts(tmp_path: Path) -> None:
    file, other = tmp_path / "a=b.txt", tmp_path / "other.txt"
    file.write_text("a.example\nb.example\n", encoding="utf-8")
    other.write_text("c.example\n", encoding="utf-8")
    home, start, colour, shape = (
        HOME,
        replace(HOME, id="start"),
        Metric.of("colour", KAry(2, 60_000)),
        Metric.of("shape", KAry(2, 60_000)),
    )
    found, both = ["a.example", "b.example"], [f"home={file}", f"start={other}"]
    assert local._read_candidates([], [home]) == {}
    # no ID, though there is a =
    assert local._read_candidates([str(file)], [colour, home]) == {"home": found}
    assert local._read_candidates([str(file)], [colour]) == {"colour": found}
    assert local._read_candidates([str(other), f"colour={file}"], [colour, home]) == {
        "home": ["c.example"],
        "colour": found,
    }
    assert local._read_candidates(both, [home, start]) == {"home": found, "start": ["c.example"]}
    wrong = (
        ([str(other)], [home, start]),
        ([str(other)], [colour, shape]),
        ([f"home={file}", str(other)], [home, colour]),
    )
    for words, metrics in wrong:
        with pytest.raises(
            InvalidArgument,
            match=f"must be ID=FILE, once for each of {metrics[0].id}, {metrics[1].id}; got",
        ):
            local._read_candidates(words, metrics)
