from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.rappor.google_files import (
    RapporParameters,
    decode_files,
    read_counts,
    read_map,
    read_parameters,
)
from hedgerow.local.decode.rappor.google_hashes import hash_text

PARAMETERS = RapporParameters(4, 2, 2, Fraction(1, 4), Fraction(3, 4), Fraction(1, 2))


def saved(folder: Path, text: str, name: str = "file.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_reads_what_google_writes(tmp_path: Path) -> None:
    read = read_parameters(saved(tmp_path, "k,h,m,p,q,f\n4,2,2,0.25,0.75,0.5\n"))
    assert read == PARAMETERS
    assert read_parameters(
        saved(tmp_path, '\ufeff"k","h","m","p","q","f"\r\n128, 2, 8, .5, 0.75, 7.5e-1\r\n')
    ).f == Fraction(3, 4)
    bits, sizes = read_counts(saved(tmp_path, "10,1,2,3,4\n1e+05,5,6,7,8\n\n"), read)
    assert bits.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert sizes.tolist() == [10, 100_000]
    values, candidates = read_map(
        saved(tmp_path, 'a,1,4,5,5\n"b, with ""comma""",2,3,8,7\na,1,4,5,5\n'), read
    )
    assert values == ["a", 'b, with "comma"']
    # the second bit of a in cohort 1 is its first again
    assert candidates.cell_indices.tolist() == [[0, 3, 4, 8], [1, 2, 7, 6]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1: it must be the header"),
        ("k,h,m,q,p,f\n4,2,2,.1,.2,.3\n", "line 1: it must be the header"),
        ("k,h,m,p,q\n4,2,2,.1,.2\n", "line 1: it must be the header"),
        ("k,h,m,p,q,f\n", "line 2: it must be the only line"),
        ("k,h,m,p,q,f\n4,2,2,.1,.2\n", "line 2: it must be the only line"),
        ("k,h,m,p,q,f\n4,2,2,.1,.2,.3\n4,2,2,.1,.2,.3\n", "must be the only line"),
        (
            "k,h,m,p,q,f\n1,1,2,.1,.2,.3\n",
            "line 2: it must have a whole number of at least 2 for k",
        ),
        ("k,h,m,p,q,f\n4,x,2,.1,.2,.3\n", "at least 1 for h"),
        ("k,h,m,p,q,f\n4,2,2.5,.1,.2,.3\n", "at least 1 for m"),
        ("k,h,m,p,q,f\n4,2,2,1.1,.2,.3\n", "a probability for p"),
        ("k,h,m,p,q,f\n4,2,2,.1,nan,.3\n", "a probability for q"),
        ("k,h,m,p,q,f\n4,2,2,.1,.1,.3\n", "p and q that differ"),
        ("k,h,m,p,q,f\n4,2,2,.1,.2,1\n", "f below 1"),
        ("k,h,m,p,q,f\n4,5,2,.1,.2,.3\n", "h at most k"),
        ("k,h,m,p,q,f\n99999,1,99999,.1,.2,.3\n", "at most 16777216 bits"),
    ],
)
def test_wrong_parameters(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InvalidArgument, match=says):
        read_parameters(saved(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("10,1,2,3,4\n", "line 1: it must be the last of m = 2 lines"),
        ("10,1,2,3,4\n" * 3, "line 3: it must be the last of m = 2 lines"),
        ("10,1,2,3,4\n10,1,2,3\n", r"line 2: it must have k \+ 1 = 5 numbers"),
        ("10,1,2,3,4\n10,1,2,3,-4\n", "line 2: it must have a whole number of at least 0"),
        ("10,1,2,3,4\n10,1,2,3,1e999999999\n", "line 2: it must have a whole number of at least 0"),
        ("10,1,2,3,4\n10,1,2,3,1/0\n", "line 2: it must have a whole number of at least 0"),
        (
            "10,1,2,3,x\n10,1,2,3,4\n",
            "line 1: it must have a whole number of at least 0 for a count",
        ),
        (
            "10,1,2,3,2.5\n10,1,2,3,4\n",
            "line 1: it must have a whole number of at least 0 for a count",
        ),
        (
            "10,1,2,3,nan\n10,1,2,3,4\n",
            "line 1: it must have a whole number of at least 0 for a count",
        ),
        (
            "10,1,2,3,\n10,1,2,3,4\n",
            "line 1: it must have a whole number of at least 0 for a count",
        ),
        (
            "1_0,1,2,3,4\n10,1,2,3,4\n",
            "line 1: it must have a whole number of at least 0 for a count",
        ),
        ("10,1,2,3,4,5\n10,1,2,3,4\n", r"line 1: it must have k \+ 1 = 5 numbers"),
        ("10,1,2,3,11\n10,1,2,3,4\n", "line 1: it must not have a bit count above"),
        ('10,1,2,3,4\n10,1,2,3,"4\n', "line 2: it must be CSV"),
    ],
)
def test_wrong_counts(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InvalidArgument, match=says):
        read_counts(saved(tmp_path, text), PARAMETERS)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1: it must name a candidate"),
        ("a,1,2,5\n", r"line 1: it must have a text and h \* m = 4 numbers"),
        ("a,1,2,5,6,7\n", r"line 1: it must have a text and h \* m = 4 numbers"),
        ("a\n", r"line 1: it must have a text and h \* m = 4 numbers"),
        ("a,1,2,5,6\nb,1,2,5,x\n", "line 2: it must have whole numbers"),
        ("a,,,,\n", "line 1: it must have whole numbers"),
        ("a,1,2,,\n", "line 1: it must have 1 to h = 2 bits of cohort 1"),
        ("a,1,2,5,6.5\n", "line 1: it must have whole numbers"),
        ("a,1,2,5,99999999999\n", "line 1: it must have cohort"),
        ("a,1,2,5,99999999999999999999999\n", "line 1: it must have cohort"),
        ('a,1,2,5,6\n"b,1,2,5,6\n', "line 2: it must be CSV"),
        ("a,1,2,5,6\nb,0,2,5,6\n", "line 2: it must have cohort"),
        ("a,1,2,5,6\nb,1,2,4,6\n", "line 2: it must have 1 to h = 2 bits of cohort 0"),
        ("a,1,2,5,9\n", "line 1: it must have cohort"),
        ("a,1,2,5,6\na,1,2,5,7\n", "line 2: it must have the same bits"),
    ],
)
def test_wrong_maps(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InvalidArgument, match=says):
        read_map(saved(tmp_path, text), PARAMETERS)


def test_a_map_names_bits_that_collide_once(tmp_path: Path) -> None:
    """As google/rappor's own example does: the cells of such a line are sorted, the last empty."""
    text = "a,1,4,5,\nb,2,,8,7\nc,3,3,6,6\nd,8,1,,\na,4,1,5,5\n"
    values, candidates = read_map(saved(tmp_path, text), PARAMETERS)
    assert values == ["a", "b", "c", "d"]
    cells = [sorted(set(row) - {8}) for row in candidates.cell_indices.tolist()]
    assert cells == [[0, 3, 4], [1, 6, 7], [2, 5], [0, 7]]


def test_names_are_hashed_as_the_clients_do(tmp_path: Path) -> None:
    """Reports of many clients, added up as google/rappor's tools add them, are decoded."""
    rng, names, total = np.random.default_rng(2), [f"page {i}" for i in range(30)], 10_000
    clear, set_ = 9 / 16, 11 / 16  # f = 1/2, p = 1/2, q = 3/4
    lines = []
    for cohort in range(64):
        holders = np.zeros(16, dtype=np.int64)
        for name, count in zip(names, (6000, 4000), strict=False):
            holders[list(set(hash_text(name, cohort, 16, 2, "java")))] += count
        ones = rng.binomial(holders, set_) + rng.binomial(total - holders, clear)
        lines.append([total, *ones])
    counts = saved(
        tmp_path, "".join(",".join(map(str, line)) + "\n" for line in lines), "counts.csv"
    )
    params = saved(tmp_path, "k,h,m,p,q,f\n16,2,64,0.5,0.75,0.5\n", "params.csv")
    found = decode_files(counts, None, params, "fwer", 1e-6, names=names, hashing="java")
    assert [row["value"] for row in found] == names[:2]
    other = decode_files(counts, None, params, "fwer", 1e-6, names=names, hashing="cpp")
    assert not {row["value"] for row in other} & set(names[:2])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"gone\.csv cannot be read"):
        read_parameters(tmp_path / "gone.csv")
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidArgument, match="UTF-8"):
        read_parameters(tmp_path / "bytes.csv")


@pytest.mark.parametrize(("p", "q"), [(0.25, 0.75), (0.75, 0.25)])
def test_decodes_files(tmp_path: Path, p: float, q: float) -> None:
    rng, k, h, m, n = np.random.default_rng(1), 16, 2, 32, 3000
    bits = rng.integers(0, k, (50, m, h))
    clear, set_ = 0.25 * (p + q) + 0.5 * p, 0.25 * (p + q) + 0.5 * q  # f = 1/2
    lines = []
    for cohort in range(m):
        holders = np.zeros(50, dtype=np.int64)
        holders[:3] = [1500, 900, 600]
        filters = np.zeros((50, k), dtype=np.int64)
        np.put_along_axis(filters, bits[:, cohort], 1, axis=1)
        have = holders @ filters
        lines.append([n, *(rng.binomial(have, set_) + rng.binomial(n - have, clear))])
    counts = saved(
        tmp_path, "".join(",".join(map(str, line)) + "\n" for line in lines), "counts.csv"
    )
    places = (bits + np.arange(m)[None, :, None] * k + 1).reshape(50, -1)
    mapping = saved(
        tmp_path,
        "".join(f"v{i}," + ",".join(map(str, row)) + "\n" for i, row in enumerate(places)),
        "map.csv",
    )
    params = saved(tmp_path, f"k,h,m,p,q,f\n{k},{h},{m},{p},{q},0.5\n", "params.csv")
    found = decode_files(counts, mapping, params, "fwer", 0.001)
    assert [row["value"] for row in found] == ["v0", "v1", "v2"]
    for row, share in zip(found, (0.5, 0.3, 0.2), strict=True):
        assert set(row) == {"value", "estimate", "stderr", "p_value"}
        assert abs(row["estimate"] - share * m * n) < 5 * row["stderr"]
        assert 0 <= row["p_value"] < 1e-5
    assert len(decode_files(counts, mapping, params)) >= 3
    with pytest.raises(InvalidArgument, match="control must be one of"):
        decode_files(counts, mapping, params, "none")
