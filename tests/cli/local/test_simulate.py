"""``hedgerow local simulate``: counts, texts and means beside the truth, on screen, in pictures
and in JSON.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from hedgerow.cli import main
from hedgerow.cli.local import commands as local
from hedgerow.cli.local.simulate import MeansView, _print_bars
from hedgerow.local.decode.value_estimates import ValueEstimate
from hedgerow.local.metric import Metric
from hedgerow.local.planning.simulated_mean import SimulatedMean
from hedgerow.local.protocols import Duchi, Piecewise, Rappor

HOME = Metric.of("home", Rappor(k=32, h=2, m=16, f=16_384, p=16_384, q=49_152))


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    out, err = capsys.readouterr()
    assert err == ""
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.mark.parametrize("shape", ["zipf", "uniform"])
def test_a_simulation_shows_truth_and_estimates(
    shape: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(
            [
                "local",
                "simulate",
                "--domain",
                "30",
                "--epsilon",
                "2",
                "--clients",
                "20000",
                "--shape",
                shape,
            ]
        )
        == 0
    )
    said = capsys.readouterr().out
    assert said.count("◆") == 12 + 1  # the truth of each, wherever its interval lies
    assert "estimate and 95 % interval, ◆ truth" in said
    assert "of 30 values are detected" in said
    assert "the exact variance predicts" in said


def test_a_simulation_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "local",
                "simulate",
                "--domain",
                "30",
                "--epsilon",
                "2",
                "--clients",
                "20000",
                "--json",
            ]
        )
        == 0
    )
    found = told(capsys)
    assert sum(row["truth"] for row in found["values"]) == found["clients"] == 20_000
    assert [row["value"] for row in found["values"]] == list(range(30))
    assert all(row["low"] < row["estimate"] < row["high"] for row in found["values"])
    assert set(found["error"]) == {"root_mean_square", "expected", "covered"}
    # 30 squares, of mean one: ten and one tenth are beyond reach.
    assert 0.01 < (found["error"]["root_mean_square"] / found["error"]["expected"]) ** 2 < 10


def test_a_simulation_of_texts_and_its_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, drawn = tmp_path / "home.json", tmp_path / "home.svg"
    home.write_text(HOME.to_json())
    words = [
        "local",
        "simulate",
        "--metric",
        str(home),
        "--domain",
        "20",
        "--clients",
        "500000",
        "--picture",
        str(drawn),
    ]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "reports of 6 bytes about texts" in said
    assert "   text 1 " in said
    assert "of 20 values are detected" in said
    assert f"Chart written to {drawn}." in said.replace("\n", " ")
    svg = drawn.read_text(encoding="utf-8")
    assert svg.count("<circle") == 20 + 1  # and one in the legend
    assert ">text 1<" in svg
    assert main([*words, "--json"]) == 0
    values = told(capsys)["values"]
    assert [row["value"] for row in values] == [f"text {place}" for place in range(1, 21)]
    assert sum(row["truth"] for row in values) == 500_000


@pytest.mark.parametrize("truth", [0.0, 30.0, 69.0, 75.0, 99.0])
def test_the_truth_is_drawn_where_it_is(truth: float, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        ValueEstimate("a", 80.0, 5.0, 70.0, 90.0, 0.0),
        ValueEstimate("b", 50.0, 5.0, 40.0, 60.0, 0.0),
    ]
    _print_bars(Console(width=100, highlight=False), rows, {"a": truth, "b": 99.0}, "8,.0f")
    first, second, _ = capsys.readouterr().out.splitlines()
    at = first.index("◆") - first.index(next(mark for mark in first if mark in "█◆"))
    assert at == round(truth * 47 / 99)
    assert second.count("◆") == 1


def test_bars_fit_a_plain_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(local, "make_output_console", lambda: Console(width=80, highlight=False))
    assert main(["local", "simulate", "--domain", "12", "--epsilon", "1", "--clients", "5000"]) == 0
    bars = [line for line in capsys.readouterr().out.splitlines() if "┤" in line]
    assert len(bars) >= 6
    assert max(map(len, bars)) <= 80


MEANS = [Metric.of("age", kind.calibrate(domain=101, epsilon=2)) for kind in (Duchi, Piecewise)]


@pytest.mark.parametrize(
    "options",
    [
        ["--domain", "101", "--epsilon", "1", "--mean"],
        *(["--metric", each.protocol] for each in MEANS),
    ],
)
def test_a_simulated_mean_and_its_picture(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(local, "make_output_console", lambda: Console(width=80, highlight=False))
    for each in MEANS:
        Path(each.protocol).write_text(each.to_json())
    words = ["local", "simulate", *options, "--clients", "50000", "--shape", "uniform"]
    assert main([*words, "--picture", "mean.svg"]) == 0
    said = capsys.readouterr().out
    assert [line.split()[0] for line in said.splitlines() if "clients  " in line] == [
        "500",
        "5,000",
        "50,000",
    ]
    assert max(map(len, said.splitlines()[2:6])) <= 80
    assert "the truth is 0.5" in said or "the truth is 0.49" in said
    assert "the exact variance predicts 0.00" in said
    assert "Chart written to mean.svg." in said
    svg = Path("mean.svg").read_text(encoding="utf-8")
    assert svg.count("<circle") == 3 + 1  # and one in the legend
    assert svg.count("l5 6l-5 6l-5-6z") == 3 + 1
    assert "from 0 to 1" in svg
    assert ">5,000 clients<" in svg
    assert main([*words, "--json"]) == 0
    found = told(capsys)
    assert [row["clients"] for row in found["means"]] == [500, 5_000, 50_000]
    last = found["means"][-1]
    assert last["low"] < last["estimate"] < last["high"]
    assert abs(last["truth"] - 0.5) < 0.01  # seven standard deviations
    assert abs(found["error"]["found"]) < 7 * found["error"]["expected"] == 7 * last["expected"]
    assert found["error"]["covered"] is (last["low"] <= last["truth"] <= last["high"])


def test_a_truth_outside_the_interval_is_said_to_be_there() -> None:
    part = SimulatedMean(1, 0.9, ValueEstimate("mean", 0.5, 0.1, 0.3, 0.7, None), 0.1)
    said = MeansView((part,), 10).format_summary()
    assert (
        said[0] == "mean: 0.5000 ± 0.2000 on a scale from 0 to 1; the truth is 0.9000, and the 95 %"
        " interval does not contain it."
    )
    assert said[1] == "As a code from 0 to 10 it is 5 ± 2; the truth is 9."
    assert said[2] == "Error: 0.4; the exact variance predicts 0.1."
    assert list(MeansView((part,), 10).truths) == ["1 client"]
