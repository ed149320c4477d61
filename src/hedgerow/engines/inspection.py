"""What columns data have, without a look at any row: how a policy is laid over a file or a frame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from hedgerow.engines.catalogue import Registered, physical, shelf_of
from hedgerow.engines.session import Limits, Session
from hedgerow.engines.source import PhysicalColumn
from hedgerow.errors import SourceError

__all__ = ["check_fit", "inspect"]


def inspect(data: Path | pa.Table) -> tuple[PhysicalColumn, ...]:
    """The columns of a .csv or .parquet file (by its path) or of an Arrow table."""
    if isinstance(data, Path):
        _check(data)
    session = Session([data] if isinstance(data, Path) else [], Limits())
    try:
        attached = session.attach_file("it", data) if isinstance(data, Path) else session.attach_object("it", data)
        return physical(attached.columns)
    except duckdb.Error:
        pass
    finally:
        session.close()
    raise SourceError(f"{data.name} cannot be read." if isinstance(data, Path) else "The frame cannot be read.")


def check_fit(table: Registered, columns: Sequence[PhysicalColumn]) -> None:
    """Whether declared types can be read from those of the data; SourceError where not. A .csv file is text, which may spell anything."""
    if table.path is None or table.path.suffix.lower() != ".csv":
        shelf_of(table.schema, "", columns)


def _check(path: Path) -> None:
    if not path.is_file():
        raise SourceError(f"There is no file {path}.")
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise SourceError(f"{path.name} is neither a .csv nor a .parquet file.")
