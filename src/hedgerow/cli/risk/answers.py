"""The command ``hedgerow risk answers``: attack published answers as an adversary would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer

from hedgerow.charts.html_page import Figure, PageSection
from hedgerow.charts.plots import Bar, draw_bar_chart
from hedgerow.cli.options import DebugOption, JsonOption, parse_number
from hedgerow.cli.risk.output import (
    ReportOption,
    check_report_folder,
    print_warning,
    write_report,
)
from hedgerow.cli.terminal import format_count, print_json, print_lines, show_progress
from hedgerow.risk.answers.answer_files import read_answers
from hedgerow.risk.answers.averaging import find_averaged_noise
from hedgerow.risk.answers.differencing import DifferencingReport, differencing
from hedgerow.risk.answers.disclosure import Rules, check_published_sums, list_unchecked_sums
from hedgerow.risk.answers.findings import (
    KINDS,
    DisclosureFinding,
    format_amount,
    sort_findings,
)
from hedgerow.risk.answers.published_answer import PublishedAnswers
from hedgerow.risk.answers.suppression import SUPPRESSION_WARNING
from hedgerow.risk.report_page import SENSITIVE_WARNING, build_risk_page

__all__ = ["attack_answers"]

_MAX_SHOWN = 30  # findings in a terminal
_MAX_DRAWN = 30  # groups in a chart
_MAX_LISTED = 500  # questions in a report


@dataclass(frozen=True, slots=True)
class _AnswerRisk:
    """The outcome of all attacks on the answers of one file, for groups below ``k`` people."""

    answers: PublishedAnswers
    k: int
    differences: DifferencingReport
    findings: Sequence[DisclosureFinding]
    notes: Sequence[str]

    @property
    def nothing_found(self) -> str:
        """The sentence for answers without findings."""
        return (
            f"No group of fewer than {self.k} people was found. This does not prove that the"
            " answers are safe: others may know more."
        )


def attack_answers(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The published answers: .csv, .json, or a log of SQL (.sql, .log, .txt).",
        ),
    ],
    k: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Report groups of fewer than N people. 3 reports groups of one or two.",
        ),
    ] = 3,
    p: Annotated[
        str,
        typer.Option(
            metavar="PERCENT",
            help="Report a sum whose second largest contributor can compute the largest"
            " contribution to within PERCENT. Needs the columns 'largest' and 'second', which only"
            " the custodian knows.",
        ),
    ] = "10",
    report: ReportOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Find people whom published answers give away.

    Combines counts, totals and repeated answers as an attacker would. For the custodian only: the
    output is SENSITIVE.

    Example: hedgerow risk answers published.csv
    """
    check_report_folder(report)
    rules = Rules(p=parse_number(p, "p") or Decimal(0), minimum=max(k, 2))  # type: ignore[arg-type]
    with show_progress("combining answers", quiet=as_json):
        risk = _assess_answers(file, k, rules)
    if report is not None:
        write_report(report, _build_page(file, risk))
    if as_json:
        print_json(
            {
                "warning": SENSITIVE_WARNING,
                "answers": len(risk.answers.answers),
                "groups_told_apart": risk.differences.atom_count,
                "k": k,
                "findings": [finding.to_dict() for finding in risk.findings],
                "notes": risk.notes,
                "report": None if report is None else str(report),
            }
        )
        return 0
    print_warning()
    written = [] if report is None else [f"Report written to {report}."]
    print_lines(["", *_format_findings(risk), *risk.notes, *written])
    return 0


def _assess_answers(file: Path, k: int, rules: Rules) -> _AnswerRisk:
    answers = read_answers(file)
    differences = differencing(answers, k=k)
    findings = sort_findings(
        [
            *differences.findings,
            *check_published_sums(answers, rules),
            *find_averaged_noise(answers),
        ]
    )
    notes = [
        *differences.notes,
        *list_unchecked_sums(answers),
        *(f"Line {line:,} was skipped: {reason}." for line, reason in answers.skipped_lines),
    ]
    if any(finding.kind == "recoverable" for finding in findings):
        notes.append(SUPPRESSION_WARNING)
    return _AnswerRisk(answers, k, differences, findings, notes)


def _format_findings(risk: _AnswerRisk) -> list[str]:
    count = len(risk.answers.answers)
    lines = [
        f"{format_count(count, 'answer')} {'divides' if count == 1 else 'divide'} people into"
        f" {risk.differences.atom_count:,} groups."
    ]
    if not risk.findings:
        return [*lines, risk.nothing_found]
    shown = risk.findings[:_MAX_SHOWN]
    lines += ["", *(f"{place:>3}. {finding.sentence}" for place, finding in enumerate(shown, 1))]
    if len(risk.findings) > _MAX_SHOWN:
        more = len(risk.findings) - _MAX_SHOWN
        lines.append(f"     … and {more:,} more; --json and --report list all of them.")
    return [*lines, ""]


def _build_page(file: Path, risk: _AnswerRisk) -> str:
    answers, findings = risk.answers.answers, risk.findings
    facts = [
        ("Answers", f"{len(answers):,} in {file.name}"),
        ("Distinct groups", f"{risk.differences.atom_count:,}"),
        ("A small group has", f"fewer than {risk.k} people"),
        ("Findings", f"{len(findings):,}"),
    ]
    by_kind = {
        kind: tuple(finding.sentence for finding in findings if finding.kind == kind)
        for kind in KINDS
    }
    cut = (f"The first {_MAX_LISTED:,} of {len(answers):,} answers.",)
    sections = [
        PageSection(
            "What the answers give away",
            () if findings else (risk.nothing_found,),
            figures=_build_figures(findings),
        ),
        *(
            PageSection(title[0].upper() + title[1:], by_kind[kind])
            for kind, title in KINDS.items()
            if by_kind[kind]
        ),
        *([PageSection("Notes", tuple(risk.notes))] if risk.notes else []),
        PageSection(
            "What was asked",
            cut if len(answers) > _MAX_LISTED else (),
            headers=("name", "question", "answer"),
            rows=tuple(
                (answer.name, answer.description, _format_answer(answer.low, answer.high))
                for answer in answers[:_MAX_LISTED]
            ),
        ),
    ]
    return build_risk_page(f"What the answers in {file.name} give away", facts, sections)


def _build_figures(findings: Sequence[DisclosureFinding]) -> tuple[Figure, ...]:
    """Build a bar chart of the small groups, by number of people."""
    sizes: dict[str, tuple[int, int]] = {}
    for finding in findings:
        if finding.low is None or finding.high is None or finding.kind in ("shared", "dominated"):
            continue
        sizes.setdefault(finding.group, (finding.low, finding.high))
    if not sizes:
        return ()
    bars = [
        # Bars of publications carry 95 % intervals; these bounds hold for certain.
        Bar(
            group,
            (low + high) / 2,
            low=low if low != high else None,
            high=high if low != high else None,
            interval_name="from",
        )
        for group, (low, high) in list(sizes.items())[:_MAX_DRAWN]
    ]
    rows = tuple(
        (group, f"{low:,}" if low == high else f"{low:,}–{high:,}")
        for group, (low, high) in sizes.items()
    )
    caption = "How many people are in each group that the answers isolate"
    notes = []
    if any(bar.low is not None for bar in bars):
        notes.append("Whiskers are the bounds that the answers imply.")
    if len(sizes) > _MAX_DRAWN:
        notes.append(
            f"The chart has the first {_MAX_DRAWN} of {len(sizes):,} groups; the table has all."
        )
    drawing = draw_bar_chart(bars, f"Bars: {caption.lower()}")
    return (Figure(caption, drawing, ("group", "people"), rows, note=" ".join(notes)),)


def _format_answer(low: Any, high: Any) -> str:
    if low is None or high is None:
        return "–"
    return format_amount(low) if low == high else f"{format_amount(low)} to {format_amount(high)}"
