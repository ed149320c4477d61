"""The command ``hedgerow audit``: a lower bound on a mechanism's privacy loss, from samples."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Annotated, Any

import typer

from hedgerow.cli.options import DebugOption, JsonOption
from hedgerow.cli.terminal import print_json, print_lines, show_progress
from hedgerow.errors import SourceError
from hedgerow.numeric.exact_number import parse_positive
from hedgerow.verify.audit.target import audit_target

__all__ = ["audit_mechanism"]

EXIT_REFUTED = 1


def audit_mechanism(
    target: Annotated[
        str,
        typer.Argument(
            metavar="FILE:FUNCTION",
            help="A Python file that defines NEIGHBOURS, and a function in it. The file is run.",
        ),
    ],
    samples: Annotated[
        int, typer.Option(metavar="N", help="How often to run it on each data set.")
    ] = 100_000,
    confidence: Annotated[
        float, typer.Option(metavar="P", help="The probability that the certified bound holds.")
    ] = 0.95,
    delta: Annotated[float, typer.Option(metavar="D", help="The delta of the claim.")] = 0.0,
    claim: Annotated[
        float | None,
        typer.Option(metavar="E", help="The claimed epsilon; exit status 1 if it is refuted."),
    ] = None,
    plot: Annotated[
        bool, typer.Option("--plot", help="Plot the ratio of the two cumulative distributions.")
    ] = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Measure how much a mechanism leaks, from its outputs.

    Runs the function on two neighbouring data sets and certifies a lower bound on its epsilon. FILE
    defines FUNCTION(data) and NEIGHBOURS = (first, second). With BATCH = True it is FUNCTION(data,
    n) and returns n outputs. With CELLS = n instead of NEIGHBOURS it is a one-run audit of
    FUNCTION(included).

    Example: hedgerow audit noise.py:count --claim 1
    """
    if claim is not None:
        parse_positive(claim, "claim")
    result = _run_audit(target, samples, confidence, delta, quiet=as_json)
    refuted = None if claim is None else result.refutes(claim)
    if as_json:
        print_json({"target": target} | result.to_dict() | {"claim": claim, "refuted": refuted})
    else:
        _print_result(result, claim, refuted, plot)
    return EXIT_REFUTED if refuted else 0


def _run_audit(target: str, samples: int, confidence: float, delta: float, *, quiet: bool) -> Any:
    """Run the audit, with the output of the audited code on standard error.

    On standard output it could be mistaken for the result.
    """
    try:
        with (
            redirect_stdout(sys.stderr),
            show_progress(f"auditing {target.rpartition(':')[2]}", quiet=quiet) as progress,
        ):
            return audit_target(target, samples, confidence, delta, progress=progress)
    # An audited function that calls exit(0) must not look like one that passed.
    except SystemExit as ended:
        raise SourceError(
            f"{target} ended the program instead of returning an output. Remove its call of exit."
        ) from ended


def _print_result(result: Any, claim: float | None, refuted: bool | None, plot: bool) -> None:
    print_lines([str(result)])
    if refuted is not None:
        verdict = (
            f"The claim of epsilon {claim:g} is refuted."
            if refuted
            else f"The claim of epsilon {claim:g} stands: this audit does not refute it."
        )
        print_lines([verdict], style="bold red" if refuted else "bold green")
    if plot and hasattr(result, "plot"):
        print_lines(["\n" + result.plot(claim)])
