"""Who makes synthetic tables. The peer is large, so it joins only when a section is about them."""

from __future__ import annotations

from select import select
from typing import Any

from bench.peers import Absent, Peer, Peers, Worker

__all__ = ["LEFT_OUT", "MBI", "join"]

MBI = Peer("mbi", "synthetic/with_mbi.py", "mbi", "synthetic/mbi.lock")
LEFT_OUT = {
    "AIM on mbi": "no table within the six minutes that it was given",
    "smartnoise-synth": "6 GB of packages; its MST loses the correlations",
}

SLOW = 480  # seconds of patience beyond the usual: it takes a minute on a quiet machine


class Slow(Worker):
    """A worker that is waited for."""

    def _answer(self) -> dict[str, Any]:
        select([self._process.stdout], [], [], SLOW)
        return super()._answer()


def join(peers: Peers) -> None:
    """Hire it too, where peers were wanted at all."""
    if not peers.workers:
        peers.left_out |= {MBI.name: "not asked for"}
        return
    peers.left_out |= LEFT_OUT
    try:
        peers.workers[MBI.name] = Slow(MBI)
    except Absent as reason:
        peers.left_out[MBI.name] = str(reason)
