"""The command ``hedgerow demo``: the sample clinic in ./demo, served or as a guided tour."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hedgerow.cli.options import DebugOption, JsonOption
from hedgerow.cli.serve import require_serve_packages
from hedgerow.cli.terminal import make_output_console, print_json, print_lines, show_progress
from hedgerow.demo.clinic import prepare_clinic

__all__ = ["run_demo"]

DEMO_FOLDER = Path("demo")


def run_demo(
    reset: Annotated[
        bool,
        typer.Option("--reset", help="Make the clinic anew, with an empty ledger and full budget."),
    ] = False,
    tour: Annotated[
        bool, typer.Option("--tour", help="Take a guided tour in the terminal instead.")
    ] = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Serve a made-up clinic in ./demo, or take a tour of it.

    The clinic has web pages, HTTP and the PostgreSQL protocol. The first run creates it, with
    accounts and random passwords. It stays there for your own questions. Without a terminal, one
    question is asked over HTTP and one over the PostgreSQL protocol, and the service stops.
    """
    if not tour:
        require_serve_packages()
    with show_progress("making the clinic", quiet=as_json):
        policy, created = prepare_clinic(DEMO_FOLDER, reset=reset)
    if tour:
        _run_tour(policy, created, as_json)
    else:
        _serve(policy, created, as_json)
    return 0


def _serve(policy: Path, created: bool, as_json: bool) -> None:
    from hedgerow.demo.clinic_service import ask_clinic, serve_clinic

    if as_json:
        print_json({"policy": str(policy), "made": created, **ask_clinic(policy).to_dict()})
    elif sys.stdout.isatty():
        serve_clinic(policy, created, make_output_console())
    else:
        print_lines(ask_clinic(policy).format_lines())


def _run_tour(policy: Path, created: bool, as_json: bool) -> None:
    from hedgerow.demo.tour import TourPrinter, run_tour

    if as_json:
        chapters = [chapter.to_dict() for chapter in run_tour(policy)]
        print_json({"policy": str(policy), "made": created, "chapters": chapters})
        return
    printer = TourPrinter(make_output_console())
    printer.print_opening(policy, created)
    for chapter in run_tour(policy):
        printer.print_chapter(chapter)
    printer.print_closing(policy)
