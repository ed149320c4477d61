"""``hedgerow risk answers``: sentences, JSON, a report marked as sensitive, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedgerow.cli import main
from hedgerow.cli.risk import answers as module
from hedgerow.cli.risk.answers import attack_answers
from hedgerow.errors import InvalidArgument
from hedgerow.risk.report_page import SENSITIVE_WARNING

GOLDEN = "question,answer\nage = 21 AND sex = 'm',1\nage = 21 AND sex = 'm' AND drugs = 'yes',1\n"


@pytest.fixture
def golden(tmp_path: Path) -> str:
    file = tmp_path / "answers.csv"
    file.write_text(GOLDEN)
    return str(file)


def test_findings_are_sentences_under_a_warning(
    golden: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["risk", "answers", golden]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == SENSITIVE_WARNING.replace("report", "output")
    assert lines[0].startswith("SENSITIVE")
    assert "2 answers divide people into 3 groups." in lines
    assert (
        "  1. Q1 − Q2 = 0: the one person with age = 21 and sex = 'm' has drugs = 'yes'." in lines
    )


def test_json_is_one_document(golden: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["risk", "answers", golden, "--json", "--k", "2"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert err == ""
    assert (found["warning"], found["answers"], found["groups_told_apart"], found["k"]) == (
        SENSITIVE_WARNING,
        2,
        3,
        2,
    )
    assert [each["kind"] for each in found["findings"]] == ["attribute", "published", "published"]
    assert found["findings"][0]["answers"] == ["Q1", "Q2"]


def test_the_report_is_marked_and_has_a_plot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, report = tmp_path / "a.csv", tmp_path / "a.html"
    file.write_text(
        "question,answer,measure,within,largest,second\na = 1,9,,1,,\na = 1 AND b = 1,7,,,,\na = 1"
        " AND c = 1,*,,,,\na = 1 AND c <> 1,8,,,,\nd = 1,101,sum(x),,80,15\ne = '<b>',40,,,,\ne ="
        " '<b>',44,,,,\n"
    )
    assert main(["risk", "answers", str(file), "--k", "4", "--report", str(report)]) == 0
    out = capsys.readouterr().out
    text = report.read_text(encoding="utf-8")
    assert text.count(SENSITIVE_WARNING) == 2
    assert "<svg" in text
    assert "<b>" not in text
    assert "between 1 and 3 people have a = 1, but not b = 1" in text
    assert "1–3" in text
    assert "(from 1 to 3)" in text
    assert "95 %" not in text
    for part in (
        "violates the rules for totals",
        "2 answers that differ",
        f"Report written to {report}.",
    ):
        assert part in out


def test_a_hole_that_is_none_comes_with_what_suppression_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "log.sql"
    file.write_text(
        "SELECT a, COUNT(*) FROM t GROUP BY a;\n1 | 9\n2 | *\nSELECT COUNT(*) FROM t;\n20\nSELECT"
        " MAX(a) FROM t;\n"
    )
    assert main(["risk", "answers", str(file)]) == 0
    out = capsys.readouterr().out
    assert "Q1.2 was suppressed, but exactly 11 people have a = 2" in out
    assert "depends on the data" in out
    assert "Line 6 was skipped: MAX(a) is not read" in out
    assert "The result of a GROUP BY is taken as complete" in out


def test_nothing_found_is_no_promise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, report = tmp_path / "a.csv", tmp_path / "a.html"
    file.write_text("question,answer\na = 1,100\n")
    assert main(["risk", "answers", str(file), "--report", str(report)]) == 0
    out = capsys.readouterr().out
    assert "1 answer divides people into 2 groups." in out
    assert "This does not prove that the answers are safe" in out
    assert "This does not prove that the answers are safe" in report.read_text(encoding="utf-8")


def test_long_lists_say_that_they_are_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, report = tmp_path / "a.csv", tmp_path / "a.html"
    file.write_text("question,answer\n" + "".join(f"a = {place},1\n" for place in range(33)))
    monkeypatch.setattr(module, "_MAX_LISTED", 32)
    assert main(["risk", "answers", str(file), "--report", str(report)]) == 0
    assert "… and 3 more; --json and --report list all of them." in capsys.readouterr().out
    text = report.read_text(encoding="utf-8")
    assert "The chart has the first 30 of 33 groups; the table has all." in text
    assert "The first 32 of 33 answers." in text


def test_inconsistent_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.json"
    file.write_text(
        '[{"question": "a = 1", "answer": 1}, {"question": "a = 1 AND b = 1", "answer": 2}]'
    )
    assert main(["risk", "answers", str(file)]) == 0
    assert "Q1 and Q2 cannot both be exact" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["none.csv"], 1, "The file none.csv does not exist."),
        (["GOLDEN", "--k", "1"], 2, "k must be a whole number of at least 2"),
        (["GOLDEN", "--p", "0"], 2, "p must be a percentage above 0; got 0.0"),
        (["GOLDEN", "--p", "x"], 2, "p must be a number"),
        (["GOLDEN", "--report", "none/such/folder.html"], 1, "for the report does not exist"),
    ],
)
def test_refusals(
    golden: str, capsys: pytest.CaptureFixture[str], words: list[str], code: int, why: str
) -> None:
    assert (
        main(["risk", "answers", *(golden if word == "GOLDEN" else word for word in words)]) == code
    )
    assert why in capsys.readouterr().err


def test_too_many_groups_are_refused_as_a_refusal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.csv"
    file.write_text("question,answer\n" + "".join(f"c{place} = 1,5\n" for place in range(20)))
    assert main(["risk", "answers", str(file)]) == 3
    assert "Give fewer questions at a time" in capsys.readouterr().err


def test_called_from_python_it_raises(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="FILE must end in"):
        attack_answers(tmp_path / "a.xlsx")
