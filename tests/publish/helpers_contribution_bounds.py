"""Rows of people who have more of them than count: what a publication of them means, and its
table in parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.engines.reference.accumulate import compute_contribution, merge_contributions
from hedgerow.plan.contingency import Contingency, pack_codes
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import BuiltTable, Specification
from hedgerow.release.private_table import PrivateTable

People = Sequence[Sequence[tuple[int, ...]]]
LOSING = (2000, 10**6)

# What the n-th row of somebody is: of two codes, of ratings, and of values of which most are rare.
SHAPES: Mapping[str, Callable[[int], int]] = {
    "yes and no": lambda n: int(n % 3 == 0),
    "ratings": lambda n: n * n % 5,
    "skewed": lambda n: min((n * 7 % 64).bit_length(), 4),
}
ROWS: Mapping[str, Sequence[int]] = {
    "one": [1] * 60,
    "three": [3] * 60,
    "seven": [7] * 60,
    "mixed, with a giant": [1, 2, 3, 5, 8] * 8 + [400],
}


def people(shape: str, rows: str, others: int = 2) -> People:
    """Everybody's rows: a code of the shape, and one of two others."""
    found, place = [], 0
    for count in ROWS[rows]:
        found.append([(SHAPES[shape](place + n), (place + n) % others) for n in range(count)])
        place += count
    return found


def meaning(world: People, sizes: Sequence[int], most: int, fine: int, *, exact: bool) -> Any:
    """Return the table of all combinations: exact fractions of rows, or whole parts."""
    names = [f"a{place}" for place in range(len(sizes))]
    cross = Contingency(tuple(zip(names, sizes, strict=True)), fine)
    rows = [[dict(zip(names, row, strict=True)) for row in one] for one in world]
    put = [
        compute_contribution(cross, who, (), one, most, lambda unit, group: 0, exact=exact)
        for who, one in enumerate(rows)
    ]
    found = np.full(sizes, Fraction(0) if exact else 0, dtype=object)
    for codes, amount in merge_contributions(cross, put)[0].items():  # type: ignore[union-attr]
        found[codes] = amount
    return found


def tabulated(world: People, sizes: Sequence[int], most: int, fine: int) -> ContingencyTable:
    parts = meaning(world, sizes, most, fine, exact=False)
    codes = np.array(list(np.ndindex(*sizes)), dtype=np.int64)
    return ContingencyTable(
        tuple(sizes), pack_codes(list(codes.T), sizes), parts.ravel().astype(np.int64)
    )


def purse_of(
    table: ContingencyTable, sketch: Specification, terms: PrivacyParameters
) -> PrivateTable:
    return PrivateTable(
        table,
        sketch.cost,
        rows=terms.rows,
        relation=terms.relation,
        group=terms.group,
        parts_per_row=terms.parts_per_row,
    )


def built(
    sketch: Specification, terms: PrivacyParameters, table: ContingencyTable, times: int
) -> list[BuiltTable]:
    return [sketch.build(purse_of(table, sketch, terms)) for _ in range(times)]
