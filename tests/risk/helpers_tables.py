"""Small tables as codes, and what a slow and obvious count says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hedgerow.risk.table.encoded_tables import EncodedTable


def table_of(*columns: Sequence[Any]) -> EncodedTable:
    """Columns a, b, c and so on; None is missing."""
    values = [sorted(set(column), key=repr) for column in columns]
    codes = [
        np.array([known.index(each) for each in column], dtype=np.uint16)
        for known, column in zip(values, columns, strict=True)
    ]
    missing = [known.index(None) if None in known else -1 for known in values]
    names = tuple("abcdefghijklmnopqrstuvwxyz"[: len(columns)])
    return EncodedTable(names, tuple(codes), tuple(map(len, values)), tuple(missing))


def sizes_of(table: EncodedTable, names: Sequence[str]) -> Counter[tuple[int, ...]]:
    """How many rows each combination of values has."""
    columns = [table.codes[table.names.index(name)].tolist() for name in names]
    return Counter(zip(*columns, strict=True))


@st.composite
def tables(draw: st.DrawFn, columns: int = 5, rows: int = 60) -> EncodedTable:
    """Columns of few values and of many, so that classes of every size occur."""
    many, size = draw(st.integers(1, rows)), draw(st.integers(1, columns))
    value = [st.integers(0, draw(st.sampled_from([0, 1, 2, 5, 30, 1000]))) for _ in range(size)]
    return table_of(*(draw(st.lists(each, min_size=many, max_size=many)) for each in value))
