"""Whether a Parquet file is right about itself, as a query.

A file tells the least and the greatest value of each column, and whether there are NULLs. The
engine believes it, and leaves out every comparison that is decided by that: also those that move
values between their bounds, or drop rows of nobody. So before anything is asked, what is told is
compared with what is there.
"""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.engines.compile.quoting import quote_name

__all__ = ["build_statistics_check"]


def build_statistics_check(relation: str, columns: Sequence[tuple[str, str]]) -> str:
    """One truth value, or no row where there are none, for columns by their names and the engine's
    types.

    Text is never moved, and only its beginnings are told. NaN is left out of what is told: whoever
    reads a column asks for it.
    """
    told, seen, sound = [], [], []
    for place, (name, type_) in enumerate(columns):
        column = quote_name(name)
        wanted = (("min", type_), ("max", type_), ("has_null", "BOOLEAN"))
        told += [
            f"CAST(variant_extract(stats({column}), '{what}') AS {of}) AS told_{what}_{place}"
            for what, of in wanted
        ]
        # COUNT, MIN and MAX would be answered from what is told; these look. NULL has a hash of its
        # own, but for one number that shares it, and whose text does not.
        numbers = (
            f" FILTER (WHERE isfinite({column}) OR isinf({column}))"
            if type_ in ("FLOAT", "DOUBLE")
            else ""
        )
        seen += [
            f"arg_{end}({column}, {column}){numbers} AS {end}_{place}" for end in ("min", "max")
        ]
        shared, text = (
            f"hash({column}) = hash(CAST(NULL AS {type_}))",
            f"hash(CAST({column} AS VARCHAR) || '.')",
        )
        seen.append(
            f"count_if(CASE WHEN {shared} THEN {text} = hash(CAST(NULL AS VARCHAR)) ELSE FALSE END)"
            f" AS nulls_{place}"
        )
        sound.append(f"(nulls_{place} = 0 OR told_has_null_{place})")
        if type_ != "VARCHAR" and not type_.startswith("ENUM"):
            sound.append(
                f"COALESCE(told_min_{place} <= min_{place} AND max_{place} <= told_max_{place},"
                " TRUE)"
            )
    source = f'FROM "{relation}"'
    both = (
        f"WITH told AS (SELECT {', '.join(told)} {source} LIMIT 1), seen AS (SELECT"
        f" {', '.join(seen)} {source})"
    )
    return f"{both} SELECT {' AND '.join(sound)} FROM told, seen"
