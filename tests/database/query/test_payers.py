"""The populations that pay for a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from database import shop
from database.clinic import exactly
from hedgerow.answers.unit_noun import UnitNoun
from hedgerow.database import open
from hedgerow.database.query.payers import find_payers
from hedgerow.errors import Refused
from hedgerow.sql.parser import parse_question


def test_tables_about_the_same_population_have_one_payer(tmp_path: Path) -> None:
    with open(shop.write(tmp_path), in_process=True) as db:
        question = parse_question(
            "SELECT COUNT(*) FROM items JOIN orders ON order_number = number JOIN customers ON"
            " customers.customer = orders.customer",
            db.catalog,
        )
        payers = find_payers(db.policy, question)
    assert [table.name for table in payers.tables] == list(question.tables)
    assert payers.each == (payers.first,)


def test_a_payer_has_the_noun_of_its_population() -> None:
    with exactly() as db:
        question = parse_question("SELECT COUNT(*) FROM data", db.catalog)
        assert find_payers(db.policy, question).first.noun == UnitNoun("person", "people")


def test_a_question_without_a_protected_table_is_refused() -> None:
    with exactly() as db, exactly() as other:
        question = parse_question("SELECT COUNT(*) FROM data", db.catalog)
        object.__setattr__(question, "tables", ("nowhere",))
        with pytest.raises(Refused, match="reads no protected table"):
            find_payers(other.policy, question)
