from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hedgerow.engines.duckdb import session_protocol
from hedgerow.engines.duckdb.session_protocol import EngineLimits, hide_engine_errors
from hedgerow.errors import InvalidArgument, SourceError


@pytest.mark.parametrize("limits", [{"threads": 0}, {"memory": -1}, {"threads": 1.5}])
def test_limits_are_whole_numbers(limits: dict[str, int]) -> None:
    with pytest.raises(InvalidArgument, match=r"threads|memory"):
        EngineLimits(**limits)


def test_an_engine_may_use_half_of_the_memory_of_its_control_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    none, group = tmp_path / "none", tmp_path / "group"
    none.write_text("max\n")
    monkeypatch.setattr(session_protocol, "_CONTROL_GROUP_LIMITS", (str(none), "/no/such/file"))
    assert EngineLimits().max_bytes == whole // 2
    group.write_text("1000000\n")
    monkeypatch.setattr(session_protocol, "_CONTROL_GROUP_LIMITS", (str(none), str(group)))
    assert EngineLimits().max_bytes == 500_000
    assert EngineLimits(memory=7).max_bytes == 7


def test_the_parent_process_loads_no_engine() -> None:
    code = (
        "import sys, hedgerow.engines.duckdb.engine;"
        " import hedgerow.engines.duckdb.process.engine_process;"
        " print({'duckdb', 'pyarrow', 'pandas'} & sys.modules.keys())"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"


def test_messages_of_the_engine_are_not_passed_on() -> None:
    def fails() -> int:
        raise ValueError("row 7 holds a secret")

    with pytest.raises(SourceError, match=r"^It cannot be read\.$") as caught:
        hide_engine_errors(fails, "It cannot be read.")
    assert caught.value.__cause__ is caught.value.__context__ is None
    with pytest.raises(InvalidArgument, match="threads"):
        hide_engine_errors(lambda: EngineLimits(threads=0), "It cannot be read.")
    assert hide_engine_errors(lambda: 7, "It cannot be read.") == 7
