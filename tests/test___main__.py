"""``python -m hedgerow`` is the program ``hedgerow``."""

from __future__ import annotations

import subprocess
import sys

import hedgerow


def test_the_package_is_a_program() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "hedgerow", "--version"], capture_output=True, text=True, check=True
    )
    assert shown.stdout == f"hedgerow {hedgerow.__version__}\n"
