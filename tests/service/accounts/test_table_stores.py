from __future__ import annotations

import stat
from pathlib import Path

import pytest

from hedgerow.errors import SourceError
from hedgerow.service.accounts.table_stores import SqliteTables, open_store
from service.accounts.helpers_stores import PLACES

TABLES = """
CREATE TABLE IF NOT EXISTS one (name TEXT PRIMARY KEY, size REAL NOT NULL, key BLOB) STRICT;
CREATE TABLE IF NOT EXISTS two (number INTEGER PRIMARY KEY, word TEXT NOT NULL) STRICT;
"""


def test_a_file_is_its_owners_alone(tmp_path: Path) -> None:
    store = open_store(tmp_path / "x.accounts", TABLES, 1)
    assert isinstance(store, SqliteTables)
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    store.close()


@pytest.mark.parametrize("place", PLACES)
def test_both_places_run_the_same_statements(place: str, tmp_path: Path) -> None:
    where = PLACES[place](tmp_path)
    store = open_store(where, TABLES, 1)
    with store.hold(), store.begin() as db:
        db.execute("INSERT INTO one VALUES (?, ?, ?)", ("100 %?", 0.1, b"\0\xff"))
        db.execute("INSERT INTO two (word) VALUES ('a'); INSERT INTO two (word) VALUES ('b')")
        assert db.change("UPDATE two SET word = ? WHERE number > ?", ("c", 0)) == 2
        (found,) = db.execute("SELECT count(*) FROM one WHERE name LIKE '100 %' AND ? = 1", (1,))
        assert found == (1,)
    assert store.select("SELECT * FROM one") == [{"name": "100 %?", "size": 0.1, "key": b"\0\xff"}]
    assert [row["number"] for row in store.select("SELECT * FROM two ORDER BY number")] == [1, 2]

    def fail() -> None:
        with store.hold(), store.begin() as db:
            db.execute("DELETE FROM one")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert len(store.select("SELECT * FROM one")) == 1
    again = open_store(where, TABLES, 1)
    assert len(again.select("SELECT * FROM one")) == 1
    again.close()
    store.close()
    with pytest.raises(SourceError, match=r"closed\. Open (it|them) again"):
        store.select("SELECT * FROM one")
