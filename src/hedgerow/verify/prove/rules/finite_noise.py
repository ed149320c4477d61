"""The rule for noise of finitely many values: a stretch of the program is proved by its law,
without matching noise with noise.

What a stretch says, together with what it leaves behind for later, is its *answer*. In every case
(``worlds``) the chances of all answers are known in both runs as exact formulas. Where each answer
of the first run is at most r times as likely as in the second, the stretch costs ln r, and both
runs go on as if they had given the same answer: chances of what follows are multiplied, and so
costs add up.

Where nothing else in the program draws, and the stretch is gone through once, the claim's delta is
granted too: then every *set* of answers is compared, likely <= r rare + delta, and not every answer
alone.

A certificate says, at the first site of the stretch, when it costs something (``shifts``) and how
much (``rates``); otherwise r is 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, TypeAlias

from hedgerow.verify.language.assumptions import find_public_scalars, has_checked_parameters
from hedgerow.verify.language.program import (
    Assign,
    Block,
    If,
    Noise,
    Output,
    Place,
    Sample,
    Statement,
    collect_names,
    find_assigned_names,
    format_expression,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.algebra import RationalFunction, constant_function
from hedgerow.verify.prove.rules.case_split import SplitCase, explore_cases
from hedgerow.verify.prove.rules.finite_regions import (
    FiniteRegion,
    find_live_variables,
    list_regions,
    split_regions,
)
from hedgerow.verify.prove.rules.probabilities import Condition, ProbabilityReader
from hedgerow.verify.prove.solver import Term, is_entailed, z3
from hedgerow.verify.prove.state import PairState, Path, ProductRuns
from hedgerow.verify.prove.terms import translate

__all__ = ["apply_finite_noise_rule"]

_MAX_PATHS: Final = 256
_MAX_BITS: Final = 6
_MAX_ANSWERS: Final = 6
_MAX_TERMS: Final = 100  # z3 may stay within one step on longer ones, where no limit stops it
# for what polynomials show by themselves; all that is known is asked with more
_WORK, _MILLISECONDS = 1_000_000, 10_000
_Literal: TypeAlias = tuple[str, Fraction | int | bool]
_AnswerPart: TypeAlias = tuple[Term | None, _Literal | None]  # the literal where the term is one


@dataclass(frozen=True, slots=True)
class _FinitePath:
    """One way through the stretch: how likely it is, what is known after it, and what was said
    on it.
    """

    probability: RationalFunction
    state: PairState
    outputs: tuple[Term, ...] = ()


def apply_finite_noise_rule(
    product: ProductRuns, region: FiniteRegion, state: PairState, path: Path
) -> PairState:
    """The state after both runs went through the stretch and gave the same answer."""
    site, kept = region.site, find_live_variables(region, product.program)
    costs = translate(product.certificate.shifts[site], product.certificate_symbols(state, path))
    if not z3.is_bool(costs):
        raise UnsupportedProgram(
            "the certificate must say when these coins cost something", region.samples[0].place
        )
    explore_cases(
        path, lambda world: _FiniteCase(product, region, state, world, kept).oblige(costs)
    )
    after = state
    for name in sorted(find_assigned_names(region.body)):
        first = product.fresh_value(f"{name}@1", product.sorts[name])
        second = first if name in kept else product.fresh_value(f"{name}@2", product.sorts[name])
        after = after.with_value(name, first, second)
    return after.with_cost(f"cost{site}", z3.If(costs, z3.RealVal(1), z3.RealVal(0)))


class _FiniteCase:
    def __init__(
        self,
        product: ProductRuns,
        region: FiniteRegion,
        state: PairState,
        world: SplitCase,
        kept: frozenset[str],
    ) -> None:
        self.product, self.region, self.state, self.case, self.live_variables = (
            product,
            region,
            state,
            world,
            sorted(kept),
        )
        self.probabilities = ProbabilityReader(world.decide)
        self.place = region.samples[0].place
        rates = product.certificate.rates
        self.rate = rates[region.site] if region.site < len(rates) else None
        self.assumed: list[Condition] = []  # because a run without it is refused
        self.required: list[tuple[Condition, Place, str]] = []
        # the term is kept, so that its number stays its own
        self._coin_probabilities: dict[tuple[int, int], tuple[Term, RationalFunction]] = {}

    def oblige(self, costs: Term) -> None:
        """Writes down what must be shown in this case."""
        first, second = (
            self._run_block(self.region.body, run, [_FinitePath(constant_function(1), self.state)])
            for run in (0, 1)
        )
        ratio = self._allowed_ratio() if self.case.decide(costs) else constant_function(1)
        answers, granted = self._collect_answers(first, second), self._granted_delta()
        powers = self.probabilities.list_power_facts(lambda goal: is_entailed(self.case.path, goal))
        facts = powers + [self.probabilities.compare_to_zero(*one) for one in self.assumed]
        for need, place, said in self.required:
            self._require("chance", self.probabilities.compare_to_zero(*need), facts, place, said)
        facts = facts + [self.probabilities.compare_to_zero(*need) for need, _, _ in self.required]
        worth = "0" if self.rate is None else format_expression(self.rate)
        said = f"what is said may be likelier for one neighbour; hiding it costs more than {worth}"
        overs = [
            likely - ratio * rare - (granted or constant_function(0))
            for likely, rare in (_list_events(answers) if granted is not None else answers)
        ]
        for over in {_polynomial_key(one): one for one in map(_normalise, overs)}.values():
            if len(over.numerator) + len(over.denominator) > _MAX_TERMS:
                raise UnsupportedProgram(
                    f"to compare these answers takes polynomials of more than {_MAX_TERMS} terms",
                    self.place,
                )
            self._require(
                "answers", self.probabilities.compare_to_zero("<=", over), facts, self.place, said
            )
        # the case is there at all
        self.product.add_obligation(
            "answers", [*self.case.path, *facts], z3.BoolVal(True), self.place, said
        )

    def _require(self, name: str, goal: Term, facts: list[Term], place: Place, reason: str) -> None:
        """Mostly the polynomials suffice; all that is known of the runs is for the rest."""
        self.product.spend_work(1)
        if not (z3.is_true(goal) or is_entailed(facts, goal, _WORK, _MILLISECONDS)):
            self.product.add_obligation(name, [*self.case.path, *facts], goal, place, reason)

    def _read_term(self, given: Term, granted: bool, place: Place) -> RationalFunction:
        """The term as a fraction. That it exists is granted, or must be shown."""
        before = len(self.probabilities.conditions)
        found = self.probabilities.read(given)
        for need in self.probabilities.conditions[before:]:
            self._add_condition(
                need, granted, place, "a chance, or what these coins cost, may be no number"
            )
        return found

    def _add_condition(self, need: Condition, granted: bool, place: Place, reason: str) -> None:
        if granted:
            self.assumed.append(need)
        else:
            self.required.append((need, place, reason))

    def _allowed_ratio(self) -> RationalFunction:
        """e to the rate. Claims exist and are not negative, as everywhere; what else a
        certificate says must exist.
        """
        if self.rate is None:
            return constant_function(1)
        if not collect_names(self.rate) <= find_public_scalars(self.product.program):
            raise UnsupportedProgram(f"the rate {format_expression(self.rate)} is not public")
        claimed = self.rate == self.product.program.claim.epsilon
        rate = self._read_term(
            translate(self.rate, self.product.certificate_symbols(self.state, self.case.path)),
            claimed,
            self.place,
        )
        ratio = self.probabilities.exponential(rate)
        if claimed:
            self.assumed.append(("<=", constant_function(1) - ratio))
        return ratio

    def _granted_delta(self) -> RationalFunction | None:
        """What the claim grants on top, where all of it is granted here: there is no other
        noise, nothing is excused, and no loop.
        """
        program, delta = self.product.program, self.product.program.claim.delta
        once = [one for one in split_regions(program.body) if isinstance(one, FiniteRegion)]
        alone = len(once) == len(list(list_regions(program.body))) == 1 and len(
            program.samples
        ) == len(self.region.samples)
        if (
            delta is None
            or not alone
            or any(one is not None for one in self.product.certificate.excused)
        ):
            return None
        return self._read_term(
            translate(delta, self.product.certificate_symbols(self.state, self.case.path)),
            True,
            self.place,
        )

    def _collect_answers(
        self, first: list[_FinitePath], second: list[_FinitePath]
    ) -> list[tuple[RationalFunction, RationalFunction]]:
        """Of every answer that the first run may give, its chance in both."""
        found: list[tuple[list[_AnswerPart], RationalFunction, RationalFunction]] = []
        for run, ways in enumerate((first, second)):
            self.product.spend_work(len(ways) * (1 + len(ways) // 64))
            for way in ways:
                answer = self._answer_of(way, run)
                number = next(
                    (
                        number
                        for number, (one, _, _) in enumerate(found)
                        if self._is_same_answer(answer, one)
                    ),
                    None,
                )
                if number is not None:
                    one, likely, rare = found[number]
                    found[number] = (
                        (one, likely, rare + way.probability)
                        if run
                        else (one, likely + way.probability, rare)
                    )
                elif run == 0:
                    found.append((answer, way.probability, constant_function(0)))
        return [(likely, rare) for _, likely, rare in found]

    def _answer_of(self, way: _FinitePath, run: int) -> list[_AnswerPart]:
        """What is left behind, and what was said."""
        left = [way.state.values.get(name) for name in self.live_variables]
        terms = [None if one is None else z3.simplify(one[run]) for one in left] + [
            z3.simplify(one) for one in way.outputs
        ]
        return [(one, None if one is None else _literal_value(one)) for one in terms]

    def _is_same_answer(self, answer: list[_AnswerPart], other: list[_AnswerPart]) -> bool:
        """Whether both are one answer. Most are told apart by numbers and truths that stand in
        them, without a question to anybody.
        """
        if len(answer) != len(other):
            return False
        both = list(zip(answer, other, strict=True))
        if any(
            known is not None and there is not None and known != there
            for (_, known), (_, there) in both
        ):
            return False
        pairs = [(a, b) for (a, known), (b, there) in both if known is None or there is None]
        if any(
            (a is None) is not (b is None) or (a is not None and not _is_comparable(a, b))
            for a, b in pairs
        ):
            return False
        return all(a is None or a.eq(b) or self.case.decide(a == b) for a, b in pairs)

    # --- ways
    # ----------------------------------------------------------------------------------------------

    def _run_block(self, block: Block, run: int, ways: list[_FinitePath]) -> list[_FinitePath]:
        for statement in block:
            self.product.spend_work(
                sum(
                    1 + (len(way.probability.numerator) + len(way.probability.denominator)) // 8
                    for way in ways
                )
            )
            ways = [after for way in ways for after in self._run_statement(statement, run, way)]
            if len(ways) > _MAX_PATHS:
                raise UnsupportedProgram(
                    f"these coins fall in more than {_MAX_PATHS} ways", self.place
                )
        return ways

    def _run_statement(self, statement: Statement, run: int, way: _FinitePath) -> list[_FinitePath]:
        given = self.product.run_symbols(run, way.state, self.case.path)
        match statement:
            case Assign():
                value = self.product.fit_to_sort(statement.name, translate(statement.value, given))
                return [replace(way, state=way.state.with_value(statement.name, value, value))]
            case Output():
                return [replace(way, outputs=(*way.outputs, translate(statement.value, given)))]
            case If():
                holds = self.case.decide(translate(statement.condition, given))
                return self._run_block(statement.then if holds else statement.otherwise, run, [way])
            case Sample(noise=Noise.BERNOULLI):
                chance = self._cached_coin_probability(
                    statement, translate(statement.parameters[0], given)
                )
                drawn = [
                    (z3.BoolVal(True), chance),
                    (z3.BoolVal(False), constant_function(1) - chance),
                ]
            case Sample():
                width = self.product.sorts[statement.name].width
                if not 0 < width <= _MAX_BITS:
                    raise UnsupportedProgram(
                        f"bits that are gone through one by one must be at most {_MAX_BITS}",
                        statement.place,
                    )
                drawn = [
                    (z3.BitVecVal(value, width), constant_function(Fraction(1, 2**width)))
                    for value in range(2**width)
                ]
            case _:
                raise UnsupportedProgram("there is a loop among these coins", statement.place)
        return [
            _FinitePath(
                way.probability * chance,
                way.state.with_value(statement.name, value, value),
                way.outputs,
            )
            for value, chance in drawn
            if chance.numerator
        ]

    def _cached_coin_probability(self, sample: Sample, given: Term) -> RationalFunction:
        """The chance, read once for all ways on which it is the same."""
        key = sample.site, given.get_id()
        if key not in self._coin_probabilities:
            self._coin_probabilities[key] = given, self._coin_probability(sample, given)
        return self._coin_probabilities[key][1]

    def _coin_probability(self, sample: Sample, given: Term) -> RationalFunction:
        """The interpreter cuts what private data decide to [0, 1], and refuses to run where
        public numbers alone go beyond it.
        """
        sure = has_checked_parameters(self.product.program, sample)
        chance = self._read_term(given, sure, sample.place)
        value = chance.constant_value
        if value is not None:
            if sure and not 0 <= value <= 1:
                raise UnsupportedProgram(f"there is no coin with a chance of {value}", sample.place)
            return constant_function(min(max(value, Fraction(0)), Fraction(1)))
        said = (
            f"the chance {format_expression(sample.parameters[0])} may lie outside of 0 to 1 for"
            " some private data"
        )
        for one in (-chance, chance - constant_function(1)):
            self._add_condition(("<=", one), sure, sample.place, said)
        return chance


def _list_events(
    answers: list[tuple[RationalFunction, RationalFunction]],
) -> list[tuple[RationalFunction, RationalFunction]]:
    """Every set of answers, with its chances in both runs."""
    if len(answers) > _MAX_ANSWERS:
        raise UnsupportedProgram(
            f"with a delta, at most {_MAX_ANSWERS} answers are compared in all their sets"
        )
    found = [(constant_function(0), constant_function(0))]
    for likely, rare in answers:
        found += [(one + likely, other + rare) for one, other in found]
    return found[1:]


def _normalise(one: RationalFunction) -> RationalFunction:
    """Divided by a number above 0, so that what has the same sign for that reason is shown once."""
    above, below = (
        abs(side[max(side)]) if side else Fraction(1) for side in (one.numerator, one.denominator)
    )
    return RationalFunction(
        {of: value / above for of, value in one.numerator.items()},
        {of: value / below for of, value in one.denominator.items()},
    )


def _polynomial_key(one: RationalFunction) -> object:
    return tuple(sorted(one.numerator.items())), tuple(sorted(one.denominator.items()))


def _literal_value(term: Term) -> _Literal | None:
    """The value of a term that is one. Different values, and values of different kinds, are
    different answers.
    """
    if z3.is_true(term) or z3.is_false(term):
        return "truth", bool(z3.is_true(term))
    if z3.is_int_value(term) or z3.is_rational_value(term):
        return "number", Fraction(
            str(term.as_fraction() if z3.is_rational_value(term) else term.as_long())
        )
    return (f"bits {term.size()}", int(term.as_long())) if z3.is_bv_value(term) else None


def _is_comparable(one: Term, other: Term) -> bool:
    """Values of different kinds are different answers."""
    return bool((z3.is_arith(one) and z3.is_arith(other)) or one.sort() == other.sort())
