"""The sampling rule: the draw of the second run, its cost, and the obligations of the shift.

The map from the first run's noise to the second's must be one to one and preserve length; then the
probability that the first run takes some path is at most e^cost times the probability that the
second takes the matching path. For noise z of density proportional to e^(-|z|/b), a shift by s
costs |s|/b for every z. A site counts only |s| (s^2 in zCDP); the last step divides by b.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hedgerow.verify.language.assumptions import has_checked_parameters
from hedgerow.verify.language.program import (
    NOISE_KINDS,
    Apply,
    Expression,
    Noise,
    Sample,
    Truth,
    collect_names,
    format_expression,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.certificate import NOISE, split_tail
from hedgerow.verify.prove.rules.scale_facts import list_inverse_facts, list_ratio_facts
from hedgerow.verify.prove.solver import Term, z3
from hedgerow.verify.prove.state import PairState, Path, ProductRuns
from hedgerow.verify.prove.terms import Sort, absolute_value, to_real, translate

__all__ = ["draw_in_both_runs", "make_ratio_name"]

_SYMMETRIC: Final = (Noise.LAPLACE, Noise.GEOMETRIC)


def make_ratio_name(site: int) -> str:
    """Return the name of the z3 constant e^rate of a coin's site."""
    return f"@ratio{site}"


@dataclass(frozen=True, slots=True)
class _Draw:
    product: ProductRuns
    statement: Sample
    state: PairState
    path: Path
    first: tuple[Term, ...]
    second: tuple[Term, ...]

    @property
    def shift(self) -> Expression:
        return self.product.certificate.shifts[self.statement.site]

    @property
    def has_public_parameters(self) -> bool:
        """True if public numbers alone fix the distribution.

        Every run checks that it exists, so this is assumed; parameters from private data give a
        distribution for every value.
        """
        return has_checked_parameters(self.product.program, self.statement)

    @property
    def excuses_support(self) -> bool:
        """True if the certificate excuses uniform noise that leaves its interval."""
        excused = self.product.certificate.excused
        return (
            self.statement.noise is Noise.UNIFORM
            and self.statement.site < len(excused)
            and excused[self.statement.site] == Truth(True)
        )

    def evaluate(self, noise: Term, expression: Expression | None = None) -> Term:
        return translate(
            expression or self.shift,
            self.product.certificate_symbols(self.state, self.path, more={NOISE: noise}),
        )

    def add_obligation(self, name: str, goal: Term, reason: str, path: Path | None = None) -> None:
        self.product.add_obligation(
            name, self.path if path is None else path, goal, self.statement.place, reason
        )


def draw_in_both_runs(
    product: ProductRuns, statement: Sample, state: PairState, path: Path
) -> PairState:
    """Return the state after both runs have drawn."""
    runs = [
        tuple(translate(one, product.run_symbols(run, state, path)) for one in statement.parameters)
        for run in (0, 1)
    ]
    drawing = _Draw(product, statement, state, path, *runs)
    if statement.noise is not Noise.BERNOULLI:
        same = z3.And(
            *[z3.BoolVal(True) if z3.eq(a, b) else a == b for a, b in zip(*runs, strict=True)]
        )
        drawing.add_obligation("scale", same, "the parameters of the noise depend on private data")
    noise = product.fresh_value(f"noise{statement.site}", _noise_sort(product, statement))
    if statement.noise is Noise.BERNOULLI:
        after = _draw_coin(drawing, noise)
    elif statement.noise is Noise.BITS:
        after = _draw_bits(drawing, noise)
    else:
        after = _draw_number(drawing, noise)
    return _excuse_tail(drawing, noise, after)


def _noise_sort(product: ProductRuns, statement: Sample) -> Sort:
    return (
        product.sorts[statement.name]
        if statement.noise is Noise.BITS
        else Sort(NOISE_KINDS[statement.noise])
    )


def _excuse_tail(drawing: _Draw, noise: Term, after: PairState) -> PairState:
    """Excuse noise in a rare tail from all later obligations, and count it."""
    bad = drawing.product.certificate.excused
    rare = bad[drawing.statement.site] if drawing.statement.site < len(bad) else None
    if rare is None:
        return after
    if drawing.excuses_support:
        # Moving by s leaves an interval of length w with probability at most |s| / w.
        if NOISE in collect_names(drawing.shift):
            drawing.add_obligation(
                "piecewise", z3.BoolVal(False), "the shift of the noise depends on the noise itself"
            )
        moved = absolute_value(drawing.evaluate(noise))
        return after.with_cost(f"rare{drawing.statement.site}", to_real(moved))
    possible, happens = drawing.evaluate(noise, split_tail(rare)[0]), drawing.evaluate(noise, rare)
    drawing.path.append(z3.Not(happens))
    return after.with_cost(
        f"rare{drawing.statement.site}", z3.If(possible, z3.RealVal(1), z3.RealVal(0))
    )


def _require_one_to_one(
    drawing: _Draw, noise: Term, image: Term, other: Term, other_image: Term
) -> None:
    goal = z3.Implies(image == other_image, noise == other)
    drawing.add_obligation(
        "one-to-one",
        goal,
        "the shift maps two noises of the first run to the same noise"
        f" ({format_expression(drawing.shift)})",
    )


def _draw_number(drawing: _Draw, noise: Term) -> PairState:
    statement, product = drawing.statement, drawing.product
    shift = drawing.evaluate(noise)
    if not z3.is_arith(shift):
        raise UnsupportedProgram(
            "the certificate's shift is not a number; use a number", statement.place
        )
    if NOISE in collect_names(drawing.shift):
        free = product.certificate.mode == "zcdp" or statement.noise is Noise.GAUSSIAN
        if free or not is_piecewise_constant(drawing.shift):
            drawing.add_obligation(
                "piecewise", z3.BoolVal(False), "the shift of the noise depends on the noise itself"
            )
        other = product.fresh_value(f"noise{statement.site}", _noise_sort(product, statement))
        other_shift = drawing.evaluate(other)
        _require_one_to_one(drawing, noise, noise + shift, other, other + other_shift)
    _require_support(drawing, noise, shift)
    image = noise + (z3.ToInt(shift) if z3.is_int(noise) and not z3.is_int(shift) else shift)
    cost = z3.RealVal(0)
    if product.certificate.mode == "zcdp" and statement.noise is not Noise.UNIFORM:
        cost = to_real(shift) * to_real(shift)
    elif statement.noise in _SYMMETRIC:
        cost = to_real(absolute_value(shift))
    elif statement.noise is Noise.EXPONENTIAL:
        cost = to_real(z3.If(shift >= 0, shift, 0))
    state = drawing.state.with_value(
        statement.name,
        product.fit_to_sort(statement.name, noise),
        product.fit_to_sort(statement.name, image),
    )
    return state.with_cost(f"cost{statement.site}", cost)


def _require_support(drawing: _Draw, noise: Term, shift: Term) -> None:
    match drawing.statement.noise:
        case Noise.GEOMETRIC:
            if not z3.is_int(shift):
                drawing.add_obligation(
                    "support",
                    z3.IsInt(shift),
                    "integer noise is shifted by a value that may not be an integer",
                )
        case Noise.EXPONENTIAL:
            drawing.path.append(noise >= 0)
            goal = noise + shift >= 0
            # Rényi divergence is infinite where the supports differ.
            if drawing.product.certificate.mode == "zcdp":
                goal = shift == 0
            drawing.add_obligation("support", goal, "the shift makes non-negative noise negative")
        case Noise.UNIFORM:
            low, high = drawing.first
            # The bounds may come in either order.
            if not drawing.has_public_parameters:
                low, high = z3.If(low <= high, low, high), z3.If(low <= high, high, low)
            drawing.path.append(z3.And(low <= noise, noise <= high))
            within = z3.And(low <= noise + shift, noise + shift <= high)
            if drawing.excuses_support:
                drawing.path.append(within)
            else:
                drawing.add_obligation(
                    "support", within, "the shift moves uniform noise out of its interval"
                )
        case Noise.GAUSSIAN if drawing.product.certificate.mode != "zcdp":
            drawing.add_obligation(
                "support",
                shift == 0,
                "Gaussian noise hides nothing at a finite epsilon without delta",
            )
        case _:
            pass


def _draw_coin(drawing: _Draw, noise: Term) -> PairState:
    statement, product = drawing.statement, drawing.product
    flip = drawing.evaluate(noise)
    image = z3.Xor(noise, flip)
    if NOISE in collect_names(drawing.shift):
        other = product.fresh_value(f"noise{statement.site}", _noise_sort(product, statement))
        _require_one_to_one(drawing, noise, image, other, z3.Xor(other, drawing.evaluate(other)))
    (first,), (second,) = drawing.first, drawing.second
    same = z3.And(z3.BoolVal(True) if z3.eq(first, second) else first == second, z3.Not(flip))
    if drawing.has_public_parameters:
        drawing.path.append(z3.And(first >= 0, first <= 1, second >= 0, second <= 1))
    else:
        first, second = (
            z3.If(one < 0, z3.RealVal(0), z3.If(one > 1, z3.RealVal(1), to_real(one)))
            for one in (first, second)
        )
    ratio = (
        z3.RealVal(1)
        if product.certificate.mode == "zcdp"
        else z3.Real(make_ratio_name(statement.site))
    )
    chance, matching = z3.If(noise, first, 1 - first), z3.If(image, second, 1 - second)
    goal = z3.Or(same, chance <= matching * ratio)
    facts = [*drawing.path, *list_ratio_facts(product, statement.site, ratio)]
    reason = (
        f"the probabilities of the coin differ by more than a factor of e^{_format_rate(drawing)}"
    )
    drawing.add_obligation("ratio", goal, reason, [*facts, *list_inverse_facts([*facts, goal])])
    unit = z3.If(same, z3.RealVal(0), z3.RealVal(1))
    return drawing.state.with_value(statement.name, noise, image).with_cost(
        f"cost{statement.site}", unit
    )


def _format_rate(drawing: _Draw) -> str:
    rates = drawing.product.certificate.rates
    rate = rates[drawing.statement.site] if drawing.statement.site < len(rates) else None
    return "0" if rate is None else f"({format_expression(rate)})"


def _draw_bits(drawing: _Draw, noise: Term) -> PairState:
    """Draw bits in both runs: a one-to-one map of fair bits to bits of the same width is free."""
    statement, product = drawing.statement, drawing.product
    image = drawing.evaluate(noise)
    # Integers model the bit strings here: the difference must not depend on the draw.
    if product.sorts[statement.name].width == 0:
        other = product.fresh_value(f"noise{statement.site}", _noise_sort(product, statement))
        goal = drawing.evaluate(other) - other == image - noise
        drawing.add_obligation(
            "one-to-one",
            goal,
            f"the difference depends on the drawn bits ({format_expression(drawing.shift)})",
        )
    if image.sort() != noise.sort():
        raise UnsupportedProgram(
            "the certificate draws bits of another width; use the same width", statement.place
        )
    other = product.fresh_value(f"noise{statement.site}", _noise_sort(product, statement))
    _require_one_to_one(drawing, noise, image, other, drawing.evaluate(other))
    return drawing.state.with_value(statement.name, noise, image)


def is_piecewise_constant(expression: Expression) -> bool:
    """Return True if the noise occurs in conditions only: the shift is then piecewise constant, and
    preserves length.
    """
    if NOISE not in collect_names(expression):
        return True
    if isinstance(expression, Apply) and expression.operator == "if":
        return all(map(is_piecewise_constant, expression.arguments[1:]))
    if isinstance(expression, Apply) and expression.operator in (
        "+",
        "-",
        "*",
        "/",
        "negate",
        "abs",
        "min",
        "max",
    ):
        return all(map(is_piecewise_constant, expression.arguments))
    return False
