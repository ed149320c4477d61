"""Estimates as a table: columns for the attributes, the count, its interval, and the clean count.

Cells come in the order of their codes, the first attribute slowest. Nothing here loops over cells:
ten million of them take about a second. Text is dictionary-encoded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from hedgerow.errors import InvalidArgument
from hedgerow.publish.domain import Attribute, Domain

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "CLEAN_COLUMN",
    "COUNT_COLUMN",
    "HIGH_COLUMN",
    "LOW_COLUMN",
    "build_count_columns",
    "build_dense_table",
    "build_label_columns",
    "build_sparse_table",
    "list_axis_codes",
]

COUNT_COLUMN: Final = "count"
LOW_COLUMN, HIGH_COLUMN = "count_low", "count_high"
CLEAN_COLUMN: Final = "count_clean"
_CODE_TYPE: Final = np.int32  # an attribute has at most 2^24 codes

Codes = npt.NDArray[np.int32]


def list_axis_codes(sizes: Sequence[int], axis: int) -> Codes:
    """Return the code of every cell along one axis of a table of these sizes."""
    inner, outer = math.prod(sizes[axis + 1 :]), math.prod(sizes[:axis])
    return np.tile(np.repeat(np.arange(sizes[axis], dtype=_CODE_TYPE), inner), outer)


def build_label_columns(attribute: Attribute, codes: Any) -> dict[str, Any]:
    """Return the columns that show these codes: values, or the start and end of bins. A masked code
    is NULL.
    """
    import pyarrow as pa

    mask = np.ma.getmaskarray(codes) if np.ma.isMaskedArray(codes) else None
    index = pa.array(np.ma.getdata(codes).astype(_CODE_TYPE, copy=False), mask=mask)
    found = {}
    for name, values in attribute.columns().items():
        known = pa.array(values, type=_choose_arrow_type(attribute))
        found[name] = (
            pa.DictionaryArray.from_arrays(index, known)
            if attribute.type == "text"
            else known.take(index)
        )
    return found


def _choose_arrow_type(attribute: Attribute) -> Any:
    """Return the type of a column; integers in bins with fractional edges are shown as reals."""
    import pyarrow as pa

    if attribute.type == "integer" and any(
        isinstance(value, float) for column in attribute.columns().values() for value in column
    ):
        return pa.float64()
    return {
        "integer": pa.int64(),
        "real": pa.float64(),
        "text": pa.string(),
        "boolean": pa.bool_(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us"),
    }[attribute.type]


def build_count_columns(counts: Any, radii: Any, clean: Any) -> dict[str, Any]:
    """Return the columns of estimates: the count, the ends of its interval (``radii``: one for all,
    or one each), and the clean count.
    """
    found = np.asarray(counts).ravel()
    radius = radii if np.ndim(radii) == 0 else np.asarray(radii).ravel()
    if np.size(radius) not in (1, found.size) or np.size(clean) != found.size:
        raise InvalidArgument(
            "counts",
            "must have one radius for all or one each, and as many clean counts",
            found.size,
        )
    return {
        COUNT_COLUMN: found,
        LOW_COLUMN: found - radius,
        HIGH_COLUMN: found + radius,
        CLEAN_COLUMN: np.asarray(clean).ravel(),
    }


def build_dense_table(domain: Domain, counts: Any, radii: Any, clean: Any) -> pa.Table:
    """Build the table of every cell of the domain."""
    import pyarrow as pa

    if np.size(counts) != domain.cell_count:
        raise InvalidArgument(
            "counts",
            f"must be one for each of the {domain.cell_count:,} combinations",
            np.size(counts),
        )
    columns: dict[str, Any] = {}
    for axis, attribute in enumerate(domain.attributes):
        columns |= build_label_columns(attribute, list_axis_codes(domain.sizes, axis))
    return pa.table(columns | build_count_columns(counts, radii, clean))


def build_sparse_table(domain: Domain, codes: Any, counts: Any, radii: Any) -> pa.Table:
    """Build the table of the cells with these ``codes``, one row of codes for each count."""
    import pyarrow as pa

    if np.shape(codes) != (np.size(counts), len(domain.attributes)):
        raise InvalidArgument(
            "codes",
            "must have a row for each count and a column for each attribute",
            np.shape(codes),
        )
    columns: dict[str, Any] = {}
    for axis, attribute in enumerate(domain.attributes):
        columns |= build_label_columns(attribute, codes[:, axis])
    return pa.table(columns | build_count_columns(counts, radii, counts))
