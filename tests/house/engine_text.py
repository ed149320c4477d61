"""Where text goes to an engine, by the syntax of the sources: trees are written in one place, and
only these modules hand a statement to DuckDB, each with what its text is made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from house import rules

# Modules that turn a tree of the parser's into text, and what for.
WRITERS = {
    "engines.writing": "for an engine, once every text in the tree is known for what it is",
    "sql.text": "for people",
    "sql.folding": "for people",
    "risk.answers.selects": "for people",
    "risk.answers.conditions": "for people",
}
# Modules that know DuckDB, and where the text comes from that they hand to it.
ENGINES = {
    "engines.session": (
        "its own words, numbers of relations, paths in quotes, and what its callers wrote"
    ),
    "engines.packing": "none: it reads results",
    "engines.inspection": "none: it catches errors",
    "risk.answers.disclosure": "its own words, and names of columns in quotes",
    "risk.attack.reconstruction": "sql.phrases",
    "local.counting": "its own words, a path in quotes, and a hash in hex digits",
    "demo.tour": "questions of the demo, which is the custodian's own",
}
# Modules that hand a statement to a session or a child, and where its text comes from.
ASKERS = {
    "engines.compile": "engines.writing",
    "engines.crossing": "engines.writing",
    "engines.catalogue": "engines.writing",
    "engines.inspection": "engines.writing",
    "engines.child": "the process that asks, over its pipe",
    "engines.worker": "its callers, over a pipe",
    "database.free": "sql.phrases and engines.writing",
    "database.misread": "sql.phrases and engines.writing",
    "risk.table.sources": "its own words, names of columns in quotes, and engines.writing",
}
# Modules that double quotes, and for whom.
QUOTERS = {
    "engines.quoting": "engines, in statements that are put together by hand",
    "sql.phrases": "engines, in questions about public tables",
    "sql.quoting": "people, and our own reader",
    "sql.reading": "our own reader",
    "connection": "our own reader",
    "publish.report": "people",
    "plan.explain": "people",
    "database.facts": "people",
    "risk.answers.conditions": "people",
    "risk.answers.reading": "the reader of published answers",
}


def unlisted(root: Path) -> list[str]:
    """Places that write or hand on statements, and are on no list."""
    found = []
    for module, file in rules.modules(root).items():
        for line, known in _doors(file):
            if module not in known:
                found.append(
                    f"{file.relative_to(root)}:{line}: text for an engine, in a module that is on"
                    " no list"
                )
    return found


def _doors(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    text = file.read_text(encoding="utf-8")
    if not any(
        word in text
        for word in (".sql(", ".generate(", ".store(", "Statement(", "duckdb", ".replace(")
    ):
        return  # to read them all takes seconds
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            words = {keyword.arg for keyword in node.keywords}
            if node.func.attr == "sql" and ("dialect" in words or not node.args):
                yield node.lineno, WRITERS | ({"engines.compile": ""} if not words else {})
            if node.func.attr == "generate":
                yield node.lineno, WRITERS
            if (
                node.func.attr == "replace"
                and node.args
                and getattr(node.args[0], "value", None) in ("'", '"')
            ):
                yield node.lineno, QUOTERS
            if node.func.attr == "store" and len(node.args) == 2:
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
