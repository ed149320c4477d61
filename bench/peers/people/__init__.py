"""The peers that bound what one person contributes. They are large, so they join only when a
section is about people.
"""

from __future__ import annotations

from bench.peers import Absent, Peer, Peers, Worker

__all__ = ["LEFT_OUT", "PEOPLE", "join"]

PEOPLE = tuple(
    Peer(name, f"people/{adapter}", module, f"people/{name}.lock")
    for name, adapter, module in (
        ("opendp-polars", "with_opendp_polars.py", "opendp.prelude"),
        ("smartnoise-sql", "with_smartnoise.py", "snsql"),
        ("pyqrlew", "with_pyqrlew.py", "pyqrlew"),
        ("pipeline-dp", "with_pipeline_dp.py", "pipeline_dp"),
    )
)
LEFT_OUT = {"tmlt.analytics": "needs Java, and takes more than two minutes for a million rows"}


def join(peers: Peers) -> None:
    """Hire them too, where peers were wanted at all; whoever hired the others lets them go."""
    if not peers.workers:
        peers.left_out |= {peer.name: "not asked for" for peer in PEOPLE}
        return
    peers.left_out |= LEFT_OUT
    for peer in PEOPLE:
        try:
            peers.workers[peer.name] = Worker(peer)
        except Absent as reason:
            peers.left_out[peer.name] = str(reason)
