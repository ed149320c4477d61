"""The same question to the peers that bound what one person contributes: seconds, megabytes, and
how many groups come out.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import hedgerow
from bench.bounded import GROUPS_EACH, ROWS_EACH
from bench.clock import Contender, fastest
from bench.database import DELTA, EPSILON, QUESTION, asking, policy
from bench.events import events
from bench.memory import peak_of_database
from bench.peers import Peers
from bench.peers.people import PEOPLE, join
from bench.report import Row, Section, ratio, worst

__all__ = ["people"]

CAPS = {
    "smartnoise-sql": f"{GROUPS_EACH * ROWS_EACH} rows",
    "pyqrlew": f"{GROUPS_EACH} groups, {GROUPS_EACH * ROWS_EACH} rows",
}
USUAL = f"{GROUPS_EACH} groups, {ROWS_EACH} rows in each"
FASTER = "times slower than ours"
OURS, BEST = "hedgerow", 'hedgerow, noise = "best"'
NOISE = {OURS: "laplace", BEST: "best"}


def people(peers: Peers, *, quick: bool = False) -> Section:
    """Seconds a question."""
    size = 1_000 if quick else 1_000_000
    join(peers)
    request = (str(events(size)), GROUPS_EACH, ROWS_EACH, EPSILON, DELTA)
    contenders = {
        peer.name: Contender(peers.round(peer.name, "grouped", *request), rounds=2, warm=False)
        for peer in PEOPLE
    }
    with TemporaryDirectory() as folder:
        for name, noise in NOISE.items():
            (place := Path(folder) / noise).mkdir()
            contenders[name] = Contender(asking(size, place, noise=noise), rounds=1 if quick else 5)
        seconds = fastest(contenders)
        last = {peer.name: peers.ask(peer.name, "grouped", *request) for peer in PEOPLE}
        more = {
            name: {**answer["value"], "peak": answer["peak"]} if answer else {}
            for name, answer in last.items()
        }
        more |= {name: _ours(size, Path(folder) / noise, noise) for name, noise in NOISE.items()}
    rows: list[Row] = [
        {
            "who": name,
            "version": _version(name, peers),
            "caps a person to": CAPS.get(name, USUAL),
            "seconds": seconds[name],
            "peak, MB": more[name].get("peak"),
            "groups": f"{more[name]['groups']:,}" if more[name] else "–",
            FASTER: ratio(seconds[name], seconds[OURS]),
        }
        for name in (*NOISE, *(peer.name for peer in PEOPLE))
    ]
    named = ", ".join(peer.name for peer in PEOPLE)
    return Section(
        f"People: COUNT, SUM and AVG by group of {size:,} rows, epsilon {EPSILON:g}, delta"
        f" {DELTA:g}",
        rows,
        [
            worst(
                f"at least 5 times faster than each of {named}",
                5,
                rows[len(NOISE) :],
                FASTER,
                at_least=True,
            )
        ],
        [
            (
                "From Parquet; the groups are not declared, and those that come out are told."
                " Imports do not count."
            ),
            (
                "smartnoise-sql caps rows but not groups, which is less work and not enough; it"
                " gets a quarter of epsilon for each column."
            ),
        ],
    )


def _ours(size: int, folder: Path, noise: str) -> dict[str, float]:
    page = folder / "events.toml"
    page.write_text(policy(size, noise=noise), encoding="utf-8")
    peak = peak_of_database(page, QUESTION, EPSILON)
    with closing(hedgerow.open(page)) as opened:  # answered from the ledger
        return {"peak": peak, "groups": len(opened.query(QUESTION, epsilon=EPSILON).rows)}


def _version(name: str, peers: Peers) -> str:
    return (
        hedgerow.__version__
        if name in NOISE
        else peers.workers[name].version
        if name in peers.workers
        else "–"
    )
