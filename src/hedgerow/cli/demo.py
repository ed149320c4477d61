"""``hedgerow demo``: the sample clinic in ./demo, and the tour."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgerow.cli.terminal import Debug, Json, output, print_json

__all__ = ["demo"]

FOLDER = Path("demo")


def demo(
    reset: Annotated[bool, typer.Option("--reset", help="Make the sample clinic anew.")] = False,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Show Hedgerow at work: a tour through a made-up clinic, in the folder ./demo."""
    from hedgerow.demo.chapters import plain
    from hedgerow.demo.clinic import FILE, prepare
    from hedgerow.demo.show import Pages
    from hedgerow.demo.tour import tour

    clinic, made = prepare(FOLDER, reset=reset)
    if as_json:
        print_json({"file": str(FOLDER / FILE), "made": made, "chapters": [plain(chapter) for chapter in tour(clinic)]})
        return 0
    pages = Pages(output())
    pages.opening(FOLDER / FILE, made)
    for chapter in tour(clinic):
        pages.chapter(chapter)
    pages.closing()
    return 0
