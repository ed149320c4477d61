"""The client of google/rappor's fleets: its published vector, and the distribution of its bits."""

from __future__ import annotations

from fractions import Fraction
from itertools import cycle

import numpy as np
import pytest

from goodness import ALARM
from hedgerow.errors import InvalidArgument
from hedgerow.local.client.encoder import DrawStream
from hedgerow.local.client.google_client import GoogleClient, format_bits
from hedgerow.local.decode.rappor.google_files import RapporParameters
from hedgerow.local.decode.rappor.google_hashes import hash_text
from local.vectors import bytes_of

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
PUBLISHED = RapporParameters(16, 2, 64, HALF, 3 * QUARTER, HALF)  # of the clients' Params


def test_the_published_vector_of_the_python_client() -> None:
    """rappor_test.py draws 0, 0.6, 0, 0, 0.6, … for each bit, and reports 64493 for "abc"."""
    client = GoogleClient(PUBLISHED, b"secret", 0)
    draws = (round(number * 65536) for number in cycle((0.0, 0.6, 0.0)))
    stream = DrawStream(b"".join(next(draws).to_bytes(2, "big") for _ in range(16)))
    assert int(format_bits(client.report("abc", stream)), 2) == 64493


def test_permanent_bits_never_change_and_depend_on_secret_and_text() -> None:
    client = GoogleClient(PUBLISHED, bytes_of("one", 32), 3)
    assert client.compute_permanent_bits("a") == client.compute_permanent_bits("a")
    others = {
        tuple(GoogleClient(PUBLISHED, bytes_of(f"client {i}", 32), 3).compute_permanent_bits(value))
        for i in range(50)
        for value in "ab"
    }
    assert len(others) > 90  # of 100; 16 bits, each random in half of the cases


def test_bits_have_the_stated_probabilities() -> None:
    """Over 20,000 secrets; Hoeffding's bound, wrong once in 1/ALARM runs."""
    count = 20_000
    bloom = np.array(GoogleClient(PUBLISHED, b"x", 7).compute_bloom_bits("abc"))
    assert set(np.flatnonzero(bloom)) == set(hash_text("abc", 7, 16, 2))
    permanent, reported = np.zeros(16), np.zeros(16)
    for i in range(count):
        client = GoogleClient(PUBLISHED, bytes_of(f"secret {i}", 32), 7)
        permanent += client.compute_permanent_bits("abc")
        reported += client.report("abc")
    radius = np.sqrt(np.log(2 * 32 / ALARM) / (2 * count))
    low, high = (float(rate) for rate in client.scheme.report_probabilities)
    assert np.abs(permanent / count - np.where(bloom, 0.75, 0.25)).max() < radius
    assert np.abs(reported / count - np.where(bloom, high, low)).max() < radius


def test_epsilons_are_those_of_rappor() -> None:
    client = GoogleClient(PUBLISHED, b"secret", 0)
    assert float(client.epsilon) == pytest.approx(1.0743, abs=5e-5)
    assert float(client.lifetime_epsilon) == pytest.approx(4.3944, abs=5e-5)


def test_the_secret_is_not_shown() -> None:
    assert "hush" not in repr(GoogleClient(PUBLISHED, b"hush", 0))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"k": 33}, "k must be at most 32"),
        ({"f": Fraction(1, 3)}, "f must be a multiple of 1/128"),
        ({"m": 3}, "m must be a power of two"),
        ({"q": HALF}, "q must differ from p"),
    ],
)
def test_parameters_that_the_clients_do_not_have(changed: dict[str, object], says: str) -> None:
    given = {"k": 16, "h": 2, "m": 64, "p": HALF, "q": 3 * QUARTER, "f": HALF} | changed
    with pytest.raises(InvalidArgument, match=says):
        GoogleClient(RapporParameters(**given), b"secret", 0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("secret", "cohort", "says"),
    [(b"", 0, "secret must be bytes"), ("s", 0, "secret must be bytes"), (b"s", 64, "cohort")],
)
def test_clients_that_are_none(secret: object, cohort: int, says: str) -> None:
    with pytest.raises(InvalidArgument, match=says):
        GoogleClient(PUBLISHED, secret, cohort)  # type: ignore[arg-type]
