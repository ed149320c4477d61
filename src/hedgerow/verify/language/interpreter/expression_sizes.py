"""Sizes of the expressions and draws of a program on any data, and the work to compute them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import ceil, isqrt
from typing import Any, Final, TypeAlias

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.samplers import discrete_laplace
from hedgerow.verify.language.assumptions import find_constants
from hedgerow.verify.language.claim_bounds import IRRATIONAL
from hedgerow.verify.language.interpreter.interpreter import enclose_irrational_parameters
from hedgerow.verify.language.interpreter.lazy_reals import (
    LazyNumber,
    LazyReal,
    MixedConstants,
    apply_function,
)
from hedgerow.verify.language.interpreter.number_sizes import (
    DRAW_BITS,
    MAX_BITS,
    SizeBound,
    bound_floor,
    bound_integer,
    bound_product,
    bound_quotient,
    bound_sum,
    measure_exact,
)
from hedgerow.verify.language.interpreter.value_operations import apply_arithmetic
from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Kind,
    Length,
    Name,
    Noise,
    Number,
    Program,
    Read,
    Sample,
    Truth,
    substitute,
    walk_expression,
)
from hedgerow.verify.language.type_inference import infer_kind, infer_kinds

__all__ = ["ExpressionSizes", "SizeState"]

_PRIVATE_BITS: Final = 64
_DRAW_OPERATIONS: Final = 30  # work of a draw
SizeState: TypeAlias = dict[str, SizeBound]
_BOOLEAN_SIZE: Final = SizeBound()


class ExpressionSizes:
    """The size of each variable, with counts of operations and bytes."""

    def __init__(
        self, program: Program, public: Mapping[str, Any], lengths: Mapping[str, int]
    ) -> None:
        self.program, self.kinds = program, infer_kinds(program)
        self.state: SizeState = {}
        self.lists: dict[str, tuple[int, SizeBound]] = {}
        self.keeps_old_sizes = False
        # work in operations on short numbers, and how often the current statement runs
        self.operations, self.repetitions = 0, 1
        self.enclosures, self.constants = (
            enclose_irrational_parameters(program, public),
            find_constants(program),
        )
        # bytes of variables, and within one statement
        self.variable_bytes, self.statement_bytes, self.peak_bytes = dict[str, int](), 0, 0
        for one in program.parameters:
            if one.private:
                is_number, length = one.kind in (Kind.INT, Kind.REAL), lengths.get(one.name, 0)
                size = bound_integer(_PRIVATE_BITS) if is_number else _BOOLEAN_SIZE
            else:
                given = public[one.name] if one.list else (public[one.name],)
                sizes = [
                    _BOOLEAN_SIZE if isinstance(value, bool) else measure_exact(Fraction(value))
                    for value in given
                ]
                size, length = reduce(SizeBound.join, sizes or [_BOOLEAN_SIZE]), len(given)
            if one.list:
                self.lists[one.name] = length, size.join(SizeBound(exact=None))
            else:
                self.state[one.name] = size

    def count_work(self, size: SizeBound, *, decided: bool = False) -> None:
        """Count the work to compute a number of this size, or to decide something about it."""
        denominator_bits = size.denominator.bit_length() + size.extra_denominator.bit_length()
        words = 1 + max(size.max_coefficient.bit_length(), denominator_bits) // 64
        each = words + words * isqrt(words) // 4  # a product takes more than linear time
        terms = (1 + size.terms) * each // 16 + 1
        self.statement_bytes += size.byte_size
        self.peak_bytes = max(self.peak_bytes, self.statement_bytes)
        self.operations += self.repetitions * (
            terms + (10 + 2 * terms * size.degree if decided and size.degree else 0)
        )

    def count_product_work(self, left: SizeBound, right: SizeBound) -> None:
        """Count the work to multiply two polynomials."""
        if left.degree and right.degree:
            self.operations += self.repetitions * (1 + left.terms) * (1 + right.terms)

    def count_digit_work(self, size: SizeBound) -> None:
        """Count the work to draw the digits before the point, which a floor needs."""
        words = 1 + size.max_coefficient.bit_length() // 64
        self.operations += (
            self.repetitions * 20 * words * words * (1 + size.terms) if size.degree else 0
        )

    def bound_draw(self, sample: Sample) -> SizeBound:
        self.operations += _DRAW_OPERATIONS * self.repetitions
        # each root, power or logarithm in it is enclosed anew for each draw
        if sample.site in self.enclosures:
            chosen = walk_expression(substitute(sample.parameters[0], self.constants))
            count = sum(isinstance(one, Apply) and one.operator in IRRATIONAL for one in chosen)
            self.operations += _DRAW_OPERATIONS * self.repetitions * count
        if sample.noise is Noise.BERNOULLI:
            if sample.site not in self.enclosures:
                self.count_comparison_work(
                    self.bound_expression(sample.parameters[0]), SizeBound(terms=1, degree=1)
                )
            return _BOOLEAN_SIZE
        if sample.site in self.enclosures:
            largest = max(1, ceil(self.enclosures[sample.site](DRAW_BITS)[1]))
            return SizeBound(largest, terms=1, degree=1).check()
        sizes = [self.bound_expression(one) for one in sample.parameters]
        match sample.noise:
            case Noise.BITS:
                return self.bound_width(sizes[0].exact)
            case Noise.UNIFORM:
                width = bound_sum(*sizes)
                return bound_sum(
                    sizes[0], bound_product(width, SizeBound(terms=1, degree=1))
                ).check()
            case Noise.GEOMETRIC:
                self.check_geometric_scale(sizes[0].exact)
                return SizeBound(sizes[0].max_coefficient << DRAW_BITS).check()
            case _:
                return bound_product(sizes[0], SizeBound(terms=1, degree=1)).check()

    def bound_width(self, width: LazyNumber | None) -> SizeBound:
        """Return the size of a bit string. An invalid width is refused, since it would fail only
        where data decide whether it is reached.
        """
        assert isinstance(width, Fraction)  # check_widths: public parameters determine it
        if width < 1:
            raise Refused(
                f"{self.program.name} is not run: the width of a bit string is below 1. Pass"
                " arguments at which every width is at least 1."
            )
        return bound_integer(min(int(width), MAX_BITS + 1))

    def check_geometric_scale(self, scale: LazyNumber | None) -> None:
        """Refuse a scale that the sampler refuses, since it would fail only where data decide
        whether it is reached.
        """
        try:
            if not isinstance(scale, Fraction):
                raise Refused(
                    "the scale of geometric noise must be a rational number that public arguments"
                    " determine."
                )
            discrete_laplace(scale, 1)
        except (Refused, InvalidArgument) as problem:
            raise Refused(
                f"{self.program.name} fails at these arguments on any data: {problem}"
            ) from None

    def count_comparison_work(self, left: SizeBound, right: SizeBound) -> None:
        """Count the work to decide a comparison by its difference."""
        self.count_work(self.bound_arithmetic("-", left, right), decided=True)

    def bound_expression(self, expression: Expression) -> SizeBound:
        match expression:
            case Number():
                return measure_exact(expression.value)
            case Truth():
                return _BOOLEAN_SIZE
            case Name():
                return self.state[expression.name]
            case Length():
                return measure_exact(Fraction(self.lists[expression.list][0]))
            case Read():
                self.bound_expression(expression.index)
                return self.lists[expression.list][1]
            case Apply():
                return self.bound_application(expression)

    def bound_application(self, expression: Apply) -> SizeBound:
        operator, arguments = expression.operator, expression.arguments
        sizes = [self.bound_expression(one) for one in arguments]
        one, other = sizes[0], sizes[-1]
        match operator:
            case "and" | "or" | "not" | "bit":
                return _BOOLEAN_SIZE
            case "==" | "!=" | "<" | "<=":
                kind = infer_kind(arguments[0], self.program, self.kinds)
                if kind in (Kind.INT, Kind.REAL):
                    self.count_comparison_work(one, other)
                return _BOOLEAN_SIZE
            case "if":
                return sizes[1].join(other)
            case "xor" | "bits+" | "bits&" | "bits|" | "bits~":
                return one.join(other)
            case "concat":
                return SizeBound(one.max_coefficient * other.max_coefficient).check()
        return self.bound_arithmetic(operator, one, other)

    def bound_arithmetic(self, operator: str, left: SizeBound, right: SizeBound) -> SizeBound:
        match operator:
            case "+" | "-":
                found = bound_sum(left, right)
            case "*":
                found = bound_product(left, right)
                self.count_product_work(left, right)
            case "/":
                found = bound_quotient(left, right)
            case "negate" | "abs":
                found = left
            case "min" | "max":
                bound_sum(left, right).check()
                found = left.join(right)
            case "floor":
                self.count_digit_work(left)
                found = bound_floor(left)
            case "%":
                self.count_digit_work(bound_quotient(left, right))
                quotient = bound_floor(bound_quotient(left, right).check()).check()
                found = bound_sum(left, bound_product(quotient, right).check())
            case _ if left.exact is not None:
                return measure_exact(self.evaluate_function(operator, left.exact))
            case _:
                raise Refused(
                    f"{self.program.name} is not run: {operator} is applied to a number that a"
                    f" condition selects. Apply {operator} in each branch."
                )
        self.count_work(found.check(), decided=operator in ("min", "max", "abs", "floor", "%"))
        if left.exact is None or right.exact is None:
            return replace(found, exact=None)
        exact = apply_arithmetic(operator, [left.exact, right.exact])
        assert isinstance(exact, Fraction | LazyReal)
        return measure_exact(exact)

    def evaluate_function(self, word: str, argument: LazyNumber) -> LazyNumber:
        try:
            return apply_function(word, argument)
        except MixedConstants:
            raise
        except Refused as problem:
            raise Refused(
                f"{self.program.name} fails at these arguments on any data: {problem}"
            ) from None
