"""The rules of the house, each a function from the folder of a package to its offences (empty =
clean).

They read the syntax tree only, so they run on a planted offender in a temporary folder as well as
on ``src/hedgerow``.
"""

from __future__ import annotations

import ast
import functools
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "hedgerow"

# Every room and its level. The shells over the library share one room; the public names stand just
# below them.
LEVELS: dict[str, float] = {
    "errors": 0,
    "numeric": 1,
    "privacy": 2,
    "sensitivity": 2.5,
    "mechanisms": 3,
    "plan": 3,
    "ledger": 3,
    "sqlite_file": 3.5,
    "sql": 4,
    "engines": 4,
    "policy": 4,
    "release": 5,
    "charts": 5.2,
    "accuracy": 5.3,
    "calibration": 5.5,
    "answers": 6,
    "local": 6,
    "verify": 6,
    "batch_composition": 6,
    "advisor": 6,
    "publish": 6.5,  # an answer is one release, a publication many
    "database": 7,
    "risk": 8,
    "client": 7.5,
    "api": 8,
    "dbapi": 8,
    "": 8.5,
    "cli": 9,
    "demo": 9,
    "service": 9,
    "__main__": 9,
}
SHELLS = {"cli", "demo", "service", "__main__"}
CORE = {"errors", "numeric", "privacy", "sensitivity", "mechanisms", "plan", "ledger", "release"}
CORE_MAY_IMPORT = {PACKAGE, "numpy", "cryptography"} | set(sys.stdlib_module_names)
# A database driver stands in a ledger store only: whoever wants another store adds a line here.
STORE_MAY_IMPORT = {
    "ledger.sqlite": {"apsw"},
    "ledger.sqlite_file": {"apsw"},
    "ledger.postgresql.connection": {"psycopg"},
    "ledger.postgresql.store": {"psycopg"},
}

MODULE_LINES, MEDIAN_LINES, FUNCTION_LINES, FOLDER_MODULES = 400, 150, 60, 20
# AST statements, which no formatter changes: behind one answer, and in one room of the core.
ANSWER_STATEMENTS, ROOM_STATEMENTS = 5500, 2000
# All that lets exact numbers out, with noise.
DOORS = {"release.release", "release.publication", "release.custom_release"}
PARTICIPLES = frozenset(
    "told said counted found settled drawn made known given kept shown chosen asked read_off held"
    " measured listed named written taken left met paid spent cut moved sorted_ split_ merged"
    " joined grouped filtered refused attacked discovered smoothed hoisted compiled used needed"
    " copied numbered rejected failed seen explained protected audited sketched".split()
)
SEEDS = {"seed", "rng", "random_state"}


def modules(root: Path) -> dict[str, Path]:
    """Dotted name (without the package; the package itself is the empty string) -> file."""
    found = {}
    for file in sorted(root.rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def room(module: str) -> str:
    return module.split(".")[0]


@functools.cache
def _nodes_of_text(text: str) -> tuple[ast.AST, ...]:
    """By text, so that each rule finds the sources read already, and a planted file is never
    taken for another.
    """
    return tuple(ast.walk(ast.parse(text)))


def nodes(file: Path) -> tuple[ast.AST, ...]:
    return _nodes_of_text(file.read_text(encoding="utf-8"))


def _imports(module: str, file: Path) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """(line, dotted module, names taken from it) for each import, lazy and typing-only ones
    included.
    """
    inside = [PACKAGE, *module.split(".")] if module else [PACKAGE]
    here = inside if file.name == "__init__.py" else inside[:-1]
    for node in nodes(file):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            yield (
                node.lineno,
                ".".join([*base, *([node.module] if node.module else [])]),
                tuple(alias.name for alias in node.names),
            )


def _targets(name: str, taken: tuple[str, ...], known: dict[str, Path]) -> Iterator[str]:
    """The modules of the package that an import runs; ``from hedgerow import privacy`` means the
    room, not the public names.
    """
    inner = name.removeprefix(PACKAGE).removeprefix(".")
    submodules = [f"{inner}.{item}".strip(".") for item in taken]
    yield from (module for module in submodules if module in known)
    if not taken or any(module not in known for module in submodules):
        yield inner


def edges(root: Path) -> Iterator[tuple[str, int, str]]:
    """(importing module, line, imported module) within the package."""
    known = modules(root)
    for module, file in known.items():
        for line, name, taken in _imports(module, file):
            if name.split(".")[0] == PACKAGE:
                yield from ((module, line, target) for target in _targets(name, taken, known))


def _say(root: Path, module: str, line: int, message: str) -> str:
    return f"{modules(root)[module].relative_to(root)}:{line}: {message}"


def rooms_without_level(root: Path) -> list[str]:
    return [
        f"{file.relative_to(root)}: room '{room(name)}' has no level"
        for name, file in modules(root).items()
        if room(name) not in LEVELS
    ]


def upward_imports(root: Path) -> list[str]:
    """A module imports only its own room or a lower level."""
    found = []
    for module, line, target in edges(root):
        a, b = room(module), room(target)
        same = a == b or {a, b} <= SHELLS
        if not same and LEVELS.get(b, 99) >= LEVELS.get(a, -1):
            found.append(
                _say(
                    root,
                    module,
                    line,
                    f"'{a or PACKAGE}' (level {LEVELS.get(a)}) imports '{b or PACKAGE}' (level"
                    f" {LEVELS.get(b)})",
                )
            )
    return found


def import_cycles(root: Path) -> list[str]:
    """Each cycle once, as a path that returns to its start. Depth-first search with the usual
    three colours.
    """
    graph: dict[str, set[str]] = {module: set() for module in modules(root)}
    for module, _, target in edges(root):
        graph[module].add(target)
    done: set[str] = set()
    found: list[str] = []

    def visit(module: str, path: list[str]) -> None:
        if module in path:
            found.append(
                " -> ".join(name or PACKAGE for name in [*path[path.index(module) :], module])
            )
        elif module not in done:
            for target in sorted(graph.get(module, ())):
                visit(target, [*path, module])
            done.add(module)

    for module in graph:
        visit(module, [])
    return found


def foreign_imports_of_core(root: Path) -> list[str]:
    """The trusted core stands on the standard library, numpy and cryptography; a ledger store
    also on its driver.
    """
    return [
        _say(root, module, line, f"trusted core imports '{name}'")
        for module, file in modules(root).items()
        if room(module) in CORE
        for line, name, _ in _imports(module, file)
        if name.split(".")[0] not in CORE_MAY_IMPORT | STORE_MAY_IMPORT.get(module, set())
    ]


def _lines(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def long_modules(root: Path) -> list[str]:
    return [
        f"{file.relative_to(root)}: {_lines(file)} lines, at most {MODULE_LINES}"
        for file in modules(root).values()
        if _lines(file) > MODULE_LINES
    ]


def long_functions(root: Path) -> list[str]:
    found = []
    for module, file in modules(root).items():
        for node in nodes(file):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > FUNCTION_LINES:
                    found.append(
                        _say(
                            root,
                            module,
                            node.lineno,
                            f"{node.name} has {length} lines, at most {FUNCTION_LINES}",
                        )
                    )
    return found


def _count_statements(file: Path) -> int:
    return sum(isinstance(node, ast.stmt) for node in nodes(file))


def behind_the_door(root: Path) -> set[str]:
    """What answers and publications depend on: ``DOORS`` and all that they import, directly or
    not. Rooms they do not name are not run through.
    """
    known, needed, open_ = modules(root), set[str](), set(DOORS)
    links: dict[str, set[str]] = {}
    for module, _, target in edges(root):
        links.setdefault(module, set()).add(target)
    while open_:
        module = open_.pop()
        needed.add(module)
        open_ |= {target for target in links.get(module, ()) if target in known} - needed
    return needed & set(known)


def core_too_large(root: Path) -> list[str]:
    """Trusting one answer means reading what it depends on: that stays a day's work."""
    known = modules(root)
    total = sum(_count_statements(known[module]) for module in behind_the_door(root))
    found = []
    if total > ANSWER_STATEMENTS:
        found.append(f"an answer depends on {total} statements, at most {ANSWER_STATEMENTS}")
    for name in sorted(CORE):
        size = sum(_count_statements(file) for key, file in known.items() if room(key) == name)
        if size > ROOM_STATEMENTS:
            found.append(f"the core room '{name}' has {size} statements, at most {ROOM_STATEMENTS}")
    return found


def crowded_folders(root: Path) -> list[str]:
    """Nobody finds a file in a folder of forty."""
    named = (file for file in modules(root).values() if file.name != "__init__.py")
    sizes = Counter(file.parent for file in named)
    return [
        f"{folder.relative_to(root)}: {size} modules, at most {FOLDER_MODULES}"
        for folder, size in sizes.items()
        if size > FOLDER_MODULES
    ]


def long_median(root: Path) -> list[str]:
    """Half of the modules can be read in a few minutes each."""
    middle = statistics.median(_lines(file) for file in modules(root).values())
    return [f"the median module has {middle} lines"] if middle > MEDIAN_LINES else []


def repeated_classes(root: Path) -> list[str]:
    """A public class name means one thing in the whole package."""
    places: dict[str, list[str]] = {}
    for module, file in modules(root).items():
        for node in nodes(file):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(module)
    return [f"{name}: {', '.join(where)}" for name, where in places.items() if len(where) > 1]


def participle_functions(root: Path) -> list[str]:
    """A function is a verb with its object; a bare participle says neither."""
    return [
        _say(root, module, node.lineno, f"{node.name} is a bare participle")
        for module, file in modules(root).items()
        for node in nodes(file)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and not any("property" in ast.unparse(one) for one in node.decorator_list)
        and node.name.strip("_") in PARTICIPLES
    ]


def _randomness_in(node: ast.AST) -> str | None:
    if isinstance(node, ast.Import) and any(
        alias.name.split(".")[0] == "random" or alias.name.startswith("numpy.random")
        for alias in node.names
    ):
        return "imports a seedable generator"
    if isinstance(node, ast.ImportFrom):
        name, taken = node.module or "", {alias.name for alias in node.names}
        if node.level == 0 and (
            name == "random"
            or name.startswith("numpy.random")
            or (name == "numpy" and "random" in taken)
        ):
            return "imports a seedable generator"
    if (
        isinstance(node, ast.Attribute)
        and node.attr == "random"
        and isinstance(node.value, ast.Name)
        and node.value.id in {"np", "numpy"}
    ):
        return "uses numpy.random"
    if isinstance(node, ast.arg) and node.arg in SEEDS:
        return f"takes a parameter '{node.arg}'"
    if (
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id in SEEDS
    ):
        return f"has a field '{node.target.id}'"
    return None


def seedable_randomness(root: Path) -> list[str]:
    """Whoever knows the seed knows the noise: nothing in the shipped package draws from, or
    takes, a seed.
    """
    return [
        _say(root, module, getattr(node, "lineno", 1), message)
        for module, file in modules(root).items()
        for node in nodes(file)
        if (message := _randomness_in(node))
    ]


def missing_tests(root: Path, tests: Path) -> list[str]:
    """Every module has its test file, at the same place."""
    return [
        f"{module}: no {mirror.relative_to(tests)}"
        for module, file in modules(root).items()
        if file.name not in {"__init__.py", "__main__.py"}
        for mirror in [tests / file.relative_to(root).parent / f"test_{file.stem.lstrip('_')}.py"]
        if not mirror.exists()
    ]


def orphan_tests(root: Path, tests: Path) -> list[str]:
    """Every test file in a mirrored room, and beside the rooms, has its module."""
    found = []
    for file in sorted(tests.rglob("test_*.py")):
        folder = file.relative_to(tests).parent
        stem = file.stem.removeprefix("test_")
        if (root / folder).is_dir() and not any(
            (root / folder / f"{name}.py").exists()
            for name in (stem, f"_{stem}", f"{stem}/__init__")
        ):
            found.append(f"{file.relative_to(tests)}: no module {folder / stem}.py")
    return found
