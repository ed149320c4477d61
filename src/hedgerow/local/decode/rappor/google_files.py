"""Files of google/rappor in the format of its own analysis: parameters, counts and candidate map.

- ``params.csv``: the header ``k,h,m,p,q,f`` and one line of numbers. A set bit of the permanent
  response is reported as 1 with probability q, a clear one with p; p may exceed q.
- ``counts.csv``: m lines of k+1 numbers: the number of reports of the cohort, then the count of
  each bit, bit 0 first.
- ``map.csv``: a line for each candidate: its text, then the bits that it sets in each cohort, as
  cohort * k + bit + 1. Where several hashes of a cohort are the same bit, a line may name it once
  and have an empty cell.

Any other format is refused with the number of the wrong line. Lines that repeat a candidate with
the same bits count once. Without a map, candidates are hashed as the clients do.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.rappor.bit_rates import BitRates, compute_report_probabilities
from hedgerow.local.decode.rappor.design_matrix import Candidates
from hedgerow.local.decode.rappor.google_hashes import hash_candidates
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.numeric.vectorised import Integers

__all__ = ["RapporParameters", "decode_files", "read_counts", "read_map", "read_parameters"]

_HEADER = ["k", "h", "m", "p", "q", "f"]
_MAX_CELLS = 1 << 24


@dataclass(frozen=True, slots=True)
class RapporParameters:
    """The contents of params.csv: numbers of bits, hashes and cohorts, and the probabilities."""

    k: int
    h: int
    m: int
    p: Fraction
    q: Fraction
    f: Fraction


def decode_files(
    counts: str | Path,
    map: str | Path | None,
    params: str | Path,
    control: str = "fdr",
    level: Number = 0.05,
    *,
    names: Sequence[str] = (),
    hashing: str = "cpp",
) -> list[dict[str, Any]]:
    """Return value, estimate (clients), stderr and p_value of the detected candidates, most
    frequent first. Without a map, the candidates are ``names``, hashed as the clients named by
    ``hashing`` do.
    """
    from hedgerow.local.decode.rappor.decoder import decode_candidates

    parameters = read_parameters(params)
    bits, sizes = read_counts(counts, parameters)
    if map is None:
        values = list(dict.fromkeys(names))
        candidates = hash_candidates(values, parameters.k, parameters.h, parameters.m, hashing)
    else:
        values, candidates = read_map(map, parameters)
    rates = BitRates.of(
        bits, sizes, *compute_report_probabilities(parameters.f, parameters.p, parameters.q)
    )
    estimates = decode_candidates(rates, candidates)
    columns = estimates.counts, estimates.standard_errors, estimates.p_values
    named = ("estimate", "stderr", "p_value")
    return [
        {"value": values[code]}
        | {name: float(column[code]) for name, column in zip(named, columns, strict=True)}
        for code in estimates.rank_detected(control, level)
    ]


def read_parameters(file: str | Path) -> RapporParameters:
    """Read params.csv."""
    lines = _read_rows(file)
    if not lines or [cell.strip() for cell in lines[0][1]] != _HEADER:
        raise _build_line_error(file, 1, "must be the header k,h,m,p,q,f")
    if len(lines) != 2 or len(lines[1][1]) != len(_HEADER):
        raise _build_line_error(
            file,
            lines[1][0] if len(lines) > 1 else 2,
            "must be the only line after the header, with 6 numbers",
        )
    number, cells = lines[1]
    k, h, m = (
        _parse_integer(file, number, cell, name, low)
        for cell, name, low in zip(cells, "khm", (2, 1, 1), strict=False)
    )
    p, q, f = (
        _parse_probability(file, number, cell, name)
        for cell, name in zip(cells[3:], "pqf", strict=True)
    )
    if p == q or f == 1:
        raise _build_line_error(
            file,
            number,
            "must have p and q that differ and f below 1, or reports carry no information",
        )
    if k * m > _MAX_CELLS or h > k:
        raise _build_line_error(
            file,
            number,
            f"must have at most {_MAX_CELLS} bits in all cohorts together, and h at most k",
        )
    return RapporParameters(k, h, m, p, q, f)


def read_counts(file: str | Path, parameters: RapporParameters) -> tuple[Integers, Integers]:
    """Read the count of each bit and the number of reports of each cohort from counts.csv."""
    lines = _read_rows(file)
    if len(lines) != parameters.m:
        raise _build_line_error(
            file, len(lines), f"must be the last of m = {parameters.m} lines, one for each cohort"
        )
    table = np.zeros((parameters.m, parameters.k + 1), dtype=np.int64)
    for row, (number, cells) in enumerate(lines):
        if len(cells) != parameters.k + 1:
            raise _build_line_error(file, number, f"must have k + 1 = {parameters.k + 1} numbers")
        table[row] = [_parse_integer(file, number, cell, "a count", 0) for cell in cells]
        if table[row].max() > table[row, 0]:
            raise _build_line_error(
                file,
                number,
                "must not have a bit count above the number of reports of its cohort",
            )
    return table[:, 1:], table[:, 0]


def read_map(file: str | Path, parameters: RapporParameters) -> tuple[list[str], Candidates]:
    """Read the candidates and their bits from map.csv, line by line because it may have hundreds of
    megabytes.
    """
    reader = _CandidateReader(file, parameters)
    known: dict[str, int] = {}
    rows: list[NDArray[np.int16 | np.int32]] = []
    for number, line in _read_lines(file):
        value, bits = reader.parse_line(number, line)
        if value not in known:
            known[value] = len(rows)
            rows.append(bits.astype(np.int16 if parameters.k <= 1 << 15 else np.int32))
        elif not reader.set_same_bits(rows[known[value]], bits):
            raise _build_line_error(
                file, number, "must have the same bits as an earlier line for the same candidate"
            )
    if not rows:
        raise _build_line_error(file, 1, "must name a candidate")
    table = np.concatenate(rows).reshape(len(rows), parameters.m, parameters.h)
    rows.clear()
    return list(known), Candidates.of(table, parameters.k)


class _CandidateReader:
    """The lines of a map, each parsed in one step where possible: millions of cells are slow one by
    one.
    """

    def __init__(self, file: str | Path, parameters: RapporParameters) -> None:
        self._file, self._parameters = file, parameters
        cohorts = np.arange(parameters.m)
        self._width = parameters.h * parameters.m
        self._first = np.repeat(cohorts * parameters.k + 1, parameters.h)

    def parse_line(self, number: int, line: str) -> tuple[str, Integers]:
        """Return the text of a candidate and a bit for each cohort and hash."""
        value, _, rest = line.partition(",")
        if '"' in line:
            value, *cells = _split_cells(self._file, number, line)
            rest = ",".join(cells)
        if rest.count(",") != self._width - 1:
            raise _build_line_error(
                self._file, number, f"must have a text and h * m = {self._width} numbers"
            )
        if ",," in f"{rest},":
            rest = ",".join(cell for cell in rest.split(",") if cell)
        try:
            numbers = np.fromstring(rest, dtype=np.int64, sep=",")
        except ValueError:
            numbers = np.zeros(0, dtype=np.int64)
        if numbers.size != rest.count(",") + 1:
            raise _build_line_error(self._file, number, "must have whole numbers after its text")
        if numbers.size == self._width:
            bits = numbers - self._first
            if bits.min() >= 0 and bits.max() < self._parameters.k:
                return value, bits
        return value, self._place_bits(number, numbers)

    def set_same_bits(self, first: NDArray[Any], second: NDArray[Any]) -> bool:
        """Return whether two rows set the same bits, in any order and however often."""
        return np.array_equal(np.unique(first + self._first), np.unique(second + self._first))

    def _place_bits(self, number: int, numbers: Integers) -> Integers:
        """Return bits by cohort where some cohorts have fewer than h: the first one is repeated for
        the hashes that collide with another.
        """
        k, h, m = self._parameters.k, self._parameters.h, self._parameters.m
        if numbers.min() < 1 or numbers.max() > k * m:
            raise _build_line_error(
                self._file, number, "must have cohort * k + bit + 1, from 1 to k * m"
            )
        ordered = np.unique(numbers) - 1
        cohorts = ordered // k
        counts = np.bincount(cohorts, minlength=m)
        if counts.min() == 0 or counts.max() > h:
            cohort = int(np.flatnonzero((counts == 0) | (counts > h))[0])
            raise _build_line_error(
                self._file, number, f"must have 1 to h = {h} bits of cohort {cohort}"
            )
        starts = np.cumsum(counts) - counts
        bits = np.repeat(ordered[starts] % k, h)
        bits[np.arange(ordered.size) - starts[cohorts] + cohorts * h] = ordered % k
        return bits


def _read_rows(file: str | Path) -> list[tuple[int, list[str]]]:
    """Return (number, cells) of each line that is not empty."""
    return [(number, _split_cells(file, number, line)) for number, line in _read_lines(file)]


def _read_lines(file: str | Path) -> Iterator[tuple[int, str]]:
    """Yield (number, text) of each line that is not empty."""
    try:
        with Path(file).open(encoding="utf-8-sig") as stream:
            for number, line in enumerate(stream, 1):
                if text := line.rstrip("\n"):
                    yield number, text
    except OSError as failure:
        raise InvalidArgument(
            "file", f"{Path(file).name} cannot be read: {failure.strerror}"
        ) from failure
    except UnicodeDecodeError as failure:
        raise InvalidArgument("file", f"{Path(file).name} must be text in UTF-8") from failure


def _split_cells(file: str | Path, number: int, line: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True))
    except csv.Error as failure:
        raise _build_line_error(file, number, f"must be CSV: {failure}") from failure


def _parse_integer(file: str | Path, line: int, cell: str, name: str, low: int) -> int:
    number = _parse_number(cell)  # R writes 100000 as 1e+05
    if number is None or number.denominator != 1 or not low <= number < 1 << 53:
        raise _build_line_error(
            file, line, f"must have a whole number of at least {low} for {name}"
        )
    return int(number)


def _parse_probability(file: str | Path, line: int, cell: str, name: str) -> Fraction:
    number = _parse_number(cell)
    if number is None or not 0 <= number <= 1:
        raise _build_line_error(file, line, f"must have a probability for {name}")
    return number


def _parse_number(cell: str) -> Fraction | None:
    text = cell.strip()
    if not text.isascii() or "_" in text:  # Python would accept both
        return None
    try:
        return parse_exact(Decimal(text), "cell")
    except (InvalidOperation, InvalidArgument):
        return None


def _build_line_error(file: str | Path, line: int, rule: str) -> InvalidArgument:
    return InvalidArgument("file", f"{Path(file).name}, line {line}: it {rule}")
