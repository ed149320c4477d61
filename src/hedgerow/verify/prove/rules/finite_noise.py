"""The rule for noise with finitely many values: a region is proved by its distribution of answers.

The outputs of a region, with the values that later statements read, are its *answer*. In every case
of ``case_split`` the probabilities of all answers are known in both runs as exact formulas. If each
answer of the first run is at most r times as likely as in the second, the region costs ln r, and
both runs continue as if they had given the same answer: the probabilities of later events are
multiplied, so costs add up.

If nothing else in the program draws, and the region runs once, the claim's delta is available too:
then every *set* of answers is compared, first <= r second + delta, and not every answer alone.

A certificate states, at the first site of the region, when it costs something (``shifts``) and how
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
from hedgerow.verify.prove.algebra import RationalFunction, constant_function, scale_positively
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
_MAX_TERMS: Final = 100  # on longer ones, one step of z3 may take too long
# Limits of a query with polynomial facts alone; the checker has more for the rest.
_WORK, _MILLISECONDS = 1_000_000, 10_000
_Literal: TypeAlias = tuple[str, Fraction | int | bool]
_AnswerPart: TypeAlias = tuple[Term | None, _Literal | None]  # the literal if the term is one


@dataclass(frozen=True, slots=True)
class _FinitePath:
    """One path through the region: its probability, the state after it, and its outputs."""

    probability: RationalFunction
    state: PairState
    outputs: tuple[Term, ...] = ()


def apply_finite_noise_rule(
    product: ProductRuns, region: FiniteRegion, state: PairState, path: Path
) -> PairState:
    """Return the state after both runs passed the region and gave the same answer."""
    site, kept = region.site, find_live_variables(region, product.program)
    costs = translate(product.certificate.shifts[site], product.certificate_symbols(state, path))
    if not z3.is_bool(costs):
        raise UnsupportedProgram(
            "the certificate must state a condition under which these coins cost something",
            region.samples[0].place,
        )
    explore_cases(path, lambda case: _FiniteCase(product, region, state, case, kept).oblige(costs))
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
        case: SplitCase,
        kept: frozenset[str],
    ) -> None:
        self.product, self.region, self.state, self.case, self.live_variables = (
            product,
            region,
            state,
            case,
            sorted(kept),
        )
        self.probabilities = ProbabilityReader(case.decide)
        self.place = region.samples[0].place
        rates = product.certificate.rates
        self.rate = rates[region.site] if region.site < len(rates) else None
        self.assumed: list[Condition] = []  # the interpreter refuses any other run
        self.required: list[tuple[Condition, Place, str]] = []
        # The term is kept, so that its id stays unique.
        self._coin_probabilities: dict[tuple[int, int], tuple[Term, RationalFunction]] = {}

    def oblige(self, costs: Term) -> None:
        """Record the obligations of this case."""
        first, second = (
            self._run_block(self.region.body, run, [_FinitePath(constant_function(1), self.state)])
            for run in (0, 1)
        )
        ratio = self._allowed_ratio() if self.case.decide(costs) else constant_function(1)
        answers, granted = self._collect_answers(first, second), self._granted_delta()
        powers = self.probabilities.list_power_facts(lambda goal: is_entailed(self.case.path, goal))
        facts = powers + [self.probabilities.compare_to_zero(*one) for one in self.assumed]
        for need, place, reason in self.required:
            self._require("chance", self.probabilities.compare_to_zero(*need), facts, place, reason)
        facts = facts + [self.probabilities.compare_to_zero(*need) for need, _, _ in self.required]
        worth = "0" if self.rate is None else format_expression(self.rate)
        reason = f"the output may be likelier for one neighbour; hiding it costs more than {worth}"
        overs = [
            likely - ratio * rare - (granted or constant_function(0))
            for likely, rare in (_list_events(answers) if granted is not None else answers)
        ]
        for over in {one.key: one for one in map(scale_positively, overs)}.values():
            if len(over.numerator) + len(over.denominator) > _MAX_TERMS:
                raise UnsupportedProgram(
                    f"these answers need polynomials of more than {_MAX_TERMS} terms; use fewer",
                    self.place,
                )
            self._require(
                "answers", self.probabilities.compare_to_zero("<=", over), facts, self.place, reason
            )
        # The case itself must be possible.
        self.product.add_obligation(
            "answers", [*self.case.path, *facts], z3.BoolVal(True), self.place, reason
        )

    def _require(self, name: str, goal: Term, facts: list[Term], place: Place, reason: str) -> None:
        """Discharge the goal from the polynomial facts, or record an obligation with all
        assumptions.
        """
        self.product.spend_work(1)
        if not (z3.is_true(goal) or is_entailed(facts, goal, _WORK, _MILLISECONDS)):
            self.product.add_obligation(name, [*self.case.path, *facts], goal, place, reason)

    def _read_term(self, given: Term, granted: bool, place: Place) -> RationalFunction:
        """Convert the term to a fraction; its definedness is granted or becomes an obligation."""
        before = len(self.probabilities.conditions)
        found = self.probabilities.read(given)
        for need in self.probabilities.conditions[before:]:
            self._add_condition(
                need, granted, place, "a probability or the cost of these coins may be undefined"
            )
        return found

    def _add_condition(self, need: Condition, granted: bool, place: Place, reason: str) -> None:
        if granted:
            self.assumed.append(need)
        else:
            self.required.append((need, place, reason))

    def _allowed_ratio(self) -> RationalFunction:
        """Return e to the rate. A claim is assumed to be defined and not negative; any other rate
        must be shown to be defined.
        """
        if self.rate is None:
            return constant_function(1)
        if not collect_names(self.rate) <= find_public_scalars(self.product.program):
            raise UnsupportedProgram(
                f"the rate {format_expression(self.rate)} is not public; use public parameters"
            )
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
        """Return the claim's delta if this region may use all of it: no other noise, no excused
        noise, no loop.
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
        """Return the probabilities in both runs of every answer that the first run may give."""
        found: list[tuple[list[_AnswerPart], RationalFunction, RationalFunction]] = []
        for run, paths in enumerate((first, second)):
            self.product.spend_work(len(paths) * (1 + len(paths) // 64))
            for path in paths:
                answer = self._answer_of(path, run)
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
                        (one, likely, rare + path.probability)
                        if run
                        else (one, likely + path.probability, rare)
                    )
                elif run == 0:
                    found.append((answer, path.probability, constant_function(0)))
        return [(likely, rare) for _, likely, rare in found]

    def _answer_of(self, path: _FinitePath, run: int) -> list[_AnswerPart]:
        """Return the live variables and the outputs at the end of a path."""
        left = [path.state.values.get(name) for name in self.live_variables]
        terms = [None if one is None else z3.simplify(one[run]) for one in left] + [
            z3.simplify(one) for one in path.outputs
        ]
        return [(one, None if one is None else _literal_value(one)) for one in terms]

    def _is_same_answer(self, answer: list[_AnswerPart], other: list[_AnswerPart]) -> bool:
        """Return True if both answers are equal in this case; most differ in a literal, which needs
        no solver.
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

    # --- Paths

    def _run_block(self, block: Block, run: int, paths: list[_FinitePath]) -> list[_FinitePath]:
        for statement in block:
            self.product.spend_work(
                sum(
                    1 + (len(path.probability.numerator) + len(path.probability.denominator)) // 8
                    for path in paths
                )
            )
            paths = [after for path in paths for after in self._run_statement(statement, run, path)]
            if len(paths) > _MAX_PATHS:
                raise UnsupportedProgram(
                    f"these coins have more than {_MAX_PATHS} outcomes; use fewer", self.place
                )
        return paths

    def _run_statement(
        self, statement: Statement, run: int, path: _FinitePath
    ) -> list[_FinitePath]:
        given = self.product.run_symbols(run, path.state, self.case.path)
        match statement:
            case Assign():
                value = self.product.fit_to_sort(statement.name, translate(statement.value, given))
                return [replace(path, state=path.state.with_value(statement.name, value, value))]
            case Output():
                return [replace(path, outputs=(*path.outputs, translate(statement.value, given)))]
            case If():
                holds = self.case.decide(translate(statement.condition, given))
                return self._run_block(
                    statement.then if holds else statement.otherwise, run, [path]
                )
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
                        f"a finite proof enumerates at most {_MAX_BITS} bits per draw; use fewer",
                        statement.place,
                    )
                drawn = [
                    (z3.BitVecVal(value, width), constant_function(Fraction(1, 2**width)))
                    for value in range(2**width)
                ]
            case _:
                raise UnsupportedProgram(
                    "a loop stands between these coins; move it out", statement.place
                )
        return [
            _FinitePath(
                path.probability * chance,
                path.state.with_value(statement.name, value, value),
                path.outputs,
            )
            for value, chance in drawn
            if chance.numerator
        ]

    def _cached_coin_probability(self, sample: Sample, given: Term) -> RationalFunction:
        key = sample.site, given.get_id()
        if key not in self._coin_probabilities:
            self._coin_probabilities[key] = given, self._coin_probability(sample, given)
        return self._coin_probabilities[key][1]

    def _coin_probability(self, sample: Sample, given: Term) -> RationalFunction:
        """Return the coin's probability. The interpreter clamps private values to [0, 1], and
        refuses public values outside.
        """
        sure = has_checked_parameters(self.product.program, sample)
        chance = self._read_term(given, sure, sample.place)
        value = chance.constant_value
        if value is not None:
            if sure and not 0 <= value <= 1:
                raise UnsupportedProgram(
                    f"the probability {value} is outside of 0 to 1; change it", sample.place
                )
            return constant_function(min(max(value, Fraction(0)), Fraction(1)))
        reason = (
            f"the probability {format_expression(sample.parameters[0])} may lie outside"
            " of 0 to 1 for some private data"
        )
        for one in (-chance, chance - constant_function(1)):
            self._add_condition(("<=", one), sure, sample.place, reason)
        return chance


def _list_events(
    answers: list[tuple[RationalFunction, RationalFunction]],
) -> list[tuple[RationalFunction, RationalFunction]]:
    """List every set of answers, with its probabilities in both runs."""
    if len(answers) > _MAX_ANSWERS:
        raise UnsupportedProgram(
            f"a claim with a delta allows at most {_MAX_ANSWERS} answers of coins; use fewer"
        )
    found = [(constant_function(0), constant_function(0))]
    for likely, rare in answers:
        found += [(one + likely, other + rare) for one, other in found]
    return found[1:]


def _literal_value(term: Term) -> _Literal | None:
    """Return the value of a literal term, tagged with its kind; None for any other term."""
    if z3.is_true(term) or z3.is_false(term):
        return "truth", bool(z3.is_true(term))
    if z3.is_int_value(term) or z3.is_rational_value(term):
        return "number", Fraction(
            str(term.as_fraction() if z3.is_rational_value(term) else term.as_long())
        )
    return (f"bits {term.size()}", int(term.as_long())) if z3.is_bv_value(term) else None


def _is_comparable(one: Term, other: Term) -> bool:
    """Return True if the terms have comparable kinds; values of different kinds are different
    answers.
    """
    return bool((z3.is_arith(one) and z3.is_arith(other)) or one.sort() == other.sort())
