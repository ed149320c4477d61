"""Candidate invariants of a loop. ``invariant_pruning`` removes the wrong ones, and the checker
verifies the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Expression,
    If,
    Kind,
    Name,
    Number,
    Output,
    Program,
    Read,
    Relation,
    Sample,
    While,
    collect_names,
    find_assigned_names,
    list_expressions,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.algebra import to_rational_function
from hedgerow.verify.prove.hoisting import find_private_variables
from hedgerow.verify.prove.rules.scale_facts import find_scales
from hedgerow.verify.prove.search.answer_guards import list_answer_guards
from hedgerow.verify.prove.search.budget_candidates import list_budget_candidates
from hedgerow.verify.prove.search.loops import list_loops, list_read_places
from hedgerow.verify.prove.search.templates import CertificateNames

__all__ = ["list_invariant_candidates"]


def to_number(value: int | Fraction) -> Number:
    return Number(Fraction(value))


def _make_at_most(left: Expression, right: Expression) -> Expression:
    return Apply("<=", (left, right))


def _make_implication(guard: Expression, then: Expression) -> Expression:
    return Apply("or", (Apply("not", (guard,)), then))


@dataclass
class _Loop:
    program: Program
    loop: While
    known: dict[str, Kind]
    defined: frozenset[str]
    pointwise: bool

    def __post_init__(self) -> None:
        self.names_in_runs = CertificateNames(self.program)
        self.changed_variables = sorted(find_assigned_names(self.loop.body) & self.defined)
        self.counters = [name for name in self.changed_variables if self.known[name] is Kind.INT]
        self.flags = [name for name in self.changed_variables if self.known[name] is Kind.BOOL]
        self.private_variables = find_private_variables(self.program)
        self.moving = [
            name
            for name in self.changed_variables
            if self.known[name] in (Kind.INT, Kind.REAL) and name not in self._public_counters()
        ]
        sites = sorted(
            {one.site for one in walk_statements(self.loop.body) if isinstance(one, Sample)}
        )
        self.costs = [Name(f"@cost{site}") for site in sites]
        self.k = self.program.claim.neighbours.k

    def _public_counters(self) -> frozenset[str]:
        """Return the variables that private data cannot reach."""
        return frozenset(
            name
            for name in self.changed_variables
            if name not in self.private_variables and not self._is_real(name)
        )

    def _is_real(self, name: str) -> bool:
        return self.known[name] is Kind.REAL

    def in_first_run(self, name: str) -> Expression:
        return Name(f"{name}@1")

    def growth_since_entry(self, name: str) -> Expression:
        """Build the growth of a counter since the loop began, or its fall if it counts down."""
        if name in self.list_falling_counters():
            return Apply("-", (Name(f"{name}@1@0"), Name(f"{name}@1")))
        return Apply("-", (Name(f"{name}@1"), Name(f"{name}@1@0")))

    def list_falling_counters(self) -> list[str]:
        """List the counters that count down."""
        found = [
            one
            for one in walk_statements(self.loop.body)
            if isinstance(one, Assign) and one.name in self.counters
        ]
        down = [
            one.name
            for one in found
            if isinstance(one.value, Apply)
            and one.value.operator == "-"
            and one.value.arguments[0] == Name(one.name)
        ]
        return list(dict.fromkeys(down))

    def find_index_counter(self) -> str | None:
        """Return the counter that indexes the lists."""
        read = {
            name
            for one in walk_statements(self.loop.body)
            for expression in list_expressions(one)
            for part in walk_expression(expression)
            if isinstance(part, Read)
            for name in collect_names(part.index)
        }
        return next(
            (name for name in self.counters if name in read),
            self.counters[0] if self.counters else None,
        )

    def list_guards(self) -> list[Expression]:
        """List the conditions under which stronger invariants may hold."""
        found: list[Expression] = []
        index = self.find_index_counter()
        if index is not None:
            for parameter in self.program.parameters:
                if (
                    parameter.list
                    and parameter.private
                    and self.program.claim.neighbours.relation is Relation.ONE
                ):
                    where = Name(f"@where:{parameter.name}")
                    found += [
                        _make_at_most(self.in_first_run(index), where),
                        Apply("<", (where, self.in_first_run(index))),
                    ]
                    found.append(Apply("<", (where, Name(f"{index}@1@0"))))
                    for place in list_read_places(
                        self.program, self.loop, parameter.name, self.defined
                    ):
                        here = self.names_in_runs.in_run(place, 1)
                        found += [_make_at_most(here, where), Apply("<", (where, here))]
                    for bound in self._list_inner_bounds():
                        found.append(_make_at_most(bound, to_number(0)))
            if self.pointwise:
                falls = index in self.list_falling_counters()
                found += list_answer_guards(index, falls, self.list_reported_variables())
        for flag in self.flags:
            found += [self.in_first_run(flag), Apply("not", (self.in_first_run(flag),))]
        return found

    def list_reported_variables(self) -> list[str]:
        reported = {
            name
            for one in walk_statements(self.program.body)
            if isinstance(one, Output)
            for name in collect_names(one.value)
        }
        return [name for name in self.changed_variables if name in reported]

    def list_counter_bounds(self) -> list[tuple[str, Expression]]:
        """List the counters with the public expressions that they are compared with."""
        found: dict[tuple[str, Expression], None] = {}
        for one in (self.loop, *walk_statements(self.loop.body)):
            if not isinstance(one, If | While):
                continue
            for part in walk_expression(one.condition):
                if isinstance(part, Apply) and part.operator in ("<", "<=", "==", "!="):
                    for left, right in (part.arguments, part.arguments[::-1]):
                        if (
                            isinstance(left, Name)
                            and left.name in self.counters
                            and collect_names(right) <= self.names_in_runs.public
                        ):
                            found[left.name, right] = None
        return list(found)

    def list_unguarded(self) -> Iterator[Expression]:
        """Yield the candidates that need no guard."""
        for name in self.changed_variables:
            yield Apply("==", (self.in_first_run(name), Name(f"{name}@2")))
        for name in self.counters:
            yield _make_at_most(Name(f"{name}@1@0"), self.in_first_run(name))
        for name in self.list_falling_counters():
            yield _make_at_most(self.in_first_run(name), Name(f"{name}@1@0"))
        yield from self.list_floors()
        yield from self.list_ceilings((-1, 0, 1, 2))
        for name, bound in self.list_counter_bounds():
            yield _make_at_most(self.in_first_run(name), Apply("max", (bound, Name(f"{name}@1@0"))))
        index = self.find_index_counter()
        if index is not None:
            begun = Apply("==", (self.in_first_run(index), Name(f"{index}@1@0")))
            for flag in map(self.in_first_run, self.flags):
                yield Apply("or", (begun, flag))
                yield Apply("or", (begun, Apply("not", (flag,))))
            for name in self.list_reported_variables():
                yield _make_implication(
                    begun, Apply("==", (self.in_first_run(name), Name(f"{name}@2")))
                )
                if self.known[name] is Kind.INT and name != index:
                    for run in (1, 2):
                        not_below = _make_at_most(to_number(0), Name(f"{name}@{run}"))
                        yield Apply("or", (begun, not_below))
                    for one, bound in self.list_counter_bounds():
                        for run in (1, 2) if one == name else ():
                            yield Apply("or", (begun, Apply("<", (Name(f"{name}@{run}"), bound))))
                    sides = (self.in_first_run(name), self.in_first_run(index))
                    falls = index in self.list_falling_counters()
                    below = Apply("<", sides[::-1] if falls else sides)
                    yield below
                    yield Apply("or", (begun, below))

    def list_ceilings(self, offsets: tuple[int, ...]) -> list[Expression]:
        """List upper bounds of the counters."""
        return [
            _make_at_most(
                self.in_first_run(name), Apply("+", (bound, to_number(more))) if more else bound
            )
            for name, bound in self.list_counter_bounds()
            for more in offsets
        ]

    def list_floors(self) -> list[Expression]:
        """List lower bounds of the counters that count down."""
        falling = self.list_falling_counters()
        return [
            _make_at_most(
                Apply("+", (bound, to_number(more))) if more else bound, self.in_first_run(name)
            )
            for name, bound in self.list_counter_bounds()
            for more in (-2, -1, 0, 1)
            if name in falling
        ]

    def list_distance_bounds(self) -> Iterator[Expression]:
        """Yield bounds on the distance between the runs."""
        for name in self.moving:
            distance = Apply("-", (Name(f"{name}@2"), self.in_first_run(name)))
            for bound in range(-2, 3):
                yield _make_at_most(distance, to_number(bound * self.k))
                yield _make_at_most(to_number(bound * self.k), distance)

    def list_exact_distances(self) -> Iterator[Expression]:
        for name in self.moving:
            distance = Apply("-", (Name(f"{name}@2"), self.in_first_run(name)))
            for parameter in self.program.parameters:
                if (
                    parameter.private
                    and parameter.list
                    and self.program.claim.neighbours.relation is Relation.ONE
                ):
                    move = Name(f"@move:{parameter.name}")
                    yield Apply(
                        "or", (Apply("==", (distance, to_number(0))), Apply("==", (distance, move)))
                    )
            index = self.find_index_counter()
            if index is not None:
                for spent in self.list_distance_used(index):
                    yield _make_at_most(distance, spent)
                    yield _make_at_most(Apply("negate", (distance,)), spent)

    def list_distance_used(self, index: str) -> list[Expression]:
        counted = self.program.claim.neighbours.relation in (Relation.L1, Relation.GROUP)
        lists = [
            one.name for one in self.program.parameters if one.list and one.private and counted
        ]
        return [Read(f"@spent:{name}", self.in_first_run(index)) for name in lists]

    def list_cost_sums(self) -> list[Expression]:
        """List the costs of the sites, one by one and as a sum weighted by their scales."""
        found: list[Expression] = list(self.costs)
        weights = self._relative_rates()
        if weights:
            total: Expression | None = None
            for cost, weight in zip(self.costs, weights, strict=True):
                product: Expression = cost if weight == 1 else Apply("*", (to_number(weight), cost))
                total = product if total is None else Apply("+", (total, product))
            assert total is not None
            found.append(total)
        return found

    def _relative_rates(self) -> list[Fraction]:
        """Return 1 / scale of each site, in units of the smallest, if these ratios are numbers."""
        if len(self.costs) < 2:
            return []
        try:
            known = find_scales(self.program)
            rates = [to_rational_function(known[int(cost.name[5:])], {}) for cost in self.costs]
            ratios = [(rates[0] / one).constant_value for one in rates]
        except (UnsupportedProgram, KeyError):
            return []
        if any(ratio is None or ratio <= 0 for ratio in ratios):
            return []
        found = [ratio for ratio in ratios if ratio is not None]
        return [ratio / min(found) for ratio in found]

    def list_cost_bounds(self) -> Iterator[Expression]:
        """Yield bounds on the cost so far."""
        for cost in self.list_cost_sums():
            for bound in (0, 1, 2, 3, 4):
                yield _make_at_most(cost, to_number(bound * self.k))
            for _, limit in self.list_counter_bounds():
                yield _make_at_most(cost, Apply("+", (limit, to_number(-1))))
        index = self.find_index_counter()
        for cost in self.list_cost_sums():
            for name in self.counters:
                for factor in (1, 2, 3, 4):
                    grown = self.growth_since_entry(name)
                    more = Apply("*", (to_number(factor), grown)) if factor > 1 else grown
                    yield _make_at_most(cost, more)
                    if isinstance(cost, Name):
                        yield _make_at_most(Apply("-", (cost, Name(f"{cost.name}@0"))), more)
                if isinstance(cost, Name) and any(isinstance(one, While) for one in self.loop.body):
                    for inner in self._list_inner_bounds():  # nested loops
                        yield _make_at_most(
                            cost,
                            Apply(
                                "*",
                                (
                                    Apply("max", (inner, to_number(0))),
                                    self.growth_since_entry(name),
                                ),
                            ),
                        )
            if index is not None:
                for spent in self.list_distance_used(index):
                    for factor in (1, 2):
                        yield _make_at_most(cost, Apply("*", (to_number(factor), spent)))
        for cost in self.costs:
            for name in self.moving:
                distance = Apply("abs", (Apply("-", (Name(f"{name}@2"), self.in_first_run(name))),))
                for bound in (1, 2):
                    yield _make_at_most(Apply("+", (cost, distance)), to_number(bound * self.k))

    def _list_inner_bounds(self) -> list[Expression]:
        inner = [
            _Loop(
                self.program,
                one,
                self.known,
                self.defined | find_assigned_names(self.loop.body),
                False,
            )
            for one in self.loop.body
            if isinstance(one, While)
        ]
        return list(dict.fromkeys(bound for one in inner for _, bound in one.list_counter_bounds()))

    def list_candidates(self) -> Iterator[Expression]:
        plain, distances, costs = (
            list(self.list_unguarded()),
            list(self.list_distance_bounds()),
            list(self.list_cost_bounds()),
        )
        yield from plain
        yield from distances
        yield from self.list_exact_distances()
        yield from costs
        yield from list_budget_candidates(self.program, self.loop, self.defined, self.costs)
        guarded = [one for one in distances if len(self.moving) <= 4]
        guarded += [
            _make_at_most(cost, to_number(bound * self.k))
            for cost in self.costs
            for bound in (0, 1, 2)
        ]
        guarded += self.list_floors()
        if self.flags:
            guarded += self.list_ceilings((-1, 0))
        guarded += [
            Apply("==", (Name(f"{name}@2"), Name("@answer")))
            for name in self.list_reported_variables()
            if self.pointwise
        ]
        for guard in self.list_guards():
            for one in guarded:
                yield _make_implication(guard, one)


def list_invariant_candidates(
    program: Program, known: dict[str, Kind], pointwise: bool
) -> tuple[tuple[Expression, ...], ...]:
    """List the candidate invariants of every loop."""
    start = frozenset(one.name for one in program.parameters)
    loops = list_loops(program.body, start)
    return tuple(
        tuple(dict.fromkeys(_Loop(program, loop, known, defined, pointwise).list_candidates()))
        for loop, defined in loops
    )
