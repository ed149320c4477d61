"""Programs under "row": one list has one row more, in any place, so that its length is private
and what comes behind the row is shifted.
"""

from __future__ import annotations

from hedgerow.verify import laplace, mechanism, output, private, public


@mechanism(epsilon="eps", neighbours="row")
def count_rows(q: private[list], eps: public[float]):
    return len(q) + laplace(1 / eps)


@mechanism(epsilon="eps", neighbours="row")
def clamped_sum(q: private[list], eps: public[float]):
    total = 0
    for x in q:
        total += min(max(x, 0), 1)
    return total + laplace(1 / eps)


@mechanism(epsilon="eps", neighbours="row")
def bad_dummy_sum_by_length(q: private[list], eps: public[float]):
    """The number of sums tells the number of rows."""
    total = 0
    for x in q:
        total += min(max(x, 0), 1) + laplace(1 / eps)
        output(total)


@mechanism(epsilon="eps", neighbours="row")
def unclear_dummy_sum(q: private[list], size: public[int], eps: public[float]):
    """Reads up to a public size where the length is private: neither proved nor refuted."""
    total = 0
    i = 0
    while i < size:
        total += q[i] + laplace(1 / eps)
        output(total)
        i += 1
