"""``hedgerow local``: plans, simulations, batches, the collector's answers, and how each
refuses.
"""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgerow.cli import main
from hedgerow.cli.local import commands as local
from hedgerow.errors import InvalidArgument
from hedgerow.local.collector.counter_store import BatchCounters, CounterStore
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import Duchi, KAry, LongitudinalUnary, Rappor
from hedgerow.local.report_batch import ReportBatch

METRIC = Metric.of("colour", KAry.calibrate(domain=5, epsilon=4), epoch=7)
HOME = Metric.of("home", Rappor(k=32, h=2, m=16, f=16_384, p=16_384, q=49_152))


@pytest.fixture
def metric(tmp_path: Path) -> str:
    file = tmp_path / "colour.json"
    file.write_text(METRIC.to_json() + "\n")
    return str(file)


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    out, err = capsys.readouterr()
    assert err == ""
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_plan_says_which_protocol_and_how_many_clients(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["local", "plan", "--domain", "1000", "--epsilon", "1"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Protocol projective: reports of 2 bytes about 1,000 values."
    assert said[1] == "One report gives away epsilon 1 at most, each further one as much again."
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
    assert "A value that 1 % of clients hold is seen, nine times in ten, among " in said
    assert "2 clients show nothing yet." in said


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


def test_whoever_waits_is_told_how_far_it_is(
    metric: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    heard: list[tuple[str, int, int]] = []

    @contextmanager
    def watched(doing: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
        assert not quiet
        yield lambda done, total: heard.append((doing, done, total))

    monkeypatch.setattr(local, "show_progress", watched)
    monkeypatch.setattr(local, "_CHUNK_VALUES", 2)
    (tmp_path / "values.txt").write_text("0\n1\n2\n3\n4\n")
    batches = [str(tmp_path / name) for name in ("a.batch", "b.batch")]
    for batch in batches:
        assert main(["local", "encode", metric, str(tmp_path / "values.txt"), "--to", batch]) == 0
    assert heard == 2 * [("randomising", 2, 5), ("randomising", 4, 5), ("randomising", 5, 5)]
    heard.clear()
    assert (
        main(
            [
                "local",
                "decode",
                "--metric",
                metric,
                "--reports",
                batches[0],
                "--reports",
                batches[1],
            ]
        )
        == 0
    )
    assert heard == [("decoding", 1, 3), ("decoding", 2, 3)]
    assert "in 10 reports" in capsys.readouterr().out


def test_what_is_detected_can_be_drawn(
    metric: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch, drawn = tmp_path / "a.batch", tmp_path / "found.svg"
    words = [
        "local",
        "decode",
        "--reports",
        str(batch),
        "--metric",
        metric,
        "--level",
        "1e-10",
        "--picture",
        str(drawn),
    ]
    batch.write_bytes(ReportBatch(METRIC.hash, METRIC.scheme.encode([3])).to_bytes())
    assert main(words) == 0
    assert not drawn.exists()  # nothing to be seen
    batch.write_bytes(ReportBatch(METRIC.hash, METRIC.scheme.encode(np.full(900, 3))).to_bytes())
    assert main(words) == 0
    assert capsys.readouterr().out.endswith(
        "1 value detected in 900 reports; false discoveries are held at 1e-10. ± is the 95 %"
        " interval.\n"
    )
    assert "The 1 most frequent values detected" in drawn.read_text(encoding="utf-8")


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


def test_a_store_is_decoded(
    metric: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counters = METRIC.scheme.aggregate(METRIC.scheme.encode(np.repeat([3, 1], [3_000, 1_000])))
    with CounterStore(tmp_path / "counts") as store:
        store.add([BatchCounters(METRIC, b"a", counters)])
    words = [
        "local",
        "decode",
        "--store",
        str(tmp_path / "counts"),
        "--metric",
        metric,
        "--level",
        "1e-10",
    ]
    for control in ("fdr", "fwer"):
        assert main([*words, "--control", control, "--json"]) == 0
        found = told(capsys)
        assert (found["metric"]["id"], found["reports"], found["control"], found["level"]) == (
            "colour",
            4_000,
            control,
            1e-10,
        )
        assert [row["value"] for row in found["detected"]] == [3, 1]
        assert {"value", "estimate", "stderr", "p_value"} <= set(found["detected"][0])
    assert main(words) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said[:2]] == ["3", "1"]
    assert (
        said[2]
        == "2 values detected in 4,000 reports; false discoveries are held at 1e-10. ± is the 95 %"
        " interval."
    )


def test_nothing_counted_yet_names_what_the_store_has(
    metric: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The metric file of another epoch is an easy mistake."""
    words = ["local", "decode", "--store", str(tmp_path / "counts"), "--metric", metric]
    with CounterStore(tmp_path / "counts") as store:
        assert main(words) == 0
        assert capsys.readouterr().out == "No reports of 'colour' in epoch 7 were counted yet.\n"
        earlier = Metric.of("colour", METRIC.scheme, epoch=6)
        store.add(
            [BatchCounters(earlier, b"a", earlier.scheme.aggregate(earlier.scheme.encode([1])))]
        )
    assert main(words) == 0
    assert (
        capsys.readouterr().out
        == "No reports of 'colour' in epoch 7 were counted yet. The store has colour (epoch 6).\n"
    )


def test_a_file_of_reports_is_counted_once(
    metric: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.batch").write_bytes(
        ReportBatch(METRIC.hash, METRIC.scheme.encode(np.full(900, 2))).to_bytes()
    )
    Path("b.batch").symlink_to("a.batch")
    for second in ("a.batch", "b.batch", str(tmp_path / "a.batch")):
        assert (
            main(
                ["local", "decode", "--reports", "a.batch", "--reports", second, "--metric", metric]
            )
            == 2
        )
        assert (
            "must name each file once: its reports would be counted twice"
            in capsys.readouterr().err
        )


def test_files_of_reports_are_decoded(
    metric: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for number in range(2):
        files += ["--reports", str(tmp_path / f"{number}.batch")]
        Path(files[-1]).write_bytes(
            ReportBatch(METRIC.hash, METRIC.scheme.encode(np.full(900, 2))).to_bytes()
        )
    assert (
        main(
            ["local", "decode", *files, "--metric", metric, "--control", "fwer", "--level", "1e-10"]
        )
        == 0
    )
    said = capsys.readouterr().out
    assert said.startswith("2: ")
    assert "the chance of even one false discovery is held at 1e-10" in said


def test_names_are_those_of_codes_or_candidates(
    metric: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = HOME
    home, batch, names = tmp_path / "home.json", tmp_path / "a.batch", tmp_path / "names.txt"
    home.write_text(texts.to_json())
    names.write_text("red\n\ngreen\nblue\ncafé\npink\n", encoding="utf-8")
    words = [
        "local",
        "decode",
        "--reports",
        str(batch),
        "--names",
        str(names),
        "--level",
        "1e-6",
        "--json",
    ]

    batch.write_bytes(ReportBatch(METRIC.hash, METRIC.scheme.encode(np.full(900, 3))).to_bytes())
    assert main([*words, "--metric", metric]) == 0
    assert [row["value"] for row in told(capsys)["detected"]] == ["café"]

    records = texts.scheme.encode(np.repeat(["café", "red"], [20_000, 10_000]), texts.permanent_hash)  # type: ignore[call-arg]
    batch.write_bytes(ReportBatch(texts.hash, records).to_bytes())
    assert main([*words, "--metric", str(home)]) == 0
    found = told(capsys)
    assert [row["value"] for row in found["detected"]][:2] == ["café", "red"]
    assert found["reports"] == 30_000
    assert main(["local", "decode", "--reports", str(batch), "--metric", str(home)]) == 2
    assert "names must be given for RAPPOR: a file of candidates" in capsys.readouterr().err


@pytest.mark.parametrize("control", ["fdr", "fwer"])
def test_files_of_google_rappor_are_decoded(
    control: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two candidates in one cohort of eight bits, of which everybody holds the first."""
    (tmp_path / "params.csv").write_text("k,h,m,p,q,f\n8,1,1,0.25,0.75,0\n")
    (tmp_path / "counts.csv").write_text("10000,7500,2500,2500,2500,2500,2500,2500,2500\n")
    (tmp_path / "map.csv").write_text("first,1\nsecond,2\n")
    words = [
        part
        for name in ("counts", "map", "params")
        for part in (f"--{name}", str(tmp_path / f"{name}.csv"))
    ]
    assert main(["local", "decode", *words, "--control", control, "--json"]) == 0
    found = told(capsys)
    assert (found["control"], found["level"]) == (control, 0.05)
    (first,) = found["detected"]
    assert set(first) == {"value", "estimate", "stderr", "low", "high", "p_value"}
    assert abs((first["high"] - first["low"]) / first["stderr"] - 2 * 1.959964) < 1e-5
    assert first["value"] == "first"
    assert abs(first["estimate"] - 10_000) < 1
    assert main(["local", "decode", *words]) == 0
    assert capsys.readouterr().out.startswith("first: 10,000 ± ")


def test_a_mean_is_decoded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept, file = Metric.of("age", Duchi.calibrate(domain=101, epsilon=4)), tmp_path / "age.json"
    file.write_text(kept.to_json())
    (tmp_path / "a.batch").write_bytes(
        ReportBatch(kept.hash, kept.scheme.encode(np.full(9_000, 50))).to_bytes()
    )
    assert (
        main(["local", "decode", "--reports", str(tmp_path / "a.batch"), "--metric", str(file)])
        == 0
    )
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("mean: 0.")
    assert abs(float(first.split()[1]) - 0.5) < 0.05
    assert "on a scale from 0 to 1; as a code from 0 to 100 it is " in first
    assert second == "± is the 95 % interval in 9,000 reports."


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
    assert re.fullmatch(r"Batches go to http://127\.0\.0\.1:\d+/v1/reports\.\n", lines[1])
    assert re.fullmatch(
        r"Open (\S+) to see what they tell, \1/demo to see what leaves a client\.\n", lines[2]
    )
    assert lines[3] == "Ctrl-C ends it.\n"
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["plan", "--domain", "1", "--epsilon", "1"], 2, "domain must be a whole number"),
        (["plan", "--domain", "10", "--epsilon", "0"], 2, "epsilon"),
        (
            ["plan", "--domain", "10", "--epsilon", "much"],
            2,
            "epsilon must be a number; got 'much'",
        ),
        (
            ["plan", "--domain", "10", "--epsilon", "1", "--lifetime", "2"],
            2,
            "for repeated reports",
        ),
        (
            ["plan", "--domain", "10"],
            2,
            "This takes --domain and --epsilon together, or --metric alone; got '--domain'",
        ),
        (["plan", "--metric", "METRIC", "--domain", "10"], 2, "says everything but --epoch"),
        (
            ["plan", "--domain", "10", "--epsilon", "1", "--mean", "--repeats"],
            2,
            "leave out; got '--repeats'",
        ),
        (
            ["plan", "--domain", "10", "--epsilon", "1", "--mean", "--frequency", "0.1"],
            2,
            "a mean has an error",
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
            "no protocol has reports of 1 bytes",
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
        (["simulate", "--metric", "METRIC", "--domain", "10"], 2, "domain is what the metric says"),
        (["simulate", "--metric", "HOME"], 2, "domain must say how many candidates there are"),
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
        (["encode", "none.json", "--to", "x"], 2, "METRIC must be a metric file that can be read"),
        (["encode", "METRIC", "none.txt", "--to", "x"], 2, "FILE must be a file of text"),
        (["encode", "AGAIN", "none.txt", "--to", "x"], 3, "Use hedgerow.local.Client"),
        (["collect", "METRIC", "METRIC", "--store", "x"], 2, "each with a name of its own"),
        (["collect", "METRIC", "--store", "no/folder/x"], 1, "does not exist"),
        (
            ["collect", "METRIC", "--store", "x", "--port", "70000"],
            2,
            "port must be from 0 to 65,535",
        ),
        (["collect", "METRIC", "--store", "x", "--late", "-1"], 2, "late must be"),
        (["decode"], 2, "takes --store and --metric"),
        (["decode", "--store", "x"], 2, "takes --store and --metric"),
        (
            ["decode", "--store", "x", "--reports", "y", "--metric", "METRIC"],
            2,
            "takes --store and --metric",
        ),
        (["decode", "--counts", "x", "--map", "y", "--params", "z"], 2, "cannot be read"),
        (
            ["decode", "--reports", "x", "--metric", "METRIC", "--names", "none.txt"],
            2,
            "FILE must be a file of text",
        ),
        (["decode", "--counts", "x", "--map", "y"], 2, "or --counts, --map and --params"),
        (["decode", "--store", "none", "--metric", "METRIC"], 1, "There is no store"),
        (["decode", "--reports", "none", "--metric", "METRIC"], 1, "There is no file"),
        (
            ["decode", "--reports", "none", "--reports", "none", "--metric", "METRIC"],
            1,
            "There is no file",
        ),
    ],
)
def test_what_is_refused(
    metric: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    again = Metric.of("home", LongitudinalUnary.calibrate(domain=9, epsilon=1, lifetime=3))
    Path("again.json").write_text(again.to_json())
    Path("home.json").write_text(HOME.to_json())
    files = {"METRIC": metric, "AGAIN": "again.json", "HOME": "home.json"}
    assert main(["local", *(files.get(word, word) for word in words)]) == code
    assert said in capsys.readouterr().err


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
    assert "must be" in said
    assert "secret" not in said
    assert "line" in said or not text.strip()
    assert not to.exists()


def test_the_control_and_level_are_checked(
    metric: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.batch").write_bytes(
        ReportBatch(METRIC.hash, METRIC.scheme.encode(np.full(9, 2))).to_bytes()
    )
    words = ["local", "decode", "--reports", str(tmp_path / "a.batch"), "--metric", metric]
    assert main([*words, "--control", "none"]) == 2
    assert "control must be one of" in capsys.readouterr().err
    assert main([*words, "--level", "2"]) == 2
    assert "level" in capsys.readouterr().err


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
