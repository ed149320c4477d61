"""Who makes synthetic tables. They are large and slow, so each task gets a process of its own,
when its turn comes, and ten minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from select import select
from typing import Any

from bench.peers import Absent, Peer, Peers, Worker

__all__ = ["LEFT_OUT", "MBI", "MINUTES", "OPENDP", "asked"]

MBI = Peer("mbi", "synthetic/with_mbi.py", "mbi", "synthetic/mbi.lock")
OPENDP = Peer(
    "opendp-mbi", "synthetic/with_opendp_mbi.py", "opendp.extras.mbi", "synthetic/opendp-mbi.lock"
)
LEFT_OUT = {"smartnoise-synth": "6 GB of packages; its MST loses the correlations"}

MINUTES = 10  # for one table


class Slow(Worker):
    """A worker that is waited for."""

    def _answer(self) -> dict[str, Any]:
        if not select([self._process.stdout], [], [], 60 * MINUTES)[0]:
            self.close()
            raise Absent(f"no table within {MINUTES} minutes")
        return super()._answer()


def asked(
    peers: Peers, who: str, peer: Peer, task: str, *arguments: object, times: int = 1
) -> Iterator[dict[str, Any]]:
    """Its answers as they come, each with the version of the peer; fewer where it fails, and why is
    noted. None where no peers were wanted."""
    if not peers.workers:
        peers.left_out[who] = "not asked for"
        return
    peers.left_out |= LEFT_OUT
    try:
        worker = Slow(peer)
        try:
            for _ in range(times):
                answer = worker.ask(task, *arguments)
                if "error" in answer:
                    raise Absent(answer["error"])
                yield answer | {"version": worker.version}
        finally:
            worker.close()
    except Absent as reason:
        peers.left_out[who] = str(reason)
