"""Templates of shifts: for each noise, the distances it may hide and the conditions it decides.

A shift is a sum of distances and 1, each times an unknown integer, with one such sum for each case.
The distances are of private values that are combined with the noise; the cases are the branches
that the noise decides, or, in a pointwise proof, the equality of the answer and a counter. Nothing
here is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Expression,
    Kind,
    Length,
    Name,
    Noise,
    Number,
    Output,
    Program,
    Read,
    Sample,
    While,
    collect_names,
    substitute,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.type_inference import infer_kind
from hedgerow.verify.prove.certificate import NOISE
from hedgerow.verify.prove.hoisting import find_noisy_variables, find_private_variables
from hedgerow.verify.prove.search.noise_uses import (
    ONE,
    ZERO,
    NoiseUse,
    list_noise_uses,
    list_public_tests,
    split_linear_use,
)

__all__ = [
    "ShiftTemplate",
    "make_shift",
    "make_templates",
    "rename_for_run",
]


@dataclass(frozen=True, slots=True)
class ShiftTemplate:
    """A shift with unknown factors: one sum of ``terms`` for each condition in ``cases``, in order,
    and a last sum for when none holds.
    """

    site: int
    terms: tuple[Expression, ...]
    cases: tuple[Expression, ...]

    @property
    def unknown_count(self) -> int:
        return len(self.terms) * (len(self.cases) + 1)


def rename_for_run(
    expression: Expression, run: int, lists: frozenset[str], public: frozenset[str]
) -> Expression:
    """Rename the variables of a program's expression as certificates write them in run 1 or 2."""
    match expression:
        case Name():
            return (
                expression
                if expression.name in public or expression.name.startswith("@")
                else Name(f"{expression.name}@{run}")
            )
        case Read():
            return Read(
                f"{expression.list}@{run}" if expression.list in lists else expression.list,
                rename_for_run(expression.index, run, lists, public),
            )
        case Length():
            return Length(f"{expression.list}@{run}")
        case Apply():
            return Apply(
                expression.operator,
                tuple(rename_for_run(one, run, lists, public) for one in expression.arguments),
            )
        case _:
            return expression


@dataclass(frozen=True, slots=True)
class CertificateNames:
    """The names of a program's variables in its certificates."""

    program: Program

    @property
    def lists(self) -> frozenset[str]:
        return frozenset(one.name for one in self.program.parameters if one.list)

    @property
    def public(self) -> frozenset[str]:
        return frozenset(
            one.name for one in self.program.parameters if not one.private and not one.list
        )

    def in_run(self, expression: Expression, run: int) -> Expression:
        return rename_for_run(expression, run, self.lists, self.public)

    def distance(self, expression: Expression) -> Expression:
        """Build the value in the second run minus the value in the first."""
        return Apply("-", (self.in_run(expression, 2), self.in_run(expression, 1)))


def make_templates(
    program: Program, known: dict[str, Kind], pointwise: bool, detailed: bool = False
) -> tuple[ShiftTemplate, ...]:
    """Build a template for every site that draws numbers; detailed ones have more terms and cases,
    which takes longer.
    """
    builder = _TemplateBuilder(program, known, pointwise, detailed)
    return tuple(
        builder.build(one)
        for one in program.samples
        if one.noise not in (Noise.BERNOULLI, Noise.BITS)
    )


_MAX_TERMS: Final = 4


@dataclass
class _TemplateBuilder:
    program: Program
    known: dict[str, Kind]
    pointwise: bool
    detailed: bool

    def __post_init__(self) -> None:
        self.names = CertificateNames(self.program)
        self.noised = find_noisy_variables(self.program)
        self.secret = find_private_variables(self.program)

    def build(self, sample: Sample) -> ShiftTemplate:
        uses = list_noise_uses(self.program, sample)
        linear = [part for use in uses for part in split_linear_use(use.expression, sample.name)]
        unit = next((one.factor for one in linear if self._is_factor(one.factor)), ONE)
        terms: dict[Expression, None] = {_divide_by(ONE, self.names.in_run(unit, 1)): None}
        for one in linear:
            if self._is_factor(one.factor):
                factor = self.names.in_run(one.factor, 1)
                for part in self._list_distances(one.rest):
                    terms[_divide_by(self.names.distance(part), factor)] = None
                for part in _list_cofactors(one.rest, one.factor):
                    if self._is_hidden(part):
                        terms[self.names.distance(part)] = None
        cases = self._list_answers(sample) if self.pointwise else self._list_cases(sample, uses)
        return ShiftTemplate(
            sample.site, tuple(terms)[:_MAX_TERMS], tuple(cases)[: 3 if self.detailed else 1]
        )

    def _is_factor(self, factor: Expression) -> bool:
        """Return True if a shift can be divided by this factor of the noise."""
        mentioned = collect_names(factor)
        return (
            factor != ZERO
            and not any(name.startswith("?") for name in mentioned)
            and not mentioned & (self.secret - self.noised)
            and self._is_number(factor)
        )

    def _list_distances(self, rest: Expression) -> Iterator[Expression]:
        """Yield the values whose distance a shift may hide: the whole rest, or its summands."""
        if self._is_hidden(rest):
            yield rest
            return
        for part in _list_summands(rest):
            if self._is_hidden(part):
                yield part

    def _is_hidden(self, part: Expression) -> bool:
        mentioned = collect_names(part)
        if not mentioned & self.secret or mentioned & self.noised:
            return False
        return not any(name.startswith("?") for name in mentioned) and self._is_number(part)

    def _is_number(self, part: Expression) -> bool:
        return infer_kind(part, self.program, self.known) in (Kind.INT, Kind.REAL)

    def _list_cases(self, sample: Sample, uses: list[NoiseUse]) -> dict[Expression, None]:
        """List the conditions that the noise decides, and if detailed their parts and the tests
        that decide whether the draw is used again.
        """
        noise: dict[str, Expression] = {sample.name: Name(NOISE)}
        tests = [one.expression for one in uses if one.is_condition and one.is_known]
        if self.detailed:
            tests = [
                part for one in tests[:1] for part in (one, *_list_parts(one, sample.name)[:-1])
            ]
            if not tests and _is_in_loop(self.program, sample):
                counters = {name for name, kind in self.known.items() if kind is Kind.INT}
                tests = list_public_tests(
                    self.program,
                    sample,
                    frozenset(counters) - {one.name for one in self.program.samples},
                )
        return dict.fromkeys(self.names.in_run(substitute(one, noise), 1) for one in tests)

    def _list_answers(self, sample: Sample) -> list[Expression]:
        """List the cases of a pointwise proof: the draw decides the answer."""
        counters = _list_answer_counters(self.program, self.known, sample.site)
        if counters:
            return [Apply("==", (Name(f"{one}@1"), Name("@answer"))) for one in counters]
        return [Apply("==", (Name("@answer"), one)) for one in _list_constant_answers(self.program)]


def _is_in_loop(program: Program, sample: Sample) -> bool:
    return any(
        isinstance(one, While) and any(other is sample for other in walk_statements(one.body))
        for one in walk_statements(program.body)
    )


def _divide_by(value: Expression, factor: Expression) -> Expression:
    if isinstance(factor, Number):
        size = abs(factor.value)
        if isinstance(value, Number):
            return Number(value.value / size)
        return value if size == 1 else Apply("*", (Number(1 / size), value))
    match factor:
        case Apply("negate", (inner,)):
            return _divide_by(value, inner)
        case Apply("/", (above, below)):
            return _divide_by(Apply("*", (value, below)), above)
    return Apply("/", (value, factor))


def _list_summands(expression: Expression) -> Iterator[Expression]:
    """Yield the values that are added up."""
    if isinstance(expression, Apply) and expression.operator in ("+", "-", "negate"):
        for one in expression.arguments:
            yield from _list_summands(one)
    else:
        yield expression


def _list_cofactors(rest: Expression, factor: Expression) -> Iterator[Expression]:
    """Yield the values that the noise's own factor multiplies, which may be a released value."""
    for part in _list_summands(rest):
        match part:
            case Apply("*", (first, second)) if factor in (first, second):
                yield second if first == factor else first


def _list_parts(condition: Expression, noise: str) -> list[Expression]:
    """List the comparisons inside a condition that the noise occurs in."""
    return [
        part
        for part in walk_expression(condition)
        if isinstance(part, Apply) and part.operator in ("<", "<=") and noise in collect_names(part)
    ]


def _list_constant_answers(program: Program) -> list[Expression]:
    """List the constants that are output, or assigned to a variable that is."""
    outputs = [one.value for one in walk_statements(program.body) if isinstance(one, Output)]
    reported = {name for one in outputs for name in collect_names(one)}
    values = [
        one.value
        for one in walk_statements(program.body)
        if isinstance(one, Assign) and one.name in reported
    ]
    found = [
        part
        for value in (*outputs, *values)
        for part in walk_expression(value)
        if isinstance(part, Number) and part.value.denominator == 1
    ]
    return list(dict.fromkeys(found))


def _list_answer_counters(program: Program, known: dict[str, Kind], site: int) -> list[str]:
    """List the integers that the loop around the site changes and that may become the answer."""
    loops = [
        one
        for one in walk_statements(program.body)
        if isinstance(one, While)
        and any(isinstance(s, Sample) and s.site == site for s in walk_statements(one.body))
    ]
    if not loops:
        return []
    inside = [one for one in walk_statements(loops[-1].body) if isinstance(one, Assign)]
    outputs = [one for one in walk_statements(program.body) if isinstance(one, Output)]
    taken = {name for one in outputs for name in collect_names(one.value)}
    reported = set(taken)
    while more := {
        name
        for one in inside
        if one.name in taken
        for name in collect_names(one.value)
        if name not in taken
    }:
        taken |= more
    own = set(map(id, walk_statements(loops[-1].body)))
    begun = {
        one.name
        for one in walk_statements(program.body)
        if isinstance(one, Assign) and id(one) not in own
    }
    changed = (taken - reported) | {
        one.name for one in inside if one.name in collect_names(one.value)
    } & taken
    return sorted(
        name
        for name in changed & begun & {one.name for one in inside}
        if known.get(name) is Kind.INT
    )


def _make_sum(terms: tuple[Expression, ...], factors: tuple[int, ...]) -> Expression:
    total: Expression | None = None
    for one, factor in zip(terms, factors, strict=True):
        if factor == 0:
            continue
        size = Number(Fraction(abs(factor)) * (one.value if isinstance(one, Number) else 1))
        product: Expression = (
            size
            if isinstance(one, Number)
            else one
            if abs(factor) == 1
            else Apply("*", (size, one))
        )
        if total is None:
            total = (
                product
                if factor > 0
                else Number(-size.value)
                if isinstance(one, Number)
                else Apply("negate", (product,))
            )
        else:
            total = Apply("+" if factor > 0 else "-", (total, product))
    return ZERO if total is None else total


def make_shift(template: ShiftTemplate, factors: tuple[int, ...]) -> Expression:
    """Build the shift with these factors."""
    width = len(template.terms)
    sums = [
        _make_sum(template.terms, factors[start : start + width])
        for start in range(0, len(factors), width)
    ]
    result = sums[-1]
    for condition, one in reversed(list(zip(template.cases, sums, strict=False))):
        if one != result:
            result = Apply("if", (condition, one, result))
    return result
