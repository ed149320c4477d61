"""What many releases cost together: Hedgerow's running sum of rho, against privacy loss
distributions and opendp's conversion.

The sum is what an interactive budget can use; a privacy loss distribution is tighter, but needs the
whole list of questions beforehand.
"""

from __future__ import annotations

from collections.abc import Callable

from bench.clock import Contender, fastest, of
from bench.peers import Peers
from bench.report import Row, Section, ratio, worst
from hedgerow.mechanisms import Gaussian, Laplace

__all__ = ["accounting"]

DELTA = 1e-6
LAWS = {"gaussian": (Gaussian, 50), "laplace": (Laplace, 100)}
COUNTS = (1_000, 10_000)
_TIMES = ("at once, ms", "one by one, ms", "PLD, ms")


def accounting(peers: Peers, *, quick: bool = False) -> Section:
    """Epsilon at delta = 1e-6, and milliseconds to find it."""
    rows = [_row(law, count, peers, 1 if quick else 5) for law in LAWS for count in COUNTS]
    return Section(
        "Accounting: epsilon of many releases at delta = 1e-6, and milliseconds to find it",
        rows,
        [
            worst(
                "the sum of rho at least as tight as opendp's (ratio)",
                1 + 1e-9,
                rows,
                "times opendp",
            )
        ],
        [
            (
                "PLD: dp-accounting, needs all releases beforehand. 'at once' multiplies one loss,"
                " 'one by one' adds them up as a ledger does."
            ),
        ],
        [
            ("releases", "scale", "epsilon", "opendp's", "PLD's", "times opendp", "times PLD"),
            ("releases", *_TIMES),
        ],
    )


def _row(law: str, count: int, peers: Peers, rounds: int) -> Row:
    kind, scale = LAWS[law]
    mechanism = kind(scale)
    total = count * mechanism.loss(1)
    epsilon = float(total.epsilon_at(DELTA))
    tight = peers.ask("dp-accounting", "epsilon_of", law, scale, count, DELTA).get("value")
    # opendp charges 1/(2 sigma^2), and epsilon^2/2 for pure noise: the same with epsilon = 1/scale.
    theirs = peers.ask("opendp", "epsilon_of", count / (2 * scale**2), DELTA).get("value")
    contenders = {
        _TIMES[0]: Contender(
            of(lambda: (count * mechanism.loss(1)).epsilon_at(DELTA)), rounds=rounds
        ),
        _TIMES[1]: Contender(of(_singly(kind(scale), count)), rounds=rounds, warm=False),
        _TIMES[2]: Contender(
            peers.round("dp-accounting", "epsilon_of", law, scale, count, DELTA), rounds=2
        ),
    }
    taken = {
        name: None if seconds is None else seconds * 1e3
        for name, seconds in fastest(contenders).items()
    }
    return {
        "releases": f"{count:,} x {law}",
        "scale": f"{scale}",
        "epsilon": epsilon,
        "opendp's": theirs,
        "PLD's": tight,
        "times opendp": ratio(epsilon, theirs),
        "times PLD": ratio(epsilon, tight),
        **taken,
    }


def _singly(mechanism: Gaussian | Laplace, count: int) -> Callable[[], object]:
    def work() -> object:
        loss = mechanism.loss(1)
        total = loss
        for _ in range(count - 1):
            total = total + loss
        return total.epsilon_at(DELTA)

    return work
