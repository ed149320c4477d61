"""A call of a custom mechanism: its public arguments, the questions of its private parameters, and
the checks that both pass before anything is charged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from hedgerow.database.query.partition_charging import find_touched_parts
from hedgerow.database.query.payers import Payer, find_payers
from hedgerow.database.query.pricing import QueryContext
from hedgerow.database.query.run import read_count_question
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import parse_delta, parse_epsilon, parse_exact
from hedgerow.numeric.rounding import round_digits_up, round_up
from hedgerow.plan.canonical_plans import compute_plan_key
from hedgerow.plan.contribution_limits import can_exceed_row_bound
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.policy import TableRule
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import TableParts
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.sql.question import Question
from hedgerow.verify.language.assumptions import check_arguments
from hedgerow.verify.language.claim_bounds import bound_expression
from hedgerow.verify.language.program import Kind, Neighbours, Parameter, Program, Relation

__all__ = ["MechanismCall", "read_call"]

_COUNT_KINDS: Final = ("units", "rows", "values", "distinct")
_MAX_NUMBER_BITS: Final = 13_000
_EPSILON_STEPS: Final = 10**18  # epsilon is a whole number of steps this small
_QUOTED_CHARACTERS: Final = 80


@dataclass(frozen=True, slots=True)
class CountQuestion:
    """A question with its text."""

    sql: str
    question: Question


@dataclass(frozen=True, slots=True)
class MechanismCall:
    """A program with its arguments, all of which are public: the private parameters are given by
    questions."""

    program: Program
    public: dict[str, Any]
    questions: dict[str, tuple[CountQuestion, ...]]
    tables: tuple[TableRule, ...]
    payer: Payer
    loss: Loss

    @property
    def all_questions(self) -> list[CountQuestion]:
        """The questions of all parameters, in order."""
        return [asked for several in self.questions.values() for asked in several]

    @property
    def plans(self) -> list[Aggregate]:
        """The plans of all questions."""
        return [asked.question.plan for asked in self.all_questions]

    @property
    def epsilon(self) -> Fraction:
        """The epsilon of the claim at these arguments."""
        assert isinstance(self.loss.epsilon, Fraction)
        return self.loss.epsilon

    @property
    def cell_count(self) -> int:
        """The number of exact answers that the program gets."""
        return sum(self.lengths.values())

    @property
    def proved_sensitivity(self) -> Sensitivity:
        """The sensitivity of the answers that the proof allows."""
        return _compute_proved_sensitivity(
            self.program.claim.neighbours, self.cell_count, self.program.name
        )

    @property
    def key(self) -> str:
        """The key of stored outcomes: a digest of the program, its questions and its public
        arguments."""
        from hedgerow.verify.prove.certificate import hash_program

        plans = {
            name: [compute_plan_key(asked.question.plan) for asked in several]
            for name, several in self.questions.items()
        }
        public = {name: str(value) for name, value in self.public.items()}
        unit = self.payer.unit
        meaning: list[Any] = ["custom", hash_program(self.program), plans, public]
        meaning += [self.payer.population, unit.relation, unit.group]
        return hashlib.sha256(json.dumps(meaning, sort_keys=True).encode()).hexdigest()

    @property
    def version(self) -> str:
        """The data versions of all tables, in the order of the questions."""
        versions = {table.name: table.version for table in self.tables}
        if len(versions) == 1:
            return next(iter(versions.values()))
        return ", ".join(f"{name} {version}" for name, version in versions.items())

    @property
    def charged_parts(self) -> TableParts | None:
        """The parts of one table, where all questions are about the same ones; None for the
        whole."""
        if len(self.tables) != 1:
            return None
        touched = {find_touched_parts(plan, self.tables[0]) for plan in self.plans}
        parts = touched.pop()
        return None if touched or parts is None else TableParts(self.tables[0].name, parts)

    @property
    def lengths(self) -> dict[str, int]:
        """The number of exact answers for each private parameter."""
        return {name: sum(map(_count_cells, several)) for name, several in self.questions.items()}

    def group_answers(self, numbers: Sequence[int]) -> dict[str, Any]:
        """Group exact answers by the private parameters that they belong to."""
        values, rest = dict[str, Any](), list(numbers)
        for parameter in self.program.parameters:
            if parameter.private:
                length = self.lengths[parameter.name]
                own, rest = rest[:length], rest[length:]
                values[parameter.name] = own if parameter.list else own[0]
        return values


def read_call(
    context: QueryContext, program: Program, arguments: Mapping[str, Any]
) -> MechanismCall:
    """Read the arguments of a program; refuse those that the proof, the policy or the type of a
    parameter does not allow."""
    names = [parameter.name for parameter in program.parameters]
    for name in (*names, *arguments):
        if (name in names) != (name in arguments):
            problem = "must be given" if name in names else "must be left out"
            raise InvalidArgument(name, f"{problem}: {program.name} takes {', '.join(names)}")
    public = {
        parameter.name: _check_public_argument(parameter, arguments[parameter.name])
        for parameter in program.parameters
        if not parameter.private
    }
    questions = {
        parameter.name: _read_questions(context, parameter, arguments[parameter.name])
        for parameter in program.parameters
        if parameter.private
    }
    payers = [
        find_payers(context.policy, asked.question)
        for several in questions.values()
        for asked in several
    ]
    if not payers:
        raise Refused(
            f"{program.name} has no private parameter, so it needs no database. Call it directly."
        )
    if len({each.first.population for each in payers}) > 1:
        raise Refused(
            "These questions are about several populations. Ask about one population: a mechanism"
            " runs on one."
        )
    tables = tuple({table.name: table for each in payers for table in each.tables}.values())
    loss = _price_claim(program, public)
    call = MechanismCall(program, public, questions, tables, payers[0].first, loss)
    _check_sensitivity(call)
    _check_epsilon(call)
    return call


def _check_sensitivity(call: MechanismCall) -> None:
    """Refuse questions that one unit can change by more than was proved."""
    allowed, total = call.proved_sensitivity, None
    for asked in call.all_questions:
        (move,) = asked.question.plan.sensitivity(call.payer.unit)
        total = move if total is None else total + move
        if not _is_within(total, allowed):
            raise Refused(_describe_excess_sensitivity(call, asked.sql, move, total))


def _check_epsilon(call: MechanismCall) -> None:
    limit = call.payer.budget_rule.max_epsilon_per_query
    if call.epsilon > limit:
        raise Refused(
            f"{call.program.name} costs epsilon {float(call.epsilon):g} with these arguments; one"
            f" question may use at most {float(limit):g} (max_epsilon_per_query). Call it with a"
            " smaller epsilon."
        )


def _count_cells(asked: CountQuestion) -> int:
    return asked.question.plan.source.cells or 0


def _check_public_argument(parameter: Parameter, value: Any) -> Any:
    if parameter.list:
        if not isinstance(value, (list, tuple)):
            raise InvalidArgument(parameter.name, "must be a list", value)
        return tuple(_check_public_value(parameter, entry) for entry in value)
    return _check_public_value(parameter, value)


def _check_public_value(parameter: Parameter, value: Any) -> Any:
    if parameter.kind is Kind.BOOL:
        if not isinstance(value, bool):
            raise InvalidArgument(parameter.name, "must be True or False", value)
        return value
    if parameter.kind is Kind.BITS:
        raise Refused(
            f"{parameter.name} is a bit string. A mechanism on a database takes numbers: declare"
            " the parameter as a number."
        )
    number = parse_exact(value, parameter.name)
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MAX_NUMBER_BITS:
        raise InvalidArgument(parameter.name, "must be a number of at most 4,000 digits")
    if parameter.kind is Kind.INT and number.denominator != 1:
        raise InvalidArgument(parameter.name, "must be a whole number", value)
    return int(number) if parameter.kind is Kind.INT else number


def _read_questions(
    context: QueryContext, parameter: Parameter, value: Any
) -> tuple[CountQuestion, ...]:
    if parameter.kind not in (Kind.INT, Kind.REAL):
        raise Refused(
            f"{parameter.name} must be a number or a list of numbers: a database gives counts."
            " Declare the parameter that way."
        )
    texts = [value] if isinstance(value, str) else value
    is_list = isinstance(texts, (list, tuple)) and texts
    if not is_list or not all(isinstance(text, str) for text in texts):
        raise InvalidArgument(
            parameter.name, "is private and must be given as a question or a list of questions"
        )
    found = tuple(CountQuestion(text, read_count_question(context, text)) for text in texts)
    for asked in found:
        _check_countable(asked)
    if not parameter.list and sum(map(_count_cells, found)) != 1:
        raise InvalidArgument(
            parameter.name, "is one number and must be given as one question with one answer"
        )
    return found


def _check_countable(asked: CountQuestion) -> None:
    """Refuse a question that is more than one COUNT, alone or by declared keys."""
    question, text = asked.question, _quote_sql(asked.sql)
    (measure, *more), calls = question.plan.measures, question.aggregates
    keys = {key.name for key in question.keys}
    outputs = [
        output.expression
        for output in question.outputs
        if not (isinstance(output.expression, ColumnRef) and output.expression.column in keys)
    ]
    is_count = not more and measure.kind in _COUNT_KINDS and calls[0].function == "COUNT"
    is_count = is_count and len(calls) == 1
    if not is_count or outputs != [ColumnRef(calls[0].name)]:
        raise Refused(
            f"{text} is not a single COUNT. Give a mechanism questions with one COUNT, alone or"
            " with the keys of its groups."
        )
    if isinstance(measure, Measure) and measure.is_scaled and can_exceed_row_bound(question.plan):
        raise Refused(
            f"{text} scales down the rows of a unit with more than {question.plan.bound.max_rows},"
            " but a mechanism needs whole numbers. Ask for COUNT(*), and say in WHERE which rows"
            " count."
        )
    if question.plan.source.domain is None:
        raise Refused(
            f"The groups of {text} are not declared, but their number must be public. Declare their"
            " values in the policy."
        )
    is_limited = question.limit is not None or question.offset
    if question.having is not None or question.order or is_limited:
        raise Refused(
            f"{text} sorts or filters its answers, which would depend on exact numbers. Leave"
            " HAVING, ORDER BY, LIMIT and OFFSET out."
        )
    if question.options.epsilon is not None or question.options.delta is not None:
        raise Refused(
            f"{text} names a price, but the mechanism has a price of its own. Leave epsilon and"
            " delta out of OPTIONS."
        )


def _price_claim(program: Program, public: Mapping[str, Any]) -> Loss:
    """Return the claimed loss at these arguments, rounded up; refuse arguments outside the
    assumptions of the proof."""
    check_arguments(program, public)
    numbers = {
        name: value
        for name, value in public.items()
        if isinstance(value, (int, Fraction)) and not isinstance(value, bool)
    }
    price = bound_expression(program.claim.epsilon, numbers)[1]
    epsilon = round_up(parse_epsilon(price, "the price"), _EPSILON_STEPS)
    if program.claim.delta is None:
        return Loss(epsilon)
    delta = parse_delta(bound_expression(program.claim.delta, numbers)[1], "the delta")
    return Loss(epsilon, round_digits_up(delta))


def _compute_proved_sensitivity(neighbours: Neighbours, cells: int, name: str) -> Sensitivity:
    """Return the joint sensitivity of the answers under the neighbours of the proof."""
    k = Fraction(neighbours.k)
    match neighbours.relation:
        case Relation.ONE:
            return Sensitivity.of(1)
        case Relation.ALL:
            return Sensitivity.each(cells, 1)
        case Relation.L1:
            return Sensitivity(cells, k, k, k**2)
        case Relation.GROUP:
            return Sensitivity.each(min(neighbours.k, cells), 1)
    raise Refused(
        f'{name} is proved for neighbours "{neighbours.relation}", but one unit can raise and lower'
        ' counts. Prove it for "all", "one", ("l1", k) or ("group", k).'
    )


def _is_within(move: Sensitivity, limit: Sensitivity) -> bool:
    return (
        move.l0 <= limit.l0
        and move.linf <= limit.linf
        and move.l1 <= limit.l1
        and move.l2_squared <= limit.l2_squared
    )


def _describe_excess_sensitivity(
    call: MechanismCall, sql: str, move: Sensitivity, total: Sensitivity
) -> str:
    neighbours = call.program.claim.neighbours
    proved = {
        Relation.ONE: "one answer that changes by at most 1",
        Relation.ALL: "answers that change by at most 1 each",
        Relation.L1: f"answers that change by at most {neighbours.k} together",
        Relation.GROUP: f"at most {neighbours.k} answers that change by at most 1 each",
    }[neighbours.relation]
    groups = f" in {move.l0} groups" if move.l0 > 1 else ""
    together = f", and all questions up to this one by {float(total.l1):g} together"
    return (
        f"One {call.payer.noun.singular} changes {_quote_sql(sql)} by up to {float(move.linf):g}"
        f"{groups}{'' if total == move else together}, but {call.program.name} is proved for"
        f" {proved}. Lower max_groups or max_rows_per_group, or prove it for larger changes."
    )


def _quote_sql(text: str) -> str:
    short = text if len(text) <= _QUOTED_CHARACTERS else text[: _QUOTED_CHARACTERS - 1] + "…"
    return f"'{short}'"
