"""The command ``hedgerow risk attack``: attack a secret column, with and without Hedgerow.

It reads the data without protection, opens no ledger and charges nothing: the attacks run on copies
with their own budgets.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from hedgerow.cli.options import DebugOption, JsonOption, PolicyFile, parse_number
from hedgerow.cli.risk.output import (
    ReportOption,
    check_report_folder,
    print_warning,
    write_report,
)
from hedgerow.cli.terminal import (
    format_count,
    make_output_console,
    print_json,
    print_lines,
    show_progress,
)
from hedgerow.errors import InvalidArgument
from hedgerow.risk.attack.charts import format_rate
from hedgerow.risk.attack.comparison import (
    AttackComparison,
    compare_attacks,
    count_default_runs,
    ignore_progress,
)
from hedgerow.risk.attack.hedgerow_publisher import HedgerowPublisher
from hedgerow.risk.attack.report import (
    ALARM_RATE,
    build_attack_page,
    choose_failure_probability,
    describe_comparison,
    list_notes,
)
from hedgerow.risk.attack.target import AttackTarget, read_attack_target
from hedgerow.risk.report_page import SENSITIVE_WARNING

__all__ = ["attack_secret"]
SecretOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column to attack. Not needed if only one column is declared with two values.",
    ),
]
TableOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The protected table, if the policy has several."),
]
EqualsOption = Annotated[
    str | None,
    typer.Option(
        "--is",
        metavar="VALUE",
        help="The secret is whether the column has this value, written as in the file.",
    ),
]
AboveOption = Annotated[
    str | None,
    typer.Option(metavar="NUMBER", help="The secret is whether the column is above this number."),
]
EpsilonsOption = Annotated[
    str | None,
    typer.Option(
        metavar="0.1,1,10",
        help="The total budgets to try. Default: these three and the policy's own.",
    ),
]
PeopleOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="The most people to attack in one run; fewer if fewer have or lack the secret.",
    ),
]
RunsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="How often to run each attack. Default: at least 4,000 guesses."
    ),
]

_MAX_EPSILONS = 8  # in one chart
_DEFAULT_EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(10))


def attack_secret(
    policy: PolicyFile,
    secret: SecretOption = None,
    table: TableOption = None,
    equals: EqualsOption = None,
    above: AboveOption = None,
    epsilons: EpsilonsOption = None,
    runs: RunsOption = None,
    people: PeopleOption = 200,
    report: ReportOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Attack a secret column, with and without Hedgerow.

    Compares attacks through exact, rounded and suppressed counts with attacks through Hedgerow at
    several total budgets. For the custodian only: the output is SENSITIVE. No ledger is opened and
    nothing is charged.

    Example: hedgerow risk attack clinic.toml --table patients --secret smoker
    """
    totals = None if epsilons is None else _parse_epsilons(epsilons)
    check_report_folder(report)
    with show_progress("attacking", quiet=as_json) as progress:
        target = read_attack_target(
            policy,
            secret=secret,
            table=table,
            equals=equals,
            above=parse_number(above, "above"),
            people=people,
        )
        publishers = _build_publishers(
            target, totals or sorted({*_DEFAULT_EPSILONS, target.budget.epsilon})
        )
        comparison = compare_attacks(
            target.crowd,
            publishers,
            runs=count_default_runs(target.crowd) if runs is None else runs,
            tell=progress or ignore_progress,
        )
    if report is not None:
        write_report(report, build_attack_page(target, comparison))
    if as_json:
        print_json(_build_json(target, comparison, report))
    else:
        _print_comparison(target, comparison, report)
    return 0


def _parse_epsilons(text: str) -> list[Fraction]:
    """Return the different epsilons of a comma-separated list, in rising order."""
    epsilons: set[Fraction] = set()
    for part in text.split(","):
        value = parse_number(part.strip() or "0", "epsilons")
        if value is None or not value.is_finite() or value <= 0:
            raise InvalidArgument(
                "epsilons", "must be comma-separated numbers above 0, such as 0.1,1,10", text
            )
        epsilons.add(Fraction(value))
    if len(epsilons) > _MAX_EPSILONS:
        raise InvalidArgument("epsilons", f"must be at most {_MAX_EPSILONS} numbers", text)
    return sorted(epsilons)


def _build_publishers(target: AttackTarget, totals: list[Fraction]) -> list[HedgerowPublisher]:
    """Build Hedgerow as the policy sets it up, once for each total epsilon."""
    rule, budget = target.table, target.budget
    unit = rule.privacy_unit
    assert unit is not None  # a target is protected
    size = {} if rule.max_units is None else {"max_units": rule.max_units}
    return [
        HedgerowPublisher(unit.relation, epsilon, budget.delta, budget.noise, **size)
        for epsilon in totals
    ]


def _build_json(
    target: AttackTarget, comparison: AttackComparison, report: Path | None
) -> dict[str, Any]:
    beliefs = []
    for publisher in comparison.hedgerow_publishers:
        chance = choose_failure_probability(publisher)
        belief = publisher.ceilings[0].belief(but=chance)
        beliefs.append(
            {
                "epsilon": str(publisher.epsilon),
                "belief_after_50_percent": float(belief),
                "but_for": float(chance),
            }
        )
    return {
        "warning": SENSITIVE_WARNING,
        "table": target.table.name,
        "secret": target.description,
        "neighbours": target.table.neighbours,
        "people": comparison.people,
        "notes": list_notes(target),
        "runs": comparison.runs,
        "before": [line.to_dict() for line in comparison.baseline_results],
        "after": [line.to_dict() for line in comparison.hedgerow_results],
        "beliefs": beliefs,
        "above_ceiling": [line.to_dict() for line in comparison.find_above_ceiling(ALARM_RATE)],
        "charged": 0,
        "report": None if report is None else str(report),
    }


def _print_comparison(
    target: AttackTarget, comparison: AttackComparison, report: Path | None
) -> None:
    print_warning()
    print_lines(
        [
            f"{comparison.people} people of {target.table.name}, {target.description}:"
            f" {format_count(comparison.runs, 'run')} of each attack. A coin toss gets 50 %."
        ]
    )
    shown = Table("published", "attack", "right", "95 % interval", "ceiling", box=None)
    for line in (*comparison.baseline_results, *comparison.hedgerow_results):
        low, high = line.success.interval()
        ceiling = "none" if line.ceiling is None else format_rate(line.ceiling, 2, up=True)
        shown.add_row(
            line.publisher,
            line.attack,
            format_rate(line.success.rate) + " (luck)" * line.is_lucky(ALARM_RATE),
            f"{format_rate(low)} to {format_rate(high)}",
            ceiling,
        )
    make_output_console().print(shown)
    print_lines([*describe_comparison(comparison), *list_notes(target)])
    print_lines(["Nothing was charged: the attacks ran on copies with their own budgets."])
    if report is not None:
        print_lines([f"Report written to {report}. It is as sensitive as the data."])
