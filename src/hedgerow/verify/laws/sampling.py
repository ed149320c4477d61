"""Laws about what a mechanism does when it runs. Each accuses a good mechanism at most once in
10^9 times.
"""

from __future__ import annotations

import dataclasses
import os
import pickle
import warnings
from fractions import Fraction
from itertools import combinations
from math import ceil, isinf, log
from typing import Any

import numpy as np

from hedgerow.numeric.vectorised import Integers
from hedgerow.verify.audit.confidence import certify_epsilon
from hedgerow.verify.laws.case import FALSE_ALARM_RATE, LawBroken, LawCase, LawFinding
from hedgerow.verify.laws.goodness_of_fit import (
    compute_agreement_p_value,
    compute_power,
    measure_fit,
)
from hedgerow.verify.laws.integer_distribution import IntegerDistribution
from hedgerow.verify.laws.neighbours.additive import compute_noise_distribution, to_outputs
from hedgerow.verify.laws.neighbours.worst_case import (
    compute_choice_distribution,
    compute_report_distribution,
)
from hedgerow.verify.laws.sampling_in_data_sets import (
    calls_are_independent,
    check_use_fit,
    check_use_outputs,
    compute_equality_probability,
    draw_encoded_twice,
    draw_smooth_sides,
)

__all__ = [
    "EXPONENTS",
    "cells_are_independent",
    "count_multiples",
    "forks_differ",
    "low_bits_reveal_nothing",
    "outputs_lie_on_grid",
    "sample_follows_log_prob",
]

_CELLS, _CALLS = 8, 1000
_SINGLE_DRAWS = 1000  # draws of a single number, which may take another way through the code
_WRONG_SCALE = Fraction(49, 50)  # a scale 2 % off must be seen
_MAX_DRAWS = 1 << 21
EXPONENTS = range(-60, 61)
_DELTA = 1e-6  # where no pure epsilon is claimed


def cells_are_independent(case: LawCase) -> LawFinding:
    """Every cell of an array, and of every call, has noise of its own and of the same law."""
    law = "cells are independent"
    if case.shape == "selection":
        return LawFinding(law, "one output only")
    if case.uses_neighbour_set:
        return calls_are_independent(case)
    masses, table = _draw_table(case)
    for cell in range(_CELLS):
        if (good := measure_fit(table[:, cell], masses)).p_value < FALSE_ALARM_RATE / _CELLS / 2:
            raise LawBroken(
                law,
                "the same noise law in every cell",
                f"another one in cell {cell} of {_CELLS}: {good}",
            )
    pairs = [
        (f"cells {i} and {j} of one call", table[:, i], table[:, j])
        for i, j in combinations(range(_CELLS), 2)
    ]
    pairs += [(f"cell {i} of two calls", table[::2, i], table[1::2, i]) for i in range(_CELLS)]
    bar = _find_median(masses)
    p = np.exp(masses.log)
    tests = [
        ("be equal", 0, masses.mean(p)),
        ("both be above the middle or not", bar, _agreement_probability(masses.above(bar))),
    ]
    for words, one, other in pairs:
        for event, cut, chance in tests:
            hits = int(
                np.sum(one == other if event == "be equal" else (one > cut) == (other > cut))
            )
            if (
                compute_agreement_p_value(hits, one.size, chance)
                < FALSE_ALARM_RATE / len(pairs) / 4
            ):
                raise LawBroken(
                    law, f"{words} to {event} in {chance:.2%} of draws", f"{hits / one.size:.2%}"
                )
    return LawFinding(law, f"{len(pairs)} pairs of cells, {_CALLS} calls")


def _draw_table(case: LawCase) -> tuple[IntegerDistribution, Integers]:
    """The law of one cell, and a table of draws with a row for each call; checks the shape of
    what comes back on the way.
    """
    shaped = np.asarray(case.mechanism.sample(_make_inputs(case, 6).reshape(2, 3)))
    if shaped.shape != (2, 3):
        raise LawBroken(
            "cells are independent", "the shape of the input, (2, 3)", str(shaped.shape)
        )
    exact = _make_inputs(case, _CELLS)
    table = np.array(
        [_extract_noise(case, case.mechanism.sample(exact), exact) for _ in range(_CALLS)]
    )
    return (
        compute_report_distribution(case, 0)
        if case.shape == "response"
        else compute_noise_distribution(case)
    ), table


def _make_inputs(case: LawCase, count: int) -> Any:
    """Exact values of either sign for an additive mechanism, so that noise which depends on them
    shows; category 0 for a response.
    """
    if case.shape == "response":
        return np.zeros(count, dtype=np.int64)
    return to_outputs(case, 37 * np.arange(count, dtype=np.int64) % 2001 - 1000)


def _extract_noise(case: LawCase, outputs: Any, exact: Any) -> Integers:
    """What was added, in grid steps; of a response the report itself."""
    grid = 1.0 if case.shape == "response" else float(case.mechanism.grid)
    added: Integers = np.rint((np.asarray(outputs) - np.asarray(exact)) / grid).astype(np.int64)
    return added


def _find_median(masses: IntegerDistribution) -> int:
    return int(masses.steps[np.searchsorted(masses.cumulative, 0.5)])


def _agreement_probability(above: float) -> float:
    return above**2 + (1 - above) ** 2


def sample_follows_log_prob(case: LawCase) -> LawFinding:
    """Draws fit the law that ``log_prob`` states, and the same test would see a scale 2 % off."""
    if case.uses_neighbour_set:
        return check_use_fit(case)
    return {
        "additive": _check_additive,
        "selection": _check_selection,
        "response": _check_response,
    }[case.shape](case)


def _require_fit(draws: Integers, masses: IntegerDistribution, words: str, tests: int = 1) -> str:
    good = measure_fit(draws, masses)
    if good.p_value < FALSE_ALARM_RATE / tests:
        raise LawBroken(
            "sample follows log_prob",
            f"{draws.size} draws {words} to fit",
            f"{good}, chance at most {good.p_value:.1e}",
        )
    return str(good)


def _check_additive(case: LawCase) -> LawFinding:
    masses = compute_noise_distribution(case)
    count, seen = _choose_draw_count(case, masses)
    exact = _make_inputs(case, count)
    figures = _require_fit(
        _extract_noise(case, case.mechanism.sample(exact), exact), masses, "of an array", 2
    )
    single = [case.mechanism.sample(x) for x in exact[:_SINGLE_DRAWS].tolist()]
    _require_fit(
        _extract_noise(case, single, exact[:_SINGLE_DRAWS]), masses, "of single numbers", 2
    )
    return LawFinding("sample follows log_prob", f"{count} draws: {figures}; {seen}")


def _choose_draw_count(case: LawCase, masses: IntegerDistribution) -> tuple[int, str]:
    """How many draws see a scale 2 % off nearly always, and in words how surely they do."""
    if not dataclasses.is_dataclass(case.mechanism) or not hasattr(case.mechanism, "scale"):
        return case.draws, "no field `scale` to try another value of"
    other = dataclasses.replace(case.mechanism, scale=case.mechanism.scale * _WRONG_SCALE)  # type: ignore[type-var]
    truth = compute_noise_distribution(dataclasses.replace(case, mechanism=other))
    count = case.draws
    while (
        chance := compute_power(masses, truth, count, FALSE_ALARM_RATE / 2)
    ) < 0.9999 and count < _MAX_DRAWS:
        count *= 2
    return count, f"a scale 2 % off is seen in {chance:.2%} of runs"


def _check_selection(case: LawCase) -> LawFinding:
    gap = float(case.sensitivity.linf) / min(max(float(case.loss.epsilon), 1e-3), 1e3)
    figures, calls = [], max(case.draws // 100, 1000)
    for scores in ([0.0, -gap, 0.0, -4 * gap], [3, 3, 3 - ceil(gap)]):
        chosen = np.array([case.mechanism.sample(scores) for _ in range(calls)])
        figures.append(
            _require_fit(
                chosen,
                compute_choice_distribution(case, [float(x) for x in scores]),
                f"with scores {scores}",
                2,
            )
        )
    return LawFinding("sample follows log_prob", f"{calls} choices: {'; '.join(figures)}")


def _check_response(case: LawCase) -> LawFinding:
    truths = sorted({0, 1, case.mechanism.values - 1})
    # side by side, so that a report in another's place shows
    exact = np.resize(truths, len(truths) * case.draws)
    drawn = np.asarray(case.mechanism.sample(exact))
    figures = ""
    for truth in truths:
        figures = _require_fit(
            drawn[exact == truth],
            compute_report_distribution(case, truth),
            f"of the report of {truth}",
            2 * len(truths),
        )
        single = np.array([case.mechanism.sample(truth) for _ in range(_SINGLE_DRAWS)])
        _require_fit(
            single,
            compute_report_distribution(case, truth),
            f"of the report of {truth} alone",
            2 * len(truths),
        )
    return LawFinding(
        "sample follows log_prob",
        f"{case.draws} reports of each of {len(truths)} values: {figures}",
    )


def outputs_lie_on_grid(case: LawCase) -> LawFinding:
    """Additive: outputs are whole multiples of the grid, integers on the grid of 1. Others:
    places and categories that exist.
    """
    law = "outputs keep to the grid"
    if case.uses_neighbour_set:
        return check_use_outputs(case)
    if case.shape == "selection":
        outputs, grid, top = (
            np.array([case.mechanism.sample([0.0, 0.0, 0.0]) for _ in range(100)]),
            Fraction(1),
            3.0,
        )
    else:
        outputs = np.asarray(case.mechanism.sample(_make_inputs(case, case.draws)))
        grid, top = (
            (Fraction(1), float(case.mechanism.values))
            if case.shape == "response"
            else (case.mechanism.grid, np.inf)
        )
    if grid == 1 and outputs.dtype.kind not in "iu":
        raise LawBroken(law, "integers", str(outputs.dtype))
    ratio = outputs / float(grid)
    astray = int(
        np.sum(
            (ratio != np.floor(ratio)) | (ratio >= top) | (ratio < (0 if top < np.inf else -np.inf))
        )
    )
    if astray:
        raise LawBroken(
            law,
            f"multiples of {grid}" + f" from 0 to {top - 1:.0f}" * (top < np.inf),
            f"{astray} of {outputs.size} outputs elsewhere",
        )
    return LawFinding(law, f"{outputs.size} outputs")


def low_bits_reveal_nothing(case: LawCase) -> LawFinding:
    """The precision attack: whether y is a multiple of 2^k, for k from -60 to 60, is no likelier
    on a neighbour than the loss allows.
    """
    law = "low bits tell nothing"
    if case.shape not in ("additive", "smooth"):
        return LawFinding(law, "no numbers come out")
    pure = not isinf(case.loss.epsilon)
    delta = float(case.loss.delta) if pure else _DELTA
    allowed = float(case.loss.epsilon if pure else case.loss.epsilon_at(_DELTA))
    if case.shape == "smooth":
        sides_drawn = draw_smooth_sides(case)
    else:
        far = (
            int(case.sensitivity.linf) if case.mechanism.grid == 1 else float(case.sensitivity.linf)
        )
        sides_drawn = [
            np.asarray(case.mechanism.sample(np.full(case.draws, x))) for x in (far * 0, far)
        ]
    (one, other), n = map(count_multiples, sides_drawn), sides_drawn[0].size
    sides = [(one, other), (other, one), (n - one, n - other), (n - other, n - one)]
    bounds = np.array(
        [
            certify_epsilon(
                (likely, n), (rare, n), FALSE_ALARM_RATE / len(EXPONENTS) / len(sides), delta, 0.5
            )
            for likely, rare in sides
        ]
    )
    worst = float(bounds.max())
    if worst > allowed:
        k = EXPONENTS[int(bounds.max(axis=0).argmax())]
        raise LawBroken(
            law,
            f"a log ratio of at most {allowed:.6g}",
            f"{worst:.4g} or more for (non-)multiples of 2^{k}",
        )
    return LawFinding(
        law,
        f"{n} draws a side: a log ratio of {max(worst, 0.0):.3g} is certain, {allowed:.3g} allowed",
    )


def count_multiples(outputs: Any) -> Integers:
    """How many of the numbers are multiples of 2^k, for each k of ``EXPONENTS``."""
    mantissa, exponent = np.frexp(np.asarray(outputs, dtype=np.float64))
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    # the place of the lowest bit that is set
    lowest = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    rank = np.where(whole == 0, EXPONENTS[-1], exponent - 53 + lowest)
    return np.array([np.count_nonzero(rank >= k) for k in EXPONENTS])


def forks_differ(case: LawCase) -> LawFinding:
    """A forked process draws other noise than its parent."""
    law = "forks differ"
    if not hasattr(os, "fork"):
        return LawFinding(law, "this system does not fork")
    same = _collision_probability(case)
    if same > 0.99:
        return LawFinding(law, "too little noise to tell two draws apart")
    count = ceil(log(FALSE_ALARM_RATE / 2) / log(same)) + 1
    _draw_single_and_array(case, 1)  # whatever is kept ready for later draws is ready now
    child = _draw_in_child(case, count)
    if any(
        np.array_equal(one, other)
        for one, other in zip(child, _draw_single_and_array(case, count), strict=True)
    ):
        raise LawBroken(law, "other noise in a forked process", "the same")
    return LawFinding(law, f"{count} draws")


def _collision_probability(case: LawCase) -> float:
    """The chance that two draws are equal."""
    if case.uses_neighbour_set:
        return compute_equality_probability(case)
    if case.shape == "selection":
        masses = compute_choice_distribution(case, [0.0, 0.0, 0.0, 0.0])
    else:
        masses = (
            compute_report_distribution(case, 0)
            if case.shape == "response"
            else compute_noise_distribution(case)
        )
    return masses.mean(np.exp(masses.log))


def _draw_single_and_array(case: LawCase, count: int) -> tuple[Any, Any]:
    """Draws of single numbers, and draws of an array where there are any."""
    if case.uses_neighbour_set:
        return draw_encoded_twice(case, count)
    if case.shape == "selection":
        singles = [case.mechanism.sample([0.0, 0.0, 0.0, 0.0]) for _ in range(count)]
        return np.array(singles), np.array([*singles, -1])
    inputs = _make_inputs(case, count)
    return np.array([case.mechanism.sample(x) for x in inputs.tolist()]), np.asarray(
        case.mechanism.sample(inputs)
    )


def _draw_in_child(case: LawCase, count: int) -> tuple[Any, Any]:
    source, sink = os.pipe()
    with warnings.catch_warnings():
        # of forking beside threads: the child draws, writes and is gone
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            os.write(sink, pickle.dumps(_draw_single_and_array(case, count)))
        finally:
            os._exit(0)
    os.close(sink)
    with os.fdopen(source, "rb") as reader:
        told = reader.read()
    os.waitpid(child, 0)
    if not told:
        raise LawBroken("forks differ", "draws in a forked process", "none")
    drawn: tuple[Any, Any] = pickle.loads(told)
    return drawn
