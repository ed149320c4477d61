"""The one HTML page of reports: facts, sections, tables and figures in a single file.

A page runs no script and loads nothing, for screens and for paper. All its text is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from hedgerow.charts.svg import PALETTE, STYLE

__all__ = ["Figure", "PageSection", "render_page"]

_MAX_OPEN_ROWS: Final = 14  # rows of a figure's table that is not folded
_NUMERIC_CELL: Final = re.compile(r"[−–\-+.,0-9e ]*|(under |over )?[0-9.,]+ %")


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its caption and the numbers it shows."""

    caption: str
    drawing: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    truncation_note: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class PageSection:
    """A heading with paragraphs, a table, code and figures under it."""

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
    *,
    refresh_seconds: int | None = None,
) -> str:
    """Render a page; ``refresh_seconds`` makes the browser load it again."""
    terms = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts
    )
    refresh = f'<meta http-equiv="refresh" content="{refresh_seconds}">' if refresh_seconds else ""
    body = "".join(map(_render_section, sections))
    # nothing is loaded and nothing runs, even if some text were not escaped
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">{refresh}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main>"
        f'<h1>{escape(title)}</h1><p class="lead">{escape(lead)}</p>'
        f"{f'<dl>{terms}</dl>' if terms else ''}{body}"
        f"{f'<footer>{escape(foot)}</footer>' if foot else ''}</main></body></html>\n"
    )


def _render_section(section: PageSection) -> str:
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in section.paragraphs)
    table = _render_table(section.headers, section.rows) if section.rows else ""
    code = f"<pre><code>{escape(section.code)}</code></pre>" if section.code else ""
    figures = "".join(map(_render_figure, section.figures))
    heading = f"<h2>{escape(section.heading)}</h2>"
    return f"<section>{heading}{paragraphs}{table}{code}{figures}</section>"


def _render_figure(figure: Figure) -> str:
    table = _render_table(figure.headers, figure.rows) + _render_note(figure.truncation_note)
    if len(figure.rows) > _MAX_OPEN_ROWS:
        table = f"<details><summary>The numbers</summary>{table}</details>"
    note = _render_note(figure.note)
    below = note + table if figure.drawing else table + note  # a note is about what it follows
    return (
        f"<figure><figcaption>{escape(figure.caption)}</figcaption>"
        f'<div class="wide">{figure.drawing}</div>{below}</figure>'
    )


def _render_note(note: str) -> str:
    return f"<p><small>{escape(note)}</small></p>" if note else ""


def _render_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    kinds = [
        ' class="n"' if all(_NUMERIC_CELL.fullmatch(row[place]) for row in rows) else ""
        for place in range(len(headers))
    ]
    head = "".join(
        f'<th scope="col"{kind}>{escape(header)}</th>'
        for header, kind in zip(headers, kinds, strict=True)
    )
    lines = (
        "".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        for row in rows
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{table}</div>'


_STYLE: Final = f"""{PALETTE}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}}
main{{max-width:800px;margin:0 auto;padding:40px 24px}}
h1{{font-size:1.7rem;line-height:1.2;margin:0 0 .6rem;overflow-wrap:anywhere}}
h2{{font-size:1.15rem;margin:2.4rem 0 .6rem}}
.lead{{font-size:1.05rem;border-left:4px solid var(--bar);padding-left:14px;margin:1rem 0 1.4rem}}
dl{{display:grid;grid-template-columns:repeat(auto-fit,minmax(220px,1fr));gap:12px 24px;
background:var(--panel);padding:16px 18px;margin:0;border-radius:8px}}
dt{{font-size:.8rem;color:var(--soft)}}dd{{margin:0;overflow-wrap:anywhere}}
table{{border-collapse:collapse;font-size:.9rem;margin:.4rem 0}}
th,td{{padding:4px 16px 4px 0;text-align:left;
border-bottom:1px solid var(--line);vertical-align:top}}
th{{font-weight:600;color:var(--soft)}}
.n{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
.wide{{overflow-x:auto}}
figure{{margin:1.4rem 0 2rem}}figcaption{{font-weight:600;margin-bottom:.4rem}}
small,summary,footer{{color:var(--soft)}}summary{{cursor:pointer;font-size:.9rem}}
pre{{background:var(--panel);padding:12px 16px;border-radius:8px;
overflow-x:auto;font-size:.9rem;margin:.8rem 0}}
footer{{font-size:.8rem;margin-top:3rem;border-top:1px solid var(--line);
padding-top:12px;overflow-wrap:anywhere}}
svg{{display:block;width:100%;min-width:600px;height:auto;font-size:12px}}
{STYLE}
@media print{{svg{{min-width:0}}details{{display:none}}
:root{{--ink:#000;--soft:#444;--paper:#fff;--line:#ccc;--panel:#f5f5f5;--bar:#3f72af}}
main{{padding:0;max-width:none}}
figure,tr{{break-inside:avoid}}
body,svg{{print-color-adjust:exact;-webkit-print-color-adjust:exact}}}}
"""
