"""The command ``hedgerow verify``: prove or refute the privacy claim of each program in a file."""

from __future__ import annotations

import math
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from hedgerow.cli.options import DebugOption, JsonOption
from hedgerow.cli.terminal import (
    format_count,
    make_output_console,
    print_json,
    print_lines,
    show_progress,
)
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.verify.counterexample_chart import draw_bars
from hedgerow.verify.verifier import parse_document, verify_judgement, verify_program

__all__ = ["verify_file"]

EXIT_NOT_PROVED = 1
_COLOURS = {"PROVED": "bold green", "REFUTED": "bold red", "UNKNOWN": "bold yellow"}
_MAX_FILE_BYTES = 1_000_000


def verify_file(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A .py file with @mechanism functions or mechanism classes, or a .hr file."
            " It is read, not run.",
        ),
    ],
    seconds: Annotated[
        float,
        typer.Option(
            metavar="S",
            help="Give up on a program after S seconds of processor time; it is then UNKNOWN.",
        ),
    ] = 120.0,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Prove that the programs in a file are private, or find a counterexample.

    A counterexample is two neighbouring inputs and an output that break the claim. The exit status
    is 0 when all programs are PROVED, 1 otherwise.
    """
    if not 0 < seconds < math.inf:
        raise InvalidArgument("seconds", "must be a finite number above 0", seconds)
    verdicts = _examine_file(file, seconds, quiet=as_json)
    if as_json:
        print_json([verdict.to_dict() for verdict in verdicts])
    else:
        for verdict in verdicts:
            _print_verdict(verdict)
        _print_counts(verdicts)
    return 0 if all(verdicts) else EXIT_NOT_PROVED


def _examine_file(file: Path, seconds: float, *, quiet: bool) -> list[Any]:
    document = parse_document(_read_source(file), file.name)
    if not document.programs and not document.judgements:
        raise InvalidArgument(
            "file",
            "must hold a function with @mechanism above it, a mechanism class or a program",
            str(file),
        )
    steps = [
        *(partial(verify_program, one, seconds=seconds) for one in document.claiming_programs),
        *(partial(verify_judgement, each, seconds=seconds) for each in document.judgements),
    ]
    verdicts: list[Any] = []
    with show_progress(f"verifying {file.name}", quiet=quiet) as progress:
        for step in steps:
            verdicts.append(step())
            if progress is not None:
                progress(len(verdicts), len(steps))
    return verdicts


def _read_source(file: Path) -> str:
    if file.suffix not in (".py", ".hr"):
        raise InvalidArgument(
            "file", "must end in .py (Python) or .hr (Hedgerow's pseudocode)", str(file)
        )
    try:
        if file.stat().st_size > _MAX_FILE_BYTES:
            raise InvalidArgument("file", f"must have at most {_MAX_FILE_BYTES:,} bytes", str(file))
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InvalidArgument("file", "must exist", str(file)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(
            f"{file} cannot be read as text ({type(error).__name__}). Check its permissions, and"
            " save it in UTF-8."
        ) from None


def _print_verdict(verdict: Any) -> None:
    console = make_output_console()
    console.print(f"{verdict.verdict.value:8}", style=_COLOURS[verdict.verdict.value], end=" ")
    console.print(f"{verdict.name}", style="bold", end="", markup=False)
    console.print(f"  {verdict.claim}" if verdict.claim else "", style="dim", end="", markup=False)
    console.print(f"  {verdict.seconds:.1f} s", style="dim", markup=False)
    print_lines(f"    {line}" for line in _list_details(verdict))


def _list_details(verdict: Any) -> list[str]:
    lines = []
    if verdict.reason:
        lines.append(f"line {verdict.line}: {verdict.reason}" if verdict.line else verdict.reason)
    elif verdict.line and verdict.verdict.value != "PROVED":
        lines.append(f"see line {verdict.line}")
    lines += [cost.with_unit_cost for cost in verdict.costs]
    bounds = _format_bounds(verdict)
    if bounds:
        lines.append(bounds)
    if verdict.witness is not None:
        lines += _format_witness(verdict.witness)
    return lines


def _format_witness(witness: Any) -> list[str]:
    lines = str(witness).splitlines()
    if hasattr(witness, "likely"):
        lines += draw_bars(witness).splitlines()
    return lines


def _format_bounds(verdict: Any) -> str:
    lower, upper = verdict.epsilon_lower, verdict.epsilon_upper
    bounds = []
    if lower is not None:
        bounds.append("infinite" if lower == math.inf else f"at least {lower:.4g}")
    if upper is not None and verdict.verdict.value != "REFUTED":
        bounds.append(f"at most {upper:.4g}")
    unit = f" times {verdict.unit}" if verdict.unit and lower != math.inf else ""
    return f"epsilon is {' and '.join(bounds)}{unit}" if bounds else ""


def _print_counts(verdicts: list[Any]) -> None:
    counts = Counter(verdict.verdict.value for verdict in verdicts)
    listed = ", ".join(f"{counts[name]} {name.lower()}" for name in _COLOURS if counts[name])
    print_lines([f"\n{format_count(len(verdicts), 'program')}: {listed}."])
