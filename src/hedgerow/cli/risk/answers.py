"""``hedgerow risk answers``: what published answers give away together, attacked the way an
adversary would.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.cli.risk.output import check_report_folder, print_warning, write_report
from hedgerow.cli.terminal import (
    DebugOption,
    JsonOption,
    make_output_console,
    parse_number,
    print_json,
    show_progress,
)
from hedgerow.numeric.formatting import count_items

if TYPE_CHECKING:
    from hedgerow.risk.answers.differencing import DifferencingReport
    from hedgerow.risk.answers.findings import DisclosureFinding
    from hedgerow.risk.answers.published_answer import PublishedAnswers

__all__ = ["attack_answers"]

_MAX_SHOWN = 30  # findings in a terminal
_MAX_DRAWN = 30  # groups in a picture
_MAX_LISTED = 500  # questions in a report


def attack_answers(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Published answers: .csv, .json, or a log of SQL (.sql, .log, .txt).",
        ),
    ],
    k: Annotated[
        int,
        typer.Option(
            help=(
                "A group of fewer than k people is a small one, and is told. 3 means: one and two"
                " people; a larger k tells more."
            )
        ),
    ] = 3,
    p: Annotated[
        str,
        typer.Option(
            help=(
                "A sum is told when its second largest contributor can compute the largest"
                " contribution to within p percent. Needs the "
                "columns 'largest' and 'second', which only you know."
            )
        ),
    ] = "10",
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Write a report with a picture. It is SENSITIVE."),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Find the people whom published answers give away: by differences and combinations of counts,
    by totals, by repeated answers. For the custodian only: what it prints is SENSITIVE."""
    from hedgerow.risk.answers.answer_files import read_answers
    from hedgerow.risk.answers.averaging import find_averaged_noise
    from hedgerow.risk.answers.differencing import differencing
    from hedgerow.risk.answers.disclosure import Rules, check_published_sums, list_unchecked_sums
    from hedgerow.risk.answers.findings import sort_findings
    from hedgerow.risk.report_page import SENSITIVE_WARNING

    check_report_folder(report)
    rules = Rules(p=parse_number(p, "p") or Decimal(0), minimum=max(k, 2))  # type: ignore[arg-type]
    with show_progress("combining answers", quiet=as_json):
        answers = read_answers(file)
        found = differencing(answers, k=k)
        findings = sort_findings(
            [*found.findings, *check_published_sums(answers, rules), *find_averaged_noise(answers)]
        )
    notes = [
        *found.notes,
        *list_unchecked_sums(answers),
        *(f"Line {line:,} was left out: {why}." for line, why in answers.skipped_lines),
    ]
    if any(finding.kind == "recoverable" for finding in findings):
        from hedgerow.risk.answers.suppression import SUPPRESSION_WARNING

        notes.append(SUPPRESSION_WARNING)
    if report is not None:
        write_report(report, _build_page(file, k, answers, found, findings, notes))
    if as_json:
        print_json(
            {
                "warning": SENSITIVE_WARNING,
                "answers": len(answers.answers),
                "groups_told_apart": found.atom_count,
                "k": k,
                "findings": [finding.to_dict() for finding in findings],
                "notes": notes,
                "report": None if report is None else str(report),
            }
        )
        return 0
    print_warning()
    _print_lines(
        [
            "",
            *_format_findings(answers, found, findings, k),
            *notes,
            *([] if report is None else [f"Written to {report}."]),
        ]
    )
    return 0


def _format_findings(
    answers: PublishedAnswers,
    found: DifferencingReport,
    findings: Sequence[DisclosureFinding],
    k: int,
) -> list[str]:
    many = len(answers.answers)
    told = (
        f"{count_items(many, 'answer')} {'tells' if many == 1 else 'tell'} {found.atom_count:,}"
        " groups of people apart."
    )
    if not findings:
        return [
            told,
            (
                f"No group of fewer than {k} people was found in them. That is no proof of safety:"
                " others may know more."
            ),
        ]
    lines = [told, ""]
    lines += [
        f"{place:>3}. {finding.sentence}" for place, finding in enumerate(findings[:_MAX_SHOWN], 1)
    ]
    if len(findings) > _MAX_SHOWN:
        lines.append(
            f"     … and {len(findings) - _MAX_SHOWN:,} more; --json and --report have all of them."
        )
    return [*lines, ""]


def _build_page(
    file: Path,
    k: int,
    answers: PublishedAnswers,
    found: DifferencingReport,
    findings: Sequence[DisclosureFinding],
    notes: Sequence[str],
) -> str:
    from hedgerow.charts.html_page import PageSection
    from hedgerow.risk.answers.findings import KINDS
    from hedgerow.risk.report_page import build_risk_page

    facts = [
        ("Answers", f"{len(answers.answers):,} in {file.name}"),
        ("Groups told apart", f"{found.atom_count:,}"),
        ("A small group has", f"fewer than {k} people"),
        ("Findings", f"{len(findings):,}"),
    ]
    none = (
        ()
        if findings
        else (
            (
                f"No group of fewer than {k} people was found. That is no proof of safety: others"
                " may know more."
            ),
        )
    )
    sections = [
        PageSection("What the answers give away", none, figures=_build_figures(findings)),
        *(
            PageSection(
                title[0].upper() + title[1:],
                tuple(finding.sentence for finding in findings if finding.kind == kind),
            )
            for kind, title in KINDS.items()
            if any(finding.kind == kind for finding in findings)
        ),
        *([PageSection("Notes", tuple(notes))] if notes else []),
        PageSection(
            "What was asked",
            (
                (f"The first {_MAX_LISTED:,} of {len(answers.answers):,} answers.",)
                if answers.answers[_MAX_LISTED:]
                else ()
            ),
            headers=("name", "question", "answer"),
            rows=tuple(
                (answer.name, answer.description, _format_answer(answer.low, answer.high))
                for answer in answers.answers[:_MAX_LISTED]
            ),
        ),
    ]
    return build_risk_page(f"What the answers in {file.name} give away", facts, sections)


def _build_figures(findings: Sequence[DisclosureFinding]) -> tuple[Any, ...]:
    """The small groups as bars: how many people are in each."""
    from hedgerow.charts.html_page import Figure
    from hedgerow.charts.plots import Bar, draw_bar_chart

    small: dict[str, DisclosureFinding] = {}
    for finding in findings:
        if (
            finding.low is not None
            and finding.high is not None
            and finding.kind not in ("shared", "dominated")
        ):
            small.setdefault(finding.group, finding)
    if not small:
        return ()
    given = [
        Bar(
            group,
            (each.low + each.high) / 2,
            each.low if each.low != each.high else None,
            each.high if each.low != each.high else None,
            interval_name="from",  # these ends hold for certain, not with 95 %
        )
        for group, each in list(small.items())[:_MAX_DRAWN]
        if each.low is not None and each.high is not None
    ]
    rows = tuple(
        (group, f"{each.low:,}" if each.low == each.high else f"{each.low:,}–{each.high:,}")
        for group, each in small.items()
    )
    caption = "How many people are in each group that the answers isolate"
    note = (
        "Whiskers are the ends between which the answers hold a group."
        if any(bar.low is not None for bar in given)
        else ""
    )
    if len(small) > _MAX_DRAWN:
        note = f"{note} Drawn are the first {_MAX_DRAWN} of {len(small):,} groups; the table has all.".strip()
    drawing = draw_bar_chart(given, f"Bars: {caption.lower()}")
    return (Figure(caption, drawing, ("group", "people"), rows, note=note),)


def _format_answer(low: Any, high: Any) -> str:
    from hedgerow.risk.answers.findings import format_amount

    if low is None or high is None:
        return "–"
    return format_amount(low) if low == high else f"{format_amount(low)} to {format_amount(high)}"


def _print_lines(lines: Sequence[str]) -> None:
    console = make_output_console()
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)
