"""``hedgerow verify`` from outside: verdicts, exit codes, JSON, pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hedgerow.cli.app import main

HEAD = '@mechanism(epsilon="eps", neighbours="one")\n'
GOOD = f"{HEAD}def good(x: private[float], eps: public[float]):\n    return x + laplace(1 / eps)\n"
BARE = f"{HEAD}def bare(x: private[float], eps: public[float]):\n    y = x\n    return y\n"
WEAK = (
    f"{HEAD}def weak(x: private[float], eps: public[float]):\n    return x + laplace(1 / (2 *"
    " eps))\n"
)
ODD = f"{HEAD}def odd(x: private[float], eps: public[float]):\n    return x.real\n"
PAD = (
    "OneTimePad(m : private bits[n]) : public bits[n]\n  key :=$ Uniform(bits[n]);\n  return m xor"
    " key\n"
)
JUDGED = f"{PAD}\njudge OneTimePad ~ OneTimePad : n<1> = 1 and n<2> = 1 ==> res<1> = res<2>\n"
KEYS = [
    "name",
    "verdict",
    "claim",
    "reason",
    "costs",
    "unit",
    "epsilon_lower",
    "epsilon_upper",
    "line",
    "witness",
    "seconds",
]


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(text: str, name: str = "programs.py") -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return written


def read(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_all_proved_is_0(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", write(GOOD)]) == 0
    out = capsys.readouterr().out
    assert "PROVED   good  eps for one" in out
    assert "line 3: laplace noise is shifted by -(x<2> - x<1>); eps per unit" in out
    assert "epsilon is at least 1 and at most 1 times eps" in out
    assert "1 program: 1 proved." in out


def test_json_is_a_list_with_the_promised_keys(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", write(GOOD + BARE + ODD), "--json"]) == 1
    found = read(capsys)
    assert [list(one) for one in found] == [KEYS] * 3
    assert [(one["name"], one["verdict"], one["line"]) for one in found] == [
        ("good", "PROVED", None),
        ("bare", "REFUTED", 7),
        ("odd", "UNKNOWN", 10),
    ]
    assert found[0]["epsilon_upper"] == 1
    assert found[1]["epsilon_lower"] > 10**6
    assert found[1]["witness"]["probabilities"] == [1.0, 0.0]
    assert found[2]["witness"] is None


def test_a_refutation_shows_inputs_event_and_both_distributions(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", write(WEAK)]) == 1
    out = capsys.readouterr().out
    assert "REFUTED  weak" in out
    for part in (
        "line 3",
        "input 1: ",
        "input 2: ",
        "event: ",
        "ratio 7.38906",
        "█ input 1",
        "░░░",
        "epsilon is at least 2",
        "1 refuted.",
    ):
        assert part in out


def test_unknown_has_its_line_and_its_reason(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", write(ODD)]) == 1
    assert "line 3: x.real is not in the language" in capsys.readouterr().out


def test_the_small_language_and_its_judgements(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    head, rest = JUDGED.strip().split("\n", 1)
    claimed = f"{head}\n  claim 0 for secret\n{rest}\n"
    assert main(["verify", write(claimed, "pad.hr")]) == 0
    out = capsys.readouterr().out
    assert "PROVED   OneTimePad  0 for secret" in out
    assert "PROVED   OneTimePad ~ OneTimePad" in out
    assert "2 programs: 2 proved." in out


def test_a_program_of_a_judgement_claims_nothing_by_itself(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", write(JUDGED, "pad.hr")]) == 0
    out = capsys.readouterr().out
    assert "OneTimePad  0 for secret" not in out
    assert "1 program: 1 proved." in out


def test_a_file_is_never_run(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", write(f"{GOOD}\nraise SystemExit(7)\n"), "--json"]) == 0
    assert len(read(capsys)) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [("def f(:\n", "not Python"), ("x = '\0'", "not Python"), ("#" * 200_001, "characters")],
)
def test_a_file_that_cannot_be_read_is_unknown(
    write: Any, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    assert main(["verify", write(text)]) == 1
    out, err = capsys.readouterr()
    assert "UNKNOWN  programs.py" in out
    assert told in out
    assert "Traceback" not in out + err


@pytest.mark.parametrize(
    ("name", "content", "code", "told"),
    [
        ("none.py", None, 2, "must exist"),
        ("a.txt", b"x", 2, "must end in .py"),
        ("empty.py", b"x = 1\n", 2, "must hold a function with @mechanism"),
        ("empty.hr", b"# nothing\n", 2, "or a program"),
        ("binary.py", b"\xff\xfe\x00", 1, "cannot be read as text"),
        ("large.py", b"#" * 1_000_001, 2, "at most 1,000,000 bytes"),
    ],
)
def test_files_without_programs_are_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: bytes | None,
    code: int,
    told: str,
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert main(["verify", str(tmp_path / name)]) == code
    assert told in capsys.readouterr().err.replace("\n", " ")


def test_a_folder_is_no_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "folder.py"
    folder.mkdir()
    assert main(["verify", str(folder)]) == 1
    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_seconds_are_above_0(write: Any, seconds: str) -> None:
    assert main(["verify", write(GOOD), "--seconds", seconds]) == 2


CLASS = """
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hedgerow.numeric.samplers.laplace_sampler import discrete_laplace
from hedgerow.numeric.samplers.sample_pool import SamplePool
from hedgerow.privacy.loss import Loss

_NOISE = SamplePool(discrete_laplace)


@dataclass(frozen=True)
class Mine:
    shape: ClassVar[str] = "additive"
    scale: Fraction

    def loss(self, sensitivity):
        return Loss(1 / self.scale)

    def sample(self, exact):
        return exact + _NOISE.draw(self.scale)
"""


def test_a_class_of_a_mechanism_is_verified_from_its_source(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", write(CLASS)]) == 1
    out = capsys.readouterr().out
    assert "PROVED   Mine.sample (a number)  1 / scale for one" in out
    assert (
        "line 22: geometric noise is shifted by -(exact<2> - exact<1>); 1 / scale per unit" in out
    )
    assert "epsilon is at least 1 and at most 1 times the claim" in out
    # this loss forgets the sensitivity
    assert "REFUTED  Mine.sample (an array that moves by 3)  1 / scale for l1 3" in out
    # and all cells have the same noise
    assert "REFUTED  Mine.sample (an array)  1 / scale for l1" in out
    assert "3 programs: 1 proved, 2 refuted." in out
