"""The free path at length: 10^5 hostile statements, and what reached an engine of each, read by
that engine's own parser.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from pathlib import Path

import duckdb
import pytest

import hedgerow as hr
from hedgerow.database.uncharged.diagnose import refuse_invalid_query
from hedgerow.errors import HedgerowError, Unsupported
from sql.helpers_hostile_statements import CATALOG, SENTINEL, check_written, read, statements, texts

pytestmark = pytest.mark.slow
POLICY = """
[database]
name = "hostile"
[budget]
epsilon = 1
[tables.people]
source = "people.csv"
unit = "k"
neighbours = "add-remove"
max_units = 100
max_groups = 1
max_rows_per_group = 1
[tables.r]
source = "r.csv"
public = true
columns.n = { type = "integer" }
columns.x = { type = "real" }
columns.day = { type = "date" }
[tables.s]
source = "s.csv"
public = true
"""
FILES = {
    "people.csv": "k,n\nsecret-of-ada,1\nsecret-of-bob,2\n",
    "r.csv": 'k,n,x,day,"we""ird",it\'s; --\na,1,2.5,2026-01-02,b,3\n,,,,,\n',
    "s.csv": "k,n\na,1\nb,2\n",
}


def test_a_hundred_thousand_statements_are_refused_or_written_in_our_words() -> None:
    """Of each that is read: one SELECT over numbered names, with listed functions, and with its own
    texts; of one in a hundred, that an engine with empty tables begins with it, or that its words
    are told without ours."""
    seen = handed_on = 0
    for sql in statements(19, 100_000):
        asked = read(sql)
        if asked is None:
            continue
        seen += 1
        handed_on += SENTINEL in "".join(texts(asked.fragment))
        check_written(asked)
        if seen % 100 == 0:
            with contextlib.suppress(Unsupported):
                refuse_invalid_query(asked, CATALOG)
    assert seen > 25_000
    assert handed_on > 2_000


def test_hostile_statements_leave_files_alone_and_show_nobody(tmp_path: Path) -> None:
    """The whole way, child process and all: answered or refused, and never with what a protected
    table holds.
    """
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "p.toml").write_text(POLICY)
    digests = {name: hashlib.sha256((tmp_path / name).read_bytes()).digest() for name in FILES}
    answered = refused = 0
    with hr.open(tmp_path / "p.toml", in_process=True) as db:
        for sql in statements(20, 1_500):
            if read(sql) is None:
                continue
            try:
                shown = str(db.query(sql).rows)
                answered += 1
            except HedgerowError as error:
                shown = str(error)
                refused += 1
                assert not re.search("Traceback|LINE 1", shown)
            assert "secret-of" not in shown
    for name, digest in digests.items():
        assert hashlib.sha256((tmp_path / name).read_bytes()).digest() == digest
    assert sorted(path.name for path in tmp_path.iterdir() if path.name in FILES) == sorted(FILES)
    assert answered > 50
    assert refused > 50


def test_text_of_every_character_arrives_as_it_was() -> None:
    """All of Unicode, in pieces, and each character beside a quote."""
    from hedgerow.sql.public_tables.phrases import escape_text

    engine = duckdb.connect(config={"threads": "1"})
    for first in range(1, 0x110000, 512):
        signs = [
            chr(code)
            for code in range(first, min(first + 512, 0x110000))
            if not 0xD800 <= code < 0xE000
        ]
        values = ["".join(signs), "'".join(signs), "".join(f"'{sign}\\" for sign in signs)]
        found = engine.execute("SELECT " + " , ".join(map(escape_text, values))).fetchall()
        assert list(found[0]) == values
