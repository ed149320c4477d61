"""Automata of DiPAut (Chadha, Sistla, Viswanathan and others), as loops over a list."""

from __future__ import annotations

from hedgerow.verify import laplace, mechanism, output, private, public


@mechanism(epsilon="5/4*eps", neighbours="all")
def dipa_svt(q: private[list], size: public[int], eps: public[float]):
    """DiPAut, README: SVT."""
    x = laplace(4 / eps)
    for i in range(size):
        if q[i] + laplace(2 / eps) >= x:
            output(True)
            break
        output(False)


@mechanism(epsilon="7/4*eps", neighbours="all")
def dipa_numeric(q: private[list], size: public[int], eps: public[float]):
    """DiPAut, README: the numeric answer above the threshold."""
    x = laplace(4 / eps)
    for i in range(size):
        if q[i] + laplace(2 / eps) >= x:
            output(q[i] + laplace(2 / eps))
            break
        output(0)


@mechanism(epsilon="2*eps", neighbours="all")
def dipa_range(q: private[list], size: public[int], eps: public[float], m: public[float]):
    """DiPAut, range: continues between two noisy thresholds."""
    u = laplace(4 / eps)
    v = m + laplace(4 / eps)
    for i in range(size):
        y = q[i] + laplace(4 / eps)
        if y >= u and y < v:
            output(True)
        else:
            output(False)
            break


@mechanism(epsilon="2*eps", neighbours="all")
def dipa_example_3(q: private[list], size: public[int], eps: public[float]):
    """DiPAut, well_formed/example_3."""
    x = q[0] + laplace(4 / eps)
    i = 1
    done = 0
    while i < size and done < 2:
        if done == 0:
            if q[i] + laplace(4 / eps) >= x:
                output(True)
                done = 1
            else:
                output(False)
        else:
            if q[i] + laplace(4 / eps) >= x:
                output(True)
            else:
                output(False)
            done = 2
        i += 1


@mechanism(epsilon="3*eps", neighbours="all")
def wrong_dipa_disclosing_cycle(q: private[list], size: public[int], eps: public[float]):
    """DiPAut, disclosing_cycle/example_13: outputs noisy inputs in a cycle."""
    for i in range(size):
        output(q[i] + laplace(2 / eps))


@mechanism(epsilon="eps", neighbours="all")
def wrong_dipa_violating_path(q: private[list], size: public[int], eps: public[float]):
    """DiPAut, privacy_violating_path/example_14."""
    x = q[0] + laplace(4 / eps)
    output(x)
    if q[1] + laplace(2 / eps) <= x:
        output(True)
        if q[2] + laplace(2 / eps) <= x:
            output(False)
