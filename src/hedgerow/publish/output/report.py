"""The HTML report on a publication: its price and guarantee, its error, its figures, and its use.

All text in it comes from the policy or was published.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from hedgerow.charts.html_page import PageSection, render_page
from hedgerow.charts.number_text import count_items
from hedgerow.charts.svg import format_number
from hedgerow.privacy.loss import Loss
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.output.figures import build_figures
from hedgerow.publish.output.quality_report import describe_quality, summarise_quality_briefly

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["build_report", "describe_guarantee"]

_REPORTED_DELTA: Final = Fraction(1, 10**6)
_MAX_TITLE_COLUMNS: Final = 4
_KIND_TITLES: Final = {
    "cdf": "CDF",
    "queries": "Counts",
    "stream": "Running totals",
    "synthetic": "Synthetic rows",
}
_EMPTY_NOTE: Final = "The table is empty: no count was high enough to be shown."
_USAGE: Final = (
    "The table is public: questions about it cost nothing, and it may be used for anything. Name it"
    " as a public table in a policy, or read data.parquet with any tool."
)
_SUM_ADVICE: Final = {
    "histogram": "The error of a sum over k rows is about the root of k times that of one row.",
    "sparse histogram": (
        "The error of a sum over k rows is about the root of k times that of one row; in addition,"
        " the sum lacks the combinations that are not shown."
    ),
    "cdf": (
        "The number of rows in a range is the difference of two rows of this table: the one at its"
        " end and the one before its start."
    ),
    "stream": "The number between two points is the difference of their rows.",
    "marginals": (
        "Take a number from the smallest table that has it: sums over a larger one have a larger"
        " error."
    ),
}


def build_report(receipt: Mapping[str, Any], table: pa.Table) -> str:
    """Build the report on a published table from its receipt."""
    domain = Domain(tuple(map(Attribute.from_dict, receipt["attributes"])))
    kind, names = str(receipt["kind"]), domain.names
    columns = " × ".join(names[:_MAX_TITLE_COLUMNS])
    more = " and more" if len(names) > _MAX_TITLE_COLUMNS else ""
    sections = [
        PageSection(
            "Expected error",
            headers=("numbers", "count", "expected error", "95 % within"),
            rows=tuple(
                (
                    str(line["what"]),
                    f"{line['answers']:,}",
                    format_number(line["rms"]),
                    "–" if line["radius"] is None else format_number(line["radius"]),
                )
                for line in receipt["accuracy"]
            ),
        ),
        PageSection(
            "Published table",
            (*receipt["notes"], *(() if table.num_rows else (_EMPTY_NOTE,))),
            figures=tuple(build_figures(kind, domain, table, receipt["facts"])),
        ),
        *describe_quality(receipt["facts"]),
        PageSection(
            "How to use it",
            (_USAGE, _SUM_ADVICE[kind]) if kind in _SUM_ADVICE else (_USAGE,),
            code=_suggest_query(kind, table),
        ),
    ]
    entry = receipt["ledger"]
    return render_page(
        f"{_KIND_TITLES.get(kind, kind.capitalize())} of {receipt['table']}: {columns}{more}",
        describe_guarantee(receipt),
        _list_facts(receipt, table),
        sections,
        f"SHA-256 digest of data.parquet: {receipt['data']}. Ledger entry {entry['entry']}:"
        f" {entry['hash']}.",
    )


def describe_guarantee(receipt: Mapping[str, Any]) -> str:
    """Describe the privacy guarantee of a publication in one sentence."""
    loss, unit = Loss.from_dict(receipt["cost"]), receipt["unit"]
    protected = (
        "one row"
        if unit["owner"] == "row"
        else f"all rows of one id (up to {count_items(int(unit['rows']), 'row')})"
    )
    change = "Adding or removing" if unit["neighbours"] == "add-remove" else "Changing"
    pure = isinstance(loss.epsilon, Fraction)
    delta = loss.delta if pure else max(_REPORTED_DELTA, 2 * loss.delta)
    epsilon = float(loss.epsilon_at(delta))
    factor = format_number(math.exp(epsilon)) if epsilon < 50 else f"e^{format_number(epsilon)}"
    exception = f", except with a probability of {float(delta):.3g}" if delta else ""
    return (
        f"{change} {protected} changes the probability of any outcome of this publication by a"
        f" factor of at most {factor}{exception}."
    )


def _list_facts(receipt: Mapping[str, Any], table: pa.Table) -> list[tuple[str, str]]:
    where = f" where {receipt['where']}" if receipt.get("where") else ""
    facts = [
        ("Source", f"{receipt['table']}{where}, version {receipt['version']}"),
        ("Published", f"{str(receipt['ledger']['time'])[:19].replace('T', ' ')} UTC"),
        ("Rows", f"{table.num_rows:,}"),
        ("Cost", str(Loss.from_dict(receipt["cost"]))),
        ("Charged to", f"the budget of {receipt['population']}"),
        ("Strategy", str(receipt["design"])),
    ]
    quality = summarise_quality_briefly(receipt["facts"])
    return [*facts, ("Misplaced rows", quality)] if quality else facts


def _suggest_query(kind: str, table: pa.Table) -> str:
    first = _quote_column(table.column_names[0])
    match kind:
        case "synthetic":
            return f"SELECT {first}, count(*) FROM 'data.parquet' GROUP BY 1 ORDER BY 1"
        case "marginals":
            name = str(table.column("marginal")[0].as_py()).replace("'", "''")
            return f"SELECT * EXCLUDE (marginal) FROM 'data.parquet' WHERE marginal = '{name}'"
        case "cdf" | "stream" | "queries":
            return f"SELECT {first}, count, count_low, count_high FROM 'data.parquet'"
        case _:
            return f"SELECT {first}, sum(count) AS n FROM 'data.parquet' GROUP BY 1 ORDER BY 1"


def _quote_column(column: str) -> str:
    if column.isidentifier() and column.islower():
        return column
    return '"' + column.replace('"', '""') + '"'
