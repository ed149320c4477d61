"""The report on an attack, for the custodian: results, method, and the meaning of each epsilon."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from hedgerow.charts.html_page import PageSection
from hedgerow.charts.number_text import count_items
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
_REBUILT_RATE: Final = 0.95  # success rate from which a column counts as reconstructed
ALARM_RATE: Final = 1e-9  # false-alarm rate of the test against the ceiling


def choose_failure_probability(guard: HedgerowPublisher) -> Fraction:
    """Return the probability with which a bound on belief may fail: 0 if the budget is pure."""
    if guard.delta is None:
        return Fraction(0)
    return max(_MIN_FAILURE_PROBABILITY, min(1000 * guard.delta, Fraction(1, 2)))


def describe_comparison(comparison: AttackComparison) -> list[str]:
    """Describe the results, one sentence or two for each publisher."""
    names = dict.fromkeys(result.publisher for result in comparison.baseline_results)
    rebuilt = [name for name in names if comparison.find_best(name).success.rate >= _REBUILT_RATE]
    sentences = []
    if rebuilt:
        sentences.append(
            f"The secrets of {comparison.people} people were reconstructed almost completely from"
            f" counts published this way: {', '.join(rebuilt)}."
        )
    sentences += [_describe_guard(comparison, guard) for guard in comparison.hedgerow_publishers]
    above = comparison.find_above_ceiling(ALARM_RATE)
    if above:
        named = ", ".join(f"{result.publisher} ({result.attack})" for result in above)
        sentences.append(
            f"ALARM: above the ceiling, which should be impossible: {named}. Please report this."
        )
    return sentences


def _describe_guard(comparison: AttackComparison, guard: HedgerowPublisher) -> str:
    rate = comparison.find_best(guard.name).success.rate
    failure = choose_failure_probability(guard)
    believed = format_rate(guard.ceilings[0].belief(but=failure), up=True)
    exception = f", except with a probability of 1 in {round(1 / failure):,}" if failure else ""
    luck = " (more than that is luck; use more runs)" if rate > guard.ceiling else ""
    return (
        f"Hedgerow, total {guard.name}: the best attack guesses {format_rate(rate)} right. No"
        f" attack exceeds {format_rate(guard.ceiling, 2, up=True)} on average{luck}. A belief of"
        f" 50 % can rise to {believed} at most{exception}."
    )


def list_notes(target: AttackTarget) -> list[str]:
    """Return a note if fewer people were attacked than requested."""
    people = target.crowd.people
    if people >= target.requested_people:
        return []
    return [
        f"{people} people were attacked instead of {target.requested_people:,}: the table has no"
        " more with the secret, or no more without it."
    ]


def build_attack_page(target: AttackTarget, comparison: AttackComparison) -> str:
    """Build the HTML report on an attack."""
    budget, rule = target.budget, target.table
    delta = "" if budget.delta is None else f", delta {float(budget.delta):g}"
    facts = [
        ("Table", f"{rule.name}, version {rule.version}"),
        ("Secret", target.description),
        ("Neighbours", str(rule.neighbours)),
        ("Noise", budget.noise),
        ("Budget of the policy", f"epsilon {float(budget.epsilon):g}{delta}"),
        (
            "Attacked",
            f"{comparison.people} people, {count_items(comparison.runs, 'run')} of each attack",
        ),
        ("Charged", "nothing: the attacks ran on copies with their own ledgers, in memory"),
    ]
    sections = [
        PageSection(
            "Results",
            (*describe_comparison(comparison), *list_notes(target)),
            figures=(build_attack_figure(comparison),),
        ),
        PageSection("Method", _describe_method(comparison.people)),
        *_build_epsilon_sections(comparison),
    ]
    return build_risk_page(f"Attack on {target.column} of {rule.name}", facts, sections)


def _build_epsilon_sections(comparison: AttackComparison) -> list[PageSection]:
    guards = sorted(comparison.hedgerow_publishers, key=lambda guard: guard.epsilon)
    if not guards:
        return []
    first = comparison.hedgerow_publishers[0]
    choices = list_epsilon_choices(
        first.relation, "attribute", sorted({*EPSILONS, *(guard.epsilon for guard in guards)})
    )
    rows = tuple(
        (
            f"{float(choice.epsilon):g}",
            format_rate(choice.belief, up=True),
            format_rate(choice.success, up=True),
        )
        for choice in choices
    )
    curves = [(guard.name, guard.ceilings[0]) for guard in guards]
    presence: tuple[str, ...] = ()
    if first.relation == "add-remove":
        there = Ceiling("add-remove", "presence", Fraction(1))
        presence = (
            "Whether somebody is in the data at all is hidden better: at epsilon 1, a belief of"
            f" 50 % can rise to {format_rate(there.belief(), up=True)} at most.",
        )
    return [
        PageSection(
            "Choosing epsilon",
            (_EPSILON_TEXT, *presence),
            ("total epsilon", "belief of 50 % rises to at most", "guessed right at most"),
            rows,
            figures=(build_belief_figure(curves, choose_failure_probability(first)),),
        )
    ]


def _describe_method(people: int) -> tuple[str, ...]:
    return (
        "Only two numbers are taken from the table: the people with the secret and the people"
        " without it. They limit how many people can be attacked. In each run, a fair coin decides"
        " for every person whether to draw one with the secret or one without. An attacker who"
        " learns nothing therefore guesses half of them right, however rare the secret is.",
        "The attacker knows everything except the secrets: who is in the data, the values of all"
        " other columns, how answers are computed and how wide the noise is. Each question asks"
        " for the number of secrets in a group of people.",
        "One by one: each person is a group. This is enough against exact answers, and it is the"
        " best attack on Hedgerow.",
        "Crossing halves, against counts published without noise: everybody is divided into random"
        f" halves {count_halvings(people):,} times. Rounding hardly changes such counts, and no"
        " count is small enough to be suppressed. Crossing groups, against Hedgerow: everybody is"
        f" divided {CROSSING_QUESTIONS} times into groups of {CROSSING_GROUP_SIZE}, because with"
        " fewer questions each gets more of the budget. The attacks differ because each is the"
        " stronger one against its target. Least squares or linear programming combines the"
        " answers.",
        "Through Hedgerow, two analysts take turns until their common budget is spent, and pool"
        " their answers.",
    )


_EPSILON_TEXT: Final = (
    "The total epsilon of all answers bounds what anybody can come to believe about one person,"
    " whatever else they know. The table is for a secret in a person's record and for delta = 0; a"
    " small delta adds a small probability of failure."
)
