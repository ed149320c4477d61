"""Several ledgers, and sources that lie behind links: none of them opens a fresh budget."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from database.clinic import POLICY, visits, write
from hedgerow import protect
from hedgerow.database import accept_policy, open, read_budgets
from hedgerow.errors import LedgerError, Refused


def test_a_lost_ledger_opens_no_fresh_budget(tmp_path: Path) -> None:
    path = write(tmp_path)
    with open(path, in_process=True) as db:
        db.query("SELECT COUNT(*) FROM visits", epsilon=1)
    (tmp_path / "clinic.ledger").unlink()
    with pytest.raises(LedgerError):
        open(path, in_process=True)


def test_a_frame_may_have_a_ledger_of_its_own(tmp_path: Path) -> None:
    for spent in (Fraction(1, 2), Fraction(1)):
        with protect(
            visits(),
            unit="patient_id",
            max_groups=3,
            max_rows_per_group=1,
            neighbours="add-remove",
            columns={"age": (0, 110)},
            epsilon=1,
            ledger=tmp_path / "frame.ledger",
        ) as db:
            db.query(
                "SELECT COUNT(*) FROM data" if spent < 1 else "SELECT SUM(age) FROM data",
                epsilon=0.5,
            )
            assert db.budget.spent == spent  # type: ignore[union-attr]


@pytest.mark.parametrize("named", ['name = "other"', 'name = "clinic"\nledger = "fresh.ledger"'])
def test_another_ledger_for_the_same_data_is_begun_knowingly(tmp_path: Path, named: str) -> None:
    path = write(tmp_path)
    with open(path, in_process=True) as db:
        db.query("SELECT COUNT(*) FROM visits", epsilon=1)
    path.write_text(POLICY.replace('name = "clinic"', named))
    with pytest.raises(Refused, match=r'Write ledger = "clinic\.ledger"'):
        open(path, in_process=True)
    assert [file.name for file in tmp_path.glob("*.ledger")] == ["clinic.ledger"]
    # the trouble of another ledger is not ours
    (tmp_path / "broken.ledger.anchor").write_text("this is no anchor")
    with pytest.raises(Refused, match="second budget"):
        open(path, in_process=True)
    accept_policy(path, note="a new study, agreed by the board")
    with open(path, in_process=True) as db:
        assert db.budget.epsilon.spent == 0  # type: ignore[union-attr]


def test_a_policy_that_no_longer_rules_answers_nothing(tmp_path: Path) -> None:
    path = write(tmp_path)
    with open(path, in_process=True) as db:
        db.query("SELECT SUM(age) FROM visits", epsilon=0.1)
        path.write_text(
            POLICY.replace(
                'age = { type = "integer", min = 0, max = 110 }', "age = { hidden = true }"
            )
        )
        accept_policy(path)
        for sql in ("SELECT SUM(age) FROM visits", "SELECT COUNT(*) FROM visits"):
            with pytest.raises(Refused, match="Open it again"):
                db.query(sql, epsilon=0.1)
            with pytest.raises(Refused, match="Open it again"):
                db.explain(sql, epsilon=0.1)
        assert db.budget.epsilon.spent == Fraction(1, 10)  # type: ignore[union-attr]


def test_another_path_to_the_same_file_shares_the_budget(tmp_path: Path) -> None:
    path = write(tmp_path)
    open(path, in_process=True).close()
    (tmp_path / "again.parquet").hardlink_to(tmp_path / "visits.parquet")
    (tmp_path / "ledgers").mkdir()
    moved = 'name = "clinic"\nledger = "ledgers/clinic.ledger"'
    path.write_text(
        POLICY.replace('name = "clinic"', moved).replace("visits.parquet", "again.parquet")
    )
    with pytest.raises(
        Refused,
        match=(
            r"clinic.ledger already holds the budget of visits.parquet.* Write ledger ="
            r' "clinic\.ledger"'
        ),
    ):
        open(path, in_process=True)
    with pytest.raises(Refused, match="second budget"):
        read_budgets(path)
    # what lay there is gone: nothing tells any more that it was the same
    (tmp_path / "visits.parquet").unlink()
    open(path, in_process=True).close()


def test_a_ledger_beside_the_data_is_found_from_another_folder(tmp_path: Path) -> None:
    path = write(tmp_path / "data")
    open(path, in_process=True).close()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    text = POLICY.replace('"regions.csv"', f'"{tmp_path}/data/regions.csv"')
    (elsewhere / "clinic.toml").write_text(
        text.replace('"visits.parquet"', f'"{tmp_path}/data/visits.parquet"')
    )
    with pytest.raises(
        Refused,
        match=(
            r"already holds the budget of visits\.parquet.*Write ledger ="
            r' "\.\./data/clinic\.ledger"'
        ),
    ):
        open(elsewhere / "clinic.toml", in_process=True)
    (elsewhere / "linked.parquet").symlink_to(tmp_path / "data" / "visits.parquet")
    (elsewhere / "clinic.toml").write_text(text.replace('"visits.parquet"', '"linked.parquet"'))
    (tmp_path / "data" / "clinic.ledger").unlink()  # its anchor is left, and knows
    with pytest.raises(Refused, match="second budget"):
        open(elsewhere / "clinic.toml", in_process=True)
    assert not list(elsewhere.glob("*.ledger*"))


def test_a_link_takes_no_source_to_another_population(tmp_path: Path) -> None:
    """Not even with the custodian's word: the people are the same."""
    path = write(tmp_path)
    open(path, in_process=True).close()
    (tmp_path / "other.parquet").hardlink_to(tmp_path / "visits.parquet")
    more = POLICY.replace("[budget]", "[budgets.people]").replace(
        "[tables.visits.columns]", 'population = "people"\n[tables.visits.columns]'
    )
    moved = more.replace('"visits.parquet"', '"other.parquet"').replace(
        "[budgets.people]", "[budgets.others]\nepsilon = 1\n[budgets.people]"
    )
    path.write_text(
        moved.replace('population = "people"', 'population = "others"').replace(
            "[tables.visits", "[tables.again"
        )
    )
    with pytest.raises(Refused, match="moves the source of 'visits' to another population"):
        open(path, in_process=True)
    with pytest.raises(
        Refused,
        match=r"visits\.parquet' belongs to the population 'people' and cannot move to 'others'",
    ):
        accept_policy(path)


def test_the_other_ledger_is_only_looked_at(tmp_path: Path) -> None:
    path = write(tmp_path)
    with open(path, in_process=True) as db:
        path.write_text(POLICY.replace('name = "clinic"', 'name = "other"'))
        # somebody holds its lock
        with db.ledger._transaction(), pytest.raises(Refused, match="second budget"):
            open(path, in_process=True)


def test_ledgers_about_other_data_may_lie_side_by_side(tmp_path: Path) -> None:
    path = write(tmp_path)
    open(path, in_process=True).close()
    pq.write_table(visits(7), tmp_path / "staff.parquet")
    path.write_text(
        POLICY.replace('name = "clinic"', 'name = "other"').replace(
            "visits.parquet", "staff.parquet"
        )
    )
    open(path, in_process=True).close()
    for name in ("one", "two"):  # a frame has no name that could be known again
        protect(
            visits(),
            unit="patient_id",
            max_groups=3,
            max_rows_per_group=1,
            neighbours="add-remove",
            columns={"age": (0, 110)},
            epsilon=1,
            ledger=tmp_path / f"{name}.ledger",
        ).close()
    assert {file.stem for file in tmp_path.glob("*.ledger")} == {"clinic", "other", "one", "two"}
