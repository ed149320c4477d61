"""A state is replaced, never changed."""

from __future__ import annotations

from hedgerow.verify.prove.solver import is_entailed, z3
from hedgerow.verify.prove.state import PairState


def test_values_and_costs() -> None:
    before = PairState({}, {"cost0": z3.RealVal(1)})
    after = before.with_value("x", z3.IntVal(1), z3.IntVal(2)).with_cost("cost0", z3.RealVal(2))
    assert before.values == {}
    assert [one.as_long() for one in after.values["x"]] == [1, 2]
    assert is_entailed([], after.costs["cost0"] == 3)
    assert is_entailed([], before.costs["cost0"] == 1)
