"""The peers in the accuracy table, in the environments that they have already. Tasks are named
after aggregates; each gets the file, the cell as plain data, epsilon, delta and how many runs are
wanted, and gives the answers of each run: a list of one, or one a group."""

from __future__ import annotations

from bench.peers import Absent, Peer, Peers, Worker

__all__ = ["ACCURATE", "join"]

ACCURATE = tuple(
    Peer(name, f"accuracy/{adapter}", module, lock)
    for name, adapter, module, lock in (
        ("opendp-polars", "with_opendp.py", "opendp.prelude", "people/opendp-polars.lock"),
        ("smartnoise-sql", "with_smartnoise.py", "snsql", "people/smartnoise-sql.lock"),
        ("diffprivlib", "with_diffprivlib.py", "diffprivlib", "diffprivlib.lock"),
        ("pipeline-dp", "with_pipeline_dp.py", "pipeline_dp", "people/pipeline-dp.lock"),
        ("pyqrlew", "with_pyqrlew.py", "pyqrlew", "people/pyqrlew.lock"),
    )
)


def join(peers: Peers) -> dict[str, str]:
    """Hire them too, where peers were wanted at all, under names of their own, which are given
    back by the name of the package.
    """
    if not peers.workers:
        return {}
    for peer in ACCURATE:
        if f"accuracy of {peer.name}" in peers.workers:
            continue
        try:
            peers.workers[f"accuracy of {peer.name}"] = Worker(peer)
        except Absent as reason:
            peers.left_out[f"accuracy of {peer.name}"] = str(reason)
    return {
        peer.name: name
        for peer in ACCURATE
        if (name := f"accuracy of {peer.name}") in peers.workers
    }
