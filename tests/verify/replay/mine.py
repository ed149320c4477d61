"""Programs to be called by glue code. They stand in a file, since their source is read."""

from __future__ import annotations

from hedgerow.verify import laplace, mechanism, output, private, public


@mechanism(epsilon="eps", neighbours="one")
def total(q: private[list], size: public[int], eps: public[float]):  # type: ignore[no-untyped-def]
    s = 0
    i = 0
    while i < size:
        s = s + q[i]
        i += 1
    return s + laplace(1 / eps)


@mechanism(epsilon="2 * eps", neighbours="all")
def both(q: private[list], x: private[float], eps: public[float]):  # type: ignore[no-untyped-def]
    output(q[0] + laplace(1 / eps))
    output(x + laplace(1 / eps))


@mechanism(epsilon="eps", neighbours="increasing")
def rising(x: private[float], eps: public[float]):  # type: ignore[no-untyped-def]
    return x + laplace(1 / eps)


@mechanism(epsilon="eps", neighbours="row")
def length(q: private[list], x: private[float], eps: public[float]):  # type: ignore[no-untyped-def]
    output(x)
    return len(q) + laplace(1 / eps)


@mechanism(epsilon="eps", neighbours=("l1", 2))
def apart(q: private[list], eps: public[float]):  # type: ignore[no-untyped-def]
    return q[0] + q[1] + laplace(2 / eps)


@mechanism(epsilon="eps", neighbours=("group", 2))
def grouped(q: private[list], eps: public[float]):  # type: ignore[no-untyped-def]
    return q[0] + q[1] + laplace(2 / eps)


@mechanism(epsilon="0", neighbours="secret")
def silent(x: private[float], eps: public[float]):  # type: ignore[no-untyped-def]
    return laplace(1 / eps)


@mechanism(epsilon="eps", delta="delta", neighbours="one")
def rare(  # type: ignore[no-untyped-def]
    x: private[float], loud: public[bool], eps: public[float], delta: public[float]
):
    return x + laplace(1 / eps)
