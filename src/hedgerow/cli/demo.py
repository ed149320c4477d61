"""The command ``hedgerow demo``: a tour through the sample clinic in ./demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgerow.cli.options import DebugOption, JsonOption
from hedgerow.cli.terminal import make_output_console, print_json, show_progress
from hedgerow.demo.clinic import prepare_clinic
from hedgerow.demo.tour import TourPrinter, run_tour

__all__ = ["run_demo"]

DEMO_FOLDER = Path("demo")


def run_demo(
    reset: Annotated[
        bool,
        typer.Option("--reset", help="Make the clinic anew, with an empty ledger and full budget."),
    ] = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Take a guided tour of a made-up clinic in ./demo.

    The first run creates the clinic. It stays there for your own questions, and the next tour is
    free.
    """
    with show_progress("making the clinic", quiet=as_json):
        policy, created = prepare_clinic(DEMO_FOLDER, reset=reset)
    if as_json:
        chapters = [chapter.to_dict() for chapter in run_tour(policy)]
        print_json({"policy": str(policy), "made": created, "chapters": chapters})
        return 0
    printer = TourPrinter(make_output_console())
    printer.print_opening(policy, created)
    for chapter in run_tour(policy):
        printer.print_chapter(chapter)
    printer.print_closing(policy)
    return 0
