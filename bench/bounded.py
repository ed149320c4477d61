"""The limit for a question about people: the same bounding by hand-written SQL, without any
privacy.

COUNT(*), SUM and AVG by group, where a person counts in at most ``GROUPS_EACH`` groups and for at
most ``ROWS_EACH`` rows in each. Values are clamped and summed as whole steps, as exact noise needs
them. A person with more rows in a group is scaled down to ``ROWS_EACH``; of too many groups those
with the smallest hashes stay, and the group itself settles ties, so that one group too many never
gets through.

There are several ways to say it, and which is fastest changes with the data and with the version of
DuckDB: all run, the fastest counts.
"""

from __future__ import annotations

from bench.events import LARGEST

__all__ = ["GROUPS_EACH", "ROWS_EACH", "STEPS", "bounded", "plain"]

GROUPS_EACH, ROWS_EACH = 3, 5
STEPS = 2**13  # steps of a value's grid in one unit

# CASE, not least and greatest: those skip NULL (a NULL would count as a bound) and take twice as
# long.
_STEPS = (
    f"CAST(round(CASE WHEN value < 0 THEN 0 WHEN value > {LARGEST} THEN {LARGEST} ELSE value END *"
    f" {STEPS}) AS BIGINT)"
)
_PAIRS = """
  SELECT user_id AS u, grp AS g, count(*) AS c, CAST(sum({steps}) AS BIGINT) AS s,
    count({steps}) AS n
  FROM {source} WHERE user_id IS NOT NULL GROUP BY user_id, grp"""
_GROUPS = """
SELECT g, CAST(sum(c) AS BIGINT) AS c, CAST(sum(s) AS BIGINT) AS s, CAST(sum(n) AS BIGINT) AS n,
  count(*) AS people
FROM (
  SELECT g, least(c, {most}) AS c,
         CASE WHEN c > {most} THEN s * {most} // c ELSE s END AS s,
         CASE WHEN c > {most} THEN n * {most} // c ELSE n END AS n
  FROM {kept})
GROUP BY g"""

_KEPT = {
    # A second key of the order keeps DuckDB from turning this into min_by(…, 3), which takes twice
    # as long.
    "row_number": (
        "(SELECT * FROM ({pairs}) QUALIFY row_number() OVER (PARTITION BY u ORDER BY hash(u, g), g)"
        " <= {groups})"
    ),
    "lag": (
        "(SELECT * FROM ({pairs}) QUALIFY lag(u, {groups}) OVER (ORDER BY u, hash(u, g), g) IS"
        " DISTINCT FROM u)"
    ),
    # At most 3 hashes lie strictly below the fourth smallest, ties or not. On a tie fewer stay;
    # there is none in these data.
    "threshold": (
        """(
    WITH p AS MATERIALIZED (SELECT *, hash(u, g) AS h FROM ({pairs})),
         t AS (SELECT u, min(h, {groups} + 1)[{groups} + 1] AS t FROM p GROUP BY u
           HAVING count(*) > {groups})
    SELECT p.* FROM p LEFT JOIN t USING (u) WHERE t IS NULL OR h < t)"""
    ),
}


def bounded(source: str) -> dict[str, str]:
    """Each way by its name; all give the same rows, in any order."""
    pairs = _PAIRS.format(source=source, steps=_STEPS)
    return {
        name: _GROUPS.format(most=ROWS_EACH, kept=kept.format(pairs=pairs, groups=GROUPS_EACH))
        for name, kept in _KEPT.items()
    }


def plain(source: str) -> str:
    """No bounding at all: what an unprotected database does."""
    return (
        f"SELECT grp, count(*) AS n, sum(value) AS total, avg(value) AS mean FROM {source} GROUP"
        " BY grp"
    )
