"""Rules of statistical offices for the total of a cell, and what they miss.

| symbol | meaning |
|---|---|
| x_1 >= x_2 >= … >= x_n >= 0 | the contributions to a total |
| S | the total |
| R | the remainder S − x_1 − (contributions that a coalition knows) |

- **De-aggregation**: whoever knows all contributions but one computes S − (sum of the others) =
  x_1. A coalition that knows only c of them is left with the remainder R: it knows that x_1 is at
  most x_1 + R.
- **p-percent rule**: the second largest contributor, who knows x_2, must not be able to estimate
  x_1 to within p percent. In the usual form a cell is flagged when S − x_1 − x_2 < (p / 100) x_1;
  in the form of a ratio when x_1 / (S − x_2) > q. They are the same rule for q = 1 / (1 + p / 100):
  multiply out. ``convert_p_to_ratio`` converts.
- **(n, k)-dominance**: flagged when the n largest have more than k percent of S.
- **Minimum frequency**: flagged when there are fewer than m contributors.

None of them protects anybody. They look at one cell at a time, and which cells are missing depends
on the data, so that a missing cell itself reveals something. A single missing cell in a line with a
published total can be computed (``suppression``). Numbers are exact: ratios are compared as
fractions.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from hedgerow.charts.number_text import format_percent
from hedgerow.engines.compile.quoting import quote_name
from hedgerow.errors import InvalidArgument
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

# Sums of doubles are off by at most this much; a cell that close to a border is flagged.
_FLOAT_TOLERANCE: Final = Fraction(1, 10**12)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that a cell must pass; None leaves a rule out. A percentage of 10 is ten
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
            n, k = self.dominance[0], _to_fraction(self.dominance[1], "k")
            object.__setattr__(self, "dominance", (n, k))
            if isinstance(n, bool) or not isinstance(n, int) or n < 1 or not 0 < k < 100:
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
    """The facts about a total that the rules need."""

    key: tuple[Any, ...]
    contributors: int
    total: Fraction
    largest: Fraction
    second: Fraction
    top_total: Fraction  # of the n largest, n as in the dominance rule
    is_float: bool = False  # a sum of doubles, which may be slightly off

    @classmethod
    def of(cls, contributions: Iterable[Any], n: int = 2, key: tuple[Any, ...] = ()) -> Cell:
        """Build a cell from a list of contributions, each of another contributor."""
        given = [_to_fraction(each, "contribution", shown=False) for each in contributions]
        if not given:
            raise InvalidArgument("contributions", "must hold at least one number")
        if min(given) < 0:
            raise InvalidArgument(
                "contributions", "must not be negative, since the rules compare shares of a total"
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
        """The total without the two largest contributions."""
        return self.total - self.largest - self.second


def convert_p_to_ratio(p: Any) -> Fraction:
    """Return the threshold of the ratio that flags the same cells as p percent."""
    percent = _to_fraction(p, "p")
    if percent <= 0:
        raise InvalidArgument("p", "must be a percentage above 0", p)
    return 1 / (1 + percent / 100)


def violates_p_percent(cell: Cell, p: Any) -> bool:
    """Return whether S − x_1 − x_2 < p % of x_1, the usual form of the rule."""
    return cell.remainder < _to_fraction(p, "p") / 100 * cell.largest


def violates_p_ratio(cell: Cell, threshold: Any) -> bool:
    """Return whether x_1 / (S − x_2) > threshold; a cell of zeros has no ratio and passes."""
    return cell.largest > _to_fraction(threshold, "threshold") * (cell.total - cell.second)


def violates_dominance(cell: Cell, k: Any) -> bool:
    """Return whether the n largest have more than k percent of the total."""
    return cell.top_total > _to_fraction(k, "k") / 100 * cell.total


def list_violations(cell: Cell, rules: Rules | None = None) -> tuple[str, ...]:
    """Return the reasons against publishing a total; sums of doubles on a border are flagged."""
    rules = rules or Rules()
    violations = []
    near = cell.total * _FLOAT_TOLERANCE if cell.is_float else Fraction(0)
    if rules.minimum is not None and cell.contributors < rules.minimum:
        violations.append(f"{_format_contributors(cell.contributors)}, fewer than {rules.minimum}")
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
        violations.append(f"{who}{share}")
    if (
        rules.dominance is not None
        and cell.total
        and cell.top_total + near > rules.dominance[1] / 100 * cell.total
    ):
        n = min(rules.dominance[0], cell.contributors)
        largest = f"the largest {n} make" if n > 1 else "the largest one makes"
        violations.append(
            f"{largest} {format_percent(cell.top_total / cell.total, 3)} of the total"
        )
    if not cell.total:
        violations.append("the total is 0, so every contribution is 0")
    return tuple(violations)


@dataclass(frozen=True, slots=True)
class Deaggregation:
    """The knowledge of a coalition about one contribution: it is between ``low`` and ``high``."""

    coalition: int
    low: Fraction
    high: Fraction
    truth: Fraction

    @property
    def is_exact(self) -> bool:
        """True if the coalition knows the contribution exactly."""
        return self.low == self.high

    @property
    def relative_error(self) -> Fraction | None:
        """The error of the upper bound as a share of the truth; None for a truth of 0."""
        return (self.high - self.truth) / self.truth if self.truth else None


def deaggregate(
    contributions: Sequence[Any], *, target: int = 0, coalition: int | None = None
) -> Deaggregation:
    """Take a total apart, as a coalition of contributors would.

    ``target`` is an index in the list. The coalition is the ``coalition`` largest others, by
    default all of them, which is the worst case. Its members know what they contributed, and that
    nobody contributes less than 0.
    """
    given = [_to_fraction(each, "contribution", shown=False) for each in contributions]
    if not given or min(given) < 0:
        raise InvalidArgument("contributions", "must be at least one number, and none negative")
    if not 0 <= target < len(given):
        raise InvalidArgument("target", f"must be an index from 0 to {len(given) - 1}", target)
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
    """Build the cells of microdata in a frame or an Arrow table.

    Rows of one contributor in one cell are added up first; without a contributor column each row is
    one. DuckDB does it in one pass: whole numbers exactly, doubles with compensated sums.
    """
    import duckdb

    if not by:
        raise InvalidArgument("by", "must name at least one column that defines the cells", by)
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
    cells = []
    for *key, least, people, total, largest, second, top in rows:
        if least < 0:
            raise InvalidArgument(
                "value",
                "must not be negative for any contributor, since the rules compare shares",
                value,
            )
        all_, first, next_, top_ = (
            _to_fraction(each, "value", shown=False) for each in (total, largest, second or 0, top)
        )
        cells.append(Cell(tuple(key), int(people), all_, first, next_, top_, real))
    return cells


def check_published_sums(
    answers: PublishedAnswers, rules: Rules | None = None
) -> list[DisclosureFinding]:
    """Apply the rules to sums of which the custodian gave contributions."""
    rules = rules or Rules()
    people = {
        answer.question_key: answer.value for answer in answers.answers if answer.measure == "count"
    }
    findings = []
    for answer in answers.answers:
        if answer.measure != "sum" or len(answer.contributions) < 1 or answer.value is None:
            continue
        parts = sorted(answer.contributions, reverse=True)
        if parts[-1] < 0 or sum(parts) > answer.value:
            raise InvalidArgument(
                answer.name,
                "must have contributions of at least 0 that add up to at most its answer",
            )
        counted = people.get((answer.table, "count", "", answer.question_key[3]))
        size = max(rules.minimum or 0, 3) if counted is None else int(counted)
        if sum(parts) == answer.value:  # the list is complete
            size = len(parts)
        n = rules.dominance[0] if rules.dominance else 2
        second = parts[1] if len(parts) > 1 else Fraction(0)
        top_total = sum(parts[:n], Fraction(0))
        cell = Cell((), size, answer.value, parts[0], second, top_total)
        reasons = list_violations(cell, rules)
        if reasons:
            sentence = (
                f"{answer.name}, the {answer.description}, violates the rules for totals:"
                f" {'; '.join(reasons)}."
            )
            findings.append(
                DisclosureFinding(
                    "dominated", sentence, answer.description, size, size, (answer.name,)
                )
            )
    return findings


def list_unchecked_sums(answers: PublishedAnswers) -> list[str]:
    """Return a note on the sums to which the rules could not be applied."""
    sums = [answer for answer in answers.answers if answer.measure == "sum"]
    unchecked = [answer for answer in sums if not answer.contributions or answer.value is None]
    if not unchecked:
        return []
    return [
        f"The rules for totals were not applied to {len(unchecked):,} of {len(sums):,} sums: they"
        " need the exact sum and its largest contributions ('largest' and 'second', or"
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
