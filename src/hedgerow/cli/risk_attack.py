"""``hedgerow risk attack``: attack a secret column as an adversary would, before and after Hedgerow. For custodians.

It reads the data without protection, opens no ledger and charges nothing: what is attacked are copies with budgets of their own.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.cli.custody import Policy
from hedgerow.cli.risk_output import check_folder, several, warn, write_report
from hedgerow.cli.terminal import Debug, Json, number, output, print_json, working
from hedgerow.errors import InvalidArgument

if TYPE_CHECKING:
    from hedgerow.risk.attack.comparison import Comparison
    from hedgerow.risk.attack.guarded import Guarded
    from hedgerow.risk.attack.secret import Target

__all__ = ["risk_attack"]

_MOST = 8  # epsilons in one picture
_USUAL = (Fraction(1, 10), Fraction(1), Fraction(10))


def risk_attack(
    policy: Policy,
    secret: Annotated[
        str | None, typer.Option(help="The column to attack; not needed where just one column is declared with two values.")
    ] = None,
    table: Annotated[str | None, typer.Option(help="The protected table, if there are several.")] = None,
    equals: Annotated[
        str | None, typer.Option("--is", metavar="VALUE", help="The secret is whether the column has this value, as the file writes it.")
    ] = None,
    above: Annotated[str | None, typer.Option(metavar="NUMBER", help="The secret is whether the column is above this number.")] = None,
    epsilons: Annotated[
        str | None, typer.Option(metavar="0.1,1,10", help="Total budgets to try; by default these three and the policy's own.")
    ] = None,
    runs: Annotated[int, typer.Option(help="How often each attack is run.")] = 20,
    people: Annotated[
        int, typer.Option(help="How many people are attacked in a run, at most; fewer where fewer have the secret, or lack it.")
    ] = 200,
    report: Annotated[Path | None, typer.Option(metavar="FILE.html", help="Write a report with pictures. It is SENSITIVE.")] = None,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Attack a secret column: through exact, rounded and suppressed counts, and through Hedgerow at several totals of epsilon.

    For the custodian alone: the result is about these data, without protection. No ledger is opened and nothing is charged.
    """
    from hedgerow.risk.attack.comparison import before_and_after, silent
    from hedgerow.risk.attack.report import html
    from hedgerow.risk.attack.secret import target_of

    totals = None if epsilons is None else _totals(epsilons)
    check_folder(report)
    with working("attacking", quiet=as_json) as moved:
        target = target_of(policy, secret=secret, table=table, equals=equals, above=number(above, "above"), people=people)
        guards = _guards(target, totals or sorted({*_USUAL, target.budget.epsilon}))
        found = before_and_after(target.crowd, guards, runs=runs, tell=moved or silent)
    if report is not None:
        write_report(report, html(target, found))
    if as_json:
        print_json(_plain(target, found, report))
    else:
        _show(target, found, report)
    return 0


def _totals(text: str) -> list[Fraction]:
    """The epsilons in their order, each once."""
    found: list[Fraction] = []
    for part in text.split(","):
        value = number(part.strip() or "0", "epsilons")
        if value is None or not value.is_finite() or value <= 0:
            raise InvalidArgument("epsilons", "must be numbers above 0 with commas between, such as 0.1,1,10", text)
        if Fraction(value) not in found:
            found.append(Fraction(value))
    if len(found) > _MOST:
        raise InvalidArgument("epsilons", f"must be at most {_MOST}", text)
    return sorted(found)


def _guards(target: Target, totals: list[Fraction]) -> list[Guarded]:
    """Hedgerow as the policy has it, but for the total."""
    from hedgerow.risk.attack.guarded import Guarded

    rule, budget = target.table, target.budget
    unit = rule.protects
    assert unit is not None  # a target is protected
    more = {} if rule.max_units is None else {"max_units": rule.max_units}
    return [Guarded(unit.relation, epsilon, budget.delta, budget.noise, **more) for epsilon in totals]


def _plain(target: Target, found: Comparison, report: Path | None) -> dict[str, Any]:
    from hedgerow.risk.attack.report import ALARM, failing, notes
    from hedgerow.risk.page import WARNING

    beliefs = [
        {
            "epsilon": str(guard.epsilon),
            "belief_after_50_percent": float(guard.ceilings[0].belief(but=failing(guard))),
            "but_for": float(failing(guard)),
        }
        for guard in found.guards
    ]
    return {
        "warning": WARNING,
        "table": target.table.name,
        "secret": target.words,
        "neighbours": target.table.neighbours,
        "people": found.people,
        "notes": notes(target),
        "runs": found.runs,
        "before": [line.to_dict() for line in found.before],
        "after": [line.to_dict() for line in found.after],
        "beliefs": beliefs,
        "above_ceiling": [line.to_dict() for line in found.above(ALARM)],
        "charged": 0,
        "report": None if report is None else str(report),
    }


def _show(target: Target, found: Comparison, report: Path | None) -> None:
    from rich.table import Table

    from hedgerow.risk.attack.picture import percent
    from hedgerow.risk.attack.report import in_words, notes

    warn()
    console = output()
    console.print(
        f"{found.people} people of {target.table.name}, {target.words}: {several(found.runs, 'run')} of each attack. A coin gets 50 %.",
        markup=False,
        soft_wrap=True,
    )
    shown = Table("published", "attack", "right", "95 % interval", "ceiling", box=None)
    for line in (*found.before, *found.after):
        low, high = line.success.interval()
        ceiling = "none" if line.ceiling is None else percent(line.ceiling, 2, up=True)
        shown.add_row(line.publisher, line.attack, percent(line.success.rate), f"{percent(low)} to {percent(high)}", ceiling)
    console.print(shown)
    for words in (*in_words(found), *notes(target)):
        console.print(words, markup=False, soft_wrap=True)
    console.print("Nothing was charged: copies were attacked, each with a budget of its own.")
    if report is not None:
        console.print(f"The report is in {report}. It is as sensitive as the data.", markup=False, soft_wrap=True)
