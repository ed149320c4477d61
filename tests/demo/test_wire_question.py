from __future__ import annotations

import pytest

from hedgerow.demo.wire_question import ask_over_wire
from hedgerow.errors import SourceError
from service.helpers_service import COUNT, RunningService


def test_it_gets_the_answer_that_http_gives(running: RunningService) -> None:
    address = "127.0.0.1", running.pg_port
    columns, rows = ask_over_wire(address, "ana", running.tokens["ana"], "clinic", COUNT)
    assert columns == ["region", "n"]
    answer = running.ask("ana", COUNT).document
    assert answer["receipt"]["reused"]
    assert rows == [[row["region"], str(row["n"])] for row in answer["rows"]]
    empty = "SELECT MODE(age) AS m, COUNT(*) AS n FROM visits HAVING n < 0"
    assert ask_over_wire(address, "ana", running.tokens["ana"], "clinic", empty)[1] == []


@pytest.mark.parametrize(
    ("token", "sql", "words"),
    [("hr_wrong", COUNT, "token"), (None, "SELECT * FROM visits", "individual rows")],
)
def test_a_refusal_has_the_words_of_the_service(
    running: RunningService, token: str | None, sql: str, words: str
) -> None:
    given = running.tokens["ana"] if token is None else token
    with pytest.raises(SourceError, match=words):
        ask_over_wire(("127.0.0.1", running.pg_port), "ana", given, "clinic", sql)
