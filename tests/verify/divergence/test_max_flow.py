from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from hedgerow.verify.divergence.max_flow import MaximumFlow, maximise_flow

amounts = st.lists(st.integers(0, 9), min_size=1, max_size=5)
links = st.frozensets(st.tuples(st.integers(0, 4), st.integers(0, 4)))


def check(
    flow: MaximumFlow, supply: list[int], demand: list[int], linked: set[tuple[int, int]]
) -> None:
    """A flow within its limits, and a cut of the same size: each proves the other best."""
    assert set(flow.flow_by_link) <= linked
    assert all(amount > 0 for amount in flow.flow_by_link.values())
    for place, limit in enumerate(supply):
        assert sum(amount for (a, _), amount in flow.flow_by_link.items() if a == place) <= limit
    for place, limit in enumerate(demand):
        assert sum(amount for (_, b), amount in flow.flow_by_link.items() if b == place) <= limit
    assert flow.total == sum(flow.flow_by_link.values())
    image = {b for a, b in linked if a in flow.cut}
    kept = sum(amount for a, amount in enumerate(supply) if a not in flow.cut)
    assert flow.total == kept + sum(demand[b] for b in image)


@given(amounts, amounts, links)
def test_flow_and_cut_meet(
    supply: list[int], demand: list[int], drawn: frozenset[tuple[int, int]]
) -> None:
    linked = {(a, b) for a, b in drawn if a < len(supply) and b < len(demand)}
    check(maximise_flow(supply, demand, linked), supply, demand, linked)


@pytest.mark.parametrize("size", [1, 7, 60])
def test_agrees_with_scipy_where_that_can_count(size: int) -> None:
    rng = np.random.default_rng(size)
    supply, demand = (rng.integers(0, 1000, size).tolist() for _ in range(2))
    linked = {(int(a), int(b)) for a, b in rng.integers(0, size, (3 * size, 2))}
    graph = np.zeros((2 * size + 2, 2 * size + 2), dtype=np.int32)
    graph[0, 1 : size + 1], graph[size + 1 : -1, -1] = supply, demand
    for a, b in linked:
        graph[1 + a, 1 + size + b] = 10**6
    flow = maximise_flow(supply, demand, linked)
    assert flow.total == maximum_flow(csr_array(graph), 0, 2 * size + 1).flow_value
    check(flow, supply, demand, linked)


def test_numbers_of_any_size() -> None:
    huge = 10**200
    flow = maximise_flow([huge + 1, huge], [huge, huge + 1], [(0, 0), (1, 0), (1, 1)])
    assert flow.total == 2 * huge
    assert flow.cut == frozenset({0})
    assert (
        maximise_flow([huge + 1, huge], [huge, huge + 1], [(0, 0), (0, 1), (1, 0)]).total
        == 2 * huge + 1
    )


def test_a_path_that_must_be_taken_back() -> None:
    # Filled greedily in order, supplier 0 uses consumer 0, which is all that supplier 1 has.
    assert maximise_flow([1, 1], [1, 1], [(0, 0), (0, 1), (1, 0)]).total == 2


def test_nothing_to_send_and_nowhere_to_send_it() -> None:
    assert maximise_flow([0, 0], [5], [(0, 0)]) == MaximumFlow(0, {}, frozenset())
    assert maximise_flow([3, 4], [5], []) == MaximumFlow(0, {}, frozenset({0, 1}))
