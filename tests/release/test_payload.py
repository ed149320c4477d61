"""The payload of a release: stored and read back, with stable names."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

from doorway import (
    DAYS,
    UNIT,
    Plain,
    charge,
    ledger,
    noise_of,
    plan,
)
from hedgerow.mechanisms import Gaussian
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.release.noise import CentredCounts, ReleaseNoise
from hedgerow.release.payload import Release, encode_payload
from hedgerow.release.release import release


def test_the_edge_probability_is_stored_with_the_answer() -> None:
    asked, book = plan(), ledger()
    noise = noise_of(asked)
    assert noise.threshold is not None
    assert noise.threshold.edge_probability > 0
    found = release(asked, Plain(), book, noise, charge())
    ((entry, payload),) = book.answers("q", "1")
    assert Release.from_payload(entry, payload).noise == noise == found.noise


def test_keys_of_dates_and_timestamps_are_stored_apart() -> None:
    asked, book = plan(), ledger()
    release(asked, Plain(), book, noise_of(asked), charge())
    ((entry, _),) = book.answers("q", "1")
    keys = ((date(2026, 1, 31), "2026-01-31"), (datetime(2026, 1, 31, 9, 30, 0, 5), None))
    payload = encode_payload(keys, [], noise_of(asked))
    read = Release.from_payload(entry, payload).keys
    assert read == keys
    assert [type(key[0]) for key in read] == [date, datetime]


COUNTS = (Measure("rows"), Measure("total", "v0", ClampedGrid(Fraction(1), 0, 6)), Measure("units"))


CENTRE = CentredCounts(2, ((0, 3), (1, 18)))


def centred(scale: Fraction) -> ReleaseNoise:
    return ReleaseNoise((Gaussian(scale),) * 3, centre=CENTRE)


def test_centred_counts_are_stored_with_their_centre() -> None:
    asked, book = plan(*COUNTS, domain=DAYS), ledger()
    found = release(asked, Plain(), book, centred(Fraction(10**4)), charge())
    assert found.noise.centre == CENTRE
    assert [Release.from_payload(entry, payload) for entry, payload in book.answers("q", "1")] == [
        found
    ]
    assert found.loss == centred(Fraction(10**4)).loss(asked.sensitivity(UNIT))
