"""The questions of a file. A block is a line in plain words, the expectation, and the SQL:

-- How many visits were there in each department?
-- expect: answer
SELECT …
-- Who was the most expensive patient?
-- expect: refused a part of the refusal
-- instead: a part of its fix; x is any column, … anything, and a number any number
-- ask: SELECT … with the fix, which is answered
SELECT …
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: ``refused`` is a part of the expected refusal, or None for an answer."""

    world: str
    number: int
    words: str
    refused: str | None
    sql: str
    instead: str = ""
    ask: str = ""

    def __str__(self) -> str:
        return f"{self.world}-{self.number}"


def questions(world: str, text: str | None = None) -> list[Asked]:
    """Return the questions of a world, in the order of its file."""
    text = (HERE / f"{world}.sql").read_text(encoding="utf-8") if text is None else text
    blocks = [block.strip() for block in text.split("\n\n") if block.strip()]
    return [_asked(world, number, block) for number, block in enumerate(blocks, 1)]


def _asked(world: str, number: int, block: str) -> Asked:
    words, expected, *lines = block.splitlines()
    what, _, part = expected.removeprefix("-- expect: ").partition(" ")
    if (
        not words.startswith("-- ")
        or not expected.startswith("-- expect: ")
        or what not in ("answer", "refused")
        or not lines
    ):
        raise ValueError(
            f"{world}, block {number}: wants a line of words, a line '-- expect: answer' or '--"
            " expect: refused …', and SQL"
        )
    if what == "answer":
        return Asked(world, number, words[3:], None, "\n".join(lines))
    instead, ask, *sql = [*lines, "", ""]
    if not instead.startswith("-- instead: ") or not ask.startswith("-- ask: ") or not "".join(sql):
        raise ValueError(
            f"{world}, block {number}: a refused question wants a line '-- instead: …' and a line"
            " '-- ask: SELECT …'"
        )
    return Asked(world, number, words[3:], part, "\n".join(sql).strip(), instead[12:], ask[8:])
