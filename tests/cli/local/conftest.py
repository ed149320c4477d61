"""A metric file for the tests of ``hedgerow local``."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.local.helpers_metrics import METRIC


@pytest.fixture
def metric(tmp_path: Path) -> str:
    file = tmp_path / "colour.json"
    file.write_text(METRIC.to_json() + "\n")
    return str(file)
