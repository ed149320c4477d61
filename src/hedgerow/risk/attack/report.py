"""The report on an attack: what was done, the picture, and what each epsilon would mean. For the
custodian alone.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from hedgerow.publish.output.report import PageSection
from hedgerow.risk.attack.attack_bounds import EPSILONS, Ceiling, list_epsilon_choices
from hedgerow.risk.attack.charts import build_attack_figure, build_belief_figure, format_rate
from hedgerow.risk.attack.comparison import (
    CROSSING_GROUP_SIZE,
    CROSSING_QUESTIONS,
    AttackComparison,
    count_halvings,
)
from hedgerow.risk.attack.hedgerow_publisher import HedgerowPublisher
from hedgerow.risk.attack.target import AttackTarget
from hedgerow.risk.report_page import build_risk_page

__all__ = [
    "ALARM_RATE",
    "build_attack_page",
    "choose_failure_probability",
    "describe_comparison",
    "list_notes",
]

_MIN_FAILURE_PROBABILITY: Final = Fraction(1, 10**6)
_REBUILT_RATE: Final = 0.95  # a column of which so much comes back is rebuilt
ALARM_RATE: Final = 1e-9  # how rarely a line that is within its ceiling is taken for one above it


def choose_failure_probability(guard: HedgerowPublisher) -> Fraction:
    """With which probability a bound on belief is allowed to fail: never where the budget is
    pure.
    """
    return (
        Fraction(0)
        if guard.delta is None
        else max(_MIN_FAILURE_PROBABILITY, min(1000 * guard.delta, Fraction(1, 2)))
    )


def describe_comparison(found: AttackComparison) -> list[str]:
    """What came out, in sentences."""
    words = []
    rebuilt = [
        line.publisher
        for line in map(
            found.find_best, dict.fromkeys(line.publisher for line in found.baseline_results)
        )
        if line.success.rate >= _REBUILT_RATE
    ]
    if rebuilt:
        words.append(
            f"The secrets of {found.people} people, rebuilt almost whole from published counts:"
            f" {', '.join(rebuilt)}."
        )
    for guard in found.hedgerow_publishers:
        best, ceiling = found.find_best(guard.name), guard.ceilings[0]
        but = choose_failure_probability(guard)
        believed = format_rate(ceiling.belief(but=but), up=True)
        chance = f", but for a chance of one in {round(1 / but):,}" if but else ""
        luck = (
            " (more than that is luck: run it more often)"
            if best.success.rate > guard.ceiling
            else ""
        )
        words.append(
            f"Hedgerow, total {guard.name}: {format_rate(best.success.rate)} right by the best"
            " attack, and no attack gets more, on average, than"
            f" {format_rate(guard.ceiling, 2, up=True)}{luck}. Who believed 50 % can believe"
            f" {believed} at most afterwards{chance}."
        )
    above = found.find_above_ceiling(ALARM_RATE)
    if above:
        named = ", ".join(f"{line.publisher} ({line.attack})" for line in above)
        words.append(
            f"ALARM: above the ceiling, which should not be possible: {named}. Please report this."
        )
    return words


def list_notes(target: AttackTarget) -> list[str]:
    """What was done with less than was asked for."""
    people = target.crowd.people
    if people >= target.requested_people:
        return []
    return [
        f"{people} people were attacked and not {target.requested_people:,}: no more have the"
        " secret, or no more lack it."
    ]


def build_attack_page(target: AttackTarget, found: AttackComparison) -> str:
    """The page."""
    budget, rule = target.budget, target.table
    facts = [
        ("Table", f"{rule.name}, version {rule.version}"),
        ("Secret", target.description),
        ("Neighbours", str(rule.neighbours)),
        ("Noise", budget.noise),
        (
            "Budget of the policy",
            f"epsilon {float(budget.epsilon):g}"
            + ("" if budget.delta is None else f", delta {float(budget.delta):g}"),
        ),
        (
            "Attacked",
            (
                f"{found.people} people, {found.runs} run{'s' if found.runs > 1 else ''} of each"
                " attack"
            ),
        ),
        (
            "Charged",
            "nothing: the attacked databases were copies with ledgers of their own, in memory",
        ),
    ]
    sections = [
        PageSection(
            "What came out",
            (*describe_comparison(found), *list_notes(target)),
            figures=(build_attack_figure(found),),
        ),
        PageSection("How it was done", _describe_method(found.people)),
        *_build_epsilon_sections(found),
    ]
    return build_risk_page(f"Attack on {target.column} of {rule.name}", facts, sections)


def _build_epsilon_sections(found: AttackComparison) -> list[PageSection]:
    if not found.hedgerow_publishers:
        return []
    first = found.hedgerow_publishers[0]
    table = tuple(
        (
            f"{float(choice.epsilon):g}",
            format_rate(choice.belief, up=True),
            format_rate(choice.success, up=True),
        )
        for choice in list_epsilon_choices(
            first.relation,
            "attribute",
            sorted({*EPSILONS, *(guard.epsilon for guard in found.hedgerow_publishers)}),
        )
    )
    curves = [
        (guard.name, guard.ceilings[0])
        for guard in sorted(found.hedgerow_publishers, key=lambda guard: guard.epsilon)
    ]
    titles = ("total epsilon", "who believed 50 % can believe at most", "guesses right at most")
    presence: tuple[str, ...] = ()
    if first.relation == "add-remove":
        there = Ceiling("add-remove", "presence", Fraction(1))
        presence = (
            (
                "Whether somebody is in the data at all is hidden better:"
                f" {format_rate(there.belief(), up=True)} at most at epsilon 1."
            ),
        )
    return [
        PageSection(
            "Choosing epsilon",
            (_EPSILON_TEXT, *presence),
            titles,
            table,
            figures=(build_belief_figure(curves, choose_failure_probability(first)),),
        )
    ]


def _describe_method(people: int) -> tuple[str, ...]:
    return (
        (
            "Of the table it was counted how many people have the secret and how many do not;"
            " nothing else of it was used. That limits how many can be attacked. In each run a fair"
            " coin decides for each of them whether it is one with the secret or one without it. So"
            " an attacker who learns nothing gets half of them right, however rare the secret is."
        ),
        (
            "The attacker knows everything but the secrets: who is there, what all other columns"
            " say, how answers are made and how wide their noise is. Only the secrets are asked"
            " for, in sums over groups of people."
        ),
        (
            "One by one: each person is a group. That is enough against exact answers, and it is"
            " the best attack on Hedgerow."
        ),
        (
            f"Crossing halves, against what is published by habit: {count_halvings(people):,} times"
            " everybody is divided into halves at random, so that rounding hardly changes a count"
            " and no count is small enough to be left out. Crossing groups, against Hedgerow:"
            f" {CROSSING_QUESTIONS} times everybody is divided into groups of"
            f" {CROSSING_GROUP_SIZE}, because few questions get more of the budget each. The"
            " attacks differ because each is the better one against what it attacks. Answers are"
            " put together by least squares or linear programming."
        ),
        (
            "Through Hedgerow two analysts take turns until their common budget is empty, and pool"
            " what they got."
        ),
    )


_EPSILON_TEXT: Final = (
    "A total of epsilon over all questions bounds what anybody can come to believe about one"
    " person, whatever else they know. The table is about a secret in somebody's record, without"
    " delta; a small delta adds a small chance that it fails."
)
