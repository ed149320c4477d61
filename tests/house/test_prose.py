"""The words of the house: each rule holds for the sources, and trips on a planted offender."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from house import prose
from house.test_layers import plant

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "hedgerow"
Rule = Callable[[Path], list[str]]


@pytest.mark.parametrize(
    "rule", [prose.clumsy_docstrings, prose.coined_words, prose.errors_without_fix]
)
def test_the_sources_read_well(rule: Rule) -> None:
    offences = rule(SRC)
    assert not offences, "\n".join(offences)


def test_test_names_state_a_behaviour() -> None:
    offences = prose.unclear_test_names(ROOT / "tests")
    assert not offences, "\n".join(offences)


def test_no_line_is_wider_than_the_limit() -> None:
    folders = ("src", "tests", "bench", "examples", "docs")
    files = [
        *ROOT.glob("*.md"),
        *(file for name in folders for file in (ROOT / name).rglob("*.py")),
        *(file for name in folders for file in (ROOT / name).rglob("*.md")),
    ]
    offences = prose.wide_lines(files, ROOT)
    assert not offences, "\n".join(offences)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (prose.clumsy_docstrings, 'def f():\n    """What one release costs."""'),
        (prose.clumsy_docstrings, 'def f():\n    """Returns the cost."""'),
        (prose.clumsy_docstrings, 'class Cost:\n    """How much is paid."""'),
        (prose.clumsy_docstrings, '"""Where rows come from."""'),
        (
            prose.clumsy_docstrings,
            'class C:\n    @property\n    def cost(self):\n        """Of one release."""',
        ),
        (prose.coined_words, 'x = "Of each unit so many rows count."'),
        (prose.coined_words, 'def f():\n    """Return the purse of a table."""'),
        (prose.coined_words, 'x = f"{1} groups are told apart by keys"'),
        (prose.unclear_test_names, "def test_what_is_refused(): ..."),
        (prose.unclear_test_names, "def test_a_full_disk_is_told(): ..."),
        (prose.errors_without_fix, 'raise Refused("The sky is blue today.")'),
        (prose.errors_without_fix, 'raise LedgerError(f"File {1} is not " + "a ledger.")'),
    ],
)
def test_prose_rule_trips(rule: Rule, text: str, tmp_path: Path) -> None:
    assert len(rule(plant(tmp_path, {"errors.py": text}))) == 1


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (prose.clumsy_docstrings, 'def f():\n    """Return the cost of one release."""'),
        (prose.clumsy_docstrings, 'class Cost:\n    """The loss of one release."""'),
        (
            prose.clumsy_docstrings,
            'class C:\n    @property\n    def cost(self):\n        """The cost of it."""',
        ),
        (
            prose.clumsy_docstrings,
            'class C:\n    @property\n    def paid(self):\n        """Whether it is paid."""',
        ),
        (prose.errors_without_fix, 'raise Refused(f"The scale must be above {0}.")'),
        (prose.errors_without_fix, 'raise Refused(f"The anchor is missing. {ADVICE}")'),
        (prose.unclear_test_names, "def test_a_full_disk_is_reported(): ..."),
        (prose.unclear_test_names, "def what_is_told(): ..."),
        (prose.coined_words, 'x = ("told", "purse")  # short strings are data'),
        (prose.errors_without_fix, 'raise Refused("No bounds. Declare min and max.")'),
        (prose.errors_without_fix, 'raise Refused(message)\nraise ValueError("no fix")'),
    ],
)
def test_prose_rule_lets_good_text_pass(rule: Rule, text: str, tmp_path: Path) -> None:
    assert rule(plant(tmp_path, {"errors.py": text})) == []


def test_wide_lines_are_found_unless_they_cannot_be_broken(tmp_path: Path) -> None:
    code, page = tmp_path / "a.py", tmp_path / "a.md"
    code.write_text("x = 1\n# " + "word " * 20 + "\n", encoding="utf-8")
    table = "| " + "cell | " * 20
    page.write_text(f"{'word ' * 21}\n\n{table}\n```text\n{'word ' * 30}\n```\n", encoding="utf-8")
    assert prose.wide_lines([code, page], tmp_path) == [
        "a.py:2: 102 characters",
        "a.md:1: 105 characters",
    ]
