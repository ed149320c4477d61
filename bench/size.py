"""How large the package is, in a measure that formatting does not change: AST statements.

``python -m bench.size [FOLDER …]`` prints one column for each package folder, ``src/hedgerow``
unless others are named, so that two checkouts can be compared.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

TRUSTED_CORE = frozenset(
    "errors numeric privacy sensitivity statistics mechanisms plan ledger release"
    " linear picking purse tabulated threshold".split()
)  # the last five, and statistics, are folders of versions before the tree was redrawn
CLAUSE_OPENERS = frozenset("What How Whether Where Which Who Why Of Those That So As".split())
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One source file of a package."""

    name: str
    lines: int
    widest: int
    tree: ast.Module

    @property
    def is_trusted(self) -> bool:
        """Whether the module belongs to the trusted core; the slow interpreter never did."""
        return self.name.split(".")[0] in TRUSTED_CORE and "reference" not in self.name

    @property
    def functions(self) -> list[Function]:
        """Every function and method."""
        return [node for node in ast.walk(self.tree) if isinstance(node, Function)]


def read_modules(root: Path) -> list[Module]:
    """Parse every module below a package folder."""
    found = []
    for file in sorted(root.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        lines = text.splitlines()
        name = ".".join(file.relative_to(root).with_suffix("").parts)
        widest = max(map(len, lines), default=0)
        found.append(Module(name, len(lines), widest, ast.parse(text)))
    return found


def count_statements(tree: ast.AST) -> int:
    """Count the statements below a node."""
    return sum(isinstance(node, ast.stmt) for node in ast.walk(tree))


def _list_first_words(modules: Sequence[Module]) -> Iterator[str]:
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, Function | ast.ClassDef | ast.Module):
                text = ast.get_docstring(node)
                if text:
                    yield text.split()[0]


def _list_repeated_classes(modules: Sequence[Module]) -> list[str]:
    names = Counter(
        node.name
        for module in modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return [name for name, count in names.items() if count > 1]


def _is_short(function: Function) -> bool:
    documented = ast.get_docstring(function) is not None
    return sum(map(count_statements, function.body[documented:])) <= 2


def measure(root: Path) -> dict[str, int | float]:
    """Return the figures of a package folder."""
    modules = read_modules(root)
    functions = [one for module in modules for one in module.functions]
    words = list(_list_first_words(modules))
    folders = Counter(module.name.rpartition(".")[0] for module in modules)
    lengths = [(one.end_lineno or one.lineno) - one.lineno + 1 for one in functions]
    return {
        "modules": len(modules),
        "modules in the largest folder": max(folders.values()),
        "median lines of a module": statistics.median(module.lines for module in modules),
        "lines of the longest module": max(module.lines for module in modules),
        "modules above 400 lines": sum(module.lines > 400 for module in modules),
        "widest line": max(module.widest for module in modules),
        "AST statements": sum(count_statements(module.tree) for module in modules),
        "AST statements of the trusted core": sum(
            count_statements(module.tree) for module in modules if module.is_trusted
        ),
        "physical lines": sum(module.lines for module in modules),
        "functions": len(functions),
        "functions of one or two statements": sum(map(_is_short, functions)),
        "functions above 60 lines": sum(length > 60 for length in lengths),
        "public class names used twice": len(_list_repeated_classes(modules)),
        "docstrings": len(words),
        "docstrings that open with a clause": sum(word in CLAUSE_OPENERS for word in words),
        "docstrings that open with an article": sum(word in {"The", "A", "An"} for word in words),
    }


def main(arguments: Sequence[str]) -> int:
    """Print the figures of each folder in a column of its own."""
    roots = [Path(argument) for argument in arguments] or [Path("src/hedgerow")]
    columns = [measure(root) for root in roots]
    table = Table("measure", *map(str, roots))
    for name in columns[0]:
        table.add_row(name, *(f"{column[name]:,}" for column in columns))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
