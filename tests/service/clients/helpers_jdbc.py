"""The JDBC driver at work, in a process of its own: prints what it read as JSON.

Run with the port, the token, the path of the driver, a question, one with two parameters, and one
that is refused.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import jpype
import jpype.imports


def read_rows(found: Any, *names: str) -> list[list[Any]]:
    """Return the rows of a result: all of its columns, or those of some names."""
    columns = range(1, found.getMetaData().getColumnCount() + 1)
    rows = []
    while found.next():
        cells = [found.getObject(one) for one in (names or columns)]
        rows.append([str(cell) if cell is not None else None for cell in cells])
    return rows


def connect(port: str, token: str, **options: str) -> Any:
    from java.sql import DriverManager
    from java.util import Properties

    properties = Properties()
    for name, value in {"user": "ana", "password": token, **options}.items():
        properties.setProperty(name, value)
    return DriverManager.getConnection(f"jdbc:postgresql://127.0.0.1:{port}/clinic", properties)


def ask(connection: Any, question: str, prepared: str) -> dict[str, Any]:
    """Ask with and without parameters, often enough that the driver prepares on the server."""
    statement = connection.createStatement()
    found: dict[str, Any] = {"asks": read_rows(statement.executeQuery(question))}
    warning, notes = statement.getWarnings(), []
    while warning is not None:
        notes.append(str(warning.getMessage()))
        warning = warning.getNextWarning()
    found["notes"] = notes
    bound = connection.prepareStatement(prepared)
    found["binds"] = []
    for _ in range(7):
        bound.setInt(1, 30)
        bound.setString(2, "north")
        found["binds"] += read_rows(bound.executeQuery())
    return found


def explore(connection: Any) -> dict[str, Any]:
    """Read the metadata that tools read."""
    meta = connection.getMetaData()
    typed = connection.prepareStatement("SELECT COUNT(*) FROM visits WHERE age > ? AND region = ?")
    parameters = typed.getParameterMetaData()
    empty = (
        meta.getPrimaryKeys(None, "public", "visits"),
        meta.getImportedKeys(None, "public", "visits"),
        meta.getExportedKeys(None, "public", "visits"),
        meta.getIndexInfo(None, "public", "visits", False, True),
        meta.getFunctions(None, None, "%"),
        meta.getProcedures(None, None, "%"),
        meta.getUDTs(None, None, "%", None),
        meta.getBestRowIdentifier(None, "public", "visits", 0, True),
    )
    return {
        "tables": read_rows(meta.getTables(None, "public", "%", None), "TABLE_NAME", "REMARKS"),
        "columns": read_rows(
            meta.getColumns(None, "public", "visits", "%"), "COLUMN_NAME", "TYPE_NAME", "REMARKS"
        ),
        "schemas": [row[0] for row in read_rows(meta.getSchemas(), "TABLE_SCHEM")],
        "catalogues": [row[0] for row in read_rows(meta.getCatalogs())],
        "privileges": len(read_rows(meta.getTablePrivileges(None, "public", "visits"))),
        "types": len(read_rows(meta.getTypeInfo())),
        "keywords": str(meta.getSQLKeywords() or ""),
        "empty": [read_rows(one) for one in empty],
        "parameters": [str(parameters.getParameterTypeName(place)) for place in (1, 2)],
        "outputs": [str(typed.getMetaData().getColumnTypeName(1))],
    }


def main() -> None:
    port, token, driver, question, prepared, refused = sys.argv[1:]
    jpype.startJVM("-Xmx64m", "-XX:TieredStopAtLevel=1", classpath=[driver])
    from java.io import StringWriter
    from java.sql import Date, SQLException
    from org.postgresql import PGConnection

    connection = connect(port, token)
    found = ask(connection, question, prepared) | explore(connection)
    dated = connection.prepareStatement("SELECT ?::date")
    dated.setDate(1, Date.valueOf("2026-01-31"))
    found["date"] = read_rows(dated.executeQuery())
    writer = StringWriter()
    copies = connection.unwrap(PGConnection).getCopyAPI()
    copies.copyOut(f"COPY ({question}) TO STDOUT CSV", writer)
    found["copies"] = str(writer)
    try:
        connection.createStatement().executeQuery(refused)
    except SQLException as error:
        found["errors"] = [str(error.getSQLState()), str(error.getMessage())]
    connection.setAutoCommit(False)
    parts = connection.createStatement()
    parts.setFetchSize(1)
    found["parts"] = read_rows(parts.executeQuery(question))
    connection.rollback()
    found["rollback"] = str(connection.getWarnings().getMessage())
    connection.close()
    simple = connect(port, token, preferQueryMode="simple")
    found["simple"] = ask(simple, question, prepared)["asks"]
    simple.close()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
