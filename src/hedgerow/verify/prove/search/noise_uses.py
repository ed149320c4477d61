"""The uses of a draw: the conditions that it decides and the values that it is added to, in terms
of the variables at the time of the draw. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Block,
    Expression,
    If,
    Name,
    Number,
    Output,
    Program,
    Sample,
    While,
    collect_names,
    find_assigned_names,
    list_expressions,
    substitute,
    walk_expression,
)

__all__ = [
    "ONE",
    "ZERO",
    "LinearUse",
    "NoiseUse",
    "list_noise_uses",
    "list_public_tests",
    "split_linear_use",
]

ONE, ZERO = Number(Fraction(1)), Number(Fraction(0))
_MAX_SIZE = 40  # of the expressions that are followed
_COMPARISONS = ("<", "<=", "==", "!=")


@dataclass(frozen=True, slots=True)
class NoiseUse:
    """An expression that a draw occurs in, or that is evaluated after it."""

    expression: Expression
    is_condition: bool

    @property
    def is_known(self) -> bool:
        """True if the expression consists of values from before the draw."""
        return not any(name.startswith("?") for name in collect_names(self.expression))


@dataclass(frozen=True, slots=True)
class LinearUse:
    """``factor`` times the noise, plus ``rest``."""

    factor: Expression
    rest: Expression


def list_noise_uses(program: Program, sample: Sample) -> list[NoiseUse]:
    """List the uses of a draw."""
    return [
        use
        for block in _list_following_blocks(program.body, sample.site)
        for use in _list_uses(block, {}, sample.name)
        if sample.name in collect_names(use.expression)
    ]


def list_public_tests(
    program: Program, sample: Sample, counters: frozenset[str]
) -> list[Expression]:
    """List the later conditions on counters and public parameters only."""
    found = [
        use.expression
        for block in _list_following_blocks(program.body, sample.site)
        for use in _list_uses(block, {}, sample.name)
        if use.is_condition and use.is_known
    ]
    return [
        one for one in dict.fromkeys(found) if collect_names(one) and collect_names(one) <= counters
    ]


def split_linear_use(expression: Expression, noise: str) -> list[LinearUse]:
    """Split each comparison and each value inside the expression in which the noise occurs with a
    factor.
    """
    return list(dict.fromkeys(_split_parts(expression, noise)))


def _split_parts(expression: Expression, noise: str) -> Iterator[LinearUse]:
    if noise not in collect_names(expression):
        return
    if isinstance(expression, Apply) and expression.operator in _COMPARISONS:
        left, right = expression.arguments
        expression = Apply("-", (right, left))
    found = _split(expression, noise)
    if found is not None:
        yield LinearUse(found[0], _simplify(found[1]))
    elif isinstance(expression, Apply):
        for one in expression.arguments:
            yield from _split_parts(one, noise)


def _split(expression: Expression, noise: str) -> tuple[Expression, Expression] | None:
    """Return the factor of the noise and the rest; None if the noise is not linear there."""
    if noise not in collect_names(expression):
        return ZERO, expression
    if expression == Name(noise):
        return ONE, ZERO
    if not isinstance(expression, Apply):
        return None
    operator, arguments = expression.operator, expression.arguments
    if operator == "if" and noise in collect_names(arguments[0]):
        return None
    parts = [_split(one, noise) for one in arguments[operator == "if" :]]
    if any(one is None for one in parts):
        return None
    found = [one for one in parts if one is not None]
    match operator:
        case "negate":
            return _negate(found[0][0]), Apply("negate", (found[0][1],))
        case "+" | "-":
            (a, x), (b, y) = found
            factor = Apply(operator, (a, b))
            if a == ZERO:
                factor_ = b if operator == "+" else _negate(b)
            elif b == ZERO:
                factor_ = a
            else:
                factor_ = factor
            return factor_, Apply(operator, (x, y))
        case "*":
            (a, x), (b, y) = found
            if b == ZERO:
                return _multiply(a, y), Apply("*", (x, y))
            return (_multiply(b, x), Apply("*", (x, y))) if a == ZERO else None
        case "/":
            (a, x), (b, y) = found
            return (_divide(a, y), Apply("/", (x, y))) if b == ZERO else None
        case "if":
            (a, x), (b, y) = found
            return (a, Apply("if", (arguments[0], x, y))) if a == b else None
    return None


def _negate(one: Expression) -> Expression:
    return Number(-one.value) if isinstance(one, Number) else Apply("negate", (one,))


def _multiply(left: Expression, right: Expression) -> Expression:
    if isinstance(left, Number) and isinstance(right, Number):
        return Number(left.value * right.value)
    return right if left == ONE else Apply("*", (left, right))


def _divide(left: Expression, right: Expression) -> Expression:
    if isinstance(left, Number) and isinstance(right, Number) and right.value:
        return Number(left.value / right.value)
    return Apply("/", (left, right))


def _simplify(expression: Expression) -> Expression:
    """Return the expression without terms that are 0 and double signs."""
    if not isinstance(expression, Apply):
        return expression
    found = Apply(
        expression.operator, tuple(map(_simplify, expression.arguments)), expression.place
    )
    match found.operator, found.arguments:
        case ("+" | "-", (left, Number(value=0))):
            return left
        case ("+", (Number(value=0), right)):
            return right
        case ("-", (Number(value=0), right)):
            return _negate(right)
        case ("*" | "/", (Number(value=0), _)) | ("*", (_, Number(value=0))):
            return ZERO
        case ("negate", (Number(value=0),)):
            return ZERO
        case ("negate", (Apply(operator="negate", arguments=(inner,)),)):
            return inner
    return found


def _list_following_blocks(block: Block, site: int) -> Iterator[Block]:
    """Yield the blocks that may run after the site, innermost first; a loop around it repeats."""
    for position, one in enumerate(block):
        if isinstance(one, Sample) and one.site == site:
            yield block[position + 1 :]
            return
        for inner in (
            (one.then, one.otherwise)
            if isinstance(one, If)
            else (one.body,)
            if isinstance(one, While)
            else ()
        ):
            found = list(_list_following_blocks(inner, site))
            if found:
                yield from found
                yield block[position + 1 :]
                return


def _list_uses(block: Block, values: dict[str, Expression], name: str) -> Iterator[NoiseUse]:
    """Yield the conditions and the values of outputs and draws, in terms of values before the draw.
    An unknown value is written ?x.
    """
    for one in block:
        for expression in list_expressions(one):
            written_out = substitute(expression, values)
            yield NoiseUse(
                written_out,
                isinstance(one, If | While)
                or (isinstance(one, Output) and _is_comparison(written_out)),
            )
            for test in _list_choice_conditions(written_out):
                yield NoiseUse(test, True)
        match one:
            case Assign():
                values[one.name] = substitute(one.value, values)
            case If():
                yield from _list_branch_uses(one, values, name)
            case While():
                unknown = {other: Name(f"?{other}") for other in find_assigned_names(one.body)}
                yield from _list_uses(one.body, {**values, **unknown}, name)
                values.update(unknown)
            case Sample():
                values[one.name] = Name(f"?{one.name}")
            case Output():
                pass


def _list_branch_uses(branch: If, values: dict[str, Expression], name: str) -> Iterator[NoiseUse]:
    """Yield the uses in both sides; afterwards a variable has the value of the side taken."""
    condition = substitute(branch.condition, values)
    then, otherwise = dict(values), dict(values)
    yield from _list_uses(branch.then, then, name)
    yield from _list_uses(branch.otherwise, otherwise, name)
    for changed in find_assigned_names(branch.then) | find_assigned_names(branch.otherwise):
        sides = then.get(changed, Name(changed)), otherwise.get(changed, Name(changed))
        value = Apply("if", (condition, *sides))
        size = sum(1 for _ in walk_expression(value))
        values[changed] = value if size <= _MAX_SIZE else Name(f"?{changed}")


def _is_comparison(expression: Expression) -> bool:
    """Return True for a comparison, which is a case of its own when it is output."""
    return isinstance(expression, Apply) and expression.operator in ("<", "<=", "==", "!=")


def _list_choice_conditions(expression: Expression) -> list[Expression]:
    """List the conditions of all conditional expressions inside the expression."""
    return [
        part.arguments[0]
        for part in walk_expression(expression)
        if isinstance(part, Apply) and part.operator == "if"
    ]
