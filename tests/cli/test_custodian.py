"""The custodian's commands: check, budget, raise, accept."""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.helpers_clinic import write_clinic, write_shop
from engines.sandbox.helpers_confinement import has_seccomp, landlock_version
from hedgerow.cli.app import main
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
from hedgerow.engines.sandbox.layers import SandboxLayer


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_clinic(tmp_path)


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def edit(policy: Path, old: str, new: str) -> None:
    text = policy.read_text(encoding="utf-8")
    assert old in text
    policy.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.long
def test_check(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "check", str(policy))
    assert found["tables"]["visits"]["unit"] == "patient_id"
    assert "note" in found["tables"]["visits"]["columns"]
    assert main(["check", str(policy)]) == 0
    out = capsys.readouterr().out
    assert "no problems found" in out
    assert "Not checked: values." in out
    assert "4 questions of epsilon 0.25 with Laplace noise" in out
    assert not list(policy.parent.glob("*.ledger*"))  # a draft binds nobody
    assert main(["budget", str(policy)]) == 0
    edit(policy, "delta = 1e-9", "delta = 9e-6")
    edit(policy, '"clinic"', '"other"')  # another ledger: nothing was accepted there
    assert main(["check", str(policy)]) == 3
    assert 'Write ledger = "clinic.ledger"' in capsys.readouterr().err
    assert main(["policy", "accept", str(policy)]) == 0
    assert main(["check", str(policy)]) == 0
    assert "Warning: The delta" in capsys.readouterr().out


def test_check_states_which_layers_confine_the_engine(
    policy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = told(capsys, "check", str(policy))["engine"]
    assert list(engine["layers"]) == ["network", "landlock", "capabilities", "seccomp"]
    assert engine["layers"]["landlock"]["active"] == (landlock_version() > 0)
    assert engine["layers"]["seccomp"]["active"] == has_seccomp()
    assert "in_process=True" in engine["note"]
    monkeypatch.setattr(
        IsolatedDuckDB,
        "layers",
        (
            SandboxLayer("landlock", True, "as here"),
            SandboxLayer("seccomp", False, "only Linux has it"),
        ),
    )
    assert main(["check", str(policy)]) == 0
    out = capsys.readouterr().out
    assert "engine sandbox, landlock: active: as here" in out
    assert "engine sandbox, seccomp: NOT ACTIVE: only Linux has it" in out
    assert engine["note"] in out


def test_check_names_malformed_lines_and_query_does_not(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = policy.parent / "visits.csv"
    lines = data.read_text(encoding="utf-8").splitlines(keepends=True)
    data.write_text("".join([*lines[:3], '7,"secret,1\n', *lines[3:]]), encoding="utf-8")
    for command in (["check"], ["policy", "accept"]):
        assert main([*command, str(policy)]) == 1
        out = capsys.readouterr()
        assert "line 4 has an unclosed quote" in out.out + out.err
        assert "secret" not in out.out + out.err
    assert main(["query", str(policy), "SELECT COUNT(*) AS n FROM visits"]) == 1
    out = capsys.readouterr()
    assert "it is malformed. The custodian can run 'hedgerow check'" in out.err
    assert "line 4" not in out.out + out.err
    assert not list(policy.parent.glob("*.ledger*"))


def test_check_says_how_dates_are_read(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    moment, day = datetime(2026, 1, 1, 12), date(2026, 1, 1)
    table = {
        "patient_id": [1],
        "age": [1],
        "cost": [1.0],
        "region": ["north"],
        "at": [moment],
        "day": [day],
        "secret": [moment],
    }
    pq.write_table(pa.table(table), policy.parent / "visits.parquet")
    edit(policy, "visits.csv", "visits.parquet")
    edit(
        policy,
        "[tables.visits.columns]",
        '[tables.visits.columns]\nat = { type = "date" }\n'
        'day = { type = "date", values = "2026-01 … 2026-12" }\nsecret = {'
        " hidden = true }",
    )
    clock = "visits.at holds timestamps; it is read as dates, without the time of day."
    month = (
        "visits.day is known by month, as the policy declares it: questions about single days are"
        " refused."
    )
    assert told(capsys, "check", str(policy))["notes"] == [clock, month]
    assert main(["check", str(policy)]) == 0
    assert f"Note: {clock}" in capsys.readouterr().out


def test_columns_that_no_question_can_name_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = write_clinic(tmp_path)
    table = {
        "patient_id": [1],
        "age": [1],
        "cost": [1.0],
        "region": ["north"],
        "tags": [["a"]],
        "secrets": [["b"]],
    }
    pq.write_table(pa.table(table), tmp_path / "visits.parquet")
    edit(policy, "visits.csv", "visits.parquet")
    edit(policy, "[tables.visits.columns]", "[tables.visits.columns]\nsecrets = { hidden = true }")
    note = (
        "visits.tags cannot be queried: its type is none of integer, real, text, date,"
        " timestamp and boolean."
    )
    assert told(capsys, "check", str(policy))["notes"] == [note]


def test_ids_that_can_never_match_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ids in a .csv file are text where nothing is declared of them, and those of a .parquet
    file are what they are.
    """
    policy = write_clinic(tmp_path)
    pq.write_table(pa.table({"Patient No": [1, 2], "value": [1, 2]}), tmp_path / "labs.parquet")
    labs = """
[tables.labs]
source = "labs.parquet"
unit = "Patient No"
neighbours = "add-remove"
max_units = 100_000
max_groups = 2
max_rows_per_group = 1
"""
    policy.write_text(policy.read_text() + labs)
    note = (
        "visits.patient_id (text) and labs.Patient No (integer) differ in type, so these"
        ' tables cannot be joined. Declare the same type for both, such as type = "integer".'
    )
    assert told(capsys, "check", str(policy))["notes"] == [note]
    sql = 'SELECT COUNT(*) AS n FROM visits v JOIN labs l ON l."Patient No" = v.patient_id'
    assert main(["query", str(policy), sql]) == 3
    assert 'write type = "integer" for both' in capsys.readouterr().err
    edit(
        policy,
        "[tables.visits.columns]",
        '[tables.visits.columns]\npatient_id = { type = "integer" }',
    )
    assert main(["policy", "accept", str(policy)]) == 0
    capsys.readouterr()
    assert told(capsys, "check", str(policy))["notes"] == []
    assert main(["query", str(policy), sql]) == 0


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ("max = 110", "max = -1", 2, "line 18: max must be above min (0); got -1."),
        ("epsilon = 1.0", "epsilon = ", 2, "line 5: the value cannot be read"),
        ("neighbours", "neigbours", 2, "did you mean 'neighbours'?"),
        ("visits.csv", "gone.csv", 1, "There is no file"),
        ("age =", "aeg =", 1, "has no column 'aeg'"),
    ],
)
def test_a_bad_policy_is_reported_in_words(
    old: str, new: str, code: int, words: str, policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(policy, old, new)
    assert main(["check", str(policy)]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert "Traceback" not in err
    assert not list(policy.parent.glob("*.ledger*"))


def test_data_of_another_type(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(
        pa.table({"patient_id": [1], "age": ["ancient"], "cost": [1.0], "region": ["north"]}),
        policy.parent / "visits.parquet",
    )
    edit(policy, "visits.csv", "visits.parquet")
    assert main(["check", str(policy)]) == 1
    err = capsys.readouterr().err
    assert "The column age of visits holds text, but the policy declares integers." in err
    assert "ancient" not in err


@pytest.mark.long
def test_budget_raise_and_accept(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "budget", str(policy))["epsilon"]["total"] == "1.000000000000"
    assert told(capsys, "budget", "raise", str(policy)) == {"entry": None, "changes": []}
    edit(policy, "epsilon = 1.0", "epsilon = 2.0")
    assert main(["budget", str(policy)]) == 3
    assert "hedgerow budget raise" in capsys.readouterr().err
    raised = told(capsys, "budget", "raise", str(policy), "--note", "more questions")
    assert raised["changes"] == ["budget of population 'people': epsilon is raised from 1 to 2."]
    assert main(["budget", str(policy)]) == 0
    assert "total 2, spent" in capsys.readouterr().out
    edit(policy, "max_groups = 2", "max_groups = 9")
    assert main(["budget", "raise", str(policy)]) == 3
    assert "hedgerow policy accept" in capsys.readouterr().err
    assert main(["policy", "accept", str(policy)]) == 0
    assert "max_groups is raised from 2 to 9" in capsys.readouterr().out
    assert main(["policy", "accept", str(policy)]) == 0
    assert capsys.readouterr().out == "Nothing has changed.\n"
    assert (
        main(["policy", "accept", str(policy), "--anew", "--note", "looked into the failures"]) == 0
    )
    assert capsys.readouterr().out.startswith("Accepted as ledger entry ")


@pytest.mark.long
def test_several_populations_have_a_budget_each(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (policy.parent / "staff.csv").write_text("staff_id\n1\n", encoding="utf-8")
    text = """
[budgets.staff]
epsilon = 2
[tables.staff]
source = "staff.csv"
unit = "row"
neighbours = "add-remove"
population = "staff"
[tables.regions]
source = "regions.csv"
public = true
"""
    (policy.parent / "regions.csv").write_text("region\nnorth\n", encoding="utf-8")
    policy.write_text(policy.read_text(encoding="utf-8") + text, encoding="utf-8")
    assert set(told(capsys, "budget", str(policy))) == {"people", "staff"}
    assert main(["check", str(policy)]) == 0
    out = capsys.readouterr().out
    assert "table staff (each row is protected" in out
    assert "table regions (public" in out


@pytest.mark.long
def test_foreign_keys_parts_and_public_tables_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = str(write_shop(tmp_path))
    found = told(capsys, "check", shop)
    assert (found["tables"]["items"]["unit"], found["tables"]["items"]["parts"]) == ("customer", [])
    assert found["tables"]["items"]["way"] == "order_number -> orders.number, orders.customer"
    assert found["tables"]["orders"]["parts"] == ["2026-01", "2026-02", "2026-03"]
    # the number leads to the unit, and stays hidden
    assert found["tables"]["orders"]["columns"] == ["customer", "month", "price"]
    assert main(["check", shop]) == 0
    out = capsys.readouterr().out
    assert (
        "table items (protects customer, by order_number -> orders.number, orders.customer, version"
        " 1): order_number, quantity" in out
    )
    assert (
        "table orders (protects customer, version 7, 3 parts from 2026-01 to 2026-03): customer,"
        " month, price" in out
    )
    assert "table cities (public, version 1): city, land, people" in out


@pytest.mark.long
def test_a_budget_is_shown_part_by_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shop = str(write_shop(tmp_path))
    for month in ("2026-01-01", "2026-02-01"):
        assert (
            main(
                [
                    "query",
                    shop,
                    f"SELECT COUNT(*) FROM orders WHERE month = DATE '{month}'",
                    "--epsilon",
                    "0.5",
                ]
            )
            == 0
        )
    capsys.readouterr()
    plain = told(capsys, "budget", shop)
    assert plain["epsilon"]["left"] == "3.000000000000"  # somebody may be in both months
    assert {name: part["epsilon"]["left"] for name, part in plain["parts"]["orders"].items()} == {
        "2026-01": "3.000000000000",
        "2026-02": "3.000000000000",
        "2026-03": "3.500000000000",
    }
    assert main(["budget", shop]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "people"
    assert lines[3].startswith("delta:   total 5e-10, spent")  # of 1e-9
    assert (
        lines[4]
        == "A question is answered while epsilon or rho lasts. Delta pays for groups whose values"
        " the policy does not list. (It is half of the policy's delta; the other half backs rho.)"
    )
    assert "Left for questions about a single part of orders:" in lines
    assert any(line.startswith("  2026-03  epsilon 3.5, rho ") for line in lines)


@pytest.mark.long
def test_the_parts_of_a_pure_budget_have_one_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = write_shop(tmp_path)
    edit(shop, "delta = 1e-9\n", "")
    assert main(["budget", str(shop)]) == 0
    assert "  2026-02  4\n" in capsys.readouterr().out


def test_the_quota_of_an_analyst_is_shown(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(
        policy,
        "[tables.visits]\n",
        "[analysts.ana]\nmax_epsilon = 0.5\n[analysts.ben]\n\n[tables.visits]\n",
    )
    found = told(capsys, "budget", str(policy), "--analyst", "ana")
    assert found == {
        "analyst": "ana",
        "total": "0.500000000000",
        "spent": "0.000000000000",
        "left": "0.500000000000",
    }
    assert main(["budget", str(policy), "--analyst", "ben"]) == 0
    assert "quota of ben: none" in capsys.readouterr().out
    assert main(["budget", str(policy)]) == 0
    assert "quota of ana: epsilon total 0.5" in capsys.readouterr().out
    assert main(["budget", str(policy), "--analyst", "eve"]) == 2
    assert "must be one of ana, ben" in capsys.readouterr().err


def test_a_budget_before_its_table_is_only_a_warning(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(policy, "[tables.visits]\n", "[budgets.staff]\nepsilon = 2\n\n[tables.visits]\n")
    assert told(capsys, "budget", str(policy))["epsilon"]["total"] == "1.000000000000"
