"""Rules of statistical offices for the total of a cell, and what they miss.

``x_1 >= x_2 >= … >= x_n >= 0`` are the contributions to a total S.

- **De-aggregation**: who knows all contributions but one computes S − (sum of the others) = x_1. A
  coalition that knows only c of them is left with the remainder R = S − x_1 − (theirs): it knows
  that x_1 is at most x_1 + R.
- **p-percent rule**: the second largest contributor, who knows x_2, must not be able to estimate
  x_1 to within p percent. In the usual form a cell is flagged when S − x_1 − x_2 < (p / 100) x_1;
  in the form of a ratio when x_1 / (S − x_2) > q. They are the same rule for q = 1 / (1 + p / 100):
  multiply out. ``convert_p_to_ratio`` converts.
- **(n, k)-dominance**: flagged when the n largest have more than k percent of S.
- **Minimum frequency**: flagged when there are fewer than m contributors.

None of them protects anybody: they look at one cell at a time, and which cells are missing depends
on the data, so that a hole itself tells something. A single hole in a line with a published total
is no hole (``suppressed``). Numbers are exact: ratios are compared as fractions.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from hedgerow.engines.compile.quoting import quote_name
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.formatting import format_percent
from hedgerow.risk.answers.findings import DisclosureFinding
from hedgerow.risk.answers.published_answer import PublishedAnswers

__all__ = [
    "Cell",
    "Deaggregation",
    "Rules",
    "build_cells",
    "check_published_sums",
    "convert_p_to_ratio",
    "deaggregate",
    "list_unchecked_sums",
    "list_violations",
    "violates_dominance",
    "violates_p_percent",
    "violates_p_ratio",
]

# sums of doubles are this far off at most: what lies on the border within it is flagged
_FLOAT_TOLERANCE: Final = Fraction(1, 10**12)


@dataclass(frozen=True, slots=True)
class Rules:
    """Which rules a cell must pass; None leaves one out. Percentages are percent: 10 is ten
    percent.
    """

    p: Fraction | None = Fraction(10)
    dominance: tuple[int, Fraction] | None = (2, Fraction(85))
    minimum: int | None = 3

    def __post_init__(self) -> None:
        if self.p is not None:
            object.__setattr__(self, "p", _to_fraction(self.p, "p"))
            if self.p <= 0:
                raise InvalidArgument("p", "must be a percentage above 0", float(self.p))
        if self.dominance is not None:
            n, k = self.dominance
            object.__setattr__(self, "dominance", (n, _to_fraction(k, "k")))
            if (
                isinstance(n, bool)
                or not isinstance(n, int)
                or n < 1
                or not 0 < _to_fraction(k, "k") < 100
            ):
                raise InvalidArgument(
                    "dominance",
                    "must be a number of contributors and a percentage between 0 and 100",
                    self.dominance,
                )
        if self.minimum is not None and (
            isinstance(self.minimum, bool) or not isinstance(self.minimum, int) or self.minimum < 2
        ):
            raise InvalidArgument("minimum", "must be a whole number of at least 2", self.minimum)


@dataclass(frozen=True, slots=True)
class Cell:
    """What the rules need to know of a total: who contributes most, and how much is left."""

    key: tuple[Any, ...]
    contributors: int
    total: Fraction
    largest: Fraction
    second: Fraction
    top_total: Fraction  # of the n largest, n being that of the dominance rule
    is_float: bool = False  # a sum of doubles, which is off by a little

    @classmethod
    def of(cls, contributions: Iterable[Any], n: int = 2, key: tuple[Any, ...] = ()) -> Cell:
        """From a list of contributions, each of another contributor."""
        given = [_to_fraction(each, "contribution", shown=False) for each in contributions]
        if not given:
            raise InvalidArgument("contributions", "must be at least one")
        if min(given) < 0:
            raise InvalidArgument(
                "contributions", "must not be negative: the rules are about shares of a total"
            )
        first = heapq.nlargest(max(n, 2), given)
        return cls(
            key,
            len(given),
            sum(given, Fraction(0)),
            first[0],
            first[1] if len(first) > 1 else Fraction(0),
            sum(first[:n], Fraction(0)),
        )

    @property
    def remainder(self) -> Fraction:
        """What is left when the two largest are taken away."""
        return self.total - self.largest - self.second


def convert_p_to_ratio(p: Any) -> Fraction:
    """The threshold of the ratio that flags the same cells as p percent in the usual form."""
    percent = _to_fraction(p, "p")
    if percent <= 0:
        raise InvalidArgument("p", "must be a percentage above 0", p)
    return 1 / (1 + percent / 100)


def violates_p_percent(cell: Cell, p: Any) -> bool:
    """The usual form: S − x_1 − x_2 < p % of x_1."""
    return cell.remainder < _to_fraction(p, "p") / 100 * cell.largest


def violates_p_ratio(cell: Cell, threshold: Any) -> bool:
    """The ratio: x_1 / (S − x_2) > threshold; a cell of zeros has none and is not flagged by it."""
    return cell.largest > _to_fraction(threshold, "threshold") * (cell.total - cell.second)


def violates_dominance(cell: Cell, k: Any) -> bool:
    """The n largest have more than k percent."""
    return cell.top_total > _to_fraction(k, "k") / 100 * cell.total


def list_violations(cell: Cell, rules: Rules | None = None) -> tuple[str, ...]:
    """What is wrong with publishing the total, as sentences. A sum of doubles that lies on a
    border is flagged.
    """
    rules = rules or Rules()
    found = []
    near = cell.total * _FLOAT_TOLERANCE if cell.is_float else Fraction(0)
    if rules.minimum is not None and cell.contributors < rules.minimum:
        found.append(f"{_format_contributors(cell.contributors)}, fewer than {rules.minimum}")
    if rules.p is not None and cell.remainder - near < rules.p / 100 * cell.largest:
        share = (
            f" (to within {format_percent(cell.remainder / cell.largest, 3)})"
            if cell.contributors > 2
            else " exactly"
        )
        who = (
            "the second largest contributor can compute the largest"
            if cell.contributors > 1
            else "everybody can compute the only one"
        )
        found.append(f"{who}{share}")
    if (
        rules.dominance is not None
        and cell.total
        and cell.top_total + near > rules.dominance[1] / 100 * cell.total
    ):
        n = min(rules.dominance[0], cell.contributors)
        found.append(
            f"the largest {n if n > 1 else 'one'} make"
            f" {format_percent(cell.top_total / cell.total, 3)} of the total"
        )
    if not cell.total:
        found.append("the total is 0, so every contribution is 0")
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Deaggregation:
    """What a coalition learns of one contribution: it is at least ``low`` and at most ``high``."""

    coalition: int
    low: Fraction
    high: Fraction
    truth: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether there is no doubt left."""
        return self.low == self.high

    @property
    def relative_error(self) -> Fraction | None:
        """How far the upper end is off, as a share of the truth; None of a truth of 0."""
        return (self.high - self.truth) / self.truth if self.truth else None


def deaggregate(
    contributions: Sequence[Any], *, target: int = 0, coalition: int | None = None
) -> Deaggregation:
    """Take apart a total. The target is a place in the list; the coalition are the largest others,
    all of them without a number: the worst case. They know what they contributed, and that nobody
    contributes less than 0."""
    given = [_to_fraction(each, "contribution", shown=False) for each in contributions]
    if not given or min(given) < 0:
        raise InvalidArgument("contributions", "must be at least one, and none negative")
    if not 0 <= target < len(given):
        raise InvalidArgument("target", f"must be a place from 0 to {len(given) - 1}", target)
    others = sorted(given[:target] + given[target + 1 :], reverse=True)
    size = len(others) if coalition is None else coalition
    if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= len(others):
        raise InvalidArgument(
            "coalition", f"must be from 0 to {len(others)} of the others", coalition
        )
    left = sum(given, Fraction(0)) - sum(others[:size], Fraction(0))
    return Deaggregation(size, left if size == len(others) else Fraction(0), left, given[target])


def build_cells(
    data: Any, by: Sequence[str], value: str, contributor: str | None = None, *, n: int = 2
) -> list[Cell]:
    """The cells of microdata: a frame or an Arrow table. Rows of one contributor in one cell are
    added up first; without a column for the contributor each row is one. DuckDB does it in one
    pass; whole numbers exactly, doubles with compensated sums."""
    import duckdb

    if not by:
        raise InvalidArgument("by", "must name at least one column that makes the cells", by)
    connection = duckdb.connect()
    try:
        connection.register("data", data)
        names = {
            row[0]: str(row[1])
            for row in connection.execute("DESCRIBE SELECT * FROM data").fetchall()
        }
        for name in (*by, value, *([contributor] if contributor else [])):
            if name not in names:
                raise InvalidArgument("column", f"must be one of {', '.join(names)}", name)
        real = names[value] in ("DOUBLE", "FLOAT")
        rows = connection.execute(
            _compile_cell_query(by, value, contributor, n, real=real)
        ).fetchall()
    except duckdb.Error:
        raise InvalidArgument(
            "data", "must be a frame or an Arrow table whose value column holds numbers"
        ) from None
    finally:
        connection.close()
    found = []
    for *key, least, people, total, largest, second, top in rows:
        if least < 0:
            raise InvalidArgument(
                "value",
                "must not be negative for any contributor: the rules are about shares of a total",
                value,
            )
        whole, first, next_, most = (
            _to_fraction(each, "value", shown=False) for each in (total, largest, second or 0, top)
        )
        found.append(Cell(tuple(key), int(people), whole, first, next_, most, real))
    return found


def check_published_sums(
    answers: PublishedAnswers, rules: Rules | None = None
) -> list[DisclosureFinding]:
    """The rules for sums of which the custodian gave the largest contributions, or all of them."""
    rules = rules or Rules()
    people = {
        answer.question_key: answer.value for answer in answers.answers if answer.measure == "count"
    }
    found = []
    for answer in answers.answers:
        if answer.measure != "sum" or len(answer.contributions) < 1 or answer.value is None:
            continue
        parts = sorted(answer.contributions, reverse=True)
        if parts[-1] < 0 or sum(parts) > answer.value:
            raise InvalidArgument(
                answer.name,
                "must have contributions that are not negative and add up to no more than its"
                " answer",
            )
        counted = people.get((answer.table, "count", "", answer.question_key[3]))
        complete = sum(parts) == answer.value
        size = (
            len(parts)
            if complete
            else int(counted)
            if counted is not None
            else max(rules.minimum or 0, 3)
        )
        n = rules.dominance[0] if rules.dominance else 2
        cell = Cell(
            (),
            size,
            answer.value,
            parts[0],
            parts[1] if len(parts) > 1 else Fraction(0),
            sum(parts[:n], Fraction(0)),
        )
        reasons = list_violations(cell, rules)
        if reasons:
            sentence = (
                f"{answer.name}, the {answer.description}, is a risk by the rules for totals:"
                f" {'; '.join(reasons)}."
            )
            found.append(
                DisclosureFinding(
                    "dominated", sentence, answer.description, size, size, (answer.name,)
                )
            )
    return found


def list_unchecked_sums(answers: PublishedAnswers) -> list[str]:
    """Notes: which sums the rules could not be held against."""
    sums = [answer for answer in answers.answers if answer.measure == "sum"]
    bare = [answer for answer in sums if not answer.contributions or answer.value is None]
    if not bare:
        return []
    return [
        f"The rules for totals were not held against {len(bare):,} of {len(sums):,} sums: they need"
        " the exact sum and its largest contributions ('largest' and 'second', or"
        " 'contributions')."
    ]


def _compile_cell_query(
    by: Sequence[str], value: str, contributor: str | None, n: int, *, real: bool
) -> str:
    keys, amount, add = ", ".join(map(quote_name, by)), quote_name(value), "fsum" if real else "sum"
    each = (
        f"SELECT {keys}, {f'{add}({amount})' if contributor else amount} AS amount FROM data WHERE"
        f" {amount} IS NOT NULL"
    )
    each += f" GROUP BY {keys}, {quote_name(contributor)}" if contributor else ""
    return (
        f"WITH each AS ({each}), ranked AS (SELECT *, row_number() OVER (PARTITION BY {keys} ORDER"
        f" BY amount DESC) AS place FROM each) SELECT {keys}, min(amount), count(*), {add}(amount),"
        f" max(amount), max(amount) FILTER (WHERE place = 2), {add}(amount) FILTER (WHERE place <="
        f" {int(n)}) FROM ranked GROUP BY {keys} ORDER BY {keys}"
    )


def _to_fraction(given: Any, argument: str, *, shown: bool = True) -> Fraction:
    if isinstance(given, np.generic):
        given = given.item()
    if isinstance(given, bool) or not hasattr(given, "as_integer_ratio"):
        raise InvalidArgument(argument, "must be a number", *([given] if shown else []))
    try:
        return Fraction(*given.as_integer_ratio())
    except (ValueError, OverflowError):
        raise InvalidArgument(
            argument, "must be a finite number", *([given] if shown else [])
        ) from None


def _format_contributors(count: int) -> str:
    return "one contributor" if count == 1 else f"{count:,} contributors"
