from __future__ import annotations

import subprocess
import sys

import pytest

from hedgerow.engines.desk import Limits
from hedgerow.errors import InvalidArgument


@pytest.mark.parametrize("limits", [{"threads": 0}, {"memory": -1}, {"threads": 1.5}])
def test_limits_are_whole_numbers(limits: dict[str, int]) -> None:
    with pytest.raises(InvalidArgument, match=r"threads|memory"):
        Limits(**limits)


def test_who_asks_through_it_loads_no_engine() -> None:
    code = "import sys, hedgerow.engines.worker, hedgerow.engines.duckdb; print({'duckdb', 'pyarrow', 'pandas'} & sys.modules.keys())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"
