"""Candidate invariants of loops that count a real budget up or down by public amounts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Expression,
    If,
    Kind,
    Name,
    Number,
    Program,
    While,
    collect_names,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.type_inference import infer_kinds
from hedgerow.verify.prove.hoisting import find_private_variables
from hedgerow.verify.prove.search.templates import CertificateNames

__all__ = ["list_budget_candidates"]

_MAX_BUDGETS = 2


def list_budget_candidates(
    program: Program, loop: While, defined: frozenset[str], costs: Sequence[Name]
) -> Iterator[Expression]:
    """Yield the bounds on each budget, and on the costs by what was spent of it."""
    names = CertificateNames(program)
    for budget, steps in list(_find_budgets(program, loop, defined).items())[:_MAX_BUDGETS]:
        here, start = Name(f"{budget}@1"), Name(f"{budget}@1@0")
        falls = any(one.operator == "-" for one in steps)
        spent = Apply("-", (start, here) if falls else (here, start))
        yield Apply("<=", (Number(Fraction(0)), spent))
        yield Apply("<=", (Number(Fraction(0)), here))
        for bound in _list_bounds(loop, budget):
            if collect_names(bound) <= defined:
                yield Apply("<=", (here, names.in_run(bound, 1)))
                for one in steps:
                    after = Apply(one.operator, (bound, one.arguments[1]))
                    sides = (names.in_run(after, 1), here)
                    yield Apply("<=", sides if falls else sides[::-1])
        for one in steps:
            step = names.in_run(one.arguments[1], 1)
            for cost in costs:
                for factor in (1, 2, 4):
                    most = Apply("*", (Number(Fraction(factor)), spent)) if factor > 1 else spent
                    yield Apply("<=", (Apply("*", (cost, step)), most))


def _find_budgets(program: Program, loop: While, defined: frozenset[str]) -> dict[str, list[Apply]]:
    """Find the real variables that the loop changes by public amounts only, with the changes."""
    known = infer_kinds(program)
    public = {one.name for one in program.parameters if not one.private and not one.list}
    inside = [one for one in walk_statements(loop.body) if isinstance(one, Assign)]
    changed = {one.name for one in inside}
    fixed = public | (defined - changed - find_private_variables(program))
    changes: dict[str, list[Apply]] = {}
    others: set[str] = set()
    for one in inside:
        value = one.value
        is_step = (
            isinstance(value, Apply)
            and value.operator in ("+", "-")
            and value.arguments[0] == Name(one.name)
            and collect_names(value.arguments[1]) <= fixed
        )
        if is_step and one.name in defined and known.get(one.name) is Kind.REAL:
            assert isinstance(value, Apply)
            changes.setdefault(one.name, []).append(value)
        else:
            others.add(one.name)
    return {
        name: list(dict.fromkeys(steps)) for name, steps in changes.items() if name not in others
    }


def _list_bounds(loop: While, budget: str) -> list[Expression]:
    """List the values that the budget is compared with."""
    found: dict[Expression, None] = {}
    for one in (loop, *walk_statements(loop.body)):
        if isinstance(one, If | While):
            for part in walk_expression(one.condition):
                if isinstance(part, Apply) and part.operator in ("<", "<="):
                    for left, right in (part.arguments, part.arguments[::-1]):
                        if left == Name(budget) and budget not in collect_names(right):
                            found[right] = None
    return list(found)
