"""``hedgerow verify FILE``: is every program of the file as private as it claims?"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from hedgerow.cli.terminal import (
    DebugOption,
    JsonOption,
    make_output_console,
    print_json,
    show_progress,
)
from hedgerow.errors import InvalidArgument, SourceError

__all__ = ["verify_file"]

EXIT_NOT_PROVED = 1
_COLOURS = {"PROVED": "bold green", "REFUTED": "bold red", "UNKNOWN": "bold yellow"}
_MAX_FILE_BYTES = 1_000_000  # bytes


def verify_file(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Python with @mechanism functions or mechanism classes, or *.hr; not run.",
        ),
    ],
    seconds: Annotated[
        float,
        typer.Option(help="When to give a program up; what is found before depends on no clock."),
    ] = 120.0,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Prove every program of FILE private, or show two neighbouring inputs and an output that break
    its claim.

    Exit status 0 when all are PROVED, 1 otherwise.
    """
    if not 0 < seconds < math.inf:
        raise InvalidArgument("seconds", "must be above 0", seconds)
    verdicts = _examine_file(file, seconds, quiet=as_json)
    if as_json:
        print_json([one.to_dict() for one in verdicts])
    else:
        for one in verdicts:
            _print_verdict(one)
        _print_counts(verdicts)
    return 0 if all(verdicts) else EXIT_NOT_PROVED


def _examine_file(file: Path, seconds: float, *, quiet: bool) -> list[Any]:
    from hedgerow.verify.verifier import parse_document, verify_judgement, verify_program

    found = parse_document(_read_source(file), file.name)
    if not found.programs and not found.judgements:
        raise InvalidArgument(
            "file",
            "holds no function with @mechanism above it, no class of a mechanism, and no program",
            str(file),
        )
    whole = len(found.programs) + len(found.judgements)
    verdicts: list[Any] = []
    with show_progress(f"verifying {file.name}", quiet=quiet) as progress:
        for step in (
            *(partial(verify_program, one, seconds=seconds) for one in found.programs),
            *(partial(verify_judgement, one, seconds=seconds) for one in found.judgements),
        ):
            verdicts.append(step())
            if progress is not None:
                progress(len(verdicts), whole)
    return verdicts


def _read_source(file: Path) -> str:
    if file.suffix not in (".py", ".hr"):
        raise InvalidArgument(
            "file", "must be Python (*.py) or the small language (*.hr)", str(file)
        )
    try:
        if file.stat().st_size > _MAX_FILE_BYTES:
            raise InvalidArgument("file", f"must have at most {_MAX_FILE_BYTES} bytes", str(file))
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InvalidArgument("file", "must exist", str(file)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{file} cannot be read as text: {type(error).__name__}.") from None


def _print_verdict(verdict: Any) -> None:
    console = make_output_console()
    console.print(f"{verdict.verdict.value:8}", style=_COLOURS[verdict.verdict.value], end=" ")
    console.print(f"{verdict.name}", style="bold", end="", markup=False)
    console.print(f"  {verdict.claim}" if verdict.claim else "", style="dim", end="", markup=False)
    console.print(f"  {verdict.seconds:.1f} s", style="dim", markup=False)
    for line in _list_details(verdict):
        console.print(f"    {line}", markup=False, soft_wrap=True)


def _list_details(verdict: Any) -> list[str]:
    lines = []
    if verdict.reason:
        lines.append(f"line {verdict.line}: {verdict.reason}" if verdict.line else verdict.reason)
    elif verdict.line and verdict.verdict.value != "PROVED":
        lines.append(f"look at line {verdict.line}")
    lines += [one.with_unit_cost for one in verdict.costs]
    bounds = _format_bounds(verdict)
    if bounds:
        lines.append(bounds)
    if verdict.witness is not None:
        lines += _format_witness(verdict.witness)
    return lines


def _format_witness(witness: Any) -> list[str]:
    lines = str(witness).splitlines()
    if hasattr(witness, "likely"):
        from hedgerow.verify.counterexample_chart import draw_bars

        lines += draw_bars(witness).splitlines()
    return lines


def _format_bounds(verdict: Any) -> str:
    lower, upper = verdict.epsilon_lower, verdict.epsilon_upper
    told = []
    if lower is not None:
        told.append("infinite" if lower == math.inf else f"at least {lower:.4g}")
    if upper is not None and verdict.verdict.value != "REFUTED":
        told.append(f"at most {upper:.4g}")
    unit = f" times {verdict.unit}" if verdict.unit and lower != math.inf else ""
    return f"epsilon is {' and '.join(told)}{unit}" if told else ""


def _print_counts(verdicts: list[Any]) -> None:
    count = {name: sum(one.verdict.value == name for one in verdicts) for name in _COLOURS}
    told = ", ".join(f"{number} {name.lower()}" for name, number in count.items() if number)
    make_output_console().print(
        f"\n{len(verdicts)} program{'s' if len(verdicts) > 1 else ''}: {told}.", markup=False
    )
