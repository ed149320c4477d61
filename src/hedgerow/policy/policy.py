"""The custodian's whole decision as one frozen value.

It states who is protected (unit, neighbours, population), the budgets, what is public about the
data (columns, upper bounds) and who may query (analysts). A Policy is checked as a whole when it is
made, so no invalid one exists. It never holds or reads data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.ledger.location import ServerLocation
from hedgerow.policy.canonical import decode_policy, encode_policy
from hedgerow.policy.checks import (
    check_analyst,
    check_budget,
    check_consistency,
    check_database,
    check_table,
    list_warnings,
)
from hedgerow.policy.foreign_keys import check_links
from hedgerow.policy.from_frame import FRAME_SOURCE, build_frame_document
from hedgerow.policy.mistake import KeyPath, Mistake
from hedgerow.policy.records import (
    DEFAULT_POPULATION,
    MAX_FAILURES,
    AnalystRule,
    BudgetRule,
    Cap,
    ColumnRule,
    LinkRule,
    PartitionRule,
    TableRule,
)
from hedgerow.policy.server_ledgers import check_ledger, locate_ledger
from hedgerow.policy.server_sources import identify_server_table, is_server
from hedgerow.policy.toml.document import PolicyParts, read_document

__all__ = [
    "DEFAULT_POPULATION",
    "AnalystRule",
    "BudgetRule",
    "ColumnRule",
    "LinkRule",
    "PartitionRule",
    "Policy",
    "TableRule",
    "build_policy_error",
]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Policy:
    """A checked policy. ``folder`` is the base of relative paths, and ``copies`` are files with
    the public tables of a server; neither is part of the decision or of the digest.

    ``ledger`` None keeps the ledger in memory (a frame in a notebook); otherwise it is a path. Two
    policies are equal when they decide the same; the order of tables and columns does not matter.
    """

    name: str
    engine: str
    ledger: str | None
    budgets: tuple[BudgetRule, ...]
    tables: tuple[TableRule, ...]
    analysts: tuple[AnalystRule, ...] = ()
    folder: Path = Path()
    max_failures: int = MAX_FAILURES
    copies: Mapping[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        mistakes = [
            *check_database(self.name, self.engine, self.max_failures),
            *check_ledger(self.ledger or ""),
            *chain.from_iterable(
                check_budget(rule, ("budgets", rule.population)) for rule in self.budgets
            ),
            *chain.from_iterable(check_table(rule, ("tables", rule.name)) for rule in self.tables),
            *chain.from_iterable(
                check_analyst(rule, ("analysts", rule.name)) for rule in self.analysts
            ),
            *check_consistency(self.budgets, self.tables, self.analysts),
            *check_links(self.tables),
        ]
        if mistakes:
            raise build_policy_error(mistakes)

    @classmethod
    def from_parts(cls, parts: PolicyParts, folder: Path = Path()) -> Policy:
        """Build the policy of parts that were read."""
        return cls(
            parts.name,
            parts.engine,
            parts.ledger,
            parts.budgets,
            parts.tables,
            parts.analysts,
            folder,
            parts.max_failures,
        )

    @classmethod
    def for_frame(
        cls,
        frame: object,
        *,
        unit: str | Sequence[str],
        neighbours: str,
        columns: Mapping[str, object] | None = None,
        epsilon: object,
        delta: object = None,
        noise: str = "laplace",
        max_groups: Cap = None,
        max_rows_per_group: Cap = None,
        max_units: int = 10_000_000,
        version: str = "1",
        ledger: str | Path | None = None,
        as_of: date | None = None,
    ) -> Policy:
        """Build the policy of one frame in memory, as table "data"; only the names and types of its
        columns are read.

        A column is declared by bounds ``(0, 110)``, by a list of values, by its type (``"text"``),
        by a dict as in a policy file, or not at all (None, or left out): then it has the type of
        the frame's schema, and no bounds.
        """
        budget = {"epsilon": epsilon, "delta": delta, "noise": noise}
        table: dict[str, Any] = {
            "source": FRAME_SOURCE,
            "unit": list(unit) if isinstance(unit, tuple) else unit,
            "neighbours": neighbours,
            "version": version,
            "max_units": max_units,
            "max_groups": max_groups,
            "max_rows_per_group": max_rows_per_group,
            **({} if as_of is None else {"as_of": as_of}),
        }
        parts, mistakes = read_document(
            build_frame_document(frame, budget, table, columns), files=False
        )
        if mistakes:
            raise build_policy_error(mistakes)
        return cls(
            "data",
            parts.engine,
            None if ledger is None else str(ledger),
            parts.budgets,
            parts.tables,
        )

    @classmethod
    def from_canonical(cls, text: str, folder: Path = Path()) -> Policy:
        """Build the policy of a canonical text."""
        try:
            return cls.from_parts(decode_policy(text), folder)
        # a number instead of text, or text instead of a number
        except (TypeError, AttributeError) as error:
            raise InvalidArgument("policy text", "is not the canonical text of a policy") from error

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self.canonical() == other.canonical()

    def __hash__(self) -> int:
        return hash(self.canonical())

    def canonical(self) -> str:
        """Return the canonical text: stable JSON with exact numbers."""
        return encode_policy(
            PolicyParts(
                self.name,
                self.engine,
                self.ledger,
                self.budgets,
                self.tables,
                self.analysts,
                self.max_failures,
            )
        )

    @property
    def digest(self) -> str:
        """The SHA-256 digest of the canonical text, in hexadecimal."""
        return hashlib.sha256(self.canonical().encode("ascii")).hexdigest()

    @property
    def warnings(self) -> tuple[str, ...]:
        """The settings that are allowed but probably not intended."""
        return tuple(list_warnings(self.budgets, self.tables))

    def budget(self, population: str) -> BudgetRule:
        """Return the budget of a population."""
        for rule in self.budgets:
            if rule.population == population:
                return rule
        raise InvalidArgument("population", "must have a budget in this policy", population)

    def table(self, name: str) -> TableRule | None:
        """Return the rule of a table, ignoring case; None without one."""
        wanted = name.casefold()
        return next((table for table in self.tables if table.name.casefold() == wanted), None)

    @property
    def partitions(self) -> dict[str, dict[str, object]]:
        """The partitioned tables, in the form that a ledger's ``accept`` takes."""
        return {
            table.name: {
                "population": table.population,
                "column": table.partition.column,
                "most": table.partition.max_parts_per_unit,
                "parts": list(table.parts),
            }
            for table in self.tables
            if table.partition is not None
        }

    def source_path(self, table: TableRule) -> Path:
        """Return the path of a table's file, or of the copy of a public table of a server."""
        return self.copies.get(table.name, self.folder / table.source)

    def identify_source(self, table: TableRule) -> str:
        """Name a table's data for the ledger: the real path of a file, or a table of a server."""
        if is_server(self.engine):
            return identify_server_table(self.engine, table.source)
        return str(self.source_path(table).resolve())

    @property
    def ledger_place(self) -> Path | ServerLocation | None:
        """The file of the ledger, or its place in a server; None when it is kept in memory."""
        return None if self.ledger is None else locate_ledger(self.ledger, self.folder)

    @property
    def ledger_path(self) -> Path | None:
        """The path of the ledger, or that beside which the anchor of one in a server stands; None
        when it is kept in memory.
        """
        place = self.ledger_place
        return place.path if isinstance(place, ServerLocation) else place


def build_policy_error(
    mistakes: list[Mistake], lines: Mapping[KeyPath, int] | None = None
) -> InvalidArgument:
    """Build one error that lists every mistake: by line where there is a file, else by the path of
    the key.
    """
    if lines is None:
        reports = [f"{'.'.join(mistake.path)}: {mistake.message}" for mistake in mistakes]
    else:
        numbered = sorted(
            ((_find_line(mistake.path, lines), mistake.message) for mistake in mistakes),
            key=lambda item: item[0],
        )
        reports = [f"line {line}: {message}" for line, message in numbered]
    count = "a mistake" if len(reports) == 1 else f"{len(reports)} mistakes"
    return InvalidArgument("policy", f"has {count}:\n  " + "\n  ".join(reports))


def _find_line(place: KeyPath, lines: Mapping[KeyPath, int]) -> int:
    return next((lines[place[:end]] for end in range(len(place), 0, -1) if place[:end] in lines), 1)
