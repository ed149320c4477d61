# ruff: noqa: N803, N806 — names as in the literature, widths as in the language
"""The sparse vector technique in the literature, with the order of its guards."""

from __future__ import annotations

from hedgerow.verify import laplace, mechanism, output, private, public


@mechanism(epsilon="eps", neighbours="all")
def sparse_vector(
    q: private[list], size: public[int], T: public[float], N: public[int], eps: public[float]
):
    """SparseVector; Dwork, Roth 2014, in the form of Wang and others 2020 (CheckDP)."""
    eta1 = laplace(2 / eps)
    Tbar = T + eta1
    count = 0
    i = 0
    while count < N and i < size:
        eta2 = laplace(4 * N / eps)
        if q[i] + eta2 >= Tbar:
            output(True)
            count = count + 1
        else:
            output(False)
        i = i + 1


@mechanism(epsilon="eps", neighbours="all")
def above_threshold(q: private[list], size: public[int], T: public[float], eps: public[float]):
    """AboveThreshold; Dwork, Roth 2014, algorithm 1."""
    That = T + laplace(2 / eps)
    for i in range(size):
        nu = laplace(4 / eps)
        if q[i] + nu >= That:
            output(True)
            break
        output(False)


@mechanism(epsilon="eps", neighbours="all")
def above_threshold_index(
    q: private[list], size: public[int], t: public[float], eps: public[float]
):
    """AboveThreshold that returns the index of the first answer."""
    t = t + laplace(2 / eps)
    ans = -1
    for i in range(size):
        if q[i] + laplace(4 / eps) >= t and ans == -1:
            ans = i
    return ans


@mechanism(epsilon="eps", neighbours="all")
def numeric_sparse_vector(
    q: private[list], size: public[int], T: public[float], N: public[int], eps: public[float]
):
    """NumSparseVector; Wang and others 2020 (CheckDP)."""
    Tbar = T + laplace(3 / eps)
    count = 0
    i = 0
    while count < N and i < size:
        eta2 = laplace(6 * N / eps)
        if q[i] + eta2 >= Tbar:
            eta3 = laplace(3 * N / eps)
            output(q[i] + eta3)
            count = count + 1
        else:
            output(0)
        i = i + 1


@mechanism(epsilon="eps", neighbours="all")
def gap_sparse_vector(
    q: private[list], size: public[int], T: public[float], N: public[int], eps: public[float]
):
    """GapSparseVector; Wang and others 2020 (CheckDP)."""
    Tbar = T + laplace(2 / eps)
    count = 0
    i = 0
    while count < N and i < size:
        eta2 = laplace(4 * N / eps)
        if q[i] + eta2 >= Tbar:
            output(q[i] + eta2 - Tbar)
            count = count + 1
        else:
            output(0)
        i = i + 1


@mechanism(epsilon="eps", neighbours="all")
def adaptive_sparse_vector(
    q: private[list],
    size: public[int],
    T: public[float],
    N: public[int],
    sigma: public[float],
    eps: public[float],
):
    """AdaptiveSparseVector; Ding and others 2019, in the form of Wang and others 2020 (CheckDP)."""
    cost = 0
    Tbar = T + laplace(2 / eps)
    i = 0
    while cost <= 4 * N - 2 and i < size:
        eta2 = laplace(16 * N / eps)
        if q[i] + eta2 - Tbar >= sigma:
            output(q[i] + eta2 - Tbar)
            cost = cost + 1
        else:
            eta3 = laplace(8 * N / eps)
            if q[i] + eta3 - Tbar >= 0:
                output(q[i] + eta3 - Tbar)
                cost = cost + 2
            else:
                output(0)
        i = i + 1


@mechanism(epsilon="eps", neighbours="all")
def sparse_vector_count(
    q: private[list], size: public[int], T: public[float], N: public[int], eps: public[float]
):
    """SVT; StatDP 2018, with the count of answers below."""
    noisy_T = T + laplace(2 / eps)
    c1 = 0
    out = 0
    i = 0
    stop = False
    while i < size and not stop:
        eta2 = laplace(4 * N / eps)
        if q[i] + eta2 >= noisy_T:
            c1 += 1
            if c1 >= N:
                stop = True
        else:
            out += 1
        i += 1
    return out
