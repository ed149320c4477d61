"""Who counts randomised reports. The peers are large, so they join only when a section is about
them.
"""

from __future__ import annotations

from bench.peers import Absent, Peer, Peers, Worker

__all__ = ["LEFT_OUT", "LOCAL", "join"]

LOCAL = (
    Peer("pure-ldp", "local/with_pure_ldp.py", "pure_ldp", "local/pure-ldp.lock"),
    Peer(
        "multi-freq-ldpy",
        "local/with_multi_freq.py",
        "multi_freq_ldpy",
        "local/multi-freq-ldpy.lock",
    ),
)
LEFT_OUT = {
    "randomised response by value of both": (
        "at 100,000 values its variance is ten thousand times that of the others"
    ),
    "RAPPOR of pure-ldp": "its client never clears a bit: there is nothing to compare",
}


def join(peers: Peers) -> None:
    """Hire them too, where peers were wanted at all."""
    if not peers.workers:
        peers.left_out |= {peer.name: "not asked for" for peer in LOCAL}
        return
    peers.left_out |= LEFT_OUT
    for peer in LOCAL:
        try:
            peers.workers[peer.name] = Worker(peer)
        except Absent as reason:
            peers.left_out[peer.name] = str(reason)
