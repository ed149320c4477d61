"""Style does not matter: rewrites of proved programs that keep their meaning are proved too."""

from __future__ import annotations

import textwrap
import time

import pytest

from hedgerow.verify.language.program import Program
from hedgerow.verify.language.python import read_programs
from hedgerow.verify.prove.certificate import Certificate
from hedgerow.verify.prove.search.finder import find_certificate
from verify.attacks.rewrites import rewrite
from verify.literature.test_literature import expected_verdict, literature

PROVED = sorted(name for name in literature() if expected_verdict(name) == "PROVED")
# Where a rewrite changes the most; all others are in tests/slow.
SAMPLE = ("above_threshold_index", "lyu_1_halves", "report_noisy_max", "smart_sum", "sparse_vector")


def find_unproved(name: str, seeds: range) -> list[str]:
    """Return the rewrites of the program that are not proved."""
    text, found = textwrap.dedent(literature()[name].source), []
    for seed in seeds:
        written = rewrite(text, seed)
        (one,) = read_programs(written)
        assert isinstance(one, Program), f"{one}\n{written}"
        if not isinstance(find_certificate(one, time.process_time() + 60), Certificate):
            found.append(f"seed {seed}:\n{written}")
    return found


def test_a_rewrite_changes_the_text_and_nothing_else() -> None:
    text = textwrap.dedent(
        """
        def f(q, n):
            i = 0
            while i < n and i < 3:
                if q[i] > 2:
                    i += 1
                else:
                    i += 2
            return i
        """
    )
    written = {rewrite(text, seed) for seed in range(20)}
    assert len(written) > 10
    for one in written:
        scope: dict[str, object] = {}
        exec(one, scope)  # our own text
        f = scope["f"]
        assert callable(f)
        assert [f([3, 4, 1], 3), f([1], 1), f([3, 3, 3, 3], 4), f([], 0)] == [4, 2, 3, 0]


@pytest.mark.long
@pytest.mark.parametrize("name", SAMPLE)
def test_rewrites_are_proved(name: str) -> None:
    assert find_unproved(name, range(3)) == []
