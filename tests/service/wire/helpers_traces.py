"""Statements that tools send when they first meet a database, and two ways to send them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pygwire import messages as pg
from pygwire.messages import PGMessage

from hedgerow.service.wire.statement_text import split_statements, write_parameters

__all__ = ["TRACES", "TracedStatement", "read_trace"]

TRACES: Final = sorted((Path(__file__).parent / "traces").glob("*.sql"))
_BINDS: Final = re.compile(r"^-- binds (?P<values>.*)\n", re.MULTILINE)
_OIDS: Final = {"int4": 23, "int8": 20, "varchar": 1043}


@dataclass(frozen=True)
class TracedStatement:
    """A statement with the types and the texts of its parameters."""

    sql: str
    types: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def plain(self) -> str:
        """The statement as a driver sends it that writes the values itself."""
        literals = [
            f"'{value}'" if type_ == "varchar" else value
            for type_, value in zip(self.types, self.values, strict=True)
        ]
        return write_parameters(self.sql, literals)

    def write_as_jdbc(self) -> list[PGMessage]:
        """Return the messages of JDBC: no name, the types of the driver, text."""
        return [
            pg.Parse(query=self.sql, param_types=[_OIDS[type_] for type_ in self.types]),
            pg.Bind(param_values=[value.encode() for value in self.values]),
            pg.Describe(kind="P", name=""),
            pg.Execute(),
        ]

    def write_as_pgx(self, number: int) -> list[PGMessage]:
        """Return the messages of pgx: a name, described before it is bound, binary where it can."""
        name = f"stmtcache_{number}"
        return [
            pg.Parse(statement=name, query=self.sql),
            pg.Describe(kind="S", name=name),
            pg.Bind(
                statement=name,
                param_values=[value.encode() for value in self.values],
                result_formats=[1],
            ),
            pg.Describe(kind="P", name=""),
            pg.Execute(),
        ]


def read_trace(path: Path) -> Iterator[TracedStatement]:
    """Read the statements of a file."""
    for text in split_statements(path.read_text(encoding="utf-8")):
        match = _BINDS.search(text)
        bound = match["values"].split(", ") if match else []
        types, values = zip(*(one.split(" ") for one in bound), strict=True) if bound else ((), ())
        yield TracedStatement(_BINDS.sub("", text), types, values)
