"""Candidate tails of noise that a proof may excuse at the price of their probability. Nothing here
is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Name,
    Noise,
    Number,
    Program,
    Truth,
    collect_names,
    list_expressions,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.prove.certificate import NOISE
from hedgerow.verify.prove.hoisting import find_noisy_variables, find_private_variables
from hedgerow.verify.prove.search.noise_uses import list_noise_uses
from hedgerow.verify.prove.search.templates import CertificateNames

__all__ = ["list_excused_tails"]


def list_excused_tails(program: Program) -> Iterator[dict[int, Expression]]:
    """Yield no excuse, then for each noise that decides a branch, that it is large while a private
    condition differs; uniform noise may leave its interval.
    """
    yield {}
    uniform: dict[int, Expression] = {
        one.site: Truth(True) for one in program.samples if one.noise is Noise.UNIFORM
    }
    if uniform:
        yield uniform
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
        for use in list_noise_uses(program, sample):
            expression = use.expression
            if not (
                use.is_condition
                and isinstance(expression, Apply)
                and expression.operator in ("<", "<=")
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
