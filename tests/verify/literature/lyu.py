# ruff: noqa: N803 — names as in the literature, widths as in the language
"""The variants of the sparse vector technique that Lyu, Su and Li compare (2017)."""

from __future__ import annotations

from hedgerow.verify import laplace, mechanism, output, private, public


@mechanism(epsilon="e1 + e2", neighbours="all")
def lyu_1(
    q: private[list],
    T: public[list],
    size: public[int],
    c: public[int],
    e1: public[float],
    e2: public[float],
):
    """Lyu, Su, Li 2017, algorithm 1, with its two budgets."""
    rho = laplace(1 / e1)
    count = 0
    for i in range(size):
        nu = laplace(2 * c / e2)
        if q[i] + nu >= T[i] + rho:
            output(True)
            count += 1
            if count >= c:
                break
        else:
            output(False)


@mechanism(epsilon="eps", neighbours="all")
def lyu_1_halves(
    q: private[list], T: public[list], size: public[int], c: public[int], eps: public[float]
):
    """Lyu, Su, Li 2017, algorithm 1."""
    e1 = eps / 2
    rho = laplace(1 / e1)
    e2 = eps - e1
    count = 0
    for i in range(size):
        nu = laplace(2 * c / e2)
        if q[i] + nu >= T[i] + rho:
            output(True)
            count = count + 1
            if count >= c:
                return
        else:
            output(False)


@mechanism(epsilon="eps", neighbours="all")
def lyu_2(q: private[list], T: public[list], size: public[int], c: public[int], eps: public[float]):
    """Lyu, Su, Li 2017, algorithm 2 (Dwork, Roth 2014): the threshold is drawn anew."""
    e1 = eps / 2
    rho = laplace(c / e1)
    e2 = eps - e1
    count = 0
    for i in range(size):
        nu = laplace(2 * c / e1)
        if q[i] + nu >= T[i] + rho:
            output(True)
            rho = laplace(c / e2)
            count += 1
            if count >= c:
                break
        else:
            output(False)


@mechanism(epsilon="eps", neighbours="all")
def wrong_lyu_3(
    q: private[list], T: public[list], size: public[int], c: public[int], eps: public[float]
):
    """Lyu, Su, Li 2017, algorithm 3 (Roth 2011)."""
    e1 = eps / 2
    rho = laplace(1 / e1)
    e2 = eps - e1
    count = 0
    for i in range(size):
        nu = laplace(c / e2)
        if q[i] + nu >= T[i] + rho:
            output(q[i] + nu)
            count += 1
            if count >= c:
                break
        else:
            output(0)


@mechanism(epsilon="eps", neighbours="all")
def wrong_lyu_4(
    q: private[list], T: public[list], size: public[int], c: public[int], eps: public[float]
):
    """Lyu, Su, Li 2017, algorithm 4 (Lee, Clifton 2014)."""
    e1 = eps / 4
    rho = laplace(1 / e1)
    e2 = eps - e1
    count = 0
    for i in range(size):
        nu = laplace(1 / e2)
        if q[i] + nu >= T[i] + rho:
            output(True)
            count += 1
            if count >= c:
                break
        else:
            output(False)


@mechanism(epsilon="eps", neighbours="all")
def wrong_lyu_5(q: private[list], T: public[list], size: public[int], eps: public[float]):
    """Lyu, Su, Li 2017, algorithm 5 (Stoddard and others 2014)."""
    e1 = eps / 2
    rho = laplace(1 / e1)
    for i in range(size):
        nu = 0
        if q[i] + nu >= T[i] + rho:
            output(True)
        else:
            output(False)


@mechanism(epsilon="eps", neighbours="all")
def wrong_lyu_6(q: private[list], T: public[list], size: public[int], eps: public[float]):
    """Lyu, Su, Li 2017, algorithm 6 (Chen and others 2015)."""
    e1 = eps / 2
    rho = laplace(1 / e1)
    e2 = eps - e1
    for i in range(size):
        nu = laplace(1 / e2)
        if q[i] + nu >= T[i] + rho:
            output(True)
        else:
            output(False)


@mechanism(epsilon="e1 + e2 + e3", neighbours="all")
def lyu_7(
    q: private[list],
    T: public[list],
    size: public[int],
    c: public[int],
    e1: public[float],
    e2: public[float],
    e3: public[float],
):
    """Lyu, Su, Li 2017, algorithm 7: numeric answers with a third budget."""
    rho = laplace(1 / e1)
    count = 0
    for i in range(size):
        nu = laplace(2 * c / e2)
        if q[i] + nu >= T[i] + rho:
            output(q[i] + laplace(c / e3))
            count += 1
            if count >= c:
                break
        else:
            output(0)
