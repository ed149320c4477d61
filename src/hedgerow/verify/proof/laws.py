"""The rule for noise of finitely many values: a stretch of the program is proved by its law, without matching noise with noise.

What a stretch says, together with what it leaves behind for later, is its *answer*. In every case (``worlds``) the chances of all answers
are known in both runs as exact formulas. Where each answer of the first run is at most r times as likely as in the second, the stretch
costs ln r, and both runs go on as if they had given the same answer: chances of what follows are multiplied, and so costs add up.

Where nothing else in the program draws, and the stretch is gone through once, the claim's delta is granted too: then every *set* of
answers is compared, likely <= r rare + delta, and not every answer alone.

A certificate says, at the first site of the stretch, when it costs something (``shifts``) and how much (``rates``); otherwise r is 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, TypeAlias

from hedgerow.verify.language.assumptions import existing, public
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Assign, Block, If, Noise, Output, Place, Sample, Statement, assigned, names, written
from hedgerow.verify.proof.algebra import Quotient, constant
from hedgerow.verify.proof.chances import Chances, Need
from hedgerow.verify.proof.regions import Region, live, pieces, regions
from hedgerow.verify.proof.solver import Term, entailed, z3
from hedgerow.verify.proof.state import Path, Runs, State
from hedgerow.verify.proof.terms import meaning
from hedgerow.verify.proof.worlds import World, explored

__all__ = ["answered"]

_WAYS: Final = 256
_WIDEST: Final = 6
_MOST_ANSWERS: Final = 6
_MOST_TERMS: Final = 100  # z3 may stay within one step on longer ones, where no limit stops it
_WORK, _MILLISECONDS = 1_000_000, 10_000  # for what polynomials show by themselves; all that is known is asked with more
_Literal: TypeAlias = tuple[str, Fraction | int | bool]
_Said: TypeAlias = tuple[Term | None, _Literal | None]  # the literal where the term is one


@dataclass(frozen=True, slots=True)
class _Way:
    """One way through the stretch: how likely it is, what is known after it, and what was said on it."""

    chance: Quotient
    state: State
    said: tuple[Term, ...] = ()


def answered(product: Runs, region: Region, state: State, path: Path) -> State:
    """The state after both runs went through the stretch and gave the same answer."""
    site, kept = region.site, live(region, product.program)
    costs = meaning(product.certificate.shifts[site], product.across(state, path))
    if not z3.is_bool(costs):
        raise Outside("the certificate must say when these coins cost something", region.samples[0].place)
    explored(path, lambda world: _Case(product, region, state, world, kept).oblige(costs))
    after = state
    for name in sorted(assigned(region.body)):
        first = product.new(f"{name}@1", product.sorts[name])
        second = first if name in kept else product.new(f"{name}@2", product.sorts[name])
        after = after.with_value(name, first, second)
    return after.with_cost(f"cost{site}", z3.If(costs, z3.RealVal(1), z3.RealVal(0)))


class _Case:
    def __init__(self, product: Runs, region: Region, state: State, world: World, kept: frozenset[str]) -> None:
        self.product, self.region, self.state, self.world, self.kept = product, region, state, world, sorted(kept)
        self.chances = Chances(world.decide)
        self.place = region.samples[0].place
        rates = product.certificate.rates
        self.rate = rates[region.site] if region.site < len(rates) else None
        self.assumed: list[Need] = []  # because a run without it is refused
        self.needed: list[tuple[Need, Place, str]] = []
        self._thrown: dict[tuple[int, int], tuple[Term, Quotient]] = {}  # the term is kept, so that its number stays its own

    def oblige(self, costs: Term) -> None:
        """Writes down what must be shown in this case."""
        first, second = (self._through(self.region.body, run, [_Way(constant(1), self.state)]) for run in (0, 1))
        ratio = self._ratio() if self.world.decide(costs) else constant(1)
        answers, granted = self._answers(first, second), self._delta()
        powers = self.chances.facts(lambda goal: entailed(self.world.path, goal))
        facts = powers + [self.chances.holds(*one) for one in self.assumed]
        for need, place, said in self.needed:
            self._shown("chance", self.chances.holds(*need), facts, place, said)
        facts = facts + [self.chances.holds(*need) for need, _, _ in self.needed]
        worth = "0" if self.rate is None else written(self.rate)
        said = f"what is said may be likelier for one neighbour; hiding it costs more than {worth}"
        overs = [
            likely - ratio * rare - (granted or constant(0)) for likely, rare in (_events(answers) if granted is not None else answers)
        ]
        for over in {_key(one): one for one in map(_plain, overs)}.values():
            if len(over.above) + len(over.below) > _MOST_TERMS:
                raise Outside(f"to compare these answers takes polynomials of more than {_MOST_TERMS} terms", self.place)
            self._shown("answers", self.chances.holds("<=", over), facts, self.place, said)
        self.product.oblige("answers", [*self.world.path, *facts], z3.BoolVal(True), self.place, said)  # the case is there at all

    def _shown(self, name: str, goal: Term, facts: list[Term], place: Place, reason: str) -> None:
        """Mostly the polynomials suffice; all that is known of the runs is for the rest."""
        self.product.spend(1)
        if not (z3.is_true(goal) or entailed(facts, goal, _WORK, _MILLISECONDS)):
            self.product.oblige(name, [*self.world.path, *facts], goal, place, reason)

    def _read(self, given: Term, granted: bool, place: Place) -> Quotient:
        """The term as a fraction. That it exists is granted, or must be shown."""
        before = len(self.chances.needs)
        found = self.chances.read(given)
        for need in self.chances.needs[before:]:
            self._need(need, granted, place, "a chance, or what these coins cost, may be no number")
        return found

    def _need(self, need: Need, granted: bool, place: Place, reason: str) -> None:
        if granted:
            self.assumed.append(need)
        else:
            self.needed.append((need, place, reason))

    def _ratio(self) -> Quotient:
        """e to the rate. Claims exist and are not negative, as everywhere; what else a certificate says must exist."""
        if self.rate is None:
            return constant(1)
        if not names(self.rate) <= public(self.product.program):
            raise Outside(f"the rate {written(self.rate)} is not public")
        claimed = self.rate == self.product.program.claim.epsilon
        rate = self._read(meaning(self.rate, self.product.across(self.state, self.world.path)), claimed, self.place)
        ratio = self.chances.power(rate)
        if claimed:
            self.assumed.append(("<=", constant(1) - ratio))
        return ratio

    def _delta(self) -> Quotient | None:
        """What the claim grants on top, where all of it is granted here: there is no other noise, nothing is excused, and no loop."""
        program, delta = self.product.program, self.product.program.claim.delta
        once = [one for one in pieces(program.body) if isinstance(one, Region)]
        alone = len(once) == len(list(regions(program.body))) == 1 and len(program.samples) == len(self.region.samples)
        if delta is None or not alone or any(one is not None for one in self.product.certificate.bad):
            return None
        return self._read(meaning(delta, self.product.across(self.state, self.world.path)), True, self.place)

    def _answers(self, first: list[_Way], second: list[_Way]) -> list[tuple[Quotient, Quotient]]:
        """Of every answer that the first run may give, its chance in both."""
        found: list[tuple[list[_Said], Quotient, Quotient]] = []
        for run, ways in enumerate((first, second)):
            self.product.spend(len(ways) * (1 + len(ways) // 64))
            for way in ways:
                answer = self._answer(way, run)
                number = next((number for number, (one, _, _) in enumerate(found) if self._same(answer, one)), None)
                if number is not None:
                    one, likely, rare = found[number]
                    found[number] = (one, likely, rare + way.chance) if run else (one, likely + way.chance, rare)
                elif run == 0:
                    found.append((answer, way.chance, constant(0)))
        return [(likely, rare) for _, likely, rare in found]

    def _answer(self, way: _Way, run: int) -> list[_Said]:
        """What is left behind, and what was said."""
        left = [way.state.values.get(name) for name in self.kept]
        terms = [None if one is None else z3.simplify(one[run]) for one in left] + [z3.simplify(one) for one in way.said]
        return [(one, None if one is None else _literal(one)) for one in terms]

    def _same(self, answer: list[_Said], other: list[_Said]) -> bool:
        """Whether both are one answer. Most are told apart by numbers and truths that stand in them, without a question to anybody."""
        if len(answer) != len(other):
            return False
        both = list(zip(answer, other, strict=True))
        if any(known is not None and there is not None and known != there for (_, known), (_, there) in both):
            return False
        pairs = [(a, b) for (a, known), (b, there) in both if known is None or there is None]
        if any((a is None) is not (b is None) or (a is not None and not _comparable(a, b)) for a, b in pairs):
            return False
        return all(a is None or a.eq(b) or self.world.decide(a == b) for a, b in pairs)

    # --- ways ------------------------------------------------------------------------------------------------------------------------

    def _through(self, block: Block, run: int, ways: list[_Way]) -> list[_Way]:
        for statement in block:
            self.product.spend(sum(1 + (len(way.chance.above) + len(way.chance.below)) // 8 for way in ways))
            ways = [after for way in ways for after in self._step(statement, run, way)]
            if len(ways) > _WAYS:
                raise Outside(f"these coins fall in more than {_WAYS} ways", self.place)
        return ways

    def _step(self, statement: Statement, run: int, way: _Way) -> list[_Way]:
        given = self.product.in_run(run, way.state, self.world.path)
        match statement:
            case Assign():
                value = self.product.fitted(statement.name, meaning(statement.value, given))
                return [replace(way, state=way.state.with_value(statement.name, value, value))]
            case Output():
                return [replace(way, said=(*way.said, meaning(statement.value, given)))]
            case If():
                holds = self.world.decide(meaning(statement.condition, given))
                return self._through(statement.then if holds else statement.otherwise, run, [way])
            case Sample(noise=Noise.BERNOULLI):
                chance = self._thrown_with(statement, meaning(statement.parameters[0], given))
                drawn = [(z3.BoolVal(True), chance), (z3.BoolVal(False), constant(1) - chance)]
            case Sample():
                width = self.product.sorts[statement.name].width
                if not 0 < width <= _WIDEST:
                    raise Outside(f"bits that are gone through one by one must be at most {_WIDEST}", statement.place)
                drawn = [(z3.BitVecVal(value, width), constant(Fraction(1, 2**width))) for value in range(2**width)]
            case _:
                raise Outside("there is a loop among these coins", statement.place)
        return [
            _Way(way.chance * chance, way.state.with_value(statement.name, value, value), way.said)
            for value, chance in drawn
            if chance.above
        ]

    def _thrown_with(self, sample: Sample, given: Term) -> Quotient:
        """The chance, read once for all ways on which it is the same."""
        key = sample.site, given.get_id()
        if key not in self._thrown:
            self._thrown[key] = given, self._chance(sample, given)
        return self._thrown[key][1]

    def _chance(self, sample: Sample, given: Term) -> Quotient:
        """The interpreter cuts what private data decide to [0, 1], and refuses to run where public numbers alone go beyond it."""
        sure = existing(self.product.program, sample)
        chance = self._read(given, sure, sample.place)
        value = chance.number
        if value is not None:
            if sure and not 0 <= value <= 1:
                raise Outside(f"there is no coin with a chance of {value}", sample.place)
            return constant(min(max(value, Fraction(0)), Fraction(1)))
        said = f"the chance {written(sample.parameters[0])} may lie outside of 0 to 1 for some private data"
        for one in (-chance, chance - constant(1)):
            self._need(("<=", one), sure, sample.place, said)
        return chance


def _events(answers: list[tuple[Quotient, Quotient]]) -> list[tuple[Quotient, Quotient]]:
    """Every set of answers, with its chances in both runs."""
    if len(answers) > _MOST_ANSWERS:
        raise Outside(f"with a delta, at most {_MOST_ANSWERS} answers are compared in all their sets")
    found = [(constant(0), constant(0))]
    for likely, rare in answers:
        found += [(one + likely, other + rare) for one, other in found]
    return found[1:]


def _plain(one: Quotient) -> Quotient:
    """Divided by a number above 0, so that what has the same sign for that reason is shown once."""
    above, below = (abs(side[max(side)]) if side else Fraction(1) for side in (one.above, one.below))
    return Quotient({of: value / above for of, value in one.above.items()}, {of: value / below for of, value in one.below.items()})


def _key(one: Quotient) -> object:
    return tuple(sorted(one.above.items())), tuple(sorted(one.below.items()))


def _literal(term: Term) -> _Literal | None:
    """The value of a term that is one. Different values, and values of different kinds, are different answers."""
    if z3.is_true(term) or z3.is_false(term):
        return "truth", bool(z3.is_true(term))
    if z3.is_int_value(term) or z3.is_rational_value(term):
        return "number", Fraction(str(term.as_fraction() if z3.is_rational_value(term) else term.as_long()))
    return (f"bits {term.size()}", int(term.as_long())) if z3.is_bv_value(term) else None


def _comparable(one: Term, other: Term) -> bool:
    """Values of different kinds are different answers."""
    return bool((z3.is_arith(one) and z3.is_arith(other)) or one.sort() == other.sort())
