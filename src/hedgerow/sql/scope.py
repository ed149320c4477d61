"""The one table of a question and the names that it gives."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from hedgerow.errors import Refused, Unsupported
from hedgerow.plan.schema import Column
from hedgerow.plan.values import Range
from hedgerow.sql.catalog import TableEntry, nearest
from hedgerow.sql.text import Text

__all__ = ["Scope"]


@dataclass(frozen=True, slots=True)
class Scope:
    """``table`` as the policy spells it, ``alias`` as the question calls it."""

    text: Text
    table: str
    alias: str
    entry: TableEntry

    @property
    def ranges(self) -> dict[str, Range]:
        """What is known about each column."""
        return {column.name: column.range for column in self.entry.columns}

    def find(self, node: exp.Column) -> Column | None:
        """The column that is named here, if the table has it."""
        self.check_table(node)
        return self.entry.column(node.name)

    def column(self, node: exp.Column, *also: str) -> Column:
        """The column that is named here; unknown and hidden names are refused alike. ``also`` are further names to suggest."""
        found = self.find(node)
        if found is None:
            raise self.unknown(node, *also)
        return found

    def check_table(self, node: exp.Column) -> None:
        """Refuses t.x where t is not the table of the question."""
        table = node.args.get("table")
        if table is not None and table.name.casefold() != self.alias.casefold():
            what = f"{table.name[:60]} is not the table of this question"
            raise self.text.refusal(Unsupported, what, table, f"Write {self.alias}.{node.name[:60]}, or the column alone.")

    def unknown(self, node: exp.Column, *also: str) -> Refused:
        """The refusal of a name that is not there."""
        name = node.name[:60]
        if self.entry.is_unit(node.name):
            what = f"{name} says whose rows these are, and is no column of questions"
            return self.text.refusal(Unsupported, what, node, "Ask about everybody: COUNT(*), or COUNT(*) with GROUP BY another column.")
        close = nearest(node.name, [*(column.name for column in self.entry.columns), *also])
        known = ", ".join(column.name for column in self.entry.columns)
        instead = f"Did you mean {close}?" if close else f"The columns are {known}." if known else "No column of it may be asked for."
        return self.text.refusal(Unsupported, f"{self.table} has no column {name}", node, instead)
