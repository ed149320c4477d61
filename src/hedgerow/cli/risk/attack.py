"""``hedgerow risk attack``: attack a secret column as an adversary would, before and after
Hedgerow. For custodians.

It reads the data without protection, opens no ledger and charges nothing: what is attacked are
copies with budgets of their own.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.cli.custodian import PolicyFile
from hedgerow.cli.risk.output import check_report_folder, print_warning, write_report
from hedgerow.cli.terminal import (
    DebugOption,
    JsonOption,
    make_output_console,
    parse_number,
    print_json,
    show_progress,
)
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.formatting import count_items

if TYPE_CHECKING:
    from hedgerow.risk.attack.comparison import AttackComparison
    from hedgerow.risk.attack.hedgerow_publisher import HedgerowPublisher
    from hedgerow.risk.attack.target import AttackTarget

__all__ = ["attack_secret"]

_MAX_EPSILONS = 8  # epsilons in one picture
_DEFAULT_EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(10))


def attack_secret(
    policy: PolicyFile,
    secret: Annotated[
        str | None,
        typer.Option(
            help=(
                "The column to attack; not needed where just one column is declared with two"
                " values."
            )
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="The protected table, if there are several.")
    ] = None,
    equals: Annotated[
        str | None,
        typer.Option(
            "--is",
            metavar="VALUE",
            help="The secret is whether the column has this value, as the file writes it.",
        ),
    ] = None,
    above: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER", help="The secret is whether the column is above this number."
        ),
    ] = None,
    epsilons: Annotated[
        str | None,
        typer.Option(
            metavar="0.1,1,10",
            help="Total budgets to try; by default these three and the policy's own.",
        ),
    ] = None,
    runs: Annotated[int, typer.Option(help="How often each attack is run.")] = 20,
    people: Annotated[
        int,
        typer.Option(
            help=(
                "How many people are attacked in a run, at most; fewer where fewer have the secret,"
                " or lack it."
            )
        ),
    ] = 200,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Write a report with pictures. It is SENSITIVE."),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Attack a secret column: through exact, rounded and suppressed counts, and through Hedgerow at
    several totals of epsilon.

    For the custodian alone: the result is about these data, without protection. No ledger is opened
    and nothing is charged.
    """
    from hedgerow.risk.attack.comparison import compare_attacks, ignore_progress
    from hedgerow.risk.attack.report import build_attack_page
    from hedgerow.risk.attack.target import read_attack_target

    totals = None if epsilons is None else _parse_epsilons(epsilons)
    check_report_folder(report)
    with show_progress("attacking", quiet=as_json) as moved:
        target = read_attack_target(
            policy,
            secret=secret,
            table=table,
            equals=equals,
            above=parse_number(above, "above"),
            people=people,
        )
        guards = _build_guards(
            target, totals or sorted({*_DEFAULT_EPSILONS, target.budget.epsilon})
        )
        found = compare_attacks(target.crowd, guards, runs=runs, tell=moved or ignore_progress)
    if report is not None:
        write_report(report, build_attack_page(target, found))
    if as_json:
        print_json(_build_json(target, found, report))
    else:
        _print_comparison(target, found, report)
    return 0


def _parse_epsilons(text: str) -> list[Fraction]:
    """The epsilons in their order, each once."""
    found: list[Fraction] = []
    for part in text.split(","):
        value = parse_number(part.strip() or "0", "epsilons")
        if value is None or not value.is_finite() or value <= 0:
            raise InvalidArgument(
                "epsilons", "must be numbers above 0 with commas between, such as 0.1,1,10", text
            )
        if Fraction(value) not in found:
            found.append(Fraction(value))
    if len(found) > _MAX_EPSILONS:
        raise InvalidArgument("epsilons", f"must be at most {_MAX_EPSILONS}", text)
    return sorted(found)


def _build_guards(target: AttackTarget, totals: list[Fraction]) -> list[HedgerowPublisher]:
    """Hedgerow as the policy has it, but for the total."""
    from hedgerow.risk.attack.hedgerow_publisher import HedgerowPublisher

    rule, budget = target.table, target.budget
    unit = rule.privacy_unit
    assert unit is not None  # a target is protected
    more = {} if rule.max_units is None else {"max_units": rule.max_units}
    return [
        HedgerowPublisher(unit.relation, epsilon, budget.delta, budget.noise, **more)
        for epsilon in totals
    ]


def _build_json(
    target: AttackTarget, found: AttackComparison, report: Path | None
) -> dict[str, Any]:
    from hedgerow.risk.attack.report import ALARM_RATE, choose_failure_probability, list_notes
    from hedgerow.risk.report_page import SENSITIVE_WARNING

    beliefs = [
        {
            "epsilon": str(guard.epsilon),
            "belief_after_50_percent": float(
                guard.ceilings[0].belief(but=choose_failure_probability(guard))
            ),
            "but_for": float(choose_failure_probability(guard)),
        }
        for guard in found.hedgerow_publishers
    ]
    return {
        "warning": SENSITIVE_WARNING,
        "table": target.table.name,
        "secret": target.description,
        "neighbours": target.table.neighbours,
        "people": found.people,
        "notes": list_notes(target),
        "runs": found.runs,
        "before": [line.to_dict() for line in found.baseline_results],
        "after": [line.to_dict() for line in found.hedgerow_results],
        "beliefs": beliefs,
        "above_ceiling": [line.to_dict() for line in found.find_above_ceiling(ALARM_RATE)],
        "charged": 0,
        "report": None if report is None else str(report),
    }


def _print_comparison(target: AttackTarget, found: AttackComparison, report: Path | None) -> None:
    from rich.table import Table

    from hedgerow.risk.attack.charts import format_rate
    from hedgerow.risk.attack.report import describe_comparison, list_notes

    print_warning()
    console = make_output_console()
    console.print(
        f"{found.people} people of {target.table.name}, {target.description}:"
        f" {count_items(found.runs, 'run')} of each attack. A coin gets 50 %.",
        markup=False,
        soft_wrap=True,
    )
    shown = Table("published", "attack", "right", "95 % interval", "ceiling", box=None)
    for line in (*found.baseline_results, *found.hedgerow_results):
        low, high = line.success.interval()
        ceiling = "none" if line.ceiling is None else format_rate(line.ceiling, 2, up=True)
        shown.add_row(
            line.publisher,
            line.attack,
            format_rate(line.success.rate),
            f"{format_rate(low)} to {format_rate(high)}",
            ceiling,
        )
    console.print(shown)
    for words in (*describe_comparison(found), *list_notes(target)):
        console.print(words, markup=False, soft_wrap=True)
    console.print("Nothing was charged: copies were attacked, each with a budget of its own.")
    if report is not None:
        console.print(
            f"The report is in {report}. It is as sensitive as the data.",
            markup=False,
            soft_wrap=True,
        )
