"""``hedgerow risk answers``: what published answers give away together, attacked the way an adversary would."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.cli.risk_output import check_folder, several, warn, write_report
from hedgerow.cli.terminal import Debug, Json, number, output, print_json, working

if TYPE_CHECKING:
    from hedgerow.risk.answers.differencing import Differenced
    from hedgerow.risk.answers.findings import Finding
    from hedgerow.risk.answers.published import Answers

__all__ = ["risk_answers"]

_SHOWN = 30  # findings in a terminal
_DRAWN = 30  # groups in a picture
_LISTED = 500  # questions in a report


def risk_answers(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Published answers: .csv, .json, or a log of SQL (.sql, .log, .txt).")],
    k: Annotated[
        int,
        typer.Option(
            help="A group of fewer than k people is a small one, and is told. 3 means: one and two people; a larger k tells more."
        ),
    ] = 3,
    p: Annotated[
        str,
        typer.Option(
            help="A sum is told when its second largest contributor can compute the largest contribution to within p percent. Needs the "
            "columns 'largest' and 'second', which only you know."
        ),
    ] = "10",
    report: Annotated[Path | None, typer.Option(metavar="FILE.html", help="Write a report with a picture. It is SENSITIVE.")] = None,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Find the people whom published answers give away: by differences and combinations of counts, by totals, by repeated answers. For the
    custodian only: what it prints is SENSITIVE."""
    from hedgerow.risk.answers.averaging import averaged
    from hedgerow.risk.answers.differencing import differencing
    from hedgerow.risk.answers.disclosure import Rules, published_cells, unchecked
    from hedgerow.risk.answers.findings import ordered
    from hedgerow.risk.answers.reading import read_answers
    from hedgerow.risk.page import WARNING

    check_folder(report)
    rules = Rules(p=number(p, "p") or Decimal(0), minimum=max(k, 2))  # type: ignore[arg-type]
    with working("combining answers", quiet=as_json):
        answers = read_answers(file)
        found = differencing(answers, k=k)
        findings = ordered([*found.findings, *published_cells(answers, rules), *averaged(answers)])
    notes = [*found.notes, *unchecked(answers), *(f"Line {line:,} was left out: {why}." for line, why in answers.left_out)]
    if any(finding.kind == "recoverable" for finding in findings):
        from hedgerow.risk.answers.suppression import CHOICE

        notes.append(CHOICE)
    if report is not None:
        write_report(report, _page(file, k, answers, found, findings, notes))
    if as_json:
        print_json(
            {
                "warning": WARNING,
                "answers": len(answers.answers),
                "groups_told_apart": found.atoms,
                "k": k,
                "findings": [finding.to_dict() for finding in findings],
                "notes": notes,
                "report": None if report is None else str(report),
            }
        )
        return 0
    warn()
    _say(["", *_words(answers, found, findings, k), *notes, *([] if report is None else [f"Written to {report}."])])
    return 0


def _words(answers: Answers, found: Differenced, findings: Sequence[Finding], k: int) -> list[str]:
    many = len(answers.answers)
    told = f"{several(many, 'answer')} {'tells' if many == 1 else 'tell'} {found.atoms:,} groups of people apart."
    if not findings:
        return [told, f"No group of fewer than {k} people was found in them. That is no proof of safety: others may know more."]
    lines = [told, ""]
    lines += [f"{place:>3}. {finding.sentence}" for place, finding in enumerate(findings[:_SHOWN], 1)]
    if len(findings) > _SHOWN:
        lines.append(f"     … and {len(findings) - _SHOWN:,} more; --json and --report have all of them.")
    return [*lines, ""]


def _page(file: Path, k: int, answers: Answers, found: Differenced, findings: Sequence[Finding], notes: Sequence[str]) -> str:
    from hedgerow.publish.report import Section
    from hedgerow.risk.answers.findings import KINDS
    from hedgerow.risk.page import page

    facts = [
        ("Answers", f"{len(answers.answers):,} in {file.name}"),
        ("Groups told apart", f"{found.atoms:,}"),
        ("A small group has", f"fewer than {k} people"),
        ("Findings", f"{len(findings):,}"),
    ]
    none = () if findings else (f"No group of fewer than {k} people was found. That is no proof of safety: others may know more.",)
    sections = [
        Section("What the answers give away", none, figures=_figures(findings)),
        *(
            Section(title[0].upper() + title[1:], tuple(finding.sentence for finding in findings if finding.kind == kind))
            for kind, title in KINDS.items()
            if any(finding.kind == kind for finding in findings)
        ),
        *([Section("Notes", tuple(notes))] if notes else []),
        Section(
            "What was asked",
            (f"The first {_LISTED:,} of {len(answers.answers):,} answers.",) if answers.answers[_LISTED:] else (),
            titles=("name", "question", "answer"),
            rows=tuple((answer.name, answer.words, _told(answer.low, answer.high)) for answer in answers.answers[:_LISTED]),
        ),
    ]
    return page(f"What the answers in {file.name} give away", facts, sections)


def _figures(findings: Sequence[Finding]) -> tuple[Any, ...]:
    """The small groups as bars: how many people are in each."""
    from hedgerow.publish.pictures import Figure
    from hedgerow.publish.svg import Bar, across

    small: dict[str, Finding] = {}
    for finding in findings:
        if finding.low is not None and finding.high is not None and finding.kind not in ("shared", "dominated"):
            small.setdefault(finding.group, finding)
    if not small:
        return ()
    given = [
        Bar(group, (each.low + each.high) / 2, *((each.low, each.high) if each.low != each.high else (None, None)))
        for group, each in list(small.items())[:_DRAWN]
        if each.low is not None and each.high is not None
    ]
    rows = tuple((group, f"{each.low:,}" if each.low == each.high else f"{each.low:,}–{each.high:,}") for group, each in small.items())
    caption = "How many people are in each group that the answers isolate"
    note = "Whiskers are the ends between which the answers hold a group." if any(bar.low is not None for bar in given) else ""
    if len(small) > _DRAWN:
        note = f"{note} Drawn are the first {_DRAWN} of {len(small):,} groups; the table has all.".strip()
    # Bars of publications have 95 % intervals; these have ends that hold for certain.
    drawing = across(given, f"Bars: {caption.lower()}").replace("(95 %: ", "(from ")
    return (Figure(caption, drawing, ("group", "people"), rows, note=note),)


def _told(low: Any, high: Any) -> str:
    from hedgerow.risk.answers.findings import amount

    if low is None or high is None:
        return "–"
    return amount(low) if low == high else f"{amount(low)} to {amount(high)}"


def _say(lines: Sequence[str]) -> None:
    console = output()
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)
