"""Pieces: questions that can be answered alone, each once."""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from hedgerow.sql.postprocessing.pieces import PieceCollector
from hedgerow.sql.syntax.privacy_clause import tokenise_query
from sql.helpers_fixtures import CATALOG


def select(sql: str) -> exp.Select:
    tree = sqlglot.parse_one(sql, read="duckdb")
    assert isinstance(tree, exp.Select)
    return tree


def test_equal_pieces_are_one_and_have_the_key_of_the_plain_question() -> None:
    collector = PieceCollector(tokenise_query("SELECT COUNT(*) FROM visits"), CATALOG)
    for _ in range(2):
        table = collector.add(select("SELECT COUNT(*) FROM visits"))
        assert table.sql() == 'SELECT * FROM "answer 0"'
    assert len(collector.pieces) == 1
    assert collector.pieces[0].build_question(CATALOG).tables == ("visits",)


def test_a_refusal_is_kept_for_the_statement() -> None:
    collector = PieceCollector(tokenise_query("SELECT COUNT(*) FROM visits"), CATALOG)
    assert collector.is_answerable(select("SELECT COUNT(*) FROM visits"))
    assert collector.refusal is None
    assert not collector.is_answerable(select("SELECT age FROM visits"))
    assert collector.refusal is not None
