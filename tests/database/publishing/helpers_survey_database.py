"""The survey's database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hedgerow as hr
from database.survey import write_survey


def opened(folder: Path, **options: Any) -> hr.Database:
    return hr.open(write_survey(folder, **options), in_process=True)
