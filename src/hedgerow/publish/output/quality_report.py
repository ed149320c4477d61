"""How good synthetic rows are, in words: what ``synthetic.quality`` found, as sentences and
tables for the report and the command line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

__all__ = ["QualitySection", "describe_quality", "summarise_quality", "summarise_quality_briefly"]

_MISPLACED_EXPLANATION: Final = (
    "A row is out of place where the synthetic rows have it in another cell than the real ones: the"
    " share that one would have to move, so that a table of counts agrees. 0 % is perfect."
)
_DEPENDENCE_EXPLANATION: Final = (
    "Dependence is Cramér's V: 0 where two columns say nothing about each other, 1 where one"
    " decides the other. Where the rows have less than was measured, they have lost some of it."
)


class QualitySection(NamedTuple):
    """A heading, what is said under it, and a table, which may be empty."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def summarise_quality(facts: Mapping[str, Any]) -> str | None:
    """The share of rows out of place, in one sentence; None where nothing is known of it."""
    quality = facts.get("quality") or {}
    check, pairs = quality.get("check"), quality.get("pairs") or []
    if check and not check["error"]:
        return (
            f"At most {_format_percent(check['at_most'])} of the rows are out of place in tables of"
            " two columns, in nineteen of twenty cases; a fresh measurement found none, but its"
            " noise hides that much."
        )
    if check:
        return (
            f"About {_format_percent(check['error'])} of the rows are out of place in tables of two"
            f" columns, by a fresh measurement; at most {_format_percent(check['at_most'])} in"
            " nineteen of twenty cases."
        )
    if pairs:
        mean = sum(pair["expected_error"] for pair in pairs) / len(pairs)
        return (
            f"About {_format_percent(mean)} of the rows are expected to be out of place in tables"
            " of two columns; nothing was measured afresh."
        )
    return None


def summarise_quality_briefly(facts: Mapping[str, Any]) -> str | None:
    """The same in a few words."""
    quality = facts.get("quality") or {}
    check, pairs = quality.get("check"), quality.get("pairs") or []
    if check:
        about = f"about {_format_percent(check['error'])}, " if check["error"] else ""
        return f"{about}at most {_format_percent(check['at_most'])} with 95 %"
    return (
        f"about {_format_percent(sum(pair['expected_error'] for pair in pairs) / len(pairs))},"
        " expected"
        if pairs
        else None
    )


def describe_quality(facts: Mapping[str, Any]) -> list[QualitySection]:
    """All that was found."""
    quality = facts.get("quality") or {}
    said = summarise_quality(facts)
    if said is None and not quality.get("attributes"):
        return []
    found = [_describe_columns(quality, said)]
    if quality.get("pairs"):
        found.append(_describe_pairs(quality["pairs"]))
    if quality.get("check"):
        listed = "; ".join(map(_join_names, quality["check"]["pairs"]))
        found.append(
            QualitySection(
                "How that was measured",
                (f"Of {len(quality['check']['pairs'])} tables, good and bad ones: {listed}.",),
            )
        )
    if quality.get("task"):
        found.append(_describe_task(quality["task"]))
    return found


def _describe_columns(quality: Mapping[str, Any], said: str | None) -> QualitySection:
    rows = tuple(
        (name, _format_percent(error)) for name, error in (quality.get("attributes") or {}).items()
    )
    words = (said, _MISPLACED_EXPLANATION) if said is not None else (_MISPLACED_EXPLANATION,)
    return QualitySection(
        "How good the rows are", words, ("column", "rows out of place, expected"), rows
    )


def _describe_pairs(pairs: Sequence[Mapping[str, Any]]) -> QualitySection:
    rows = tuple(
        (
            _join_names(pair["places"]),
            _format_percent(pair["expected_error"]),
            f"{pair['dependence']:.2f}",
            f"{pair['measured_dependence']:.2f}",
        )
        for pair in pairs
    )
    titles = (
        "two columns",
        "rows out of place, expected",
        "dependence in the rows",
        "dependence measured",
    )
    return QualitySection("Two columns at a time", (_DEPENDENCE_EXPLANATION,), titles, rows)


def _describe_task(task: Mapping[str, Any]) -> QualitySection:
    by = " and ".join(task["by"])
    words = (
        f"A rule learnt from the synthetic rows tells {task['target']} from {by} rightly for"
        f" {_format_percent(task['synthetic'])} of them, and for {_format_percent(task['exact'])}"
        f" of the real rows (give or take {_format_percent(task['standard_error'])}). Saying the"
        f" commonest of all would be right for {_format_percent(task['commonest'])}."
    )
    return QualitySection(f"Telling {task['target']} from other columns", (words,))


def _join_names(names: Sequence[str]) -> str:
    return " × ".join(names)


def _format_percent(value: float) -> str:
    """In per cent, with two digits."""
    percent = 100 * value
    return (
        "0 %"
        if percent == 0
        else "less than 0.01 %"
        if percent < 0.01
        else f"{float(f'{percent:.2g}'):g} %"
    )
