"""Tests mirror the sources file for file."""

from __future__ import annotations

from pathlib import Path

from house import rules

TESTS = Path(__file__).parents[1]
SRC = TESTS.parent / "src" / "hedgerow"


def test_every_module_has_its_test_file() -> None:
    missing = rules.missing_tests(SRC, TESTS)
    assert not missing, "\n".join(missing)


def test_every_test_file_has_its_module() -> None:
    orphans = rules.orphan_tests(SRC, TESTS)
    assert not orphans, "\n".join(orphans)


def test_both_rules_trip(tmp_path: Path) -> None:
    src, tests = tmp_path / "src", tmp_path / "tests"
    for name in (
        "src/errors.py",
        "src/numeric/__init__.py",
        "src/numeric/bits.py",
        "src/numeric/_chunk.py",
        "tests/numeric/test_chunk.py",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tests / "test_cli.py").touch()
    (tests / "numeric" / "test_gone.py").touch()
    (tests / "laws").mkdir()
    (tests / "laws" / "test_any.py").touch()

    assert rules.missing_tests(src, tests) == [
        "errors: no test_errors.py",
        "numeric.bits: no numeric/test_bits.py",
    ]
    assert rules.orphan_tests(src, tests) == [
        "numeric/test_gone.py: no module numeric/gone.py",
        "test_cli.py: no module cli.py",
    ]
