"""``python -m bench``: run the sections, print them as they come, or all as JSON at the end."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.text import Text

import hedgerow
from bench.accounting import accounting
from bench.accuracy import accuracy
from bench.capped import capped
from bench.channels import channels
from bench.choice import choice
from bench.coverage import coverage
from bench.database import database
from bench.decoding import decoding
from bench.engines import engines
from bench.imports import imports
from bench.joins import joins
from bench.latency import latency
from bench.local import local
from bench.noise import noise
from bench.peers import Peers, hired
from bench.people import people
from bench.proofs import proofs
from bench.publishing import publishing, sums
from bench.quantile import median, shapes
from bench.report import Section, render
from bench.service import service
from bench.spread import quantiles
from bench.synthetic import synthetic
from bench.timing import timing
from bench.tpch import tpch
from bench.uniqueness import uniqueness

SECTIONS: dict[str, Callable[..., Section]] = {
    "noise": noise,
    "latency": latency,
    "choice": choice,
    "median": median,
    "shapes": shapes,
    "timing": timing,
    "accounting": accounting,
    "import": imports,
    "database": database,
    "people": people,
    "joins": joins,
    "coverage": coverage,
    "quantiles": quantiles,
    "tpch": tpch,
    "accuracy": accuracy,
    "capped": capped,
    "sums": sums,
    "publishing": publishing,
    "synthetic": synthetic,
    "local": local,
    "decoding": decoding,
    "uniqueness": uniqueness,
    "proofs": proofs,
    "service": service,
    "channels": channels,
    "engines": engines,
}
# who asks for one gets the other as well, which may also be asked for by itself
ALONG = {"accuracy": "capped"}


def machine(peers: Peers) -> dict[str, str]:
    """Where and with what this was measured."""
    return {
        "processor": f"{os.cpu_count()} x {_processor()}",
        "load": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "python": platform.python_version(),
        "hedgerow": hedgerow.__version__,
        "numpy": version("numpy"),
        **{name: worker.version for name, worker in peers.workers.items()},
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Hedgerow's speed and accuracy against named peers, as ratios of one run.",
    )
    parser.add_argument(
        "sections",
        nargs="*",
        metavar="SECTION",
        help=f"any of {', '.join(SECTIONS)}; all if none is named",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of tables"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="tiny sizes, no peers: shows that everything runs, measures nothing",
    )
    parser.add_argument("--alone", action="store_true", help="full sizes, no peers")
    found = parser.parse_args(words)
    if unknown := set(found.sections) - set(SECTIONS):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    return found


def _list_sections(named: list[str]) -> list[str]:
    """Return the sections to run, each once: all of them where none is named."""
    found = [one for name in named for one in (name, ALONG.get(name)) if one is not None]
    return list(dict.fromkeys(found or SECTIONS))


def _make_console() -> Console:
    """Return a console as wide as the terminal; in a file, numbers are not cut off at 80."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 132)


def main(words: list[str]) -> int:
    """Run the sections that were asked for and print them."""
    asked, console, start = _arguments(words), _make_console(), perf_counter()
    with hired(wanted=not (asked.quick or asked.alone)) as peers:
        facts = machine(peers)
        if not asked.json:
            console.print(
                Text("  ".join(f"{name} {value}" for name, value in facts.items()), style="dim")
            )
        sections = {}
        for name in _list_sections(asked.sections):
            sections[name] = SECTIONS[name](peers, quick=asked.quick)
            if not asked.json:
                render(sections[name], console)
        facts |= {
            "load at the end": " ".join(f"{load:.2f}" for load in os.getloadavg()),
            "seconds": f"{perf_counter() - start:.0f}",
        }
    if asked.json:
        told = {
            "machine": facts,
            "left out": peers.left_out,
            "sections": {name: section.to_dict() for name, section in sections.items()},
        }
        print(json.dumps(told, indent=2))
        return 0
    console.print()
    for name, reason in peers.left_out.items():
        console.print(Text(f"left out: {name} ({reason})", style="dim"))
    _close(sections, facts, console, quick=asked.quick)
    return 0


def _close(
    sections: dict[str, Section], facts: dict[str, str], console: Console, *, quick: bool
) -> None:
    marks = [target.mark for section in sections.values() for target in section.targets]
    told = ", ".join(
        f"{marks.count(mark)} {mark}"
        for mark in ("met", "not met", "not measured")
        if mark in marks
    )
    load = f"load {facts['load']} before, {facts['load at the end']} after"
    console.print(
        f"Targets: {told or 'none in these sections'}. {facts['seconds']} seconds; {load}."
    )
    if quick:
        console.print("This was --quick: everything runs, and no figure means anything.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
