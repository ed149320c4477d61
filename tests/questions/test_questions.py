"""150 questions as people write them, over four databases: nine in ten are answered, and every
refusal says what to write instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation
from hedgerow.database import Database, open
from hedgerow.errors import Refused
from questions.helpers_questions import Asked, questions
from questions.helpers_worlds import WORLDS, write

ALL = [asked for world in WORLDS for asked in questions(world)]
# A refusal ends with a sentence that tells what to do.
INSTEAD = re.compile(
    r"\n(Add|Ask|Bring|Check|Choose|Clamp|Compare|Declare|Did you"
    r" mean|Group|Join|Keep|Leave|Name|Put|Say|Swap|The|Use|Work|Write)\b.*\.?$"
)


class Databases(dict[str, Database]):
    """Databases that are opened on first use: a worker need not open all."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory

    def __missing__(self, world: str) -> Database:
        self[world] = open(write(world, self._factory.mktemp(world)), in_process=True)
        return self[world]


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    opened = Databases(tmp_path_factory)
    yield opened
    for db in opened.values():
        db.close()


def test_there_are_150_and_nine_in_ten_are_answered() -> None:
    answered = [asked for asked in ALL if asked.refused is None]
    assert len(ALL) == 150
    assert len(answered) >= 0.9 * len(ALL)
    assert (
        len({asked.words for asked in ALL})
        == len({(asked.world, asked.sql) for asked in ALL})
        == 150
    )
    assert all(asked.words.rstrip().endswith(("?", ".")) for asked in ALL)


@pytest.mark.long
@pytest.mark.parametrize("asked", [asked for asked in ALL if asked.refused is None], ids=str)
def test_a_question_is_explained_and_answered(asked: Asked, databases: Databases) -> None:
    db = databases[asked.world]
    explained = db.explain(asked.sql)
    assert isinstance(explained, Explanation)
    assert explained.lines
    assert explained.covered
    answer = db.query(asked.sql)
    assert isinstance(answer, Answer)
    assert answer.columns
    assert len(set(answer.columns)) == len(answer.columns)
    # keys that are not declared may all stay hidden
    assert answer.rows or "HAVING" in asked.sql or explained.threshold is not None
    for row in answer.rows:
        assert tuple(row) == answer.columns
        for value in row.values():
            assert (
                value is None
                or isinstance(value, (bool, int, str, date))
                or (isinstance(value, float) and math.isfinite(value))
            )
    again = db.query(asked.sql)
    assert isinstance(again, Answer)
    assert again.receipt.reused
    assert again.rows == answer.rows


@pytest.mark.parametrize("asked", [asked for asked in ALL if asked.refused is not None], ids=str)
def test_a_refused_question_has_a_fix_that_is_answered(asked: Asked, databases: Databases) -> None:
    db = databases[asked.world]
    before = len(db.ledger.entries())
    assert asked.refused
    for ask in (db.explain, db.query):
        with pytest.raises(Refused, match=re.escape(asked.refused)) as caught:
            ask(asked.sql)
        assert INSTEAD.search(str(caught.value)), str(caught.value)
        last = str(caught.value).splitlines()[-1]
        assert asked.instead in last
    assert len(db.ledger.entries()) == before
    assert re.search(_as_told(asked.instead), asked.ask)
    assert isinstance(db.query(asked.ask), Answer)


def _as_told(piece: str) -> str:
    """Return a pattern for a piece of advice: x is any column, a number any number, … anything."""
    found = re.sub(r"\bx\b", r"[\\w., ]+", re.escape(piece))
    return re.sub(r"\b\d+\b", r"[\\d.]+", found).replace("…", ".+")


def test_advice_has_room_for_columns_and_numbers() -> None:
    assert re.search(_as_told("WHERE x >= 100"), "SELECT COUNT(*) FROM t WHERE t.cost >= 7.5")
    assert not re.search(_as_told("WHERE x >= 100"), "SELECT COUNT(*) FROM t WHERE t.cost <= 7.5")
    assert re.search(_as_told("COUNT(*) … GROUP BY born"), "SELECT COUNT(*) FROM t GROUP BY born")


@pytest.mark.parametrize(
    "block",
    [
        "SELECT 1",
        "-- words\nSELECT 1",
        "-- words\n-- expect: maybe\nSELECT 1",
        "-- words\n-- expect: answer",
        "-- words\n-- expect: refused x\nSELECT 1",
    ],
)
def test_a_block_that_is_not_well_formed(block: str) -> None:
    with pytest.raises(ValueError, match=r"block 1|not enough values"):
        questions("clinic", block)


def test_every_scenario_can_be_written(tmp_path: Path) -> None:
    assert {path.suffix for path in (write("school", tmp_path).parent).iterdir()} == {
        ".toml",
        ".parquet",
    }
