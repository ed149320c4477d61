"""Snapshots of data frames: Arrow tables that nobody else can change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hedgerow.errors import InvalidArgument, SourceError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["serialize_table", "take_snapshot"]


def take_snapshot(data: Any, table: str) -> pa.Table:
    """Take a snapshot of a frame. Columns without an Arrow type are left out; declaring one is an
    error later.

    An Arrow table counts as immutable. It is, unless it was built over a numpy array without a
    copy, which cannot be detected: that array must not be changed afterwards.
    """
    import pyarrow as pa  # imported here: only frames need it

    if isinstance(data, pa.Table):
        return _validate_table(data, table)
    if type(data).__module__.partition(".")[0] == "pandas":
        return _validate_table(_convert_pandas(data), table)
    if not hasattr(data, "__arrow_c_stream__"):
        raise InvalidArgument(
            "data", "must be a path, or an Arrow, pandas or polars frame", type(data).__name__
        )
    return _validate_table(_import_stream(data, table), table)


def _import_stream(data: Any, table: str) -> pa.Table:
    import pyarrow as pa

    try:
        found = pa.table(data)
    # types that only its library knows, such as the 128-bit integers of polars
    except pa.ArrowException:
        pass
    else:
        return found if type(data).__module__.partition(".")[0] == "polars" else _copy_table(found)
    raise SourceError(
        f"The frame of {table} has columns that cannot be read. Convert them to numbers, text,"
        " dates or booleans, or drop them."
    )


def _convert_pandas(frame: Any) -> pa.Table:
    import pyarrow as pa

    # Copied, since Arrow would share the memory with the frame, whose owner may write to it.
    arrays, names = [], []
    for place, name in enumerate(frame.columns):
        try:
            arrays.append(pa.Array.from_pandas(frame.iloc[:, place].copy(deep=True)))
        # such as 2**70, or text that is not Unicode
        except (pa.ArrowException, ArithmeticError, TypeError, ValueError):
            continue
        names.append(str(name))
    return pa.Table.from_arrays(arrays, names)


def _copy_table(table: pa.Table) -> pa.Table:
    """Copy a table through Arrow's IPC format, since its producer may keep the buffers."""
    import pyarrow as pa

    return pa.ipc.open_stream(serialize_table(table)).read_all()


def serialize_table(table: pa.Table) -> pa.Buffer:
    """Serialize a table in Arrow's IPC format."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _validate_table(table: pa.Table, name: str) -> pa.Table:
    import pyarrow as pa

    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        pass
    else:
        return table
    raise SourceError(
        f"The frame of {name} is damaged: Arrow finds values that do not match their type. Create"
        " it again."
    )
