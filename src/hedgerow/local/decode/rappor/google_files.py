"""Files of google/rappor in the format of its own analysis: parameters, counts and candidate map.

- ``params.csv``: the header ``k,h,m,p,q,f`` and one line of numbers. A set bit of the permanent
  response is reported as 1 with probability q, a clear one with p; p may exceed q.
- ``counts.csv``: m lines of k+1 numbers: the number of reports of the cohort, then the count of
  each bit, bit 0 first.
- ``map.csv``: a line for each candidate: its text, then h numbers for each cohort in order,
  cohort * k + bit + 1.

Any other format is refused with the number of the wrong line. Lines that repeat a candidate with
the same bits count once.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
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
    map: str | Path,
    params: str | Path,
    control: str = "fdr",
    level: Number = 0.05,
) -> list[dict[str, Any]]:
    """Return value, estimate (clients), stderr and p_value of the detected candidates, most
    frequent first.
    """
    from hedgerow.local.decode.rappor.decoder import decode_candidates

    parameters = read_parameters(params)
    bits, sizes = read_counts(counts, parameters)
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
    first = np.repeat(np.arange(parameters.m) * parameters.k + 1, parameters.h)
    known: dict[str, int] = {}
    rows: list[NDArray[np.int16 | np.int32]] = []
    for number, line in _read_lines(file):
        value, numbers = _parse_candidate(file, number, line, first.size)
        bits = numbers - first
        if bits.min() < 0 or bits.max() >= parameters.k:
            raise _build_line_error(
                file, number, "must have cohort * k + bit + 1 for each cohort in order"
            )
        if value not in known:
            known[value] = len(rows)
            rows.append(bits.astype(np.int16 if parameters.k <= 1 << 15 else np.int32))
        elif (rows[known[value]] != bits).any():
            raise _build_line_error(
                file, number, "must have the same bits as an earlier line for the same candidate"
            )
    if not rows:
        raise _build_line_error(file, 1, "must name a candidate")
    table = np.concatenate(rows).reshape(len(rows), parameters.m, parameters.h)
    rows.clear()
    return list(known), Candidates.of(table, parameters.k)


def _parse_candidate(file: str | Path, number: int, line: str, width: int) -> tuple[str, Integers]:
    """Return the text and the numbers of a candidate; a line without quotes is parsed in one step,
    because millions of cells are slow one by one.
    """
    value, _, rest = line.partition(",")
    if '"' in line:
        value, *cells = _split_cells(file, number, line)
        rest = ",".join(cells)
    if rest.count(",") != width - 1:
        raise _build_line_error(file, number, f"must have a text and h * m = {width} numbers")
    try:
        numbers = np.fromstring(rest, dtype=np.int64, sep=",")
    except ValueError:
        numbers = np.zeros(0, dtype=np.int64)
    if numbers.size != width:
        raise _build_line_error(file, number, "must have whole numbers after its text")
    return value, numbers


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
