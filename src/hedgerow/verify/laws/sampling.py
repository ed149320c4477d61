"""Laws about the draws of a mechanism. Each rejects a correct mechanism with probability at most
10^-9.
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
_SINGLE_DRAWS = 1000  # draws of single numbers, which may take another path through the code
_WRONG_SCALE = Fraction(49, 50)  # a scale 2 % off must be detected
_MAX_DRAWS = 1 << 21
EXPONENTS = range(-60, 61)
_DELTA = 1e-6  # if no pure epsilon is claimed


def cells_are_independent(case: LawCase) -> LawFinding:
    """Check that each cell of an array, and of each call, has its own noise of the same
    distribution.
    """
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
                "the same noise distribution in every cell",
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
        ("lie on the same side of the median", bar, _agreement_probability(masses.above(bar))),
    ]
    for words, left, right in pairs:
        for event, cut, expected in tests:
            agree = left == right if event == "be equal" else (left > cut) == (right > cut)
            hits = int(np.sum(agree))
            p_value = compute_agreement_p_value(hits, left.size, expected)
            if p_value < FALSE_ALARM_RATE / len(pairs) / 4:
                raise LawBroken(
                    law, f"{words} to {event} in {expected:.2%} of draws", f"{hits / left.size:.2%}"
                )
    return LawFinding(law, f"{len(pairs)} pairs of cells, {_CALLS} calls")


def _draw_table(case: LawCase) -> tuple[IntegerDistribution, Integers]:
    """Return the distribution of one cell and a table of draws, with a row for each call; check the
    shape of the output as well.
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
    return _compute_cell_distribution(case), table


def _compute_cell_distribution(case: LawCase) -> IntegerDistribution:
    if case.shape == "response":
        return compute_report_distribution(case, 0)
    return compute_noise_distribution(case)


def _make_inputs(case: LawCase, count: int) -> Any:
    """Return exact values of either sign for an additive mechanism, so that noise that depends on
    them shows; category 0 for a response.
    """
    if case.shape == "response":
        return np.zeros(count, dtype=np.int64)
    return to_outputs(case, 37 * np.arange(count, dtype=np.int64) % 2001 - 1000)


def _extract_noise(case: LawCase, outputs: Any, exact: Any) -> Integers:
    """Return the noise in grid steps; for a response, the report itself."""
    grid = 1.0 if case.shape == "response" else float(case.mechanism.grid)
    added: Integers = np.rint((np.asarray(outputs) - np.asarray(exact)) / grid).astype(np.int64)
    return added


def _find_median(masses: IntegerDistribution) -> int:
    return int(masses.steps[np.searchsorted(masses.cumulative, 0.5)])


def _agreement_probability(above: float) -> float:
    return above**2 + (1 - above) ** 2


def sample_follows_log_prob(case: LawCase) -> LawFinding:
    """Check that draws fit ``log_prob``, with a test that would detect a scale 2 % off."""
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
            f"{good}, probability at most {good.p_value:.1e}",
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
    """Return the number of draws that nearly always detects a scale 2 % off, and a text with the
    probability.
    """
    if not dataclasses.is_dataclass(case.mechanism) or not hasattr(case.mechanism, "scale"):
        return case.draws, "no field `scale` to vary"
    other = dataclasses.replace(case.mechanism, scale=case.mechanism.scale * _WRONG_SCALE)  # type: ignore[type-var]
    truth = compute_noise_distribution(dataclasses.replace(case, mechanism=other))
    count = case.draws
    power = compute_power(masses, truth, count, FALSE_ALARM_RATE / 2)
    while power < 0.9999 and count < _MAX_DRAWS:
        count *= 2
        power = compute_power(masses, truth, count, FALSE_ALARM_RATE / 2)
    return count, f"a scale 2 % off is detected in {power:.2%} of runs"


def _check_selection(case: LawCase) -> LawFinding:
    gap = float(case.sensitivity.linf) / min(max(float(case.loss.epsilon), 1e-3), 1e3)
    figures, calls = [], max(case.draws // 100, 1000)
    for scores in ([0.0, -gap, 0.0, -4 * gap], [3, 3, 3 - ceil(gap)]):
        chosen = np.array([case.mechanism.sample(scores) for _ in range(calls)])
        expected = compute_choice_distribution(case, [float(x) for x in scores])
        figures.append(_require_fit(chosen, expected, f"with scores {scores}", 2))
    return LawFinding("sample follows log_prob", f"{calls} choices: {'; '.join(figures)}")


def _check_response(case: LawCase) -> LawFinding:
    truths = sorted({0, 1, case.mechanism.values - 1})
    # interleaved, so that a report in the wrong cell shows
    exact = np.resize(truths, len(truths) * case.draws)
    drawn = np.asarray(case.mechanism.sample(exact))
    figures = ""
    for truth in truths:
        expected, tests = compute_report_distribution(case, truth), 2 * len(truths)
        figures = _require_fit(drawn[exact == truth], expected, f"of the report of {truth}", tests)
        single = np.array([case.mechanism.sample(truth) for _ in range(_SINGLE_DRAWS)])
        _require_fit(single, expected, f"of the report of {truth} alone", tests)
    return LawFinding(
        "sample follows log_prob",
        f"{case.draws} reports of each of {len(truths)} values: {figures}",
    )


def outputs_lie_on_grid(case: LawCase) -> LawFinding:
    """Check that additive outputs are multiples of the grid, integers on the grid of 1, and that
    others are existing indices or categories.
    """
    law = "outputs lie on the grid"
    if case.uses_neighbour_set:
        return check_use_outputs(case)
    grid, top = Fraction(1), np.inf
    if case.shape == "selection":
        outputs, top = np.array([case.mechanism.sample([0.0] * 3) for _ in range(100)]), 3.0
    else:
        outputs = np.asarray(case.mechanism.sample(_make_inputs(case, case.draws)))
        if case.shape == "response":
            top = float(case.mechanism.values)
        else:
            grid = case.mechanism.grid
    if grid == 1 and outputs.dtype.kind not in "iu":
        raise LawBroken(law, "integers", str(outputs.dtype))
    ratio = outputs / float(grid)
    bottom = 0 if top < np.inf else -np.inf
    misplaced = int(np.sum((ratio != np.floor(ratio)) | (ratio >= top) | (ratio < bottom)))
    if misplaced:
        raise LawBroken(
            law,
            f"multiples of {grid}" + f" from 0 to {top - 1:.0f}" * (top < np.inf),
            f"{misplaced} of {outputs.size} outputs elsewhere",
        )
    return LawFinding(law, f"{outputs.size} outputs")


def low_bits_reveal_nothing(case: LawCase) -> LawFinding:
    """Check, as in the precision attack, that multiples of 2^k, for k from -60 to 60, are no more
    likely on a neighbour than the loss allows.
    """
    law = "low bits reveal nothing"
    if case.shape not in ("additive", "smooth"):
        return LawFinding(law, "the outputs are not numbers")
    pure = not isinf(case.loss.epsilon)
    delta = float(case.loss.delta) if pure else _DELTA
    allowed = float(case.loss.epsilon if pure else case.loss.epsilon_at(_DELTA))
    if case.shape == "smooth":
        sides_drawn = draw_smooth_sides(case)
    else:
        move = case.sensitivity.linf
        shifted = int(move) if case.mechanism.grid == 1 else float(move)
        sides_drawn = [
            np.asarray(case.mechanism.sample(np.full(case.draws, x)))
            for x in (shifted * 0, shifted)
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
        f"{n} draws on each side: a log ratio of {max(worst, 0.0):.3g} is certain, {allowed:.3g} is"
        " allowed",
    )


def count_multiples(outputs: Any) -> Integers:
    """Return the number of multiples of 2^k, for each k of ``EXPONENTS``."""
    mantissa, exponent = np.frexp(np.asarray(outputs, dtype=np.float64))
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(np.float64))[1] - 1  # the lowest set bit
    rank = np.where(whole == 0, EXPONENTS[-1], exponent - 53 + lowest)
    return np.array([np.count_nonzero(rank >= k) for k in EXPONENTS])


def forks_differ(case: LawCase) -> LawFinding:
    """Check that a forked process draws other noise than its parent."""
    law = "forks differ"
    if not hasattr(os, "fork"):
        return LawFinding(law, "this system cannot fork")
    same = _collision_probability(case)
    if same > 0.99:
        return LawFinding(law, "too little noise to tell two draws apart")
    count = ceil(log(FALSE_ALARM_RATE / 2) / log(same)) + 1
    _draw_single_and_array(case, 1)  # fills any buffer of random bits before the fork
    child = _draw_in_child(case, count)
    if any(
        np.array_equal(one, other)
        for one, other in zip(child, _draw_single_and_array(case, count), strict=True)
    ):
        raise LawBroken(law, "other noise in a forked process", "the same")
    return LawFinding(law, f"{count} draws")


def _collision_probability(case: LawCase) -> float:
    """Return the probability that two draws are equal."""
    if case.uses_neighbour_set:
        return compute_equality_probability(case)
    if case.shape == "selection":
        masses = compute_choice_distribution(case, [0.0, 0.0, 0.0, 0.0])
    else:
        masses = _compute_cell_distribution(case)
    return masses.mean(np.exp(masses.log))


def _draw_single_and_array(case: LawCase, count: int) -> tuple[Any, Any]:
    """Draw single numbers, and an array if the shape has arrays."""
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
        # about forking with threads: the child only draws, writes and exits
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            os.write(sink, pickle.dumps(_draw_single_and_array(case, count)))
        finally:
            os._exit(0)
    os.close(sink)
    with os.fdopen(source, "rb") as reader:
        message = reader.read()
    os.waitpid(child, 0)
    if not message:
        raise LawBroken("forks differ", "draws in a forked process", "none")
    drawn: tuple[Any, Any] = pickle.loads(message)
    return drawn
