"""``hedgerow audit FILE:FUNCTION``: how much a mechanism loses at least, measured from outside."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Annotated, Any

import typer

from hedgerow.cli.terminal import (
    DebugOption,
    JsonOption,
    make_output_console,
    print_json,
    show_progress,
)
from hedgerow.errors import SourceError

__all__ = ["audit_mechanism"]

EXIT_REFUTED = 1


def audit_mechanism(
    target: Annotated[
        str,
        typer.Argument(
            metavar="FILE:FUNCTION",
            help="A Python file that names NEIGHBOURS, and a function in it.",
        ),
    ],
    samples: Annotated[int, typer.Option(help="Runs on each of the two data sets.")] = 100_000,
    confidence: Annotated[
        float, typer.Option(help="Chance that the certified bound holds.")
    ] = 0.95,
    delta: Annotated[float, typer.Option(help="The delta that the claim allows.")] = 0.0,
    claim: Annotated[
        float | None,
        typer.Option(help="The claimed epsilon; exit status 1 when the audit refutes it."),
    ] = None,
    plot: Annotated[
        bool, typer.Option("--plot", help="Draw the ratio of the two cumulative distributions.")
    ] = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Certify a lower bound on the epsilon of a mechanism, from its outputs on two neighbouring
    data sets.

    FILE holds FUNCTION(data) and a line NEIGHBOURS = (one, other). With BATCH = True it is
    FUNCTION(data, n) and returns n outputs. With CELLS = n instead of NEIGHBOURS it is a one-run
    audit of FUNCTION(included).
    """
    from hedgerow.numeric.exact_number import parse_positive

    if claim is not None:
        parse_positive(claim, "claim")
    found = _run_audit(target, samples, confidence, delta, quiet=as_json)
    refuted = None if claim is None else found.refutes(claim)
    if as_json:
        print_json({"target": target} | found.to_dict() | {"claim": claim, "refuted": refuted})
    else:
        _print_result(found, claim, refuted, plot)
    return EXIT_REFUTED if refuted else 0


def _run_audit(target: str, samples: int, confidence: float, delta: float, *, quiet: bool) -> Any:
    """Run the audit. What the audited code prints goes to standard error, where it cannot be
    mistaken for the result.
    """
    from hedgerow.verify.audit.target import audit_target

    try:
        with (
            redirect_stdout(sys.stderr),
            show_progress(f"auditing {target.rpartition(':')[2]}", quiet=quiet) as progress,
        ):
            return audit_target(target, samples, confidence, delta, progress=progress)
    # an audited function that calls exit(0) must not look like one that passed
    except SystemExit as ended:
        raise SourceError(
            f"{target} ended the program instead of returning an output. Remove the call of exit"
            " from it."
        ) from ended


def _print_result(found: Any, claim: float | None, refuted: bool | None, plot: bool) -> None:
    console = make_output_console()
    console.print(str(found), markup=False, soft_wrap=True)
    if refuted is not None:
        verdict = (
            f"The claim of epsilon {claim:g} is refuted."
            if refuted
            else f"The claim of epsilon {claim:g} stands: this audit does not refute it."
        )
        console.print(verdict, style="bold red" if refuted else "bold green")
    if plot and hasattr(found, "plot"):
        console.print("\n" + found.plot(claim), markup=False, soft_wrap=True)
