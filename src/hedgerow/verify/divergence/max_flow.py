"""Maximum flow from suppliers to consumers, in integers of any size.

Dinic's algorithm: breadth-first layers, then a blocking flow along them, until the sink cannot be
reached. Each round makes the shortest path longer, so there are at most as many rounds as nodes,
whatever the capacities. That matters here: over a common denominator, probabilities are integers of
hundreds of bits, while library routines (``scipy.sparse.csgraph.maximum_flow``) are limited to 32,
and a linear program in floats cannot decide exact privacy claims, which lie on the boundary.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["MaximumFlow", "maximise_flow"]


@dataclass(frozen=True)
class MaximumFlow:
    """A maximum flow, and the cut that proves it maximal.

    ``cut`` are the suppliers that the source can still reach along edges with capacity left. All
    consumers linked to them are full, and all other suppliers are empty: total = supply outside
    ``cut`` + demand linked to ``cut``.
    """

    total: int
    flow_by_link: dict[tuple[int, int], int]
    cut: frozenset[int]


def maximise_flow(
    supply: Sequence[int], demand: Sequence[int], links: Iterable[tuple[int, int]]
) -> MaximumFlow:
    """Send as much as possible from suppliers to consumers, over unlimited ``links`` (supplier,
    consumer).
    """
    net, source, sink = _Network(len(supply) + len(demand) + 2), 0, 1
    for supplier, amount in enumerate(supply):
        net.add_edge(source, 2 + supplier, amount)
    for consumer, amount in enumerate(demand):
        net.add_edge(2 + len(supply) + consumer, sink, amount)
    unlimited = sum(supply) + 1
    edges = {(a, b): net.add_edge(2 + a, 2 + len(supply) + b, unlimited) for a, b in links}
    total = net.run_dinic(source, sink)
    layers = net.compute_layers(source)
    cut = frozenset(supplier for supplier in range(len(supply)) if layers[2 + supplier] >= 0)
    return MaximumFlow(
        total,
        {link: net.residual[edge + 1] for link, edge in edges.items() if net.residual[edge + 1]},
        cut,
    )


class _Network:
    """A residual network; edge e ^ 1 is the reverse of edge e, with the flow of e as capacity."""

    def __init__(self, nodes: int) -> None:
        self.edges: list[list[int]] = [[] for _ in range(nodes)]
        self.head: list[int] = []
        self.residual: list[int] = []

    def add_edge(self, tail: int, head: int, capacity: int) -> int:
        edge = len(self.head)
        self.head += [head, tail]
        self.residual += [capacity, 0]
        self.edges[tail].append(edge)
        self.edges[head].append(edge + 1)
        return edge

    def compute_layers(self, source: int) -> list[int]:
        """Compute the distance of every node from the source along edges with capacity left; -1
        means unreachable.
        """
        layer = [-1] * len(self.edges)
        layer[source] = 0
        queue = deque([source])
        while queue:
            node = queue.popleft()
            for edge in self.edges[node]:
                if self.residual[edge] and layer[self.head[edge]] < 0:
                    layer[self.head[edge]] = layer[node] + 1
                    queue.append(self.head[edge])
        return layer

    def run_dinic(self, source: int, sink: int) -> int:
        total = 0
        while (layer := self.compute_layers(source))[sink] >= 0:
            total += self._find_blocking_flow(source, sink, layer)
        return total

    def _find_blocking_flow(self, source: int, sink: int, layer: list[int]) -> int:
        """Send flow depth first along the layers, trying a dead end only once."""
        total, next_edge, path, node = 0, [0] * len(self.edges), list[int](), source
        while True:
            if node == sink:
                sent = min(self.residual[edge] for edge in path)
                total += sent
                for edge in path:
                    self.residual[edge] -= sent
                    self.residual[edge ^ 1] += sent
                path, node = [], source
            while next_edge[node] < len(self.edges[node]):
                edge = self.edges[node][next_edge[node]]
                if self.residual[edge] and layer[self.head[edge]] == layer[node] + 1:
                    break
                next_edge[node] += 1
            if next_edge[node] < len(self.edges[node]):
                path.append(edge)
                node = self.head[edge]
            elif path:
                node = self.head[path.pop() ^ 1]
                next_edge[node] += 1
            else:
                return total
