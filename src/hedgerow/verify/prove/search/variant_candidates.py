"""Candidate variants of a loop: quantities that may decrease with every round."""

from __future__ import annotations

from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Program,
    While,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.prove.search.templates import ZERO, CertificateNames

__all__ = ["list_variant_candidates"]


def list_variant_candidates(program: Program) -> tuple[tuple[Expression, ...], ...]:
    """List, for every loop, the bound minus the counter of every comparison in its guard."""
    names = CertificateNames(program)
    found = []
    for loop in (one for one in walk_statements(program.body) if isinstance(one, While)):
        options: dict[Expression, None] = {}
        for part in walk_expression(loop.condition):
            if isinstance(part, Apply) and part.operator in ("<", "<=", "!="):
                small, large = part.arguments
                options[Apply("-", (names.in_run(large, 1), names.in_run(small, 1)))] = None
        found.append(tuple(options) or (ZERO,))
    return tuple(found)
