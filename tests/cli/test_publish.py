"""``hedgerow publish``: what it says before it spends, what it leaves behind, and how it
refuses.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from database.survey import write_survey
from hedgerow.cli import main
from hedgerow.publish.output.publication import Publication


@pytest.fixture
def policy(tmp_path: Path) -> str:
    return str(write_survey(tmp_path))


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_without_a_folder_it_says_what_it_would_do(
    policy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(["publish", "histogram", policy, "people", "region,smokes", "--epsilon", "0.5"]) == 0
    )
    said = capsys.readouterr().out
    assert said.startswith("Histogram of people: region (3) x smokes (2).\nCost: epsilon 0.5")
    assert said.endswith("Nothing was charged. Add --to FOLDER to publish it.\n")
    main(["budget", policy, "--json"])
    assert told(capsys)["spent"] == "0.000000000000"


@pytest.mark.parametrize(
    ("kind", "columns", "options", "lines"),
    [
        ("histogram", "region,age", ["--bins", "age=0,18,65,99"], 9),
        ("cdf", "income", ["--bins", "income=20"], 20),
        ("cdf", "income", ["--bins", "income=20", "--ranges"], 20),
        ("marginals", "region,smokes", ["--ways", "2", "--where", "age > 20"], 11),
        ("stream", "day", ["--rows", "1"], 31),
    ],
)
def test_each_kind_leaves_a_folder(
    policy: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    columns: str,
    options: list[str],
    lines: int,
) -> None:
    place = tmp_path / "out" / kind
    assert (
        main(
            [
                "publish",
                kind,
                policy,
                "people",
                columns,
                *options,
                "--epsilon",
                "2",
                "--to",
                str(place),
            ]
        )
        == 0
    )
    said = capsys.readouterr().out
    assert f"Published in {place}" in said
    assert f'[tables.{kind}]\nsource = "out/{kind}/data.parquet"' in said  # as the policy finds it
    found = Publication.load(place)
    assert (found.kind, len(found)) == (kind, lines)
    main(["budget", policy, "--json"])
    assert told(capsys)["spent"] == "2.000000000000"


def test_options_of_one_kind(policy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            ["publish", "histogram", policy, "people", "region", "--sparse", "--delta", "0.000001"]
        )
        == 0
    )
    assert "Combinations with a noisy count of" in capsys.readouterr().out
    assert main(["publish", "cdf", policy, "people", "age", "--ranges"]) == 0
    assert "Expected error of each range (5,050)" in capsys.readouterr().out
    assert main(["publish", "cdf", policy, "people", "age", "--sparse"]) == 2
    assert "No such option: --sparse" in capsys.readouterr().err


def test_json_is_one_document(
    policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(
            [
                "publish",
                "histogram",
                policy,
                "people",
                "region",
                "--to",
                str(tmp_path / "h"),
                "--json",
            ]
        )
        == 0
    )
    found = told(capsys)
    assert found["publication"] == str(tmp_path / "h")
    assert found["draft"]["kind"] == "histogram"  # type: ignore[index]


def test_questions_from_a_file(
    policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "questions.txt"
    file.write_text("smokes AND region = 'north'\n\nregion IN ('south', 'east')\n")
    assert (
        main(["publish", "queries", policy, "people", str(file), "--to", str(tmp_path / "q")]) == 0
    )
    assert [row["question"] for row in Publication.load(tmp_path / "q").rows] == [
        "smokes AND region = 'north'",
        "region IN ('south', 'east')",
    ]
    assert main(["publish", "queries", policy, "people", str(tmp_path / "none.txt")]) == 2
    assert "must be a text file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["histogram", "people", "region", "--epsilon", "many"], 2, "must be a number"),
        (["histogram", "people", "age", "--bins", "age"], 2, "must be written as age=11"),
        (["histogram", "people", "age", "--bins", "age=1.5"], 2, "must be a whole number"),
        (["histogram", "people", "age", "--bins", "age=0,50,200"], 2, "within its bounds"),
        (
            ["histogram", "people", "age", "--bins", "age=0,60,50,99"],
            2,
            "must have ascending edges",
        ),
        (["histogram", "people", "income"], 2, "bins must be given for income"),
        (["histogram", "people", "nothing"], 2, "must be columns of people"),
        (["cdf", "people", "region"], 2, "have an order"),
        (["histogram", "people", "region", "--error", "0.000001"], 3, "takes more than epsilon 20"),
        (["histogram", "people", "region", "--epsilon", "50"], 3, "at most epsilon 20"),
        (["histogram", "people", "region", "--where", "note = 'x'"], 3, "note"),
    ],
)
def test_a_refused_publication_costs_nothing(
    policy: str, capsys: pytest.CaptureFixture[str], words: list[str], code: int, said: str
) -> None:
    kind, *rest = words
    assert main(["publish", kind, policy, *rest]) == code
    assert said in capsys.readouterr().err
    main(["budget", policy, "--json"])
    assert told(capsys)["spent"] == "0.000000000000"


def test_a_budget_that_is_spent_is_exit_code_four(
    policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Path(policy).read_text()
    Path(policy).write_text(
        text.replace("epsilon = 100", "epsilon = 1").replace("query = 20", "query = 1")
    )
    assert (
        main(
            [
                "publish",
                "histogram",
                policy,
                "people",
                "region",
                "--epsilon",
                "1",
                "--to",
                str(tmp_path / "a"),
            ]
        )
        == 0
    )
    assert main(["publish", "cdf", policy, "people", "age", "--to", str(tmp_path / "no")]) == 4
    assert not (tmp_path / "no").exists()
    assert "does not cover" in capsys.readouterr().err


def test_publish_alone_says_what_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish"]) == 2
    assert "'hedgerow publish histogram', 'hedgerow publish cdf'" in capsys.readouterr().err
