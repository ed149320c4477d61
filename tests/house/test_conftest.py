"""The suite's own manners: slow tests stay out, and a missing part fails where automation runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
PLANTED = {
    "tests/engine_pool.py": "def share_engines(patch):\n    pass",
    "tests/slow/test_long.py": "def test_long():\n    assert False",
    "tests/test_part.py": (
        "import pytest\ndef test_part():\n    pytest.skip('no database server')\ndef test_fine():\n"
        "    assert True"
    ),
    "tests/test_module.py": (
        "import pytest\npytest.importorskip('no_such_part')\ndef test_it():\n    assert True"
    ),
}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    for name, text in PLANTED.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in ("conftest.py", "brief.py", "depth.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests" / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    return tmp_path


def last_line(suite: Path, ci: str, *options: str) -> tuple[int, str]:
    unneeded = [
        word
        for name in ("cacheprovider", "xdist", "pytest_cov", "anyio")
        for word in ("-p", f"no:{name}")
    ]
    command = [sys.executable, "-m", "pytest", "--assert=plain", *unneeded, *options]
    run = subprocess.run(
        command, cwd=suite, env=os.environ | {"CI": ci}, capture_output=True, text=True, check=False
    )
    return run.returncode, run.stdout.strip().splitlines()[-1]


def test_a_missing_part_is_a_skip_at_home(suite: Path) -> None:
    code, line = last_line(suite, "")
    assert code == 0
    assert "1 passed, 2 skipped, 1 deselected" in line


def test_a_missing_part_fails_where_automation_runs(suite: Path) -> None:
    code, line = last_line(suite, "true", "--continue-on-collection-errors")
    assert code == 1
    assert "1 failed, 1 passed, 1 deselected, 1 error" in line


def test_slow_tests_run_when_asked_for(suite: Path) -> None:
    code, line = last_line(suite, "", "-m", "slow")
    assert code == 1
    assert "1 failed" in line


def test_short_tests_that_have_run_already_are_left_out(suite: Path) -> None:
    (suite / "tests" / "core").mkdir()
    for name in ("core/test_room.py", "test_core.py", "test_corer.py"):
        text = (
            "import pytest\n@pytest.mark.long\ndef test_long():\n    assert True\ndef"
            " test_short():\n    assert True"
        )
        (suite / "tests" / name).write_text(text, encoding="utf-8")
    code, line = last_line(
        suite,
        "",
        "--long-only=tests/core",
        "--long-only=tests/test_core.py",
        "--ignore=tests/test_part.py",
    )
    assert code == 0
    assert "4 passed, 1 skipped, 3 deselected" in line


CASES = (
    "import pytest\n@pytest.mark.parametrize('n', [pytest.param(n, marks=pytest.mark.long) if n >"
    " 40 else n for n in range(50)])\n"
)
BRIEF = ("--brief", "-m", "not slow and not long", "tests/test_cases.py", "tests/test_costly.py")


@pytest.fixture
def uneven(suite: Path) -> Path:
    """A test of many cases, some of them long, and a costly test beside a cheap one."""
    (suite / "tests" / "test_cases.py").write_text(
        f"{CASES}def test_cases(n):\n    assert n <= 40", encoding="utf-8"
    )
    text = (
        "import time\ndef test_cheap():\n    assert True\ndef test_costly():\n    time.sleep(0.3)\n"
        "    assert True"
    )
    (suite / "tests" / "test_costly.py").write_text(text, encoding="utf-8")
    return suite


def test_the_brief_suite_has_few_cases_and_nothing_costly(uneven: Path) -> None:
    (uneven / "tests" / "costly.txt").write_text(
        "tests/test_costly.py::test_costly\n", encoding="utf-8"
    )
    code, line = last_line(uneven, "", *BRIEF)
    assert code == 0
    assert "3 passed, 49 deselected" in line


def test_costly_tests_are_written_to_the_list(uneven: Path) -> None:
    code, _ = last_line(uneven, "", "--costs", "-m", "not slow and not long")
    assert code == 0
    assert (uneven / "tests" / "costly.txt").read_text(
        encoding="utf-8"
    ) == "tests/test_costly.py::test_costly\n"
