"""Candidate variants of a loop: quantities that may decrease with every round."""

from __future__ import annotations

from itertools import permutations
from typing import Final

from hedgerow.verify.language.program import (
    Apply,
    Expression,
    If,
    Kind,
    Program,
    Truth,
    While,
    collect_names,
    find_assigned_names,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.type_inference import infer_kind, infer_kinds
from hedgerow.verify.prove.certificate import Variant
from hedgerow.verify.prove.search.loops import list_loops
from hedgerow.verify.prove.search.noise_uses import ZERO
from hedgerow.verify.prove.search.templates import CertificateNames

__all__ = ["list_variant_candidates"]

_MAX_SINGLE: Final = 8
_MAX_IN_PAIRS: Final = 4


def list_variant_candidates(program: Program) -> tuple[tuple[Variant, ...], ...]:
    """List the candidates of every loop: the two sides of each comparison in its guard, then in its
    body, subtracted from each other; then pairs of these in lexicographic order.
    """
    start = frozenset(one.name for one in program.parameters)
    known = infer_kinds(program)
    return tuple(
        _list_for_loop(program, loop, defined, known)
        for loop, defined in list_loops(program.body, start)
    )


def _list_for_loop(
    program: Program, loop: While, defined: frozenset[str], known: dict[str, Kind]
) -> tuple[Variant, ...]:
    names, changed = CertificateNames(program), find_assigned_names(loop.body)
    inside = [one.condition for one in walk_statements(loop.body) if isinstance(one, If | While)]
    found: dict[Expression, None] = {}
    for sign in (1, -1):
        for condition in (loop.condition, *inside):
            for part in walk_expression(condition):
                if not isinstance(part, Apply) or part.operator not in ("<", "<=", "!=", "=="):
                    continue
                small, large = part.arguments[::sign]
                mentioned = collect_names(part)
                if (
                    mentioned <= defined
                    and mentioned & changed
                    and _is_number(part, program, known)
                ):
                    found[Apply("-", (names.in_run(large, 1), names.in_run(small, 1)))] = None
    single = list(found)[:_MAX_SINGLE]
    return (*single, *permutations(single[:_MAX_IN_PAIRS], 2)) or (ZERO,)


def _is_number(part: Apply, program: Program, known: dict[str, Kind]) -> bool:
    """Return True if both sides of the comparison are numbers."""
    return all(
        not isinstance(one, Truth) and infer_kind(one, program, known) in (Kind.INT, Kind.REAL)
        for one in part.arguments
    )
