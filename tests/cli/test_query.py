"""``hedgerow query`` and ``hedgerow explain``: every format, every refusal."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from rich.console import Console

from cli.helpers_clinic import write_clinic, write_shop
from hedgerow.cli import answer_output, terminal
from hedgerow.cli.app import main

SQL = "SELECT region, COUNT(*) AS n, AVG(age) AS mean_age FROM visits GROUP BY region"


@pytest.fixture
def policy(tmp_path: Path) -> str:
    return str(write_clinic(tmp_path))


@pytest.mark.long
def test_table_csv_json_and_arrow_tell_the_same(
    policy: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    def out(*options: str) -> bytes:
        assert main(["query", policy, SQL, *options]) == 0
        return capsysbinary.readouterr().out

    table = out("--epsilon", "0.5").decode()
    assert "95 % interval" in table
    assert "Cost: epsilon 0.5" in table
    answer = json.loads(out("--json"))
    assert set(answer) >= {"columns", "rows", "intervals", "cost", "receipt"}
    assert answer["receipt"]["reused"]
    rows = list(csv.DictReader(io.StringIO(out("--format", "csv").decode())))
    assert [row["region"] for row in rows] == ["north", "south"]
    assert [int(row["n"]) for row in rows] == [row["n"] for row in answer["rows"]]
    arrow = pa.ipc.open_stream(out("--format", "arrow")).read_all()
    assert arrow.to_pylist() == answer["rows"]
    assert f"{answer['rows'][0]['n']:,}" in table


@pytest.mark.long
def test_an_answer_without_groups_is_shown_in_every_format(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """No more than a few are 30 years old: of them the groups of a column without declared
    values are not shown.
    """
    policy = write_clinic(tmp_path)
    policy.write_text(
        policy.read_text().replace(
            "[tables.visits.columns]\n", '[tables.visits.columns]\nnote = { type = "text" }\n'
        )
    )
    sql = "SELECT note, VAR_POP(age) AS v, AVG(age) AS m FROM visits WHERE age = 30 GROUP BY note"
    told = []
    for options in ((), ("--format", "csv"), ("--json",), ("--format", "arrow")):
        assert main(["query", str(policy), sql, *options]) == 0
        told.append(capsysbinary.readouterr().out)
    assert "Every group is hidden" in told[0].decode()
    assert told[1].decode().splitlines() == ["note,v,m"]
    assert json.loads(told[2])["intervals"] == {"note": [], "v": [], "m": []}
    assert pa.ipc.open_stream(told[3]).read_all().num_rows == 0
    assert main(["explain", str(policy), sql]) == 0


def test_a_question_from_standard_input(
    policy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT COUNT(*) AS n FROM visits\n"))
    assert main(["query", policy, "-"]) == 0
    assert " n " in capsys.readouterr().out


@pytest.mark.long
def test_explain_touches_nothing(policy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", policy, SQL, "--epsilon", "0.5"]) == 0
    out = capsys.readouterr().out
    assert "This question would cost epsilon 0.5" in out
    assert "  1. Reads the table visits" in out
    assert main(["explain", policy, "SELECT COUNT(*) FROM visits", "--error", "5", "--json"]) == 0
    assert 0.19 < float(json.loads(capsys.readouterr().out)["epsilon"]) < 0.21
    assert main(["query", policy, f"EXPLAIN PRIVACY {SQL}"]) == 0
    assert "This question would cost" in capsys.readouterr().out
    assert main(["budget", policy, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["epsilon"]["spent"] == "0.000000000000"


@pytest.mark.long
def test_explain_tells_the_figures_of_a_stored_answer(
    policy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*words: str) -> dict[str, Any]:
        assert main([*words, "--json"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    before, less = (
        told("explain", policy, SQL, "--epsilon", epsilon) for epsilon in ("0.5", "0.1")
    )
    assert before["aggregates"] != less["aggregates"]
    entry = told("query", policy, SQL, "--epsilon", "0.5")["receipt"]["entry"]
    for words in (["explain", policy, SQL], ["query", policy, f"EXPLAIN PRIVACY {SQL}"]):
        after = told(*words, "--epsilon", "0.1")
        assert after["free"]
        assert after["aggregates"] == before["aggregates"]
        assert (after["receipt"]["entry"], after["receipt"]["epsilon"]) == (entry, "1/2")
        assert after["cost"]["epsilon"] == "0/1"


@pytest.mark.long
def test_a_narrow_terminal_gets_several_tables_and_whole_numbers(
    policy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for width, tables in ((100, 1), (45, 2), (20, 0)):
        screen = io.StringIO()
        console = Console(
            file=screen,
            width=width,
            force_terminal=True,
            color_system="standard",
            highlight=False,
        )
        for module in (terminal, answer_output):
            monkeypatch.setattr(module, "make_output_console", lambda console=console: console)
        assert main(["query", policy, SQL]) == 0
        shown = screen.getvalue()
        assert ("\x1b[1m" in shown) == (tables > 0)
        assert shown.count("95 % interval") == 2
        assert sum("──" in line for line in shown.splitlines()) == max(tables, 1)


def test_arrow_is_not_for_a_terminal(
    policy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert main(["query", policy, SQL, "--format", "arrow"]) == 2
    assert "answer.arrow" in capsys.readouterr().err


REFUSALS = {
    "SELECT * FROM visits": "SELECT * returns individual rows",
    "SELECT age FROM visits": "neither in GROUP BY nor inside an aggregate",
    "SELECT COUNT(*) FROM visit": "Did you mean visits?",
    "SELECT AVG(agee) FROM visits": "Did you mean age?",
    "SELECT SUM(note) FROM visits": "SUM needs numbers",
    "SELECT frobnicate(age) FROM visits": "frobnicate",
    "": "This statement is empty",
    "SELECT COUNT(*) FROM visits; DROP TABLE visits": "Only one statement",
}


@pytest.mark.long
def test_refusals_underline_and_cost_nothing(
    policy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for sql, told in REFUSALS.items():
        assert main(["query", policy, sql, "--json"]) == 3
        out, err = capsys.readouterr()
        assert told in json.loads(out)["error"]["message"]
        assert "^" in err
        assert "Traceback" not in err
    assert main(["budget", policy, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["epsilon"]["spent"] == "0.000000000000"


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (["--epsilon", "many"], 2, "epsilon must be a number, such as 0.5; got 'many'."),
        (["--epsilon", "-1"], 2, "epsilon"),
        (["--epsilon", "7"], 3, "at most epsilon 1"),
        (["--delta", "2"], 2, "delta"),
        (["--format", "xml"], 2, "See 'hedgerow query --help'."),
    ],
)
def test_wrong_options(
    options: list[str], code: int, told: str, policy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["query", policy, "SELECT COUNT(*) FROM visits", *options]) == code
    assert told in capsys.readouterr().err


def test_where_analysts_are_declared_somebody_asks(
    policy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = Path(policy)
    page.write_text(page.read_text() + "[analysts.ana]\nmax_epsilon = 0.1\n[analysts.bob]\n")
    count = ["query", policy, "SELECT COUNT(*) AS n FROM visits"]
    assert main(count) == 2
    assert "say who asks with --analyst ana or bob, or with --custodian" in capsys.readouterr().err
    assert main([*count, "--analyst", "ana", "--custodian"]) == 2
    assert "cannot be combined with --custodian" in capsys.readouterr().err
    assert main([*count, "--analyst", "ana"]) == 4
    assert "quota of analyst 'ana'" in capsys.readouterr().err
    assert main([*count, "--custodian"]) == 0
    capsys.readouterr()
    for who in ([], ["--custodian"], ["--analyst", "ana"]):  # the same words as for query
        assert main(["explain", *count[1:], *who]) == 0
        assert "COUNT(*)  off by about" in capsys.readouterr().out
    assert main(["explain", *count[1:], "--analyst", "ana", "--custodian"]) == 2
    assert "cannot be combined with --custodian" in capsys.readouterr().err


@pytest.mark.long
def test_system_tables_are_free_in_every_format(
    policy: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    def out(*options: str) -> bytes:
        assert (
            main(
                [
                    "query",
                    policy,
                    "SELECT currency, total, part FROM hedgerow.budget ORDER BY currency",
                    *options,
                ]
            )
            == 0
        )
        return capsysbinary.readouterr().out

    head, _, *lines = out().decode().splitlines()
    assert head.split() == ["currency", "total", "part"]
    assert [line.split()[0] for line in lines[:3]] == ["delta", "epsilon", "rho"]
    assert lines[1].split()[1:] == ["1", "NULL"]
    assert lines[-1] == "Free: no protected data were read."
    answer = json.loads(out("--json"))
    assert answer["rows"][1] == {"currency": "epsilon", "total": 1.0, "part": None}
    assert (answer["receipt"], answer["cost"]["epsilon"]) == (None, "0/1")
    rows = list(csv.DictReader(io.StringIO(out("--format", "csv").decode())))
    assert rows[1] == {"currency": "epsilon", "total": "1.0", "part": ""}
    assert pa.ipc.open_stream(out("--format", "arrow")).read_all().to_pylist() == answer["rows"]
    assert main(["explain", policy, "SELECT * FROM hedgerow.budget"]) == 3
    assert b"System tables cost nothing" in capsysbinary.readouterr().err


@pytest.mark.long
def test_an_analyst_sees_their_own_entries(policy: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(policy)
    page.write_text(page.read_text() + "[analysts.ana]\n[analysts.bob]\n")
    assert main(["query", policy, "SELECT COUNT(*) FROM visits", "--analyst", "ana"]) == 0
    kinds = ["query", policy, "SELECT kind, analyst FROM hedgerow.ledger", "--format", "csv"]
    capsys.readouterr()
    for who, seen in (
        (["--analyst", "ana"], "charge,ana\nanswer,ana\n"),
        (["--analyst", "bob"], ""),
        (["--custodian"], "open,\npolicy,\ncharge,ana\nanswer,ana\n"),
    ):
        assert main([*kinds, *who]) == 0
        assert capsys.readouterr().out == "kind,analyst\n" + seen


@pytest.mark.long
def test_several_tables_are_asked_as_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = str(write_shop(tmp_path))
    assert (
        main(["explain", shop, "SELECT COUNT(*) AS n FROM orders WHERE month = DATE '2026-02-01'"])
        == 0
    )
    out = capsys.readouterr().out
    assert "The budget covers 8 such questions." in out
    assert "Only the part 2026-02 of orders would be charged." in out
    assert (
        main(["query", shop, "SELECT SUM(quantity) AS n FROM items", "--json", "--epsilon", "2"])
        == 0
    )
    answer = json.loads(capsys.readouterr().out)
    # 36 at most from one customer: over thirty times the scale of the noise
    assert abs(answer["rows"][0]["n"] - 1500) < 600
    by_land = (
        "SELECT land, COUNT(*) AS n FROM customers JOIN cities ON customers.city = cities.city"
        " GROUP BY land"
    )
    assert main(["query", shop, by_land, "--format", "csv", "--epsilon", "2"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    # all that the public file has, though nobody declared them
    assert [row["land"] for row in rows] == ["north", "west"]
    assert abs(int(rows[0]["n"]) - 100) < 30
    assert (
        main(["query", shop, "SELECT COUNT(*) FROM orders JOIN items ON number = order_number"])
        == 3
    )
    assert "number" in capsys.readouterr().err  # is hidden


def test_a_warning_about_clipping_stands_above_a_table_and_beside_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbers in a file have no room for it, so that it goes to standard error."""
    policy = write_clinic(tmp_path)
    rows = [f"{n % 200},30,1.5,north,-" for n in range(8_000)]
    data = "\n".join(["patient_id,age,cost,region,note", *rows]) + "\n"
    (tmp_path / "visits.csv").write_text(data, encoding="utf-8")
    page = policy.read_text().replace("[budget]\n", "[budget]\nclipping_epsilon = 0.5\n")
    policy.write_text(page, encoding="utf-8")
    sql = "SELECT COUNT(*) AS n FROM visits"
    assert main(["query", str(policy), sql]) == 0
    assert capsys.readouterr().out.startswith("Warning: the caps cut off much.")
    assert main(["query", str(policy), sql, "--format", "csv"]) == 0
    out, error = capsys.readouterr()
    assert out.startswith("n\n")
    assert error.startswith("Warning: the caps cut off much.")
