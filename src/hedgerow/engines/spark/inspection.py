"""The columns of tables and files in a Spark cluster, from their schemas: no row is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hedgerow.engines.compile.dialect import place_tables
from hedgerow.engines.compile.sql_builders import select_all
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.engines.spark.dialect import SPARK
from hedgerow.errors import SourceError
from hedgerow.plan.values import Type

__all__ = ["read_columns"]

_TYPES: Final[dict[str, Type]] = {
    "BooleanType": "boolean",
    **dict.fromkeys(("ByteType", "ShortType", "IntegerType", "LongType"), "integer"),
    **dict.fromkeys(("FloatType", "DoubleType"), "real"),
    **dict.fromkeys(("StringType", "VarcharType", "CharType"), "text"),
    "DateType": "date",
    **dict.fromkeys(("TimestampType", "TimestampNTZType"), "timestamp"),
}
_MAX_NARROW_DIGITS: Final = 18
# What a folder holds that is a table of another format, whose files alone are not its rows.
_OTHER_FORMATS: Final = {"delta": "_delta_log/*.json", "iceberg": "metadata/*.metadata.json"}
_LACKING: Final = (
    "The Spark server cannot read {name}. Correct source in the policy; a path of {format} needs"
    " that format installed in the server."
)


def read_columns(session: Any, parts: Sequence[str]) -> tuple[PhysicalColumn, ...]:
    """Return the columns of a table, or of files of a format; refuse views, and a folder of Parquet
    files that is a table of another format.
    """
    name = ".".join(parts) if len(parts) > 2 else ":".join(parts)
    if len(parts) > 2:
        _refuse_views(session, parts, name)
    elif parts[0] == "parquet":
        _refuse_other_formats(session, parts[1])
    dialect = place_tables(SPARK, {"t": parts})
    schema = _try(lambda: session.sql(render_sql(select_all("t"), dialect)).schema)
    if schema is None:
        raise SourceError(_LACKING.format(name=name, format=parts[0].capitalize()))
    columns = tuple(_describe_column(field.name, field.dataType) for field in schema.fields)
    if len({column.name.casefold() for column in columns}) < len(columns):
        raise SourceError(
            f"Two columns of {name} have the same name, apart from upper and lower case. Rename one"
            " of them."
        )
    return columns


def _try(action: Any) -> Any:
    """Return the result of an action, or None where the server refuses it, whose message may quote
    data.
    """
    try:
        return action()
    except Exception:
        return None


def _refuse_views(session: Any, parts: Sequence[str], name: str) -> None:
    quoted = ".".join("`" + part.replace("`", "``") + "`" for part in parts)
    found = _try(lambda: session.catalog.getTable(quoted))
    if found is None:
        raise SourceError(f"The cluster has no table {name}. Correct source in the policy.")
    if "VIEW" in (kind := str(found.tableType)) or kind == "TEMPORARY":
        raise SourceError(
            f"{name} is a view, whose rows may raise errors or differ from one read to the next."
            " Name a table, or store the rows: CREATE TABLE … AS SELECT."
        )


def _refuse_other_formats(session: Any, path: str) -> None:
    for format_, inside in _OTHER_FORMATS.items():
        place = f"{path}/{inside}"
        files = session.read.format("binaryFile").load(place)
        if _try(lambda files=files: files.schema) is not None:
            raise SourceError(
                f"The folder {path} is a table of {format_.capitalize()}, some of whose files may"
                f' hold rows that were deleted. Write source = "{format_}:{path}" in the policy.'
            )


def _describe_column(name: str, type_: Any) -> PhysicalColumn:
    """Describe a column; ``type`` is None for one that cannot be read."""
    kind = type(type_).__name__
    if kind == "DecimalType":
        digits = f"decimal({type_.precision},{type_.scale})"
        if type_.scale == 0:
            return PhysicalColumn(name, "integer", is_wide=type_.precision > _MAX_NARROW_DIGITS)
        return PhysicalColumn(name, "real", is_wide=True, exact_type=digits)
    return PhysicalColumn(
        name,
        _TYPES.get(kind),
        is_wide=kind == "TimestampType",
        has_time=kind.startswith("Timestamp"),
    )
