"""Any counts together: what the conditions mean in cells, how they are measured, what is refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.plan.expressions import Call, Constant, Read
from hedgerow.plan.values import Range
from hedgerow.publish.asked import matrix_of, padded, queries
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.terms import Terms
from hedgerow.purse import Purse
from hedgerow.tabulated import Tabulated

BITS = Domain(tuple(Attribute(name, "boolean", (False, True)) for name in "abc"))
KNOWN = {name: Range("boolean") for name in "abc"}
SHARES = np.array([[int(bool(cell & bit)) for cell in range(8)] for bit in (4, 2, 1)])  # of a, b and c, without NULL
TEN = ["000", "101", "010", "101", "000", "001", "110", "000", "010", "101"]


def test_conditions_become_rows_of_a_matrix() -> None:
    both = Call("and", (Read("a"), Call("not", (Read("c"),))))
    found = matrix_of([Read("b"), both, Call("is null", (Read("c"),))], BITS, KNOWN).reshape(3, 3, 3, 3)
    assert found[:, :2, :2, :2].reshape(3, 8).tolist() == [[0, 0, 1, 1, 0, 0, 1, 1], [0, 0, 0, 0, 1, 0, 1, 0], [0] * 8]
    # The last code of each is NULL: b is asked whatever a and c are, and c is NULL where it is.
    assert found[0, :, 1, :].all()
    assert found[0].sum() == 9
    assert found[1, 1, 2, 0] == 1
    assert found[1, :, :, 2].sum() == 0
    assert found[2, :, :, 2].all()


@pytest.mark.parametrize(("relation", "design", "total"), [("add-remove", "each cell", 8 * 3), ("change-one", "as asked", 18 * 3)])
def test_three_shares_are_measured_as_is_best(relation: str, design: str, total: int) -> None:
    """Golden: through the cells 8 against 18 a share where people come and go, but 32 against 18 where one is replaced."""
    matrix = SHARES
    sketch = queries(Terms(epsilon=Fraction(1, 100), relation=relation), BITS, matrix=matrix, names=list("abc"))
    assert sketch.design == design
    assert sketch.accuracy[0].rms ** 2 * 3 / 100**2 == pytest.approx(total, rel=0.01)
    assert [line.what for line in sketch.accuracy] == ["each answer", "a", "b", "c"]


def test_what_is_published() -> None:
    matrix = SHARES
    sketch = queries(Terms(epsilon=Fraction(50)), BITS, matrix=matrix, names=list("abc"))
    table = Tabulated.of([[int(word, 2)] for word in TEN], (8,))
    purse = Purse(table, sketch.total, rows=1, relation="add-remove")
    found = sketch.build(purse).table
    assert purse.spent == sketch.total
    assert np.round(found["count"].to_numpy()).tolist() == [4, 3, 4]  # marginals .4 .3 .4 of ten rows
    assert found["question"].to_pylist() == ["a", "b", "c"]
    assert found["count_clean"].to_numpy().min() >= 0


def test_a_matrix_of_declared_codes_counts_no_others() -> None:
    domain = Domain((Attribute("a", "boolean", (False, True)), Attribute("b", "integer", (1, 2, 3))))
    found = padded([[1, 2, 3, 4, 5, 6]], domain)
    assert found.reshape(3, 4).tolist() == [[1, 2, 3, 0], [4, 5, 6, 0], [0, 0, 0, 0]]
    assert padded(found, domain).tolist() == found.tolist()  # with NULL it is taken as it is
    for wrong in ([1] * 6, [[1.5] * 6], [[1] * 7]):
        with pytest.raises(InvalidArgument, match="a column for each of 6 combinations of a, b, or 12 with NULL"):
            padded(wrong, domain)
    with pytest.raises(Refused, match="2,001 combinations; at most 1,024"):
        padded([[1] * 2000], Domain((Attribute("a", "integer", tuple(range(2000))),)))


def test_what_is_refused() -> None:
    terms = Terms(epsilon=Fraction(1))
    with pytest.raises(InvalidArgument, match="a column for each of 8 combinations, or 27 with NULL"):
        queries(terms, BITS, matrix=np.ones((2, 7), dtype=int), names=["a", "b"])
    with pytest.raises(InvalidArgument, match="about somebody"):
        queries(terms, BITS, matrix=np.zeros((1, 8), dtype=int), names=["never"])
    binned = Domain((Attribute("age", "integer", edges=tuple(map(Fraction, (0, 10, 20)))),))
    with pytest.raises(InvalidArgument, match="a part of a bin"):
        matrix_of([Call("<", (Read("age"), Constant(5, "integer")))], binned, {"age": Range("integer")})
    with pytest.raises(Refused, match="combinations"):
        matrix_of([Read("a")], Domain((Attribute("a", "integer", tuple(range(2000))),)), {"a": Range("integer")})
