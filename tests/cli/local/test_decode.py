"""``hedgerow local decode``: stores, batches and files of google/rappor, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cli.local.helpers_metrics import HOME, METRIC, told, watch_progress
from hedgerow.cli import main
from hedgerow.cli.local import decode as local
from hedgerow.local.collector.counter_store import BatchCounters, CounterStore
from hedgerow.local.decode.rappor.google_hashes import hash_text
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import Duchi, LongitudinalUnary
from hedgerow.local.report_batch import ReportBatch


def test_detected_values_can_be_drawn(
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
        "1 value detected in 900 reports; false detections are limited to 1e-10. ± is the 95 %"
        " interval.\n"
    )
    assert "The 1 most frequent values detected" in drawn.read_text(encoding="utf-8")


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
        == "2 values detected in 4,000 reports; false detections are limited to 1e-10. ± is the"
        " 95 % interval."
    )


def test_nothing_counted_yet_names_what_the_store_has(
    metric: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The metric file of another epoch is an easy mistake."""
    words = ["local", "decode", "--store", str(tmp_path / "counts"), "--metric", metric]
    with CounterStore(tmp_path / "counts") as store:
        assert main(words) == 0
        assert (
            capsys.readouterr().out == "No reports of 'colour' in epoch 7 have been counted yet.\n"
        )
        earlier = Metric.of("colour", METRIC.scheme, epoch=6)
        store.add(
            [BatchCounters(earlier, b"a", earlier.scheme.aggregate(earlier.scheme.encode([1])))]
        )
    assert main(words) == 0
    assert (
        capsys.readouterr().out
        == "No reports of 'colour' in epoch 7 have been counted yet. The store has colour (epoch"
        " 6).\n"
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
            "must name each file once, or its reports would count twice" in capsys.readouterr().err
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
    assert "the chance of even one false one is limited to 1e-10" in said


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

    records = texts.scheme.encode(
        np.repeat(["café", "red"], [20_000, 10_000]), texts.permanent_hash
    )  # type: ignore[call-arg]
    batch.write_bytes(ReportBatch(texts.hash, records).to_bytes())
    assert main([*words, "--metric", str(home)]) == 0
    found = told(capsys)
    assert [row["value"] for row in found["detected"]][:2] == ["café", "red"]
    assert found["reports"] == 30_000
    assert main(["local", "decode", "--reports", str(batch), "--metric", str(home)]) == 2
    assert (
        "names must be given for RAPPOR: a file with one candidate per line"
        in capsys.readouterr().err
    )


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


def test_candidates_of_google_rappor_are_hashed_instead_of_a_map(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bits = {hash_text("first", cohort, 16, 1, "java")[0] for cohort in range(2)}
    assert len(bits) == 2
    lines = []
    for cohort in range(2):
        (own,) = hash_text("first", cohort, 16, 1, "java")
        lines.append([10_000, *(7_500 if bit == own else 2_500 for bit in range(16))])
    files = {
        "params": "k,h,m,p,q,f\n16,1,2,0.25,0.75,0\n",
        "counts": "".join(",".join(map(str, line)) + "\n" for line in lines),
        "names": "first\nsecond\nthird\n",
    }
    words = []
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        words += [f"--{name}", str(tmp_path / name)]
    assert main(["local", "decode", *words, "--hashing", "java", "--json"]) == 0
    (first,) = told(capsys)["detected"]
    assert first["value"] == "first"
    assert abs(first["estimate"] - 20_000) < 3 * first["stderr"]
    assert main(["local", "decode", *words, "--hashing", "rust"]) == 2
    assert "hashing must be one of cpp, python, java" in capsys.readouterr().err
    assert main(["local", "decode", *words[:4]]) == 2
    assert "either --map or --names" in capsys.readouterr().err


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


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
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
            "FILE must be a text file",
        ),
        (
            ["decode", "--counts", "x", "--map", "y"],
            2,
            "or --counts, --params and either --map or --names",
        ),
        (["decode", "--store", "none", "--metric", "METRIC"], 1, "There is no store"),
        (
            ["decode", "--reports", "none", "--metric", "METRIC"],
            1,
            "The file 'none' cannot be read",
        ),
        (
            ["decode", "--reports", "none", "--reports", "none", "--metric", "METRIC"],
            1,
            "The file 'none' cannot be read",
        ),
    ],
)
def test_wrong_sources_are_refused_with_the_fix(
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


def test_decoding_reports_its_progress(
    metric: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = watch_progress(monkeypatch, local)
    words = ["local", "decode", "--metric", metric]
    for name in ("a.batch", "b.batch"):
        batch = ReportBatch(METRIC.hash, METRIC.scheme.encode(np.arange(5)))
        (tmp_path / name).write_bytes(batch.to_bytes())
        words += ["--reports", str(tmp_path / name)]
    assert main(words) == 0
    assert progress == [("decoding", 1, 3), ("decoding", 2, 3)]
    assert "in 10 reports" in capsys.readouterr().out
