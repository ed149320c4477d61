"""Frames of other libraries as Arrow tables that nobody else can change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hedgerow.errors import InvalidArgument, SourceError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["take_snapshot"]


def take_snapshot(data: Any, table: str) -> pa.Table:
    """The frame as it is now. Columns that have no Arrow type are left out; whoever declares one
    hears that it is missing.

    An Arrow table counts as unchangeable, which it is unless it was laid over an array of numpy
    without a copy: nothing in it tells. Whoever made one so must leave that array alone.
    """
    import pyarrow as pa  # only here: whoever has no frames does not load it

    if isinstance(data, pa.Table):
        return _validate_table(data, table)
    if type(data).__module__.partition(".")[0] == "pandas":
        return _validate_table(_convert_pandas(data), table)
    if not hasattr(data, "__arrow_c_stream__"):
        raise InvalidArgument(
            "data", "must be a path, or a frame of Arrow, pandas or polars", type(data).__name__
        )
    return _validate_table(_import_stream(data, table), table)


def _import_stream(data: Any, table: str) -> pa.Table:
    import pyarrow as pa

    try:
        found = pa.table(data)
    # of types that only its owner knows, such as whole numbers of 128 bits in polars
    except pa.ArrowException:
        pass
    else:
        return found if type(data).__module__.partition(".")[0] == "polars" else _copy_table(found)
    raise SourceError(f"The frame of {table} has columns of unknown types.")


def _convert_pandas(frame: Any) -> pa.Table:
    import pyarrow as pa

    # Arrow would share the memory of numbers with the frame, whose owner may write to it.
    arrays, names = [], []
    for place, name in enumerate(frame.columns):
        try:
            arrays.append(pa.Array.from_pandas(frame.iloc[:, place].copy(deep=True)))
        # also 2**70, and text that is no Unicode
        except (pa.ArrowException, ArithmeticError, TypeError, ValueError):
            continue
        names.append(str(name))
    return pa.Table.from_arrays(arrays, names)


def _copy_table(table: pa.Table) -> pa.Table:
    """Through Arrow's own format: a producer may keep hold of its buffers."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


def _validate_table(table: pa.Table, name: str) -> pa.Table:
    import pyarrow as pa

    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        pass
    else:
        return table
    raise SourceError(
        f"The frame of {name} is damaged: Arrow finds values in it that are not of their type."
    )
