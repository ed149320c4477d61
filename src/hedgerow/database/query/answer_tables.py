"""The tables that SQL over noisy answers may read: these answers, declared keys, and public tables.
No protected table is in their catalog."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlglot import exp

from hedgerow.answers.dataframes import build_typed_table
from hedgerow.database.uncharged.diagnose import find_output_types, refuse_invalid_query
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.database.uncharged.public_query import run_public_query
from hedgerow.errors import Refused, SourceError
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Type, Value
from hedgerow.policy import Policy
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.postprocessing.constants import QueryConstant
from hedgerow.sql.public_tables.statement import PublicQuery, read_public_tree
from hedgerow.sql.syntax.privacy_clause import TokenisedQuery

__all__ = ["AnswerTables"]

_NOT_COMPUTED: Final = (
    "The noisy answers are stored, but the SQL over them failed: a value has no result, such as"
    " text in CAST that is not a number, or it took too long or too much memory. Change that part"
    " (TRY_CAST, fewer rows) and ask again, which is free."
)


@dataclass(slots=True)
class AnswerTables:
    """The answers that are known so far, by the names that the SQL over them uses."""

    policy: Policy
    catalog: Catalog
    heading: TokenisedQuery
    frames: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)  # of constants

    def __post_init__(self) -> None:
        tables = self.catalog.tables.items()
        public = {name: entry for name, entry in tables if entry.schema.unit is None}
        self.catalog = Catalog(public, self.catalog.database)

    def add_columns(self, name: str, types: Mapping[str, Type]) -> None:
        """Add a table whose rows are not known yet."""
        columns = tuple(Column(column, type_) for column, type_ in types.items())
        entry = TableEntry(Schema(name, columns, None))
        self.catalog = Catalog({**self.catalog.tables, name: entry}, self.catalog.database)

    def add_rows(
        self, name: str, types: Mapping[str, Type], rows: Sequence[Mapping[str, Any]]
    ) -> None:
        """Add the rows of a table."""
        self.add_columns(name, types)
        self.frames[name] = build_typed_table(types, rows)

    def read_query(self, tree: exp.Query) -> PublicQuery:
        """Read SQL over these tables; refuse what cannot run on them."""
        query = read_public_tree(self.heading, tree, self.catalog)
        refuse_invalid_query(query, self.catalog)
        return query

    def run_query(self, query: PublicQuery) -> ExactTable:
        """Run SQL over these tables."""
        try:
            return run_public_query(query, self.policy, self.catalog, self.frames)
        except SourceError:
            raise SourceError(_NOT_COMPUTED) from None

    def read_constant(self, constant: QueryConstant) -> PublicQuery:
        """Read a constant; refuse one of another type than its place takes."""
        query = self.read_query(constant.tree)
        types = find_output_types(query, self.catalog)
        if len(types) != 1 or not constant.accepts(types[0]):
            raise Refused(
                f"The subquery {_format_tree(constant, query)} does not have the type of what it"
                " is compared with. Write CAST(… AS DOUBLE), or compare values of one type."
            )
        return query

    def compute_values(self, constants: Sequence[QueryConstant]) -> bool:
        """Compute the values of constants from the answers that are known; return whether all are
        known then. Refuse a value that a condition cannot compare with."""
        for constant in constants:
            if constant.name in self.values:
                continue
            query = self.read_constant(constant)
            if not all(name in self.frames or self._is_public(name) for name in query.tables):
                return False
            rows = self.run_query(query).rows
            value = next(iter(rows[0].values())) if len(rows) == 1 else None
            if value is None or (isinstance(value, float) and not math.isfinite(value)):
                found = f"{len(rows)} rows" if len(rows) > 1 else "no value"
                raise Refused(
                    f"The subquery {_format_tree(constant, query)} has {found} instead of one"
                    " value, so nothing can be compared with it. Its noisy answers are stored:"
                    " change it with COALESCE, MAX or a larger epsilon, and ask again."
                )
            self.values[constant.name] = value
        return True

    def _is_public(self, name: str) -> bool:
        return self.policy.table(name) is not None


def _format_tree(constant: QueryConstant, query: PublicQuery) -> str:
    return query.text.format_node(constant.tree)
