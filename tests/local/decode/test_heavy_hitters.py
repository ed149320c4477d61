from __future__ import annotations

import numpy as np
import pytest

from goodness import FAR
from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.heavy_hitters import PrefixSearch
from hedgerow.local.protocols import Hadamard, KAry, LocalProtocol, Projective, Rappor

LETTERS = "abcdefghijklmnopqrstuvwxyz."


def collected(
    book: PrefixSearch, texts: list[str], weights: list[float], clients: int
) -> list[np.ndarray]:
    """The counters of every round, each of so many clients whose texts are exactly these shares."""
    held = np.repeat(np.arange(len(texts)), (np.array(weights) * clients).astype(int))
    return [
        book.scheme.aggregate(book.scheme.encode(book.encode_prefixes(turn, texts)[held]))
        for turn in range(len(book.lengths))
    ]


@pytest.mark.parametrize(
    "scheme",
    [
        Projective.calibrate(domain=10_000, epsilon=3),
        Hadamard.calibrate(domain=10_000, epsilon=3),
        Rappor(64, 2, 32, 16384, 6554, 58982),
    ],
    ids=lambda scheme: scheme.name,
)
def test_texts_are_found_that_nobody_listed(scheme: LocalProtocol) -> None:
    book = PrefixSearch(scheme, LETTERS, (2, 3, 4, 5, 6))
    rare = [a + b + "xyz" for a in "qrst" for b in LETTERS[:20]]
    found = book.search(
        collected(
            book, ["ab", "abba.x", "hedgerow", *rare], [0.3, 0.3, 0.3, *[0.1 / 80] * 80], 50_000
        ),
        "fwer",
        1e-9,
    )
    assert sorted(found.texts) == ["ab", "abba.x", "hedger"]  # the long one by its beginning
    assert found.collisions == 0
    # 84 candidates at most, and three frequent codes of ten thousand
    assert found.expected_collisions < 0.1
    assert found.estimates.n == 49_960
    assert (np.abs(found.estimates.counts - 15_000) < 8 * found.estimates.standard_errors).all()
    assert (found.estimates.p_values < 1e-9).all()


def test_nothing_frequent() -> None:
    book = PrefixSearch(KAry.calibrate(domain=1000, epsilon=1), LETTERS, (1, 2))
    nobody = np.zeros(book.scheme.counter_count, dtype=np.int64)
    found = book.search([nobody, nobody])
    assert (found.texts, found.estimates.n, found.collisions, found.expected_collisions) == (
        (),
        0,
        0,
        0.0,
    )


def test_candidates_that_share_a_code_are_counted() -> None:
    book = PrefixSearch(KAry.calibrate(domain=8, epsilon=8), "abcdefgh", (1,))
    found = book.search(collected(book, ["a"], [1.0], 20_000), "fwer", 1e-9)
    codes = book.encode_prefixes(0, list("abcdefgh"))
    same = sorted(
        letter for letter, code in zip("abcdefgh", codes, strict=True) if code == codes[0]
    )
    assert sorted(found.texts) == same
    assert found.collisions == (len(same) if len(same) > 1 else 0)
    assert found.expected_collisions == 1.0  # eight candidates, one code of eight is frequent


@pytest.mark.long
def test_false_texts_stay_at_the_stated_level() -> None:
    """Search a hundred times; rare texts make some prefixes that no frequent text continues."""
    book, level, runs = (
        PrefixSearch(Projective.calibrate(domain=5_000, epsilon=2), "abcd", (2, 4)),
        0.2,
        100,
    )
    texts = ["abca", "dddd", "bc", *(a + b for a in "abcd" for b in "abcd")]
    weights = [0.3, 0.2, 0.2, *[0.3 / 16] * 16]
    shares, families, found_any = [], 0, 0
    for _ in range(runs):
        states = collected(book, texts, weights, 5_000)
        false = [text for text in book.search(states, "fwer", level).texts if text not in texts]
        families += bool(false)
        found = book.search(states, "fdr", level)
        shares.append(sum(text not in texts for text in found.texts) / max(1, len(found.texts)))
        found_any += "abca" in found.texts
    assert found_any == runs
    assert families / runs < level + FAR * (level / runs) ** 0.5
    assert np.mean(shares) < level + FAR * 0.2 / runs**0.5
    assert sum(shares) > 0  # not idle


def test_rounds_hash_apart() -> None:
    book = PrefixSearch(Hadamard.calibrate(domain=1 << 20, epsilon=3), LETTERS, (3, 4))
    assert book.encode_prefixes(0, ["abc"]) == book.encode_prefixes(0, ["abcz"])
    assert book.encode_prefixes(1, ["abc"]) != book.encode_prefixes(1, ["abcz"])
    assert book.encode_prefixes(0, ["ab"]) != book.encode_prefixes(1, ["ab"])


@pytest.mark.parametrize("alphabet", ["", "aa", "a\0"])
def test_alphabet(alphabet: str) -> None:
    with pytest.raises(InvalidArgument, match="different letters"):
        PrefixSearch(KAry.calibrate(domain=10, epsilon=1), alphabet, (1,))


@pytest.mark.parametrize("lengths", [(), (2, 2), (3, 1)])
def test_lengths(lengths: tuple[int, ...]) -> None:
    with pytest.raises(InvalidArgument, match="each larger than the one before"):
        PrefixSearch(KAry.calibrate(domain=10, epsilon=1), "ab", lengths)


def test_wrong_use() -> None:
    book = PrefixSearch(KAry.calibrate(domain=10, epsilon=1), "ab", (1,))
    for texts in (["c"], [""], [3]):
        with pytest.raises(InvalidArgument, match="letters of the alphabet"):
            book.encode_prefixes(0, texts)
    with pytest.raises(InvalidArgument, match="turn must be a whole number between 0 and 0"):
        book.encode_prefixes(1, ["a"])
    with pytest.raises(InvalidArgument, match="each of the 1 rounds"):
        book.search([])
    with pytest.raises(InvalidArgument, match="between 1 and 1000"):
        PrefixSearch(KAry.calibrate(domain=10, epsilon=1), "ab", (0,))
    with pytest.raises(InvalidArgument, match="more than 1000000 candidates"):
        PrefixSearch(book.scheme, LETTERS, (5,)).search(
            [np.zeros(book.scheme.counter_count, dtype=np.int64)]
        )
