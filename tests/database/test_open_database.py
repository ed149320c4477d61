"""Opening: the ledger rules, a policy that says more is refused until it is accepted, and
mistakes change nothing.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from database.clinic import POLICY, visits, write
from hedgerow import protect
from hedgerow.database import Database, accept_policy, open, read_budgets, read_quotas
from hedgerow.database import open_database as opening
from hedgerow.database.open_database import open_dry_run
from hedgerow.errors import InvalidArgument, LedgerError, Refused, SourceError, Unbounded
from hedgerow.policy import Policy, list_loosenings


def test_the_budget_lives_on_in_its_file(tmp_path: Path) -> None:
    path = write(tmp_path)
    with open(path, in_process=True) as db:
        first = db.query("SELECT COUNT(*) AS n FROM visits", epsilon=0.5)
    with open(path, in_process=True) as db:
        assert db.budget.epsilon.spent == Fraction(1, 2)  # type: ignore[union-attr]
        again = db.query("SELECT COUNT(*) AS n FROM visits", epsilon=0.5)
        assert again.rows == first.rows  # type: ignore[union-attr]


def test_a_changed_file_is_reported_before_any_charge(tmp_path: Path) -> None:
    path = write(tmp_path)
    with open(path, in_process=True) as db:
        first, spent = (
            db.query("SELECT COUNT(*) AS n FROM visits"),
            db.budget.epsilon.spent,  # type: ignore[union-attr]
        )
        (data := tmp_path / "visits.parquet").write_bytes(data.read_bytes())
        with pytest.raises(SourceError, match="The file of visits has changed since it was opened"):
            db.query("SELECT COUNT(*) AS n FROM visits WHERE age > 3")
        assert db.budget.epsilon.spent == spent  # type: ignore[union-attr]
        # what was answered stays
        assert db.query("SELECT COUNT(*) AS n FROM visits").rows == first.rows


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("epsilon = 3.0", "epsilon = 4.0", "budget"),
        ("max = 110", "max = 120", "age"),
        ("max_groups = 2", "max_groups = 3", "max_groups"),
        ('"add-remove"', '"change-one"', "neighbours"),
        ("note = { hidden = true }", "", "note"),
        ("max_epsilon = 0.5", "max_epsilon = 0.6", "ana"),
    ],
)
def test_a_looser_policy_must_be_accepted(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = write(tmp_path)
    open(path, in_process=True).close()
    path.write_text(POLICY.replace(old, new))
    with pytest.raises(Refused, match=said) as caught:
        open(path, in_process=True)
    assert "hedgerow policy accept" in str(caught.value)
    entry, changes = accept_policy(path, note="agreed")
    assert entry is not None
    assert entry.body["note"] == "agreed"
    assert any(said in change for change in changes)
    with open(path, in_process=True) as db:
        assert db.ledger.state.policy is not None
    assert accept_policy(path) == (None, ())


def test_a_tighter_policy_is_recorded_without_acceptance(tmp_path: Path) -> None:
    path = write(tmp_path)
    open(path, in_process=True).close()
    path.write_text(POLICY.replace("epsilon = 3.0", "epsilon = 2.0"))
    with open(path, in_process=True) as db:
        assert db.budget.epsilon.total == 2  # type: ignore[union-attr]
        assert [entry.kind for entry in db.ledger.entries()] == ["open", "policy", "policy"]
    path.write_text(POLICY)
    with pytest.raises(Refused, match="budget"):
        open(path, in_process=True)


def overtaken(path: Path, monkeypatch: pytest.MonkeyPatch, faster: str) -> None:
    """Another process lets its policy rule while the next one to open looks at what the ledger
    accepted.
    """

    def meanwhile(old: Policy, new: Policy) -> tuple[str, ...]:
        monkeypatch.undo()
        path.write_text(POLICY.replace("epsilon = 3.0", f"epsilon = {faster}"))
        open(path, in_process=True).close()
        return list_loosenings(old, new)

    open(path, in_process=True).close()
    path.write_text(POLICY.replace("epsilon = 3.0", "epsilon = 2.0"))
    monkeypatch.setattr(opening, "list_loosenings", meanwhile)


def test_a_policy_is_compared_with_the_one_that_rules_when_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtaken(path := write(tmp_path), monkeypatch, "1.0")
    with pytest.raises(Refused, match="epsilon is raised from 1 to 2"):
        open(path, in_process=True)
    overtaken(path := write(tmp_path / "accepted"), monkeypatch, "1.0")
    with pytest.raises(Refused, match="Another policy was accepted in the meantime"):
        accept_policy(path)


def test_one_of_two_concurrent_openings_writes_the_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtaken(path := write(tmp_path), monkeypatch, "2.0")
    with open(path, in_process=True) as db:
        assert [entry.kind for entry in db.ledger.entries()] == ["open", "policy", "policy"]


def test_to_rehearse_a_policy_changes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path)
    with open_dry_run(path) as trial:
        assert trial.budget.epsilon.total == 3  # type: ignore[union-attr]
        with pytest.raises(LedgerError, match="nothing can be charged to it"):
            trial.query("SELECT COUNT(*) AS n FROM visits")
    assert not list(tmp_path.glob("clinic.ledger*"))
    with open(path, in_process=True) as db:
        db.query("SELECT COUNT(*) AS n FROM visits", epsilon=0.5)
        path.write_text(POLICY.replace("epsilon = 3.0", "epsilon = 2.0"))
        with open_dry_run(path) as trial:
            assert (
                trial.budget.epsilon.total,  # type: ignore[union-attr]
                trial.budget.epsilon.spent,  # type: ignore[union-attr]
            ) == (
                2,
                Fraction(1, 2),
            )
        assert [entry.kind for entry in db.ledger.entries()] == [
            "open",
            "policy",
            "charge",
            "answer",
        ]
        db.query("SELECT COUNT(*) AS n FROM visits WHERE age > 3")  # whoever has it open goes on
    path.write_text(POLICY.replace("epsilon = 3.0", "epsilon = 4.0"))
    with pytest.raises(Refused, match="epsilon is raised from 3 to 4"):
        open_dry_run(path)
    path.write_text(POLICY.replace('name = "clinic"', 'name = "fresh"'))
    with pytest.raises(Refused, match="already holds the budget"):
        open_dry_run(path)


def test_raising_the_budget_changes_no_other_limit(tmp_path: Path) -> None:
    path = write(tmp_path)
    with open(path, in_process=True) as db:
        db.query("SELECT COUNT(*) FROM visits", epsilon=1)
    path.write_text(
        POLICY.replace("epsilon = 3.0", "epsilon = 4.0").replace("max = 110", "max = 120")
    )
    with pytest.raises(Refused, match="more than the budget"):
        accept_policy(path, budgets_only=True)
    path.write_text(POLICY.replace("epsilon = 3.0", "epsilon = 4.0"))
    accept_policy(path, budgets_only=True)
    with open(path, in_process=True) as db:
        assert db.budget.epsilon.left == 3  # type: ignore[union-attr]


def test_a_source_under_another_name_has_the_same_budget(tmp_path: Path) -> None:
    path = write(tmp_path)
    with open(path, in_process=True) as db:
        db.query("SELECT COUNT(*) FROM visits", epsilon=1)
    renamed = POLICY.replace("[tables.visits", "[tables.again").replace(
        'neighbours = "add-remove"', 'neighbours = "add-remove"\npopulation = "others"'
    )
    path.write_text(renamed.replace("[budget]", "[budgets.others]"))
    with pytest.raises(Refused):
        open(path, in_process=True)
    with pytest.raises(Refused, match="cannot"):
        accept_policy(path)


OTHER = """[budgets.more]
epsilon = 1
[tables.other]
source = "other.parquet"
unit = "row"
neighbours = "add-remove"
population = "more"
max_units = 10
[tables.regions]"""


def test_a_charged_population_outlives_its_last_table(tmp_path: Path) -> None:
    path = write(tmp_path, POLICY.replace("[tables.regions]", OTHER))
    pq.write_table(visits(5), tmp_path / "other.parquet")
    with open(path, in_process=True) as db:
        db.query("SELECT COUNT(*) FROM other", epsilon=Fraction(1, 2))
    path.write_text(
        POLICY.replace("[tables.regions]", "[budgets.more]\nepsilon = 1\n[tables.regions]")
    )
    accept_policy(path)
    with open(path, in_process=True) as db:
        assert db.budgets["more"].spent == Fraction(1, 2)  # type: ignore[union-attr]


def test_mistakes_change_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, POLICY.replace("min = 0, max = 110", "min = 5, max = 1"))
    with pytest.raises(InvalidArgument, match=r"line \d+"):
        open(path, in_process=True)
    path = write(tmp_path, POLICY.replace('"visits.parquet"', '"nowhere.parquet"'))
    with pytest.raises(SourceError, match=r"nowhere\.parquet"):
        open(path, in_process=True)
    path = write(tmp_path, POLICY.replace("age = {", "years = {"))
    with pytest.raises(SourceError, match="years"):
        open(path, in_process=True)
    path = write(tmp_path, POLICY.replace('age = { type = "integer"', 'city = { type = "integer"'))
    with pytest.raises(SourceError, match="city"):
        open(path, in_process=True)
    path = write(tmp_path, POLICY.replace('unit = "patient_id"', 'unit = "nobody"'))
    with pytest.raises(SourceError, match="nobody"):
        open(path, in_process=True)
    assert not list(tmp_path.glob("*.ledger*"))


def test_a_ledger_of_caps_by_default_opens_and_a_missing_cap_refuses(tmp_path: Path) -> None:
    """Caps that an earlier version filled in are declared in the ledger; a call that leaves them
    out opens it, asks nothing that needs them, and cannot raise them on the way."""

    def opened(**caps: Any) -> Database:
        ledger, columns = tmp_path / "frame.ledger", {"age": (0, 110)}
        return protect(
            visits(),
            unit="patient_id",
            neighbours="add-remove",
            columns=columns,
            epsilon=1,
            ledger=ledger,
            **caps,
        )

    sql, caps = "SELECT COUNT(*) FROM data", {"max_groups": 3, "max_rows_per_group": 1}
    with opened(**caps) as db:
        paid = db.query(sql, epsilon=0.5).rows  # type: ignore[union-attr]
    with opened() as db, pytest.raises(Unbounded, match="max_rows_per_group of data"):
        db.query(sql, epsilon=0.5)
    with pytest.raises(Refused, match="max_rows_per_group is raised from 1 to 5"):
        opened(max_groups=3, max_rows_per_group=5)
    with opened(**caps) as db:
        assert db.query(sql, epsilon=0.5).rows == paid  # type: ignore[union-attr]
        assert db.budget.spent == Fraction(1, 2)  # type: ignore[union-attr]


@pytest.mark.long
def test_an_isolated_engine_returns_the_same_answers(tmp_path: Path) -> None:
    wide = POLICY.replace("epsilon = 3.0", "epsilon = 9000").replace(
        "per_query = 1.0", "per_query = 9000"
    )
    with open(write(tmp_path, wide)) as db:
        rows = db.query(
            "SELECT region, COUNT(*) AS n FROM visits GROUP BY region", epsilon=2000
        ).rows  # type: ignore[union-attr]
    assert [row["n"] for row in rows] == [266, 268, 266, 0]


def test_prices_budgets_and_stored_answers_need_no_engine(tmp_path: Path) -> None:
    path = write(tmp_path)
    with open(path, in_process=True) as db:
        first = db.query("SELECT COUNT(*) AS n FROM visits", epsilon=0.5)
        assert db._engine is not None
    with open(path) as db:
        db.explain("SELECT SUM(age) FROM visits")
        again = db.query("SELECT COUNT(*) AS n FROM visits", epsilon=0.5)
        assert again.rows == first.rows  # type: ignore[union-attr]
        assert db._engine is None
    (tmp_path / "visits.parquet").unlink()
    assert read_budgets(path)["people"].epsilon.spent == Fraction(1, 2)  # type: ignore[union-attr]


def test_data_that_turn_out_unreadable_cost_nothing(tmp_path: Path) -> None:
    path = write(tmp_path)
    with open(path, in_process=True) as db:
        (tmp_path / "visits.parquet").write_bytes(b"PAR1 no longer PAR1")
        with pytest.raises(SourceError):
            db.query("SELECT COUNT(*) FROM visits", epsilon=0.5)
        assert db.budget.epsilon.spent == 0  # type: ignore[union-attr]
        with pytest.raises(SourceError):
            db.start()


def test_failed_runs_are_forgiven_by_the_custodian(tmp_path: Path) -> None:
    path = write(tmp_path, POLICY.replace("default_epsilon = 0.1", "default_epsilon = 0.01"))
    with open(path, analyst="bob", in_process=True) as db:
        db.start()
        db.source._session.close()  # type: ignore[attr-defined]
        for least in range(20):
            with pytest.raises(SourceError, match="charged"):
                db.query(f"SELECT COUNT(*) FROM visits WHERE age > {least}")
        with pytest.raises(Refused, match="policy accept --anew"):
            db.query("SELECT COUNT(*) FROM visits WHERE age > 50")
    assert accept_policy(path) == (None, ())
    entry, changes = accept_policy(path, anew=True)
    assert entry is not None
    assert changes == ()
    with open(path, analyst="bob", in_process=True) as db:
        db.query("SELECT COUNT(*) FROM visits WHERE age > 50")


def test_the_policy_limits_failed_runs(tmp_path: Path) -> None:
    path = write(tmp_path, POLICY.replace('name = "clinic"', 'name = "clinic"\nmax_failures = 2'))
    with open(path, analyst="bob", in_process=True) as db:
        db.start()
        db.source._session.close()  # type: ignore[attr-defined]
        for least in range(2):
            with pytest.raises(SourceError, match="charged"):
                db.query(f"SELECT COUNT(*) FROM visits WHERE age > {least}")
        with pytest.raises(Refused, match=r"never ended \(2\)"):
            db.query("SELECT COUNT(*) FROM visits WHERE age > 50")
    path.write_text(path.read_text().replace("max_failures = 2", "max_failures = 3"))
    with pytest.raises(Refused, match="max_failures is raised from 2 to 3"):
        open(path, in_process=True)
    assert accept_policy(path)[1] == ("database: max_failures is raised from 2 to 3.",)


UNUSED = POLICY.replace("[tables.visits]\n", "[budgets.staff]\nepsilon = 2\n\n[tables.visits]\n", 1)


def test_an_unused_budget_is_harmless(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.write_text(UNUSED)
    assert list(read_budgets(path)) == ["people"]
    with open(path, in_process=True) as db:
        assert list(db.budgets) == ["people"]
        assert db.budget == db.budgets["people"]
        assert any("staff" in warning for warning in db.policy.warnings)
    path.write_text(
        UNUSED.replace(
            "public = true", 'unit = "row"\nneighbours = "add-remove"\npopulation = "staff"'
        )
    )
    accept_policy(path)
    assert list(read_budgets(path)) == ["people", "staff"]


def test_quotas_are_shown_with_their_remainder(tmp_path: Path) -> None:
    path = write(tmp_path)
    quota = read_quotas(path)["ana"]
    assert quota is not None
    assert (quota.total, quota.spent, quota.left) == (Fraction(1, 2), 0, Fraction(1, 2))
    path.write_text(POLICY.replace("max_epsilon = 0.5", ""))
    accept_policy(path)
    assert read_quotas(path) == {"ana": None, "bob": None}
