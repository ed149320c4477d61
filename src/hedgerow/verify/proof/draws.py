"""What is drawn in the second run when the first draws some noise, what that costs, and what must be shown of it.

The map from the first run's noise to the second's must be one to one and keep lengths; then the chance that the first run goes some way
is at most e^cost times the chance that the second goes the matching way. For noise z of density in proportion to e^(-|z|/b), a shift by s
costs |s|/b whatever z is. Sites only count |s| here (s^2 in zCDP); dividing by b is left to the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hedgerow.verify.language.assumptions import existing
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import DRAWN, Apply, Expression, Noise, Sample, names, written
from hedgerow.verify.proof.certificate import NOISE, tail_of
from hedgerow.verify.proof.scales import inverses, ratio_facts
from hedgerow.verify.proof.solver import Term, z3
from hedgerow.verify.proof.state import Path, Runs, State
from hedgerow.verify.proof.terms import Sort, absolute, meaning, real

__all__ = ["draw", "ratio_name"]

_SYMMETRIC: Final = (Noise.LAPLACE, Noise.GEOMETRIC)


def ratio_name(site: int) -> str:
    """The number e^rate of a coin's site, as a z3 constant."""
    return f"@ratio{site}"


@dataclass(frozen=True, slots=True)
class _Drawing:
    product: Runs
    statement: Sample
    state: State
    path: Path
    first: tuple[Term, ...]
    second: tuple[Term, ...]

    @property
    def shift(self) -> Expression:
        return self.product.certificate.shifts[self.statement.site]

    @property
    def fixed(self) -> bool:
        """Whether public numbers alone decide what is drawn from. That it exists is then an assumption, which is checked whenever the
        program runs; what private data decide is a distribution for every value."""
        return existing(self.product.program, self.statement)

    def said(self, noise: Term, expression: Expression | None = None) -> Term:
        return meaning(expression or self.shift, self.product.across(self.state, self.path, more={NOISE: noise}))

    def oblige(self, name: str, goal: Term, reason: str, path: Path | None = None) -> None:
        self.product.oblige(name, self.path if path is None else path, goal, self.statement.place, reason)


def draw(product: Runs, statement: Sample, state: State, path: Path) -> State:
    """The state after both runs have drawn."""
    runs = [tuple(meaning(one, product.in_run(run, state, path)) for one in statement.parameters) for run in (0, 1)]
    drawing = _Drawing(product, statement, state, path, *runs)
    if statement.noise is not Noise.BERNOULLI:
        same = z3.And(*[z3.BoolVal(True) if z3.eq(a, b) else a == b for a, b in zip(*runs, strict=True)])
        drawing.oblige("scale", same, "the noise depends on private data")
    noise = product.new(f"noise{statement.site}", _sort(product, statement))
    if statement.noise is Noise.BERNOULLI:
        after = _coin(drawing, noise)
    elif statement.noise is Noise.BITS:
        after = _bits(drawing, noise)
    else:
        after = _number(drawing, noise)
    return _excused(drawing, noise, after)


def _sort(product: Runs, statement: Sample) -> Sort:
    return product.sorts[statement.name] if statement.noise is Noise.BITS else Sort(DRAWN[statement.noise])


def _excused(drawing: _Drawing, noise: Term, after: State) -> State:
    """Up to bad: noise in a rare tail is excused from everything that follows, and counted."""
    bad = drawing.product.certificate.bad
    rare = bad[drawing.statement.site] if drawing.statement.site < len(bad) else None
    if rare is None:
        return after
    possible, happens = drawing.said(noise, tail_of(rare)[0]), drawing.said(noise, rare)
    drawing.path.append(z3.Not(happens))
    return after.with_cost(f"rare{drawing.statement.site}", z3.If(possible, z3.RealVal(1), z3.RealVal(0)))


def _one_to_one(drawing: _Drawing, noise: Term, image: Term, other: Term, other_image: Term) -> None:
    goal = z3.Implies(image == other_image, noise == other)
    drawing.oblige("one-to-one", goal, f"two noises of the first run become one in the second ({written(drawing.shift)})")


def _number(drawing: _Drawing, noise: Term) -> State:
    statement, product = drawing.statement, drawing.product
    shift = drawing.said(noise)
    if not z3.is_arith(shift):
        raise Outside("the certificate shifts noise by something that is not a number.", statement.place)
    if NOISE in names(drawing.shift):
        free = product.certificate.mode == "zcdp" or statement.noise is Noise.GAUSSIAN
        if free or not piecewise(drawing.shift):
            drawing.oblige("piecewise", z3.BoolVal(False), "the shift of the noise depends on the noise itself")
        other = product.new(f"noise{statement.site}", _sort(product, statement))
        other_shift = drawing.said(other)
        _one_to_one(drawing, noise, noise + shift, other, other + other_shift)
    _support(drawing, noise, shift)
    image = noise + (z3.ToInt(shift) if z3.is_int(noise) and not z3.is_int(shift) else shift)
    cost = z3.RealVal(0)
    if product.certificate.mode == "zcdp" and statement.noise is not Noise.UNIFORM:
        cost = real(shift) * real(shift)
    elif statement.noise in _SYMMETRIC:
        cost = real(absolute(shift))
    elif statement.noise is Noise.EXPONENTIAL:
        cost = real(z3.If(shift >= 0, shift, 0))
    state = drawing.state.with_value(statement.name, product.fitted(statement.name, noise), product.fitted(statement.name, image))
    return state.with_cost(f"cost{statement.site}", cost)


def _support(drawing: _Drawing, noise: Term, shift: Term) -> None:
    match drawing.statement.noise:
        case Noise.GEOMETRIC:
            if not z3.is_int(shift):
                drawing.oblige("support", z3.IsInt(shift), "whole noise is shifted by what may not be whole")
        case Noise.EXPONENTIAL:
            drawing.path.append(noise >= 0)
            goal = noise + shift >= 0
            if drawing.product.certificate.mode == "zcdp":  # the two runs' noises do not have the same support
                goal = shift == 0
            drawing.oblige("support", goal, "noise that is never negative would have to become negative")
        case Noise.UNIFORM:
            low, high = drawing.first
            if not drawing.fixed:  # from the smaller to the larger, whichever is which
                low, high = z3.If(low <= high, low, high), z3.If(low <= high, high, low)
            drawing.path.append(z3.And(low <= noise, noise <= high))
            drawing.oblige("support", z3.And(low <= noise + shift, noise + shift <= high), "uniform noise would leave its interval")
        case Noise.GAUSSIAN if drawing.product.certificate.mode != "zcdp":
            drawing.oblige("support", shift == 0, "Gaussian noise hides nothing at a finite epsilon without delta")
        case _:
            pass


def _coin(drawing: _Drawing, noise: Term) -> State:
    statement, product = drawing.statement, drawing.product
    flip = drawing.said(noise)
    image = z3.Xor(noise, flip)
    if NOISE in names(drawing.shift):
        other = product.new(f"noise{statement.site}", _sort(product, statement))
        _one_to_one(drawing, noise, image, other, z3.Xor(other, drawing.said(other)))
    (first,), (second,) = drawing.first, drawing.second
    same = z3.And(z3.BoolVal(True) if z3.eq(first, second) else first == second, z3.Not(flip))
    if drawing.fixed:
        drawing.path.append(z3.And(first >= 0, first <= 1, second >= 0, second <= 1))
    else:
        first, second = (z3.If(one < 0, z3.RealVal(0), z3.If(one > 1, z3.RealVal(1), real(one))) for one in (first, second))
    ratio = z3.RealVal(1) if product.certificate.mode == "zcdp" else z3.Real(ratio_name(statement.site))
    chance, matching = z3.If(noise, first, 1 - first), z3.If(image, second, 1 - second)
    goal = z3.Or(same, chance <= matching * ratio)
    facts = [*drawing.path, *ratio_facts(product, statement.site, ratio)]
    reason = f"the chances of the coin differ by more than a factor of e^{_rate(drawing)}"
    drawing.oblige("ratio", goal, reason, [*facts, *inverses([*facts, goal])])
    unit = z3.If(same, z3.RealVal(0), z3.RealVal(1))
    return drawing.state.with_value(statement.name, noise, image).with_cost(f"cost{statement.site}", unit)


def _rate(drawing: _Drawing) -> str:
    rates = drawing.product.certificate.rates
    rate = rates[drawing.statement.site] if drawing.statement.site < len(rates) else None
    return "0" if rate is None else f"({written(rate)})"


def _bits(drawing: _Drawing, noise: Term) -> State:
    """A map of fair bits to as many fair bits that is one to one costs nothing."""
    statement, product = drawing.statement, drawing.product
    image = drawing.said(noise)
    if product.sorts[statement.name].width == 0:  # whole numbers stand for bit strings: what is added must not depend on what is drawn
        other = product.new(f"noise{statement.site}", _sort(product, statement))
        goal = drawing.said(other) - other == image - noise
        drawing.oblige("one-to-one", goal, f"the key is not only moved ({written(drawing.shift)})")
    if image.sort() != noise.sort():
        raise Outside("the certificate draws bits that are not as many.", statement.place)
    other = product.new(f"noise{statement.site}", _sort(product, statement))
    _one_to_one(drawing, noise, image, other, drawing.said(other))
    return drawing.state.with_value(statement.name, noise, image)


def piecewise(expression: Expression) -> bool:
    """Whether the noise stands in conditions only: then the shift is constant on pieces, and keeps lengths."""
    if NOISE not in names(expression):
        return True
    if isinstance(expression, Apply) and expression.operator == "if":
        return all(map(piecewise, expression.arguments[1:]))
    if isinstance(expression, Apply) and expression.operator in ("+", "-", "*", "/", "negate", "abs", "min", "max"):
        return all(map(piecewise, expression.arguments))
    return False
