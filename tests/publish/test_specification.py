"""A sketch and what it makes are plain values."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.mechanisms.laplace import Laplace
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.privacy.loss import Loss
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.specification import Accuracy, BuiltTable, Specification, measure_all
from hedgerow.release.linear_queries import BinSums, QueryBlock
from hedgerow.release.private_table import PrivateTable


def test_a_sketch_cannot_be_changed() -> None:
    domain = Domain((Attribute("x", "integer", (0, 1)),))
    sketch = Specification(
        "histogram",
        domain,
        "each cell",
        Loss(Fraction(1)),
        (Accuracy("each cell", 2, 1.0),),
        lambda *_: BuiltTable(pa.table({})),
    )
    assert sketch.notes == ()
    assert sketch.build(None).facts == {}  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        sketch.kind = "cdf"  # type: ignore[misc]


def test_progress_is_reported_for_each_measurement() -> None:
    """Before each measurement, and when all are done."""
    purse = PrivateTable(
        ContingencyTable.from_codes([[1], [1], [0]], (2,)),
        Loss(Fraction(2000)),
        rows=1,
        relation="add-remove",
    )
    told: list[tuple[int, int]] = []
    asked = [(QueryBlock(((0, BinSums(2)),)), Laplace(Fraction(1, 900)))] * 2
    found = measure_all(purse, asked, lambda done, of: told.append((done, of)))
    assert told == [(0, 2), (1, 2), (2, 2)]
    assert [list(each) for each in found] == [[1, 2], [1, 2]]


def test_measurements_in_parts_are_returned_in_rows() -> None:
    table = ContingencyTable((2,), (np.arange(2),), np.array([5, 12]))
    purse = PrivateTable(
        table, Loss(Fraction(9000)), rows=1, relation="add-remove", parts_per_row=4
    )
    (found,) = measure_all(purse, [(QueryBlock(((0, BinSums(2)),)), Laplace(Fraction(1, 900)))])
    assert found.tolist() == [1.25, 3.0]
