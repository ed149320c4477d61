from __future__ import annotations

import numpy as np
import pytest

from hedgerow.engines.data_source import SOURCE_FAILED, Cells, Source
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
from hedgerow.errors import InvalidArgument


def test_cells_are_as_long_as_their_keys() -> None:
    cells = Cells((["a", None],), (np.array([1, 2]), np.array([2**70, 0], dtype=object)))
    assert len(cells) == 2
    with pytest.raises(InvalidArgument, match="as long as the keys"):
        Cells((["a"],), (np.array([1, 2]),))
    with pytest.raises(InvalidArgument, match="as long as the keys"):
        Cells((), (np.array([1, 2]), np.array([1])))


def test_cells_are_whole_numbers() -> None:
    with pytest.raises(InvalidArgument, match="must be integers"):
        Cells((), (np.array([1.0]),))


def test_both_engines_are_sources() -> None:
    kinds: tuple[type[Source], ...] = (DuckDB, IsolatedDuckDB)
    assert all(
        callable(getattr(kind, verb))
        for kind in kinds
        for verb in ("schema", "prepare", "run", "close")
    )


def test_the_error_states_the_charge_only() -> None:
    assert SOURCE_FAILED == (
        "The data source failed while answering, and the query was charged. Run it"
        " again; if it fails again, ask the custodian to check the data."
    )
