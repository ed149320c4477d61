"""The check that the statistics in a Parquet file are true, as a query.

A file states the minimum and maximum of each column, and whether it has NULLs. The engine trusts
this and skips every comparison that it decides, including those that clamp values or drop rows
without a unit. So the statistics are compared with the values before any plan runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.engines.compile.quoting import quote_name

__all__ = ["build_statistics_check"]


def build_statistics_check(relation: str, columns: Sequence[tuple[str, str]]) -> str:
    """Build a query that returns one boolean, or no row for a file without rows.

    ``columns`` are pairs of a name and the engine's type. Text is never clamped, and only its first
    bytes are in the statistics. NaN is left out of the statistics; every read tests for it.
    """
    stated, actual, sound = [], [], []
    for place, (name, type_) in enumerate(columns):
        column = quote_name(name)
        wanted = (("min", type_), ("max", type_), ("has_null", "BOOLEAN"))
        stated += [
            f"CAST(variant_extract(stats({column}), '{what}') AS {of}) AS stated_{what}_{place}"
            for what, of in wanted
        ]
        # COUNT, MIN and MAX would be answered from the statistics; these read the values. NULL has
        # a hash of its own, shared by one number only, whose text has another hash.
        numbers = (
            f" FILTER (WHERE isfinite({column}) OR isinf({column}))"
            if type_ in ("FLOAT", "DOUBLE")
            else ""
        )
        actual += [
            f"arg_{end}({column}, {column}){numbers} AS {end}_{place}" for end in ("min", "max")
        ]
        shared, text = (
            f"hash({column}) = hash(CAST(NULL AS {type_}))",
            f"hash(CAST({column} AS VARCHAR) || '.')",
        )
        actual.append(
            f"count_if(CASE WHEN {shared} THEN {text} = hash(CAST(NULL AS VARCHAR)) ELSE FALSE END)"
            f" AS nulls_{place}"
        )
        sound.append(f"(nulls_{place} = 0 OR stated_has_null_{place})")
        if type_ != "VARCHAR" and not type_.startswith("ENUM"):
            sound.append(
                f"COALESCE(stated_min_{place} <= min_{place} AND max_{place} <= stated_max_{place},"
                " TRUE)"
            )
    source = f'FROM "{relation}"'
    both = (
        f"WITH stated AS (SELECT {', '.join(stated)} {source} LIMIT 1), actual AS (SELECT"
        f" {', '.join(actual)} {source})"
    )
    return f"{both} SELECT {' AND '.join(sound)} FROM stated, actual"
