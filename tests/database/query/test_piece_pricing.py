"""The shares of pieces, and what is reserved for a piece with an open constant."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from database.clinic import POLICY, exactly, write
from hedgerow.database import Database, open
from hedgerow.database.query import piece_pricing, postprocessing
from hedgerow.database.query.answer_tables import AnswerTables
from hedgerow.database.query.piece_pricing import PricedPiece, price_pieces
from hedgerow.database.query.pricing import QueryRequest
from hedgerow.errors import Refused, Unsupported
from hedgerow.privacy.loss import Loss
from hedgerow.sql.postprocessing.statement_split import split_statement

SQL = "SELECT city, COUNT(*) AS n FROM data WHERE age > (SELECT AVG(age) FROM data) GROUP BY city"


def price(db: Database, sql: str, epsilon: Fraction | int) -> list[PricedPiece]:
    statement = split_statement(sql, db.catalog, Unsupported("no"))
    tables = AnswerTables(db.policy, db.catalog, statement.heading)
    return price_pieces(db, QueryRequest(sql, "ana", epsilon), statement, tables)


def test_the_reserved_price_is_the_whole_share_and_does_not_depend_on_the_sample() -> None:
    with exactly(epsilon=3) as db:
        plain, reserved = price(db, SQL, 1)
        assert not plain.reserved_key
        (loss,) = reserved.reserved_losses.values()
        assert loss.epsilon == Fraction(1, 2)
        assert loss.delta >= reserved.priced.loss.delta > 0
        charge = reserved.build_reserved_charge(db)
        assert (charge.question, charge.parts) == (reserved.reserved_key, None)
        assert price(db, SQL.replace("AVG", "MAX"), 1)[1].reserved_key != reserved.reserved_key
        none = price(db, SQL.replace("city", "region"), 1)[1]
        assert next(iter(none.reserved_losses.values())) == Loss(Fraction(1, 2))


def test_a_piece_that_needs_bounds_is_refused(tmp_path: Path) -> None:
    policy = POLICY.replace("max_groups = 2", "auto_bounds = true\nmax_groups = 2")
    policy = policy.replace('"integer", min = 0, max = 110', '"integer"')
    database = open(write(tmp_path / "clinic", policy), analyst="bob")
    with database as db, pytest.raises(Refused, match="needs bounds"):
        price(db, SQL.replace("data", "visits"), 1)


def test_the_ledger_shows_the_shares_and_nothing_else() -> None:
    assert piece_pricing.PricedPiece is postprocessing.PricedPiece
    with exactly(epsilon=3) as db:
        db.query(SQL.replace("city", "region"), epsilon=1)
        charged = [entry.body for entry in db.ledger.entries() if entry.kind == "charge"]
        losses = [Loss.from_dict(loss) for body in charged for loss in body["charges"].values()]
        assert [(loss.epsilon, loss.delta) for loss in losses] == [(Fraction(1, 2), 0)] * 2


def test_a_noisy_constant_outside_of_the_bounds_says_how_to_keep_it_inside() -> None:
    sql = "SELECT COUNT(*) AS n FROM data WHERE age > (SELECT AVG(age) + 1000 FROM data)"
    with exactly(epsilon=100) as db:
        for _ in range(2):  # the second time nothing is charged
            with pytest.raises(Refused, match="The noisy answer of the subquery lies outside"):
                db.query(sql, epsilon=1)
            assert sum(entry.kind == "charge" for entry in db.ledger.entries()) == 2
