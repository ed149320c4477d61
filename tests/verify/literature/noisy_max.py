"""Report noisy max in the literature."""

from __future__ import annotations

from hedgerow.verify import exponential, geometric, laplace, mechanism, output, private, public


@mechanism(epsilon="eps", neighbours="all")
def report_noisy_max(q: private[list], size: public[int], eps: public[float]):
    """Report noisy max; Dwork, Roth 2014, in the form of Wang and others 2020 (CheckDP)."""
    i = 0
    bq = 0
    best = 0
    while i < size:
        eta = laplace(2 / eps)
        if q[i] + eta > bq or i == 0:
            best = i
            bq = q[i] + eta
        i = i + 1
    return best


@mechanism(epsilon="eps", neighbours="all")
def report_noisy_max_exponential(q: private[list], size: public[int], eps: public[float]):
    """Report noisy max with exponential noise; StatDP 2018, variant 2a."""
    i = 0
    bq = 0
    best = 0
    while i < size:
        eta = exponential(2 / eps)
        if q[i] + eta > bq or i == 0:
            best = i
            bq = q[i] + eta
        i = i + 1
    return best


@mechanism(epsilon="eps", neighbours="all")
def wrong_noisy_max_value(q: private[list], size: public[int], eps: public[float]):
    """Report noisy max that returns the value; StatDP 2018, variant 1b."""
    i = 0
    bq = 0
    while i < size:
        eta = laplace(2 / eps)
        if q[i] + eta > bq or i == 0:
            bq = q[i] + eta
        i = i + 1
    return bq


@mechanism(epsilon="eps", neighbours="all")
def wrong_noisy_max_exponential_value(q: private[list], size: public[int], eps: public[float]):
    """The same with exponential noise; StatDP 2018, variant 2b."""
    i = 0
    bq = 0
    while i < size:
        eta = exponential(2 / eps)
        if q[i] + eta > bq or i == 0:
            bq = q[i] + eta
        i = i + 1
    return bq


@mechanism(epsilon="eps", neighbours="all")
def unknown_noisy_max_of_easycrypt(q: private[list[int]], n: public[int], eps: public[float]):
    """EasyCrypt, branch aprhl, examples/aprhl+/ReportNoisyMax.ec."""
    cur = 0
    i = 0
    out = -1
    best = 0
    while i < n:
        cur = q[i] + geometric(1 / eps)
        if best < cur:
            best = cur
            out = i
        i = i + 1
    return out


@mechanism(epsilon="2*eps", neighbours="all")
def noisy_max_of_easycrypt(q: private[list[int]], n: public[int], eps: public[float]):
    """The same at 2 eps, with the first noisy value as first maximum."""
    cur = 0
    i = 0
    out = -1
    best = 0
    while i < n:
        cur = q[i] + geometric(1 / eps)
        if i == 0 or best < cur:
            best = cur
            out = i
        i = i + 1
    return out


@mechanism(epsilon="eps", neighbours="all")
def unknown_noisy_max_with_gap(q: private[list], size: public[int], eps: public[float]):
    """Noisy best with gap; Ding, Wang, Xiao, Kifer 2019."""
    i = 0
    bq = 0
    second = 0
    best = 0
    while i < size:
        noisy = q[i] + laplace(2 / eps)
        if noisy > bq or i == 0:
            second = bq
            bq = noisy
            best = i
        else:
            if noisy > second or i == 1:
                second = noisy
        i = i + 1
    output(best)
    output(bq - second)
