"""The rules for prose: docstrings, words that people read, errors with a fix, widths of lines.

Each rule is a function from the folder of a package to its offences, as in ``rules``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from house.rules import modules, nodes

WIDTH = 100
VERBS = frozenset(Path(__file__).with_name("verbs.txt").read_text(encoding="utf-8").split())

# A noun phrase never begins with one of these: they open a clause that only its author can read.
CLAUSE_OPENERS = frozenset(
    "what how whether where which who whom whose why when while of those these that this so as by"
    " from with within without in into at on for to between beyond below above after before because"
    " if unless until though like than then there it its they he she we you everything nothing"
    " nobody somebody anybody whatever whichever whoever wherever such".split()
)
COINED = re.compile(
    r"\b(purse|purses|kin|vain|told|untold|slips|desk|so many|so much of"
    r"|stands for|of nobody|(?<!there )is no (question|column|number|table|name|person)"
    r"|no less than is|has no say|comes? into play|picking|the door|worlds?)\b",
    re.IGNORECASE,
)
# A test is named after the behaviour that it checks: `test_what_is_refused` names none.
_EMPTY_TEST_OPENERS = ("what", "how", "of", "those", "so", "nor", "who", "whose", "which")
_FIX_WORDS = (
    "accept add allow answer apply ask attack avoid bound call change check choose clamp close "
    "combine compare convert copy correct count create cut declare define delete divide drop "
    "end filter fix give group import install join keep leave let list look lower make mark "
    "measure mount move name narrow nest open order pass point publish put quote raise read "
    "reconcile record reduce remove rename repeat replace report restart restore retry rewrite "
    "round run runs save say see select send set shorten sign simplify sort spell split start "
    "state store take trust try turn update upgrade use verify wait widen wrap write "
).split()
FIX_VERBS = re.compile(
    r"(^|[.;:,(\n] *|\b(or|and|please|then|to|custodian|x)  ?)" rf"({'|'.join(_FIX_WORDS)})\b",
    re.IGNORECASE,
)
# Errors that a person reads and can act on. InvalidArgument states the rule that its value breaks.
ACTIONABLE = frozenset(
    "Refused Unsupported Unbounded BudgetExceeded SourceError LedgerError EntropyError".split()
)


_ENGINE_SQL = re.compile(r"(CREATE|SELECT|INSERT|UPDATE|DELETE) ")  # stored column names stay


def _documented(root: Path) -> Iterator[tuple[str, ast.AST, str]]:
    for module, file in modules(root).items():
        for node in nodes(file):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node)
                if text:
                    yield module, node, text


def _is_property(node: ast.AST) -> bool:
    decorators = getattr(node, "decorator_list", ())
    return any("property" in ast.unparse(one) for one in decorators)


def clumsy_docstrings(root: Path) -> list[str]:
    """A function's docstring begins with a verb, any other with a noun phrase."""
    found = []
    for module, node, text in _documented(root):
        first = re.split(r"[\s,:;.]", text.strip("`*\"'("), maxsplit=1)[0]
        function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if function and not _is_property(node):
            wrong = first not in VERBS
        else:
            is_predicate = first == "Whether" and function
            wrong = first.lower() in CLAUSE_OPENERS and not is_predicate
        if wrong:
            line = getattr(node, "lineno", 1)
            found.append(f"{module}:{line}: {text.splitlines()[0][:70]!r}")
    return found


def _prose(file: Path) -> Iterator[tuple[int, str]]:
    """String literals of three words or more, docstrings included; f-strings without values."""
    for node in nodes(file):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and len(node.value.split()) >= 3 and not _ENGINE_SQL.match(node.value):
            yield node.lineno, node.value


def coined_words(root: Path) -> list[str]:
    """No docstring, message or help line uses a word that only its author knows."""
    return [
        f"{module}:{line}: {hit[0]!r}"
        for module, file in modules(root).items()
        for line, text in _prose(file)
        if (hit := COINED.search(text))
    ]


def unclear_test_names(root: Path) -> list[str]:
    """No test name uses a coined word or begins with a relative clause."""
    found = []
    for module, file in modules(root).items():
        for node in nodes(file):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                words = node.name.removeprefix("test_").split("_")
                if words[0] in _EMPTY_TEST_OPENERS or COINED.search(" ".join(words)):
                    found.append(f"{module}:{node.lineno}: {node.name}")
    return found


def _literal_text(node: ast.AST) -> str | None:
    """The words of a literal or f-string (values as x); None for anything computed."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(_literal_text(part) or " x " for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [_literal_text(node.left), _literal_text(node.right)]
        return None if None in parts else "".join(filter(None, parts))
    return None


def _names_a_fix(text: str) -> bool:
    """A verb to follow, the rule that was broken, or advice that is computed: at the end, or
    in the error that this one continues.
    """
    return bool(FIX_VERBS.search(text) or re.search(r"\b(must|needs?)\b|^ x | x $| x \.$", text))


def errors_without_fix(root: Path) -> list[str]:
    """Every error whose words stand in the source says what to do about it."""
    found = []
    for module, file in modules(root).items():
        for node in nodes(file):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if name not in ACTIONABLE:
                continue
            text = _literal_text(node.args[0])
            if text is not None and not _names_a_fix(text):
                found.append(f"{module}:{node.lineno}: {name}: {' '.join(text.split())[:90]!r}")
    return found


def wide_lines(files: list[Path], root: Path) -> list[str]:
    """Lines above the limit; tables, links and pictures of Markdown cannot be broken."""
    found = []
    for file in files:
        fenced = False
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            fenced ^= line.lstrip().startswith("```")
            unbreakable = file.suffix == ".md" and (
                fenced or line.lstrip().startswith(("|", "!", "<", "[")) or " " not in line[60:]
            )
            if len(line) > WIDTH and not unbreakable:
                found.append(f"{file.relative_to(root)}:{number}: {len(line)} characters")
    return found
