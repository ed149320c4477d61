"""The quality of synthetic rows in words: sentences and tables for the report and the CLI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hedgerow.charts.html_page import PageSection
from hedgerow.charts.number_text import format_percent

__all__ = ["describe_quality", "summarise_quality", "summarise_quality_briefly"]

_MISPLACED_EXPLANATION: Final = (
    "Misplaced rows are the share of synthetic rows that would have to move to another cell to make"
    " a table of counts equal to that of the real rows. 0 % is perfect."
)
_DEPENDENCE_EXPLANATION: Final = (
    "Dependence is Cramér's V: 0 if two columns are independent, 1 if one determines the other."
    " Where the rows have less dependence than was measured, they lost some of it."
)


def summarise_quality(facts: Mapping[str, Any]) -> str | None:
    """Return the share of misplaced rows in one sentence, or None if it is unknown."""
    quality = facts.get("quality") or {}
    check = quality.get("check")
    if check and not check["error"]:
        return (
            f"At most {_format_percent(check['at_most'])} of the rows are misplaced in tables of"
            " two columns, with 95 % confidence; a fresh measurement found none, but its noise may"
            " hide that many."
        )
    if check:
        return (
            f"About {_format_percent(check['error'])} of the rows are misplaced in tables of two"
            " columns, by a fresh measurement; at most"
            f" {_format_percent(check['at_most'])} with 95 % confidence."
        )
    expected = _average_expected_error(quality)
    if expected is not None:
        return (
            f"About {_format_percent(expected)} of the rows are expected to be misplaced in tables"
            " of two columns; there was no fresh measurement."
        )
    return None


def summarise_quality_briefly(facts: Mapping[str, Any]) -> str | None:
    """Return the share of misplaced rows in a few words, or None if it is unknown."""
    quality = facts.get("quality") or {}
    check, expected = quality.get("check"), _average_expected_error(quality)
    if check:
        about = f"about {_format_percent(check['error'])}, " if check["error"] else ""
        return f"{about}at most {_format_percent(check['at_most'])} with 95 % confidence"
    return None if expected is None else f"about {_format_percent(expected)}, expected"


def describe_quality(facts: Mapping[str, Any]) -> list[PageSection]:
    quality, summary = facts.get("quality") or {}, summarise_quality(facts)
    if summary is None and not quality.get("attributes"):
        return []
    sections = [_describe_columns(quality, summary)]
    if quality.get("pairs"):
        sections.append(_describe_pairs(quality["pairs"]))
    if quality.get("check"):
        checked = quality["check"]["pairs"]
        listed = "; ".join(map(_join_names, checked))
        text = f"{len(checked)} tables, good and bad ones, were measured afresh: {listed}."
        sections.append(PageSection("How this was measured", (text,)))
    if quality.get("task"):
        sections.append(_describe_task(quality["task"]))
    return sections


def _average_expected_error(quality: Mapping[str, Any]) -> float | None:
    errors = [pair["expected_error"] for pair in quality.get("pairs") or []]
    return sum(errors) / len(errors) if errors else None


def _describe_columns(quality: Mapping[str, Any], summary: str | None) -> PageSection:
    rows = tuple(
        (name, _format_percent(error)) for name, error in (quality.get("attributes") or {}).items()
    )
    texts = (_MISPLACED_EXPLANATION,) if summary is None else (summary, _MISPLACED_EXPLANATION)
    return PageSection(
        "Quality of the synthetic rows", texts, ("column", "misplaced rows, expected"), rows
    )


def _describe_pairs(pairs: Sequence[Mapping[str, Any]]) -> PageSection:
    rows = tuple(
        (
            _join_names(pair["places"]),
            _format_percent(pair["expected_error"]),
            f"{pair['dependence']:.2f}",
            f"{pair['measured_dependence']:.2f}",
        )
        for pair in pairs
    )
    headers = (
        "two columns",
        "misplaced rows, expected",
        "dependence in the rows",
        "dependence measured",
    )
    return PageSection("Pairs of columns", (_DEPENDENCE_EXPLANATION,), headers, rows)


def _describe_task(task: Mapping[str, Any]) -> PageSection:
    predictors = " and ".join(task["by"])
    text = (
        f"A rule learnt from the synthetic rows predicts {task['target']} from {predictors}"
        f" correctly in {_format_percent(task['synthetic'])} of these rows and in"
        f" {_format_percent(task['exact'])} of the real rows (standard error"
        f" {_format_percent(task['standard_error'])}). Always predicting the most common value is"
        f" right in {_format_percent(task['commonest'])}."
    )
    return PageSection(f"Predicting {task['target']} from other columns", (text,))


def _join_names(names: Sequence[str]) -> str:
    return " × ".join(names)


def _format_percent(value: float) -> str:
    """Format a share in percent with two significant digits."""
    return "less than 0.01 %" if 0 < value < 1e-4 else format_percent(value, 2)
