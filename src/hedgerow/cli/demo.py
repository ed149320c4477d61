"""``hedgerow demo``: the sample clinic in ./demo, and the tour."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgerow.cli.terminal import Debug, Json, output, print_json, working

__all__ = ["demo"]

FOLDER = Path("demo")


def demo(
    reset: Annotated[bool, typer.Option("--reset", help="Make the sample clinic anew, its ledger included.")] = False,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Show Hedgerow at work: a tour through a made-up clinic, in the folder ./demo."""
    from hedgerow.demo.chapters import plain
    from hedgerow.demo.clinic import prepare
    from hedgerow.demo.show import Pages
    from hedgerow.demo.tour import tour

    with working("making the clinic", quiet=as_json):
        policy, made = prepare(FOLDER, reset=reset)
    if as_json:
        print_json({"policy": str(policy), "made": made, "chapters": [plain(chapter) for chapter in tour(policy)]})
        return 0
    pages = Pages(output())
    pages.opening(policy, made)
    for chapter in tour(policy):
        pages.chapter(chapter)
    pages.closing(policy)
    return 0
