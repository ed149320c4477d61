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

from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Block,
    Expression,
    If,
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
    find_assigned_names,
    list_expressions,
    substitute,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.prove.certificate import NOISE
from hedgerow.verify.prove.hoisting import find_noisy_variables, find_private_variables

__all__ = [
    "ShiftTemplate",
    "list_excused_tails",
    "make_shift",
    "make_templates",
    "rename_for_run",
]

ONE = Number(Fraction(1))
ZERO = Number(Fraction(0))


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


def _list_uses(
    block: Block, values: dict[str, Expression], name: str
) -> Iterator[tuple[Expression, bool]]:
    """Yield the expressions that mention the noise, in terms of values before the draw, with True
    for conditions.
    """
    for one in block:
        for expression in list_expressions(one):
            written_out = substitute(expression, values)
            if name in collect_names(written_out):
                yield (
                    written_out,
                    isinstance(one, If | While)
                    or (isinstance(one, Output) and _is_comparison(written_out)),
                )
                yield from (
                    (test, True)
                    for test in _list_choice_conditions(written_out)
                    if name in collect_names(test)
                )
        match one:
            case Assign():
                values[one.name] = substitute(one.value, values)
            case If():
                then, otherwise = dict(values), dict(values)
                yield from _list_uses(one.then, then, name)
                yield from _list_uses(one.otherwise, otherwise, name)
                for changed in find_assigned_names(one.then) | find_assigned_names(one.otherwise):
                    values[changed] = Name(f"?{changed}")
            case While():
                yield from _list_uses(
                    one.body,
                    {
                        **values,
                        **{
                            changed: Name(f"?{changed}")
                            for changed in find_assigned_names(one.body)
                        },
                    },
                    name,
                )
                values.update(
                    {changed: Name(f"?{changed}") for changed in find_assigned_names(one.body)}
                )
            case Sample():
                values[one.name] = Name(f"?{one.name}")
            case Output():
                pass


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


def make_templates(
    program: Program, known: dict[str, Kind], pointwise: bool
) -> tuple[ShiftTemplate, ...]:
    """Build a template for every site that draws numbers."""
    words, noised, secret = (
        CertificateNames(program),
        find_noisy_variables(program),
        find_private_variables(program),
    )
    found = []
    for sample in program.samples:
        if sample.noise in (Noise.BERNOULLI, Noise.BITS):
            continue
        terms: dict[Expression, None] = {}
        cases: dict[Expression, None] = {}
        for expression, condition in [
            use
            for block in _list_following_blocks(program.body, sample.site)
            for use in _list_uses(block, {}, sample.name)
        ]:
            for part in _list_summands(expression, sample.name):
                if _is_noiseless_private(part, secret, noised, known):
                    terms[words.distance(part)] = None
            if condition and not any(name.startswith("?") for name in collect_names(expression)):
                cases[words.in_run(substitute(expression, {sample.name: Name(NOISE)}), 1)] = None
        if pointwise:
            cases = {
                Apply("==", (Name(f"{counter}@1"), Name("@answer"))): None
                for counter in _list_answer_counters(program, known, sample.site)
            }
        found.append(ShiftTemplate(sample.site, (ONE, *list(terms)[:3]), tuple(cases)[:1]))
    return tuple(found)


def _list_summands(expression: Expression, noise: str) -> Iterator[Expression]:
    """Yield the values that are added to the noise or compared with it."""
    if isinstance(expression, Apply) and (
        noise in collect_names(expression) or expression.operator in ("+", "-", "negate")
    ):
        for one in expression.arguments:
            yield from _list_summands(one, noise)
    else:
        yield expression


def _is_noiseless_private(
    part: Expression, secret: frozenset[str], noised: frozenset[str], known: dict[str, Kind]
) -> bool:
    mentioned = collect_names(part)
    if (
        not mentioned & secret
        or mentioned & noised
        or any(name.startswith("?") for name in mentioned)
    ):
        return False
    return not (isinstance(part, Name) and known.get(part.name) not in (Kind.INT, Kind.REAL))


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
    reported = {
        name
        for one in walk_statements(program.body)
        if isinstance(one, Output)
        for name in collect_names(one.value)
    }
    taken = {
        name
        for one in walk_statements(loops[-1].body)
        if isinstance(one, Assign) and one.name in reported
        for name in collect_names(one.value)
    }
    return sorted(
        name for name in taken & find_assigned_names(loops[-1].body) if known.get(name) is Kind.INT
    )


def _make_sum(terms: tuple[Expression, ...], factors: tuple[int, ...]) -> Expression:
    total: Expression | None = None
    for one, factor in zip(terms, factors, strict=True):
        if factor == 0:
            continue
        size = Number(Fraction(abs(factor)))
        product: Expression = (
            size if one == ONE else one if abs(factor) == 1 else Apply("*", (size, one))
        )
        if total is None:
            total = (
                product
                if factor > 0
                else Number(-size.value)
                if one == ONE
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


def list_excused_tails(program: Program) -> Iterator[dict[int, Expression]]:
    """Yield no excuse, then for each noise that decides a branch, that it is large while a private
    condition differs.
    """
    yield {}
    words, noised = CertificateNames(program), find_noisy_variables(program)
    secret = find_private_variables(program) & frozenset(one.name for one in program.parameters)
    when: dict[Expression, None] = {}
    for one in walk_statements(program.body):
        for part in (
            part for expression in list_expressions(one) for part in walk_expression(expression)
        ):
            decides = isinstance(part, Apply) and part.operator in ("<", "<=", "==", "!=")
            if (
                decides
                and collect_names(part) & secret
                and collect_names(part) <= secret | words.public
                and not collect_names(part) & noised
            ):
                when[Apply("!=", (words.in_run(part, 1), words.in_run(part, 2)))] = None
    for sample in program.samples:
        for expression, condition in [
            use
            for block in _list_following_blocks(program.body, sample.site)
            for use in _list_uses(block, {}, sample.name)
        ]:
            if not (
                condition and isinstance(expression, Apply) and expression.operator in ("<", "<=")
            ):
                continue
            start, rest = expression.arguments
            if collect_names(start) <= words.public and sample.name in collect_names(rest):
                for less in (0, 1):
                    tail = Apply(
                        "<=",
                        (
                            Apply("-", (start, Number(Fraction(less)))) if less else start,
                            Name(NOISE),
                        ),
                    )
                    for private_condition in when:
                        yield {sample.site: Apply("and", (private_condition, tail))}
