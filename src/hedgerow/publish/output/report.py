"""The report on a publication, for people: one HTML file that needs nothing else, without scripts,
for screens and for paper.

It says what was published, from what, for what price, and what that means for those in the data;
how far off the numbers are; shows them; and says how to use them. Whatever is text in it comes from
the policy or was published, and is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, Final

from hedgerow.charts.svg import format_number
from hedgerow.privacy.loss import Loss
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.output.figures import Figure, build_figures
from hedgerow.publish.output.quality_report import describe_quality, summarise_quality_briefly

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PageSection", "build_report", "describe_guarantee", "render_page"]

_MAX_OPEN_ROWS: Final = 14  # lines of a table that stands open
_REPORTED_DELTA: Final = Fraction(1, 10**6)


@dataclass(frozen=True, slots=True)
class PageSection:
    """A heading, what is said under it, a table of text if there is one, code if there is some,
    and figures.
    """

    heading: str
    paragraphs: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    code: str = ""
    figures: tuple[Figure, ...] = ()


def render_page(
    title: str,
    lead: str,
    facts: Sequence[tuple[str, str]],
    sections: Sequence[PageSection],
    foot: str = "",
) -> str:
    """The page."""
    listed = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts
    )
    body = "".join(map(_render_section, sections))
    # nothing is loaded and nothing runs, even if some text were not escaped
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta'
        ' name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main>"
        f'<h1>{escape(title)}</h1><p class="lead">{escape(lead)}</p><dl>{listed}</dl>{body}'
        f"<footer>{escape(foot)}</footer></main></body></html>\n"
    )


def build_report(receipt: Mapping[str, Any], table: pa.Table) -> str:
    """The report on what a receipt and a table say."""
    domain, kind = (
        Domain(tuple(map(Attribute.from_dict, receipt["attributes"]))),
        str(receipt["kind"]),
    )
    names = domain.names
    what = " × ".join(names[:4]) + (" and more" if len(names) > 4 else "")
    title = f"{_KIND_TITLES.get(kind, kind.capitalize())} of {receipt['table']}: {what}"
    shown = build_figures(kind, domain, table, receipt["facts"])
    sections = [
        PageSection(
            "How far off the numbers are",
            headers=("numbers", "how many", "expected error", "95 % within"),
            rows=_format_accuracy(receipt),
        ),
        PageSection(
            "What was published",
            (*receipt["notes"], *(() if table.num_rows else (_EMPTY_NOTE,))),
            figures=tuple(shown),
        ),
        *_build_quality_sections(receipt["facts"]),
        PageSection(
            "How to use it",
            (_USAGE, _SUM_ADVICE[kind]) if kind in _SUM_ADVICE else (_USAGE,),
            code=_suggest_query(kind, table),
        ),
    ]
    foot = (
        f"data.parquet has the SHA-256 digest {receipt['data']}. Ledger entry"
        f" {receipt['ledger']['entry']}: {receipt['ledger']['hash']}."
    )
    return render_page(
        title, describe_guarantee(receipt), _list_facts(receipt, table), sections, foot
    )


def describe_guarantee(receipt: Mapping[str, Any]) -> str:
    """What the price means for one of those in the data, in one sentence."""
    loss, unit = Loss.from_dict(receipt["cost"]), receipt["unit"]
    rows = int(unit["rows"])
    whom = (
        "one row"
        if unit["owner"] == "row"
        else f"everything about one id (up to {rows:,} row{'' if rows == 1 else 's'})"
    )
    change = (
        f"Adding or removing {whom}" if unit["neighbours"] == "add-remove" else f"Changing {whom}"
    )
    delta = (
        loss.delta if isinstance(loss.epsilon, Fraction) else max(_REPORTED_DELTA, 2 * loss.delta)
    )
    epsilon = loss.epsilon_at(delta)
    times = (
        format_number(math.exp(float(epsilon)))
        if epsilon < 50
        else f"e^{format_number(float(epsilon))}"
    )
    but = "" if not delta else f", except with a probability of {float(delta):.3g}"
    return (
        f"{change} changes the probability of any outcome of this publication by a factor of at"
        f" most {times}{but}."
    )


def _list_facts(receipt: Mapping[str, Any], table: pa.Table) -> list[tuple[str, str]]:
    where = f" where {receipt['where']}" if receipt.get("where") else ""
    return [
        ("Made from", f"{receipt['table']}{where}, version {receipt['version']}"),
        ("Made at", f"{str(receipt['ledger']['time'])[:19].replace('T', ' ')} UTC"),
        ("Lines", f"{table.num_rows:,}"),
        ("Price", str(Loss.from_dict(receipt["cost"]))),
        ("Paid by", f"the budget of {receipt['population']}"),
        ("Measured", str(receipt["design"])),
        *(
            (("Rows out of place", said),)
            if (said := summarise_quality_briefly(receipt["facts"]))
            else ()
        ),
    ]


def _format_accuracy(receipt: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            str(line["what"]),
            f"{line['answers']:,}",
            format_number(line["rms"]),
            "–" if line["radius"] is None else format_number(line["radius"]),
        )
        for line in receipt["accuracy"]
    )


def _build_quality_sections(facts: Mapping[str, Any]) -> list[PageSection]:
    return [PageSection(*each) for each in describe_quality(facts)]


_KIND_TITLES: Final = {
    "cdf": "CDF",
    "queries": "Counts",
    "stream": "Running totals",
    "synthetic": "Synthetic rows",
}
_EMPTY_NOTE: Final = "Nothing is shown: no count was high enough."
_USAGE: Final = (
    "The table is public: questions to it cost nothing, and anything may be done with it. Name it"
    " as a public table of a policy, or read data.parquet with whatever you like."
)
_SUM_ADVICE: Final = {
    "histogram": "A sum over k lines is off by about the root of k times as much as one line.",
    "sparse histogram": (
        "A sum over k lines is off by about the root of k times as much as one line, and lacks what"
        " is not shown."
    ),
    "cdf": (
        "How many are in a range is the difference of two lines: one at its end, one before its"
        " beginning."
    ),
    "stream": "What came between two points is the difference of their lines.",
    "marginals": (
        "Take a number from the smallest table that has it: sums over a larger one are off by more."
    ),
}


def _suggest_query(kind: str, table: pa.Table) -> str:
    first = table.column_names[0]
    if kind == "synthetic":
        return f"SELECT {_quote_column(first)}, count(*) FROM 'data.parquet' GROUP BY 1 ORDER BY 1"
    if kind == "marginals":
        name = str(table.column("marginal")[0].as_py()).replace("'", "''")
        return f"SELECT * EXCLUDE (marginal) FROM 'data.parquet' WHERE marginal = '{name}'"
    if kind in ("cdf", "stream", "queries"):
        return f"SELECT {_quote_column(first)}, count, count_low, count_high FROM 'data.parquet'"
    return (
        f"SELECT {_quote_column(first)}, sum(count) AS n FROM 'data.parquet' GROUP BY 1 ORDER BY 1"
    )


def _quote_column(column: str) -> str:
    return (
        column
        if column.isidentifier() and column.islower()
        else '"' + column.replace('"', '""') + '"'
    )


def _render_section(section: PageSection) -> str:
    words = "".join(f"<p>{escape(text)}</p>" for text in section.paragraphs)
    table = _render_table(section.headers, section.rows) if section.rows else ""
    code = f"<pre><code>{escape(section.code)}</code></pre>" if section.code else ""
    drawn = "".join(map(_render_figure, section.figures))
    return f"<section><h2>{escape(section.heading)}</h2>{words}{table}{code}{drawn}</section>"


def _render_figure(figure: Figure) -> str:
    table = _render_table(figure.headers, figure.rows)
    more = (
        f"<p><small>{escape(figure.truncation_note)}</small></p>" if figure.truncation_note else ""
    )
    if len(figure.rows) > _MAX_OPEN_ROWS:
        table = f"<details><summary>The numbers</summary>{table}{more}</details>"
        more = ""
    note = f"<p><small>{escape(figure.note)}</small></p>" if figure.note else ""
    # a note is about the drawing, or else about the numbers
    below = f"{note}{table}{more}" if figure.drawing else f"{table}{more}{note}"
    return (
        f"<figure><figcaption>{escape(figure.caption)}</figcaption><div"
        f' class="wide">{figure.drawing}</div>{below}</figure>'
    )


def _render_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns of numbers are set right."""
    numeric = [all(_is_numeric(row[place]) for row in rows) for place in range(len(titles))]
    kinds = [' class="n"' if each else "" for each in numeric]
    head = "".join(
        f'<th scope="col"{kind}>{escape(title)}</th>'
        for title, kind in zip(titles, kinds, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{k}>{escape(cell)}</td>" for cell, k in zip(row, kinds, strict=True))
        + "</tr>"
        for row in rows
    )
    return (
        "<div"
        f' class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _is_numeric(cell: str) -> bool:
    return not cell.strip("−–-+.,0123456789e ")


_STYLE: Final = """
:root{--ink:#1f2933;--soft:#52606d;--paper:#fff;--line:#e1e6eb;--panel:#f5f7f9;--bar:#3f72af}
@media (prefers-color-scheme:dark){:root{--ink:#e4e7eb;--soft:#9aa5b1;--paper:#171b21;--line:#2d343d;--panel:#1f252d;--bar:#6ea0dc}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:800px;margin:0 auto;padding:40px 24px}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .6rem;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.4rem 0 .6rem}
.lead{font-size:1.05rem;border-left:4px solid var(--bar);padding-left:14px;margin:1rem 0 1.4rem}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(220px,1fr));gap:12px 24px;background:var(--panel);padding:16px 18px;margin:0;
border-radius:8px}
dt{font-size:.8rem;color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;font-size:.9rem;margin:.4rem 0}
th,td{padding:4px 16px 4px 0;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;color:var(--soft)}.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.wide{overflow-x:auto}
figure{margin:1.4rem 0 2rem}figcaption{font-weight:600;margin-bottom:.4rem}
small,summary,footer{color:var(--soft)}summary{cursor:pointer;font-size:.9rem}
pre{background:var(--panel);padding:12px 16px;border-radius:8px;overflow-x:auto;font-size:.9rem;margin:.8rem 0}
footer{font-size:.8rem;margin-top:3rem;border-top:1px solid var(--line);padding-top:12px;overflow-wrap:anywhere}
svg{display:block;width:100%;min-width:600px;height:auto;font-size:12px}
svg .bar{fill:var(--bar)}svg .grid{stroke:var(--line)}svg .axis{stroke:var(--soft)}
svg .whisker{stroke:var(--ink);stroke-width:1.3;fill:none}
svg .band{fill:var(--bar);fill-opacity:.22}svg .line{fill:none;stroke:var(--bar);stroke-width:2;stroke-linejoin:round}
svg .label{fill:var(--soft)}svg .value{fill:var(--ink)}svg .over{fill:var(--paper)}
@media print{svg{min-width:0}details{display:none}
:root{--ink:#000;--soft:#444;--paper:#fff;--line:#ccc;--panel:#f5f5f5;--bar:#3f72af}main{padding:0;max-width:none}
figure,tr{break-inside:avoid}body,svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""
