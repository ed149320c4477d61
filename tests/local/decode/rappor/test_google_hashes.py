from __future__ import annotations

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.rappor.google_hashes import hash_candidates, hash_text


@pytest.mark.parametrize(
    ("value", "cohort", "bits"),
    [("Whizbang", 0, {2, 7}), ("Whizbang", 3, {6, 7}), ("Xyzzy", 0, {6, 9}), ("Thud", 0, {4, 5})],
)
def test_the_published_vectors_of_the_java_client(value: str, cohort: int, bits: set[int]) -> None:
    """The expected filters of google/rappor's EncoderTest.java, of 12 bits and two hashes."""
    assert set(hash_text(value, cohort, 12, 2, "java")) == bits


@pytest.mark.parametrize("hashing", ["cpp", "python"])
def test_the_other_clients_take_one_byte_for_each_hash(hashing: str) -> None:
    """MD5 of 00000000 616263 begins with 76 8d, and that of 00000005 666f6f with 74 00."""
    assert hash_text("abc", 0, 256, 2, hashing) == [0x76, 0x8D]
    assert hash_text("abc", 0, 16, 2, hashing) == [6, 13]
    assert hash_text("foo", 5, 16, 1, hashing) == [4]


def test_candidates_have_the_bits_of_their_text_in_every_cohort() -> None:
    candidates = hash_candidates(["a", "é"], 16, 2, 4)
    for row, value in enumerate(["a", "é"]):
        cells = {
            16 * cohort + bit for cohort in range(4) for bit in hash_text(value, cohort, 16, 2)
        }
        assert set(candidates.cell_indices[row].tolist()) - {64} == cells


@pytest.mark.parametrize(
    ("k", "h", "hashing", "says"),
    [
        (16, 2, "rust", "must be one of cpp, python, java"),
        (512, 2, "cpp", "cpp has at most 16 hashes and 256 bits"),
        (16, 17, "cpp", "cpp has at most 16 hashes"),
        (16, 9, "java", "java has at most 8 hashes and 65,536 bits"),
    ],
)
def test_filters_that_the_clients_cannot_fill(k: int, h: int, hashing: str, says: str) -> None:
    with pytest.raises(InvalidArgument, match=says):
        hash_text("a", 0, k, h, hashing)
    with pytest.raises(InvalidArgument, match=says):
        hash_candidates(["a"], k, h, 2, hashing)


def test_no_candidates() -> None:
    with pytest.raises(InvalidArgument, match="names must have a candidate"):
        hash_candidates([], 16, 2, 4)
