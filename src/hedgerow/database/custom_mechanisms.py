"""Mechanisms of an analyst's own on protected data: accepted with a proof, charged what was proved.

    db.run(above_threshold, q=["SELECT COUNT(*) FROM visits WHERE …", …], size=3, T=100, N=1,
    eps=Fraction(1, 2))

Every private parameter of the mechanism is given as questions, whose exact answers it gets when all
is paid: a list as several questions or as one with GROUP BY over declared values, a number as one
question. Everything else is public. Refused, before anything is charged, is

1. a mechanism without a certificate that ``proof.checker`` accepts now, for this very program;
2. a public argument for which the proof does not speak: all scales must be positive there
   (``assumed``);
3. questions that one unit moves further than the proof allows (``reach``), which the door checks
   once more;
4. a program whose numbers could become too large on some data (``running.work``), or that fails on
   zeros.

Then the door charges the claim, rounded up, runs the questions, and runs the program that was
checked, with exact noise: where the engine has a process of its own, in another such process, with
the same deadline.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Protocol

from hedgerow.answers.answer import Receipt
from hedgerow.database.query.partition_charging import find_touched_parts
from hedgerow.engines.data_source import Source
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.interface import LedgerBase
from hedgerow.numeric.exact_number import parse_delta, parse_epsilon, parse_exact
from hedgerow.numeric.rounding import round_digits_up, round_up
from hedgerow.plan.canonical_plans import compute_plan_key as meaning_of
from hedgerow.plan.contribution_limits import can_exceed_row_bound
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.policy import BudgetRule, TableRule
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.release.release import Charge, CustomMechanism, release_custom
from hedgerow.sql.question import Question
from hedgerow.verify.language.assumptions import check_arguments as check_assumptions
from hedgerow.verify.language.claim_bounds import bound_expression
from hedgerow.verify.language.encoding import rebuild_program
from hedgerow.verify.language.interpreter.program_process import ProgramProcess
from hedgerow.verify.language.interpreter.work_bounds import check_resources
from hedgerow.verify.language.program import (
    Kind,
    Neighbours,
    Parameter,
    Program,
    Relation,
    format_expression,
)
from hedgerow.verify.language.type_inference import resolve_program

__all__ = ["MechanismOutcome", "accept_mechanism", "run_mechanism"]

PopulationTables = tuple[tuple[TableRule, ...], BudgetRule, Unit]
_COUNT_KINDS: Final = ("units", "rows", "values", "distinct")
_MAX_NUMBER_BITS: Final = 13_000  # bits
# epsilon is a whole number of steps this small, as that of a question
_EPSILON_STEPS: Final = 10**18


@dataclass(frozen=True, slots=True)
class MechanismOutcome:
    """What a mechanism said, in order, and what that cost."""

    outputs: tuple[Any, ...]
    cost: Loss
    receipt: Receipt


class MechanismContext(Protocol):
    """What this needs of a database. ``counted`` reads a question, ``about`` says whom it is
    about.
    """

    @property
    def ledger(self) -> LedgerBase: ...
    @property
    def source(self) -> Source: ...
    def find_population(self, question: Question) -> PopulationTables: ...
    def read_count_question(self, sql: str) -> Question: ...


def accept_mechanism(mechanism: Any, certificate: Any) -> Program:
    """The program of a mechanism that is proved: by the certificate, or where none is given by
    the one that a proof finds now.
    """
    from hedgerow.verify.prove.certificate import Certificate
    from hedgerow.verify.prove.checker import check

    given = getattr(mechanism, "program", mechanism)
    if not isinstance(given, Program):
        raise InvalidArgument(
            "mechanism", "must be a function with @mechanism that Hedgerow can read"
        )
    # from here on nobody else holds it: what is checked is what runs
    program = rebuild_program(given)
    if certificate is None and hasattr(mechanism, "verify"):
        verdict = mechanism.verify()
        certificate = verdict.certificate
        if certificate is None:
            raise Refused(
                f"{program.name} is {verdict.verdict}, not PROVED, and so does not run on protected"
                f" data. {verdict.reason}".strip()
            )
    if isinstance(certificate, str):
        certificate = Certificate.from_json(certificate)
    if not isinstance(certificate, Certificate):
        raise InvalidArgument("certificate", "must be the certificate of a proof, or its JSON")
    failure = check(program, Certificate.from_json(Certificate.to_json(certificate)))
    if failure is not None:
        raise Refused(f"This certificate does not prove {program.name}: {failure}.")
    # as the checker understood it: a sign means the same in the proof and in the run
    return resolve_program(program)


def run_mechanism(
    desk: MechanismContext,
    program: Program,
    arguments: Mapping[str, Any],
    *,
    analyst: str,
    request: str | None,
    policy: str,
) -> MechanismOutcome:
    """Run an ``accept_mechanism`` program: the outcome, or the same outcome again where this was
    run before.
    """
    given = _MechanismCall.from_arguments(desk, program, arguments)
    stored = desk.ledger.answers(given.key, given.version)
    if stored:
        return _build_outcome(stored[0][1], stored[0][0], reused=True)
    if isinstance(desk.source, IsolatedDuckDB):
        check_resources(
            program, given.public, given.lengths, desk.source.deadline, desk.source.limits.max_bytes
        )
    else:
        check_resources(program, given.public, given.lengths)
    runner = _build_runner(desk.source, program, given.public)
    try:
        given.run_on_zeros(runner)
        return given.charge_and_run(desk, runner, analyst=analyst, request=request, policy=policy)
    finally:
        runner.terminate()


class _Runner(Protocol):
    """A program with its public arguments, ready to run."""

    def run(self, private: Mapping[str, Any]) -> list[Any]: ...
    def rehearse(self, private: Mapping[str, Any]) -> None: ...
    def terminate(self) -> object: ...


class _InProcessRunner:
    """A program that runs in this process, as the engine does."""

    def __init__(self, program: Program, public: Mapping[str, Any]) -> None:
        self._program, self._public = program, public

    def run(self, private: Mapping[str, Any]) -> list[Any]:
        from hedgerow.verify.language import interpreter as running

        return running.run_program(self._program, {**self._public, **private})

    def rehearse(self, private: Mapping[str, Any]) -> None:
        self.run(private)

    def terminate(self) -> None:
        """There is nothing to end."""


def _build_runner(source: Source, program: Program, public: Mapping[str, Any]) -> _Runner:
    """Return a process of its own where the engine has one."""
    if not isinstance(source, IsolatedDuckDB):
        return _InProcessRunner(program, public)
    return ProgramProcess(program, public, seconds=source.deadline, memory=source.limits.max_bytes)


@dataclass(frozen=True, slots=True)
class _MechanismCall:
    """A program with its arguments, all of which are public; ``asked`` has the questions of each
    private parameter.
    """

    program: Program
    public: dict[str, Any]
    questions: dict[str, tuple[tuple[str, Question], ...]]
    tables: tuple[TableRule, ...]
    budget_rule: BudgetRule
    unit: Unit
    loss: Loss

    @classmethod
    def from_arguments(
        cls, desk: MechanismContext, program: Program, arguments: Mapping[str, Any]
    ) -> _MechanismCall:
        names = [one.name for one in program.parameters]
        for name in [
            *(name for name in names if name not in arguments),
            *(name for name in arguments if name not in names),
        ]:
            raise InvalidArgument(
                name,
                f"must be {'given' if name in names else 'left out'}: {program.name} takes"
                f" {', '.join(names)}",
            )
        public = {
            one.name: _check_public_argument(one, arguments[one.name])
            for one in program.parameters
            if not one.private
        }
        asked = {
            one.name: _read_questions(desk, one, arguments[one.name])
            for one in program.parameters
            if one.private
        }
        questions = [question for several in asked.values() for _, question in several]
        if not questions:
            raise Refused(f"{program.name} has no private parameter: it needs no database.")
        about = [desk.find_population(question) for question in questions]
        if len({rule.population for _, rule, _ in about}) > 1:
            raise Refused("These questions are about several populations: a mechanism runs on one.")
        tables = tuple({table.name: table for several, _, _ in about for table in several}.values())
        given = cls(
            program, public, asked, tables, about[0][1], about[0][2], _price_claim(program, public)
        )
        given.check()
        return given

    @property
    def plans(self) -> list[Aggregate]:
        return [question.plan for several in self.questions.values() for _, question in several]

    @property
    def epsilon(self) -> Fraction:
        assert isinstance(self.loss.epsilon, Fraction)
        return self.loss.epsilon

    @property
    def cell_count(self) -> int:
        return sum(plan.source.cells or 0 for plan in self.plans)

    @property
    def proved_sensitivity(self) -> Sensitivity:
        return _compute_proved_sensitivity(
            self.program.claim.neighbours, self.cell_count, self.program.name
        )

    def check(self) -> None:
        """That one unit moves the answers no further than was proved, and that the price may be
        asked.
        """
        most, together = self.proved_sensitivity, None
        for text, question in (one for several in self.questions.values() for one in several):
            (move,) = question.plan.sensitivity(self.unit)
            together = move if together is None else together + move
            if not _is_within(together, most):
                raise Refused(
                    _describe_excess_sensitivity(self.program, text, move, together, self.unit)
                )
        if self.epsilon > self.budget_rule.max_epsilon_per_query:
            price, limit = (
                f"{float(self.epsilon):g}",
                f"{float(self.budget_rule.max_epsilon_per_query):g}",
            )
            raise Refused(
                f"{self.program.name} costs epsilon {price} at these arguments, and one question at"
                f" most {limit} (max_epsilon_per_query)."
            )

    @property
    def key(self) -> str:
        """The meaning of it: the program, what it is asked about, its public arguments."""
        from hedgerow.verify.prove.certificate import hash_program

        plans = {
            name: [meaning_of(question.plan) for _, question in several]
            for name, several in self.questions.items()
        }
        meaning = [
            hash_program(self.program),
            plans,
            {name: str(value) for name, value in self.public.items()},
        ]
        whole = json.dumps(
            ["custom", *meaning, self.budget_rule.population, self.unit.relation, self.unit.group],
            sort_keys=True,
        )
        return hashlib.sha256(whole.encode()).hexdigest()

    @property
    def version(self) -> str:
        versions = {table.name: table.version for table in self.tables}
        return (
            next(iter(versions.values()))
            if len(versions) == 1
            else ", ".join(f"{name} {version}" for name, version in versions.items())
        )

    @property
    def charged_parts(self) -> tuple[str, tuple[str, ...]] | None:
        """Parts of one table, where all questions are about the same ones."""
        found = (
            {find_touched_parts(plan, self.tables[0]) for plan in self.plans}
            if len(self.tables) == 1
            else {None}
        )
        (only,) = found if len(found) == 1 else (None,)
        return None if only is None else (self.tables[0].name, only)

    @property
    def lengths(self) -> dict[str, int]:
        """Return how many numbers each private parameter gets."""
        return {
            name: sum(question.plan.source.cells or 0 for _, question in several)
            for name, several in self.questions.items()
        }

    def group_answers(self, numbers: Sequence[int]) -> dict[str, Any]:
        """Return exact answers by the parameters that they were asked for."""
        values, rest = dict[str, Any](), list(numbers)
        for one in self.program.parameters:
            if one.private:
                many = self.lengths[one.name]
                mine, rest = rest[:many], rest[many:]
                values[one.name] = mine if one.list else mine[0]
        return values

    def run_on_zeros(self, runner: _Runner) -> None:
        """Run once on zeros, before anything is charged: what fails here would have failed on
        the data.
        """
        try:
            runner.rehearse(self.group_answers([0] * self.cell_count))
        except Exception as problem:
            raise Refused(
                f"{self.program.name} fails at these arguments, whatever the data are: {problem}"
            ) from problem

    def charge_and_run(
        self,
        desk: MechanismContext,
        runner: _Runner,
        *,
        analyst: str,
        request: str | None,
        policy: str,
    ) -> MechanismOutcome:
        """Pay, look, and run."""
        about = {
            "table": ", ".join(table.name for table in self.tables),
            "mechanism": self.program.name,
            "claim": format_expression(self.program.claim.epsilon),
        }
        charge = Charge(
            self.budget_rule.population,
            self.unit,
            analyst,
            self.epsilon,
            self.key,
            self.version,
            request,
            about,
            policy,
            self.charged_parts,
        )
        custom = CustomMechanism(
            self.loss,
            self.proved_sensitivity,
            lambda numbers: json.dumps(
                runner.run(self.group_answers(numbers)), separators=(",", ":")
            ),
        )
        payload, entry = release_custom(self.plans, desk.source, desk.ledger, custom, charge)
        return _build_outcome(payload, entry, reused=False)


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
            f"{parameter.name} is a bit string, and mechanisms of a database take numbers."
        )
    number = parse_exact(value, parameter.name)
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MAX_NUMBER_BITS:
        raise InvalidArgument(parameter.name, "must be a number of at most 4,000 digits")
    if parameter.kind is Kind.INT and number.denominator != 1:
        raise InvalidArgument(parameter.name, "must be a whole number", value)
    return int(number) if parameter.kind is Kind.INT else number


def _read_questions(
    desk: MechanismContext, parameter: Parameter, value: Any
) -> tuple[tuple[str, Question], ...]:
    if parameter.kind not in (Kind.INT, Kind.REAL):
        raise Refused(
            f"{parameter.name} is not a number or a list of numbers, and counts are what a database"
            " has."
        )
    texts = [value] if isinstance(value, str) else value
    if (
        not isinstance(texts, (list, tuple))
        or not texts
        or not all(isinstance(text, str) for text in texts)
    ):
        raise InvalidArgument(
            parameter.name, "must be a question, or a list of them: it is private"
        )
    found = tuple((text, desk.read_count_question(text)) for text in texts)
    for text, question in found:
        _refuse_uncountable(text, question)
    if not parameter.list and sum(question.plan.source.cells or 0 for _, question in found) != 1:
        raise InvalidArgument(
            parameter.name, "must be one question with one answer: it is one number"
        )
    return found


def _refuse_uncountable(text: str, question: Question) -> None:
    """A COUNT, alone or by declared keys, and nothing that is made of it afterwards."""
    (measure, *more), calls = question.plan.measures, question.aggregates
    keys = {key.name for key in question.keys}
    made = [
        output.expression
        for output in question.outputs
        if not (isinstance(output.expression, ColumnRef) and output.expression.column in keys)
    ]
    if (
        more
        or measure.kind not in _COUNT_KINDS
        or len(calls) != 1
        or made != [ColumnRef(calls[0].name)]
    ):
        raise Refused(
            f"A mechanism gets counts: {_quote_sql(text)} is not one COUNT, alone or with the keys"
            " of its groups."
        )
    if isinstance(measure, Measure) and measure.is_scaled and can_exceed_row_bound(question.plan):
        raise Refused(
            f"A mechanism gets whole numbers, and in {_quote_sql(text)} the rows of a unit with"
            f" more than {question.plan.bound.max_rows} count in part: ask for COUNT(*), and say in"
            " WHERE which rows count."
        )
    if question.plan.source.domain is None:
        raise Refused(
            f"The groups of {_quote_sql(text)} are not declared: list their values in the policy,"
            " since their number has to be public."
        )
    if (
        question.having is not None
        or question.order
        or question.limit is not None
        or question.offset
    ):
        raise Refused(
            f"{_quote_sql(text)} sorts or leaves out answers, which would depend on exact numbers."
        )
    if question.options.epsilon is not None or question.options.delta is not None:
        raise Refused(
            f"{_quote_sql(text)} names a price; what is paid is the price of the mechanism."
        )


def _price_claim(program: Program, public: Mapping[str, Any]) -> Loss:
    """The price, where the proof speaks."""
    check_assumptions(program, public)
    numbers = {
        name: value
        for name, value in public.items()
        if isinstance(value, (int, Fraction)) and not isinstance(value, bool)
    }
    price = bound_expression(program.claim.epsilon, numbers)[1]
    epsilon = round_up(parse_epsilon(price, "the price"), _EPSILON_STEPS)
    if program.claim.delta is None:
        return Loss(epsilon)
    return Loss(
        epsilon,
        round_digits_up(
            parse_delta(bound_expression(program.claim.delta, numbers)[1], "the delta")
        ),
    )


def _compute_proved_sensitivity(neighbours: Neighbours, cells: int, name: str) -> Sensitivity:
    """How far the answers may move together, for the neighbours that the proof is about."""
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
        f'{name} is proved for neighbours "{neighbours.relation}". A unit that comes or goes moves'
        ' counts both ways: prove it for "all", "one", ("l1", k) or ("group", k).'
    )


def _is_within(move: Sensitivity, most: Sensitivity) -> bool:
    return (
        move.l0 <= most.l0
        and move.linf <= most.linf
        and move.l1 <= most.l1
        and move.l2_squared <= most.l2_squared
    )


def _describe_excess_sensitivity(
    program: Program, text: str, move: Sensitivity, together: Sensitivity, unit: Unit
) -> str:
    neighbours, who = program.claim.neighbours, "row" if unit.owner == "row" else unit.owner
    proved = {
        Relation.ONE: "one answer that moves by at most 1",
        Relation.ALL: "answers that move by at most 1 each",
        Relation.L1: f"answers that move by at most {neighbours.k} together",
        Relation.GROUP: f"at most {neighbours.k} answers that move by at most 1 each",
    }[neighbours.relation]
    own = f"One {who} moves {_quote_sql(text)} by up to {float(move.linf):g}" + (
        f" in {move.l0} groups" if move.l0 > 1 else ""
    )
    all_ = (
        ""
        if together == move
        else f", and this and the questions before it by {float(together.l1):g} together"
    )
    return f"{own}{all_}; {program.name} is proved for {proved}."


def _quote_sql(text: str) -> str:
    return f"'{text if len(text) <= 80 else text[:79] + '…'}'"


def _build_outcome(payload: str, entry: Entry, *, reused: bool) -> MechanismOutcome:
    (loss,) = entry.body["charges"].values()
    receipt = Receipt(entry.seq, entry.hash, entry.time, Fraction(entry.body["epsilon"]), reused)
    cost = Loss(Fraction(0)) if reused else Loss.from_dict(loss)
    return MechanismOutcome(tuple(json.loads(payload)), cost, receipt)
