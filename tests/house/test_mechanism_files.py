"""Each mechanism stands in its own file, with its proof above it."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

HEADINGS = ("Statement", "Proof", "Accuracy", "Arithmetic", "Edges", "Source")
# A mechanism and its proof should fit on a few screens. The limit was 150 lines of 140
# characters; the same text, with one parameter to a line, takes up to 250 lines of 100.
LINES = range(60, 251)
SHAPES = {"additive", "selection", "response", "point", "smooth", "tested"}


def shared_files(classes: Sequence[type]) -> list[str]:
    """Classes that do not have a file of their own inside ``hedgerow.mechanisms``."""
    homes = [cls.__module__ for cls in classes]
    return [
        cls.__name__
        for cls in classes
        if homes.count(cls.__module__) > 1 or not cls.__module__.startswith("hedgerow.mechanisms.")
    ]


def headings(docstring: str) -> list[str]:
    """The headings in their order: the word opens a line, bold or not."""
    return [
        word
        for word in re.findall(r"^\W*(\w+)\b", docstring, flags=re.MULTILINE)
        if word in HEADINGS
    ]


def wrong_file(module: ModuleType) -> list[str]:
    found = []
    if (seen := headings(module.__doc__ or "")) != list(HEADINGS):
        found.append(f"{module.__name__}: headings are {seen}, not {list(HEADINGS)}")
    lines = len(Path(inspect.getfile(module)).read_text(encoding="utf-8").splitlines())
    if lines not in LINES:
        found.append(f"{module.__name__}: {lines} lines, not {LINES.start} to {LINES.stop - 1}")
    return found


def test_one_file_for_each_mechanism() -> None:
    from hedgerow.mechanisms import ALL

    assert len(ALL) >= 6
    assert shared_files(ALL) == []
    assert {cls.shape for cls in ALL} == SHAPES


def test_each_file_carries_its_proof() -> None:
    from hedgerow.mechanisms import ALL

    offences = [offence for cls in ALL for offence in wrong_file(sys.modules[cls.__module__])]
    assert not offences, "\n".join(offences)


def test_two_mechanisms_in_one_file_are_seen() -> None:
    one = type("One", (), {"__module__": "hedgerow.mechanisms.pair"})
    two = type("Two", (), {"__module__": "hedgerow.mechanisms.pair"})
    stray = type("Stray", (), {"__module__": "hedgerow.verify.laws"})
    alone = type("Alone", (), {"__module__": "hedgerow.mechanisms.alone"})
    assert shared_files([one, two, stray, alone]) == ["One", "Two", "Stray"]


def test_a_file_without_proof_and_of_the_wrong_length_is_seen(tmp_path: Path) -> None:
    module = ModuleType("hedgerow.mechanisms.planted")
    module.__file__ = str(tmp_path / "planted.py")
    good = "\n".join(f"**{word}** …" for word in HEADINGS)

    (tmp_path / "planted.py").write_text("x = 1\n" * 60, encoding="utf-8")
    module.__doc__ = good
    assert wrong_file(module) == []
    module.__doc__ = good.replace("**Proof**", "")
    assert "headings are" in wrong_file(module)[0]
    module.__doc__ = good
    for lines in (59, 251):
        (tmp_path / "planted.py").write_text("x = 1\n" * lines, encoding="utf-8")
        assert f"{lines} lines" in wrong_file(module)[0]
