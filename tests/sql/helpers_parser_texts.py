"""Changed texts and hostile texts for the parser."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from sql.helpers_fixtures import HERE, pairs

FILES = sorted(file.stem for file in HERE.glob("*.sql"))


TEXTS = [sql for name in FILES for sql, _ in pairs(name)]


WORDS = st.sampled_from(
    sorted({word for sql in TEXTS for word in re.findall(r"\w+|'[^']*'|[^\w\s]", sql)})
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    words = re.findall(r"\w+|'[^']*'|[^\w\s]|\s", draw(st.sampled_from(TEXTS)))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(words)))
        change = draw(
            st.sampled_from(("put in", "take out", "replace", "repeat", "letter", "splice"))
        )
        if change == "put in":
            words[place:place] = [" ", draw(WORDS), " "]
        elif change == "take out":
            words[place : place + draw(st.integers(1, 3))] = []
        elif change == "replace":
            words[place : place + 1] = [draw(WORDS)]
        elif change == "repeat":
            words[place:place] = words[place : place + 6] * draw(st.integers(1, 3))
        elif change == "letter":
            words[place:place] = [draw(st.characters())]
        else:
            words[place:] = re.findall(r"\w+|[^\w\s]|\s", draw(st.sampled_from(TEXTS)))
    return "".join(words)


HOSTILE = {
    "not": "SELECT " + "NOT " * 2000 + "smoker FROM visits",
    "minus": "SELECT " + "- " * 2000 + "age FROM visits",
    "cast": "SELECT SUM(age" + "::int" * 1500 + ") FROM visits",
    "select": "SELECT " + "(SELECT " * 38 + "1" + ")" * 38 + " FROM visits",
    "from": "SELECT COUNT(*) FROM " + "(" * 38 + "visits" + ")" * 38,
    "join": "SELECT COUNT(*) FROM visits " + "JOIN visits " * 1500,
    "dots": "SELECT " + "a." * 1500 + "b FROM visits",
    "interval": "SELECT " + "INTERVAL " * 900 + "1 FROM visits",
    "types": "SELECT CAST(age AS " + "STRUCT<a " * 900 + "INT" + ">" * 900 + ") FROM visits",
    "digits": "SELECT COUNT(*) FROM visits WHERE age = " + "9" * 5000,
    "exponent": "SELECT COUNT(*) FROM visits WHERE Cost < 1e" + "9" * 5000,
    "epsilon": (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1e"
        + "9" * 20
        + ") COUNT(*) FROM visits"
    ),
    "case": (
        "SELECT COUNT(*) FROM visits WHERE "
        + "CASE " * 30
        + "age"
        + " WHEN 1 THEN 1 WHEN 2 THEN 2 END" * 30
        + " = 1"
    ),
    "quotes": "SELECT " + "'" * 999,
    "what the parser itself trips over": "SELECT VAR_MAP(1) FROM visits",
    "surrogate": "SELECT '\ud800' FROM visits",
}
