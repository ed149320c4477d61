"""Custom mechanisms: an analyst's own mechanism on protected data, accepted with a proof and
charged the loss that was proved.

    db.run(above_threshold, q=["SELECT COUNT(*) FROM visits WHERE …", …], size=3, T=100, N=1,
    eps=Fraction(1, 2))

Every private parameter is given as questions, whose exact answers the mechanism gets after the
charge: a list as several questions or as one with GROUP BY over declared values, a number as one
question. All other parameters are public. Refused, before anything is charged, is

1. a mechanism without a certificate that ``prove.checker`` accepts now, for this very program;
2. a public argument outside the assumptions of the proof: all scales must be positive
   (``language.assumptions``);
3. questions whose sensitivity exceeds the one that was proved, which the release checks again;
4. a program whose numbers could become too large on some data (``interpreter.work_bounds``), or
   that fails on zeros.

Then the release charges the claim, rounded up, runs the questions, and runs the checked program
with exact noise: in a process of its own with the same deadline, where the engine has one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from hedgerow.answers.answer import Receipt
from hedgerow.database.mechanism_call import MechanismCall, read_call
from hedgerow.database.query.pricing import QueryContext
from hedgerow.engines.data_source import IsolatedSource, Source
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
from hedgerow.engines.duckdb.session_protocol import EngineLimits
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.ledger.entry import Entry
from hedgerow.privacy.loss import Loss
from hedgerow.release.custom_release import CustomMechanism, release_custom
from hedgerow.release.release import Charge
from hedgerow.verify.language.encoding import rebuild_program
from hedgerow.verify.language.interpreter.program_process import ProgramProcess
from hedgerow.verify.language.interpreter.work_bounds import check_resources
from hedgerow.verify.language.program import Program, format_expression
from hedgerow.verify.language.type_inference import resolve_program

__all__ = ["MechanismOutcome", "accept_mechanism", "run_mechanism"]


@dataclass(frozen=True, slots=True)
class MechanismOutcome:
    """The outputs of a mechanism, in order, and their cost."""

    outputs: tuple[Any, ...]
    cost: Loss
    receipt: Receipt


def accept_mechanism(mechanism: Any, certificate: Any) -> Program:
    """Return the program of a mechanism that is proved: by the certificate, or by a proof that is
    found now."""
    from hedgerow.verify.prove.certificate import Certificate
    from hedgerow.verify.prove.checker import check

    given = getattr(mechanism, "program", mechanism)
    if not isinstance(given, Program):
        raise InvalidArgument(
            "mechanism", "must be a function with @mechanism that Hedgerow can read"
        )
    # A private copy: the caller cannot change the program between the check and the run.
    program = rebuild_program(given)
    if certificate is None and hasattr(mechanism, "verify"):
        verdict = mechanism.verify()
        certificate = verdict.certificate
        if certificate is None:
            raise Refused(
                f"{program.name} is {verdict.verdict}, not PROVED. Change it until it is proved:"
                f" only then may it run on protected data. {verdict.reason}".strip()
            )
    if isinstance(certificate, str):
        certificate = Certificate.from_json(certificate)
    if not isinstance(certificate, Certificate):
        raise InvalidArgument("certificate", "must be the certificate of a proof, or its JSON")
    failure = check(program, Certificate.from_json(Certificate.to_json(certificate)))
    if failure is not None:
        raise Refused(
            f"This certificate does not prove {program.name}: {failure}. Leave the certificate out"
            " to search for a new proof."
        )
    # As the checker resolved it, so that every name means the same in the proof and in the run.
    return resolve_program(program)


def run_mechanism(
    context: QueryContext,
    program: Program,
    arguments: Mapping[str, Any],
    *,
    analyst: str,
    request: str | None,
) -> MechanismOutcome:
    """Run an accepted program and charge it, or return the stored outcome of the same run."""
    call = read_call(context, program, arguments)
    stored = context.ledger.answers(call.key, call.version)
    if stored:
        charge, payload = stored[0]
        return _build_outcome(payload, charge, reused=True)
    source = context.source
    limits = _find_limits(source)
    check_resources(program, call.public, call.lengths, *limits)
    runner = _build_runner(source, program, call.public)
    try:
        _rehearse_on_zeros(call, runner)
        payload, entry = release_custom(
            call.plans,
            source,
            context.ledger,
            CustomMechanism(
                call.loss, call.proved_sensitivity, lambda numbers: _run_on(call, runner, numbers)
            ),
            _build_charge(context, call, analyst, request),
        )
        return _build_outcome(payload, entry, reused=False)
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
        from hedgerow.verify.language import interpreter

        return interpreter.run_program(self._program, {**self._public, **private})

    def rehearse(self, private: Mapping[str, Any]) -> None:
        self.run(private)

    def terminate(self) -> None:
        """Do nothing: there is no process to end."""


def _find_limits(source: Source) -> tuple[float, int] | tuple[()]:
    """Return the seconds and bytes that a program may take; none where the engine is in this
    process."""
    if not isinstance(source, IsolatedSource):
        return ()
    limits = source.limits if isinstance(source, IsolatedDuckDB) else EngineLimits()
    return source.deadline, limits.max_bytes


def _build_runner(source: Source, program: Program, public: Mapping[str, Any]) -> _Runner:
    """Build a runner in a process of its own, where the engine is not in this one."""
    limits = _find_limits(source)
    if not limits:
        return _InProcessRunner(program, public)
    return ProgramProcess(program, public, seconds=limits[0], memory=limits[1])


def _rehearse_on_zeros(call: MechanismCall, runner: _Runner) -> None:
    """Run the program once on zeros, before the charge: an error here is an error on any data."""
    try:
        runner.rehearse(call.group_answers([0] * call.cell_count))
    except Exception as problem:
        raise Refused(
            f"{call.program.name} fails with these arguments, whatever the data: {problem} Call it"
            " with other arguments."
        ) from problem


def _run_on(call: MechanismCall, runner: _Runner, numbers: Any) -> str:
    return json.dumps(runner.run(call.group_answers(numbers)), separators=(",", ":"))


def _build_charge(
    context: QueryContext, call: MechanismCall, analyst: str, request: str | None
) -> Charge:
    about = {
        "table": ", ".join(table.name for table in call.tables),
        "mechanism": call.program.name,
        "claim": format_expression(call.program.claim.epsilon),
    }
    return Charge(
        call.payer.population,
        call.payer.unit,
        analyst,
        call.epsilon,
        call.key,
        call.version,
        request,
        about,
        context.policy_digest,
        call.charged_parts,
    )


def _build_outcome(payload: str, entry: Entry, *, reused: bool) -> MechanismOutcome:
    (loss,) = entry.body["charges"].values()
    receipt = Receipt(entry.seq, entry.hash, entry.time, Fraction(entry.body["epsilon"]), reused)
    cost = Loss(Fraction(0)) if reused else Loss.from_dict(loss)
    return MechanismOutcome(tuple(json.loads(payload)), cost, receipt)
