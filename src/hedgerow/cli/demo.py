"""``hedgerow demo``: the sample clinic in ./demo, and the tour."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgerow.cli.terminal import (
    DebugOption,
    JsonOption,
    make_output_console,
    print_json,
    show_progress,
)

__all__ = ["run_demo"]

DEMO_FOLDER = Path("demo")


def run_demo(
    reset: Annotated[
        bool, typer.Option("--reset", help="Make the sample clinic anew, its ledger included.")
    ] = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Show Hedgerow at work: a tour through a made-up clinic, in the folder ./demo."""
    from hedgerow.demo.chapters import encode_chapter
    from hedgerow.demo.clinic import prepare_clinic
    from hedgerow.demo.pager import TourPrinter
    from hedgerow.demo.tour import tour

    with show_progress("making the clinic", quiet=as_json):
        policy, made = prepare_clinic(DEMO_FOLDER, reset=reset)
    if as_json:
        print_json(
            {
                "policy": str(policy),
                "made": made,
                "chapters": [encode_chapter(chapter) for chapter in tour(policy)],
            }
        )
        return 0
    pages = TourPrinter(make_output_console())
    pages.print_opening(policy, made)
    for chapter in tour(policy):
        pages.print_chapter(chapter)
    pages.print_closing(policy)
    return 0
