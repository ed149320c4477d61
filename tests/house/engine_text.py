"""The places where text goes to an engine, found in the syntax of the sources.

Trees are rendered in one place, and only the modules listed here hand a statement to DuckDB, each
with the origin of its text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from house import rules

# Modules that render a syntax tree as text, and for whom.
WRITERS = {
    "engines.compile.sql_writer": "for an engine, after every text in the tree is checked",
    "sql.syntax.source_text": "for people",
    "risk.answers.select_statements": "for people",
    "risk.answers.conditions": "for people",
}
# Modules that import DuckDB, and the origin of the text that they hand to it.
ENGINES = {
    "engines.duckdb.session": (
        "constant text, numbered relations, quoted paths, and statements of its callers"
    ),
    "engines.duckdb.process.message_encoding": "none: it reads results",
    "engines.duckdb.tables.inspect": "none: it catches errors",
    "risk.answers.disclosure": "constant text and quoted column names",
    "risk.attack.reconstruction": "sql.public_tables.phrases",
    "local.collector.count_files": "constant text, a quoted path, and a hash in hex digits",
    "service.wire.catalog.catalog_database": (
        "constant text, quoted names of catalogue relations, and service.wire.catalog.query_writer;"
        " this database holds no data"
    ),
    "demo.chapter": "queries of the demo, which is the custodian's own",
}
# Modules that hand a statement to a session or an engine process, and the origin of its text.
ASKERS = {
    "engines.compile.plan": "engines.compile.sql_writer",
    "engines.compile.contingency": "engines.compile.sql_writer",
    "engines.duckdb.tables.registry": "engines.compile.sql_writer",
    "engines.duckdb.tables.inspect": "engines.compile.sql_writer",
    "engines.postgresql.session": "engines.compile.sql_writer, and constant text",
    "engines.postgresql.inspection": "constant text, with parameters",
    "engines.public_copy": "engines.compile.sql_writer",
    "engines.spark.session": "engines.compile.sql_writer",
    "engines.spark.inspection": "engines.compile.sql_writer",
    "engines.duckdb.process.child_main": "the parent process, over a pipe",
    "database.uncharged.public_query": "sql.public_tables.phrases and engines.compile.sql_writer",
    "database.uncharged.diagnose": "sql.public_tables.phrases and engines.compile.sql_writer",
    "risk.table.encoded_tables": (
        "constant text, quoted column names, and engines.compile.sql_writer"
    ),
}
# Modules that double quotes, and for whom.
QUOTERS = {
    "engines.compile.quoting": "engines, in statements that are written by hand",
    "sql.public_tables.phrases": "engines, in queries of public tables",
    "sql.syntax.quoting": "people, and our own parser",
    "sql.parser": "our own parser",
    "policy.server_sources": "people, and the ledger",
    "dbapi.parameters": "our own parser",
    "publish.output.report": "people",
    "answers.expression_text": "people",
    "database.uncharged.system_tables": "people",
    "risk.answers.conditions": "people",
    "risk.answers.answer_files": "the reader of published answers",
    "service.wire.arrays": "clients, in arrays as text",
}


def unlisted(root: Path) -> list[str]:
    """Return the places that write or hand on statements and are not listed."""
    found = []
    for module, file in rules.modules(root).items():
        for line, known in _doors(file):
            if module not in known:
                found.append(
                    f"{file.relative_to(root)}:{line}: text for an engine, in a module that is not"
                    " listed"
                )
    return found


def _doors(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    text = file.read_text(encoding="utf-8")
    if not any(
        word in text
        for word in (".sql(", ".generate(", ".store_query(", "Statement(", "duckdb", ".replace(")
    ):
        return  # parsing every module takes seconds
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            words = {keyword.arg for keyword in node.keywords}
            if node.func.attr == "sql" and ("dialect" in words or not node.args):
                yield node.lineno, WRITERS
            if node.func.attr == "generate":
                yield node.lineno, WRITERS
            if (
                node.func.attr == "replace"
                and node.args
                and getattr(node.args[0], "value", None) in ("'", '"')
            ):
                yield node.lineno, QUOTERS
            if node.func.attr == "store_query" and len(node.args) == 2:
                yield node.lineno, ASKERS
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "Statement"
        ):
            yield node.lineno, ASKERS
        if isinstance(node, ast.Import) and any(
            alias.name in ("duckdb", "_duckdb") for alias in node.names
        ):
            yield node.lineno, ENGINES
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in (
            "duckdb",
            "_duckdb",
        ):
            yield node.lineno, ENGINES
