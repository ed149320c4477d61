"""Any counts together: what the conditions mean in cells, how they are measured, what is
refused.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.values import Range
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.kinds.queries import build_query_matrix, pad_query_matrix, specify_queries
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.release.private_table import PrivateTable

BITS = Domain(tuple(Attribute(name, "boolean", (False, True)) for name in "abc"))
KNOWN = {name: Range("boolean") for name in "abc"}
# of a, b and c, without NULL
SHARES = np.array([[int(bool(cell & bit)) for cell in range(8)] for bit in (4, 2, 1)])
TEN = ["000", "101", "010", "101", "000", "001", "110", "000", "010", "101"]


def test_conditions_become_rows_of_a_matrix() -> None:
    both = Call("and", (ColumnRef("a"), Call("not", (ColumnRef("c"),))))
    found = build_query_matrix(
        [ColumnRef("b"), both, Call("is null", (ColumnRef("c"),))], BITS, KNOWN
    ).reshape(3, 3, 3, 3)
    assert found[:, :2, :2, :2].reshape(3, 8).tolist() == [
        [0, 0, 1, 1, 0, 0, 1, 1],
        [0, 0, 0, 0, 1, 0, 1, 0],
        [0] * 8,
    ]
    # The last code of each is NULL: b is asked whatever a and c are, and c is NULL where it is.
    assert found[0, :, 1, :].all()
    assert found[0].sum() == 9
    assert found[1, 1, 2, 0] == 1
    assert found[1, :, :, 2].sum() == 0
    assert found[2, :, :, 2].all()


@pytest.mark.parametrize(
    ("relation", "design", "total"),
    [("add-remove", "each cell", 8 * 3), ("change-one", "as asked", 18 * 3)],
)
def test_three_shares_are_measured_as_is_best(relation: str, design: str, total: int) -> None:
    """Golden: through the cells 8 against 18 a share where people come and go, but 32 against 18
    where one is replaced.
    """
    matrix = SHARES
    sketch = specify_queries(
        PrivacyParameters(epsilon=Fraction(1, 100), relation=relation),
        BITS,
        matrix=matrix,
        names=list("abc"),
    )
    assert sketch.strategy == design
    assert sketch.accuracy[0].rms ** 2 * 3 / 100**2 == pytest.approx(total, rel=0.01)
    assert [line.name for line in sketch.accuracy] == ["each answer", "a", "b", "c"]


def test_queries_are_published_with_intervals_that_hold() -> None:
    matrix = SHARES
    sketch = specify_queries(
        PrivacyParameters(epsilon=Fraction(50)), BITS, matrix=matrix, names=list("abc")
    )
    table = ContingencyTable.from_codes([[int(word, 2)] for word in TEN], (8,))
    purse = PrivateTable(table, sketch.cost, rows=1, relation="add-remove")
    found = sketch.build(purse).table
    assert purse.spent == sketch.cost
    # marginals .4 .3 .4 of ten rows
    assert np.round(found["count"].to_numpy()).tolist() == [4, 3, 4]
    assert found["question"].to_pylist() == ["a", "b", "c"]
    assert found["count_clean"].to_numpy().min() >= 0


def test_a_matrix_of_declared_codes_counts_no_others() -> None:
    domain = Domain(
        (Attribute("a", "boolean", (False, True)), Attribute("b", "integer", (1, 2, 3)))
    )
    found = pad_query_matrix([[1, 2, 3, 4, 5, 6]], domain)
    assert found.reshape(3, 4).tolist() == [[1, 2, 3, 0], [4, 5, 6, 0], [0, 0, 0, 0]]
    # with NULL it is taken as it is
    assert pad_query_matrix(found, domain).tolist() == found.tolist()
    for wrong in ([1] * 6, [[1.5] * 6], [[1] * 7]):
        with pytest.raises(
            InvalidArgument,
            match="a column for each of the 6 combinations of a, b, or 12 with NULL",
        ):
            pad_query_matrix(wrong, domain)
    with pytest.raises(Refused, match="2,001 combinations; the limit is 1,024"):
        pad_query_matrix([[1] * 2000], Domain((Attribute("a", "integer", tuple(range(2000))),)))


def test_empty_queries_and_wrong_matrices_are_refused() -> None:
    terms = PrivacyParameters(epsilon=Fraction(1))
    with pytest.raises(
        InvalidArgument, match="a column for each of the 8 combinations, or 27 with NULL"
    ):
        specify_queries(terms, BITS, matrix=np.ones((2, 7), dtype=int), names=["a", "b"])
    with pytest.raises(InvalidArgument, match="hold for some declared values"):
        specify_queries(terms, BITS, matrix=np.zeros((1, 8), dtype=int), names=["never"])
    binned = Domain((Attribute("age", "integer", edges=tuple(map(Fraction, (0, 10, 20)))),))
    with pytest.raises(InvalidArgument, match="a part of a bin"):
        build_query_matrix(
            [Call("<", (ColumnRef("age"), Constant(5, "integer")))],
            binned,
            {"age": Range("integer")},
        )
    with pytest.raises(Refused, match="combinations"):
        build_query_matrix(
            [ColumnRef("a")],
            Domain((Attribute("a", "integer", tuple(range(2000))),)),
            {"a": Range("integer")},
        )
