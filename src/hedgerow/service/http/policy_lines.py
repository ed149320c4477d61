"""A policy file line by line, each with its meaning, and the lines in which two policies differ."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Final

from hedgerow.policy import Policy, write_policy

__all__ = ["DiffLine", "PolicyLine", "diff_policies", "explain_policy_lines"]

_SECTION: Final = re.compile(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$")
_KEY: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*=\s*(.*)$""")
_COLUMNS_SECTION: Final = "columns"
_CONTEXT_LINES: Final = 2

_SECTIONS: Final = {
    "database": "The name of the database, its engine and its ledger.",
    "budget": "What all answers about these people together may cost.",
    "partition": "Questions about different parts of this table share no charge.",
    _COLUMNS_SECTION: "Public facts about columns. They must not be read off the data.",
}
_MEANINGS: Final = {
    ("database", "name"): "The name of the database.",
    ("database", "engine"): "The engine that reads the data.",
    ("database", "ledger"): "The file that records every charge. It rules over this page.",
    ("database", "max_failures"): "An analyst with this many failed questions is blocked.",
    ("budget", "epsilon"): "The total for all questions that are ever asked.",
    ("budget", "delta"): "The probability that the guarantee fails.",
    ("budget", "default_epsilon"): "The cost of a question that names none.",
    ("budget", "default_delta"): "The delta of a question that names none.",
    ("budget", "max_epsilon_per_query"): "The most that one question may cost.",
    ("budget", "clipping_epsilon"): "Pays once for each data version to measure what caps cut off.",
    ("budget", "noise"): "The distribution of the noise.",
    ("tables", "source"): "Where the data are.",
    ("tables", "unit"): "Who is protected: all rows with the same id, or each row.",
    ("tables", "neighbours"): (
        "add-remove also hides whether somebody is in the data; change-one does not."
    ),
    ("tables", "population"): "Tables about the same people share one budget.",
    ("tables", "version"): "Change it when the data change. Old answers are not used again then.",
    ("tables", "max_units"): "A public upper bound on the number of people, not a count.",
    ("tables", "max_rows"): "A public upper bound on the number of rows, not a count.",
    ("tables", "max_groups"): "Each person contributes to at most this many groups of an answer.",
    ("tables", "max_rows_per_group"): (
        "Each person contributes at most this many rows to a group; further rows are scaled down."
    ),
    ("tables", "max_join_rows_per_unit"): "Rows of one person that may meet rows of others.",
    ("tables", "max_join_rows_per_key"): "Rows with one value of the joined columns that count.",
    ("tables", "public"): "true: this table protects nobody, and its answers are exact.",
    ("tables", "unique"): "Columns that no two rows of this public table share.",
    ("tables", "as_of"): "What CURRENT_DATE means in questions.",
    ("tables", "multiline"): "true: a quoted value of the file may contain line breaks.",
    ("tables", "auto_bounds"): "true: missing bounds are found privately, and charged.",
    ("partition", "column"): "The column whose values are the parts.",
    ("partition", "max_parts_per_unit"): "A person is in at most this many parts.",
    ("analysts", "tables"): "For this analyst no other table exists.",
    ("analysts", "max_epsilon"): "What this analyst may spend in all, inside the one budget.",
    ("analysts", "max_epsilon_per_day"): "What this analyst may spend in a day (UTC).",
}


@dataclass(frozen=True, slots=True)
class PolicyLine:
    """A line of a policy file with its meaning; "" for a comment or an empty line."""

    number: int
    text: str
    meaning: str


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of the difference between two policies: added, removed or the same in both."""

    kind: str
    text: str


def explain_policy_lines(text: str) -> list[PolicyLine]:
    """Explain each line of a policy file by its section and its key."""
    section = ""
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        header = _SECTION.match(line)
        if header is not None:
            section = header[1].strip()
        meaning = _explain_section(section) if header is not None else _explain_key(section, line)
        lines.append(PolicyLine(number, line, meaning))
    return lines


def _explain_section(section: str) -> str:
    kind, _, rest = section.partition(".")
    last = section.rsplit(".", 1)[-1]
    if kind == "tables" and last in (_COLUMNS_SECTION, "partition") and "." in rest:
        return _SECTIONS[last]
    if kind == "tables":
        return f"The table {rest}: who is protected in it, and how far."
    if kind == "budgets":
        return f"What all answers about {rest} together may cost."
    if kind == "analysts":
        return f"What {rest} may ask."
    return _SECTIONS.get(kind, "")


def _explain_key(section: str, line: str) -> str:
    found = _KEY.match(line)
    if found is None or line.lstrip().startswith("#"):
        return ""
    key = next(name for name in found.groups()[:3] if name is not None)
    kind, _, rest = section.partition(".")
    if kind == "tables" and rest.endswith("." + _COLUMNS_SECTION):
        return _explain_column(found[4])
    if kind == "tables" and rest.endswith(".partition"):
        kind = "partition"
    return _MEANINGS.get(("budget" if kind == "budgets" else kind, key), "")


def _explain_column(declaration: str) -> str:
    """Explain the declaration of a column by the facts that it states."""
    if "hidden" in declaration:
        return "No question may use this column."
    facts = []
    if "values" in declaration:
        facts.append("Answers have these keys, empty ones too, and no others.")
    if "min" in declaration or "max" in declaration:
        facts.append("Values outside these bounds are clamped to the nearest one.")
    if "step" in declaration:
        facts.append("Values are rounded to this step.")
    return " ".join(facts) or "Only the type is known."


def diff_policies(ruling: Policy, written: Policy) -> list[DiffLine]:
    """List the lines in which two policies differ, in one layout and with their surroundings."""
    # The policy that rules was stored in the order of the canonical text.
    before, after = (
        write_policy(Policy.from_canonical(policy.canonical())).splitlines()
        for policy in (ruling, written)
    )
    kinds = {"+": "added", "-": "removed", " ": "same"}
    lines = difflib.unified_diff(before, after, lineterm="", n=_CONTEXT_LINES)
    return [
        DiffLine(kinds.get(line[0], "gap"), line[1:] if line[0] in kinds else "…")
        for line in lines
        if not line.startswith(("---", "+++"))
    ]
