"""Guesses of what holds in a loop. ``houdini`` throws out the wrong ones; the checker shows the rest again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Block,
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
    assigned,
    expressions,
    names,
    parts,
    statements,
)
from hedgerow.verify.proof.algebra import quotient
from hedgerow.verify.proof.hoisting import private
from hedgerow.verify.proof.scales import scales
from hedgerow.verify.proof.search.templates import Words

__all__ = ["candidates", "variants"]


def number(value: int | Fraction) -> Number:
    return Number(Fraction(value))


def _at_most(left: Expression, right: Expression) -> Expression:
    return Apply("<=", (left, right))


def _when(guard: Expression, then: Expression) -> Expression:
    return Apply("or", (Apply("not", (guard,)), then))


def _both(left: Expression, right: Expression) -> Expression:
    return Apply("and", (left, right))


def _defined_before(block: Block, defined: frozenset[str]) -> Iterator[tuple[While, frozenset[str]]]:
    """Every loop with the variables that surely have a value when it is reached, in the order of the text."""
    for one in block:
        match one:
            case Assign() | Sample():
                defined |= {one.name}
            case If():
                yield from _defined_before(one.then, defined)
                yield from _defined_before(one.otherwise, defined)
                defined |= assigned(one.then) & assigned(one.otherwise)
            case While():
                yield one, defined
                yield from _defined_before(one.body, defined)
            case _:
                pass


@dataclass
class _Loop:
    program: Program
    loop: While
    known: dict[str, Kind]
    defined: frozenset[str]
    pointwise: bool

    def __post_init__(self) -> None:
        self.words = Words(self.program)
        self.changed = sorted(assigned(self.loop.body) & self.defined)
        self.counters = [name for name in self.changed if self.known[name] is Kind.INT]
        self.flags = [name for name in self.changed if self.known[name] is Kind.BOOL]
        self.secret = private(self.program)
        self.moving = [name for name in self.changed if self.known[name] in (Kind.INT, Kind.REAL) and name not in self._steps()]
        sites = sorted({one.site for one in statements(self.loop.body) if isinstance(one, Sample)})
        self.costs = [Name(f"@cost{site}") for site in sites]
        self.k = self.program.claim.neighbours.k

    def _steps(self) -> frozenset[str]:
        """Variables that private data cannot reach."""
        return frozenset(name for name in self.changed if name not in self.secret and not self._noised(name))

    def _noised(self, name: str) -> bool:
        return self.known[name] is Kind.REAL

    def first(self, name: str) -> Expression:
        return Name(f"{name}@1")

    def since(self, name: str) -> Expression:
        """By how much a counter has grown since the loop began, or fallen where it is counted down."""
        if name in self.falling():
            return Apply("-", (Name(f"{name}@1@0"), Name(f"{name}@1")))
        return Apply("-", (Name(f"{name}@1"), Name(f"{name}@1@0")))

    def falling(self) -> list[str]:
        """Counters that are counted down."""
        found = [one for one in statements(self.loop.body) if isinstance(one, Assign) and one.name in self.counters]
        down = [
            one.name
            for one in found
            if isinstance(one.value, Apply) and one.value.operator == "-" and one.value.arguments[0] == Name(one.name)
        ]
        return list(dict.fromkeys(down))

    def index(self) -> str | None:
        """The counter that lists are read by."""
        read = {
            name
            for one in statements(self.loop.body)
            for expression in expressions(one)
            for part in parts(expression)
            if isinstance(part, Read)
            for name in names(part.index)
        }
        return next((name for name in self.counters if name in read), self.counters[0] if self.counters else None)

    def guards(self) -> list[Expression]:
        """Conditions under which more may hold."""
        found: list[Expression] = []
        index = self.index()
        if index is not None:
            for parameter in self.program.parameters:
                if parameter.list and parameter.private and self.program.claim.neighbours.relation is Relation.ONE:
                    where = Name(f"@where:{parameter.name}")
                    found += [_at_most(self.first(index), where), Apply("<", (where, self.first(index)))]
                    found.append(Apply("<", (where, Name(f"{index}@1@0"))))
            if self.pointwise:
                answer = Name("@answer")
                found.append(_at_most(self.first(index), answer))
                for told in self.told():
                    found.append(_both(Apply("<", (answer, self.first(index))), Apply("==", (self.first(told), answer))))
        for flag in self.flags:
            found += [self.first(flag), Apply("not", (self.first(flag),))]
        return found

    def told(self) -> list[str]:
        said = {name for one in statements(self.program.body) if isinstance(one, Output) for name in names(one.value)}
        return [name for name in self.changed if name in said]

    def bounds(self) -> list[tuple[str, Expression]]:
        """Counters with the public expressions that they are compared with."""
        found: dict[tuple[str, Expression], None] = {}
        for one in (self.loop, *statements(self.loop.body)):
            if not isinstance(one, If | While):
                continue
            for part in parts(one.condition):
                if isinstance(part, Apply) and part.operator in ("<", "<=", "==", "!="):
                    for left, right in (part.arguments, part.arguments[::-1]):
                        if isinstance(left, Name) and left.name in self.counters and names(right) <= self.words.public:
                            found[left.name, right] = None
        return list(found)

    def plain(self) -> Iterator[Expression]:
        """What needs no guard."""
        for name in self.changed:
            yield Apply("==", (self.first(name), Name(f"{name}@2")))
        for name in self.counters:
            yield _at_most(Name(f"{name}@1@0"), self.first(name))
        for name in self.falling():
            yield _at_most(self.first(name), Name(f"{name}@1@0"))
        yield from self.floors()
        for name, bound in self.bounds():
            for more in (-1, 0, 1, 2):
                yield _at_most(self.first(name), Apply("+", (bound, number(more))) if more else bound)
            yield _at_most(self.first(name), Apply("max", (bound, Name(f"{name}@1@0"))))
        index = self.index()
        if index is not None:
            begun = Apply("==", (self.first(index), Name(f"{index}@1@0")))
            for name in self.told():
                yield _when(begun, Apply("==", (self.first(name), Name(f"{name}@2"))))
                if self.known[name] is Kind.INT and name != index:
                    yield Apply("or", (begun, Apply("<", (self.first(name), self.first(index)))))

    def floors(self) -> list[Expression]:
        """What counters that are counted down do not fall below."""
        falling = self.falling()
        return [
            _at_most(Apply("+", (bound, number(more))) if more else bound, self.first(name))
            for name, bound in self.bounds()
            for more in (0, 1)
            if name in falling
        ]

    def distances(self) -> Iterator[Expression]:
        """How far apart the runs are."""
        for name in self.moving:
            distance = Apply("-", (Name(f"{name}@2"), self.first(name)))
            for bound in range(-2, 3):
                yield _at_most(distance, number(bound * self.k))
                yield _at_most(number(bound * self.k), distance)

    def exact_distances(self) -> Iterator[Expression]:
        for name in self.moving:
            distance = Apply("-", (Name(f"{name}@2"), self.first(name)))
            for parameter in self.program.parameters:
                if parameter.private and parameter.list and self.program.claim.neighbours.relation is Relation.ONE:
                    move = Name(f"@move:{parameter.name}")
                    yield Apply("or", (Apply("==", (distance, number(0))), Apply("==", (distance, move))))
            index = self.index()
            if index is not None:
                for spent in self.spent(index):
                    yield _at_most(distance, spent)
                    yield _at_most(Apply("negate", (distance,)), spent)

    def spent(self, index: str) -> list[Expression]:
        counted = self.program.claim.neighbours.relation in (Relation.L1, Relation.GROUP)
        lists = [one.name for one in self.program.parameters if one.list and one.private and counted]
        return [Read(f"@spent:{name}", self.first(index)) for name in lists]

    def sums(self) -> list[Expression]:
        """The costs of the sites, one by one and weighed together by their scales."""
        found: list[Expression] = list(self.costs)
        weights = self._weights()
        if weights:
            total: Expression | None = None
            for cost, weight in zip(self.costs, weights, strict=True):
                product: Expression = cost if weight == 1 else Apply("*", (number(weight), cost))
                total = product if total is None else Apply("+", (total, product))
            assert total is not None
            found.append(total)
        return found

    def _weights(self) -> list[Fraction]:
        """1 / scale of each site, in units of the smallest, where these are numbers."""
        if len(self.costs) < 2:
            return []
        try:
            known = scales(self.program)
            rates = [quotient(known[int(cost.name[5:])], {}) for cost in self.costs]
            ratios = [(rates[0] / one).number for one in rates]
        except (Outside, KeyError):
            return []
        if any(ratio is None or ratio <= 0 for ratio in ratios):
            return []
        found = [ratio for ratio in ratios if ratio is not None]
        return [ratio / min(found) for ratio in found]

    def cost_bounds(self) -> Iterator[Expression]:
        """What has been spent."""
        for cost in self.sums():
            for bound in (0, 1, 2, 3, 4):
                yield _at_most(cost, number(bound * self.k))
        index = self.index()
        for cost in self.sums():
            for name in self.counters:
                for factor in (1, 2, 3, 4):
                    grown = self.since(name)
                    more = Apply("*", (number(factor), grown)) if factor > 1 else grown
                    yield _at_most(cost, more)
                    if isinstance(cost, Name):
                        yield _at_most(Apply("-", (cost, Name(f"{cost.name}@0"))), more)
                if isinstance(cost, Name) and any(isinstance(one, While) for one in self.loop.body):
                    for inner in self._inner_bounds():  # a loop in a loop
                        yield _at_most(cost, Apply("*", (Apply("max", (inner, number(0))), self.since(name))))
            if index is not None:
                for spent in self.spent(index):
                    for factor in (1, 2):
                        yield _at_most(cost, Apply("*", (number(factor), spent)))
        for cost in self.costs:
            for name in self.moving:
                distance = Apply("abs", (Apply("-", (Name(f"{name}@2"), self.first(name))),))
                for bound in (1, 2):
                    yield _at_most(Apply("+", (cost, distance)), number(bound * self.k))

    def _inner_bounds(self) -> list[Expression]:
        inner = [
            _Loop(self.program, one, self.known, self.defined | assigned(self.loop.body), False)
            for one in self.loop.body
            if isinstance(one, While)
        ]
        return list(dict.fromkeys(bound for one in inner for _, bound in one.bounds()))

    def all(self) -> Iterator[Expression]:
        plain, distances, costs = list(self.plain()), list(self.distances()), list(self.cost_bounds())
        yield from plain
        yield from distances
        yield from self.exact_distances()
        yield from costs
        guarded = [one for one in distances if len(self.moving) <= 4]
        guarded += [_at_most(cost, number(bound * self.k)) for cost in self.costs for bound in (0, 1, 2)]
        guarded += self.floors()
        guarded += [Apply("==", (Name(f"{name}@2"), Name("@answer"))) for name in self.told() if self.pointwise]
        for guard in self.guards():
            for one in guarded:
                yield _when(guard, one)


def candidates(program: Program, known: dict[str, Kind], pointwise: bool) -> tuple[tuple[Expression, ...], ...]:
    """For every loop."""
    start = frozenset(one.name for one in program.parameters)
    loops = _defined_before(program.body, start)
    return tuple(tuple(dict.fromkeys(_Loop(program, loop, known, defined, pointwise).all())) for loop, defined in loops)


def variants(program: Program) -> tuple[tuple[Expression, ...], ...]:
    """For every loop what may shrink: the bound less the counter, for every comparison in its guard."""
    words = Words(program)
    found = []
    for loop in (one for one in statements(program.body) if isinstance(one, While)):
        options: dict[Expression, None] = {}
        for part in parts(loop.condition):
            if isinstance(part, Apply) and part.operator in ("<", "<=", "!="):
                small, large = part.arguments
                options[Apply("-", (words.run(large, 1), words.run(small, 1)))] = None
        found.append(tuple(options) or (number(0),))
    return tuple(found)
