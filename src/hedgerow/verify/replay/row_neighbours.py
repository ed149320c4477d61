"""Neighbours of some data for a replay: the data without one row, for each row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument

__all__ = ["without_each_row"]


def without_each_row(
    data: Any, *, most: int = 200, unit: str | None = None
) -> Iterator[tuple[Any, Any]]:
    """Yield pairs of the data and the data without one row, or without all rows of one ``unit`` (a
    column of a frame).

    If there are more than ``most`` rows, ``most`` of them are left out in turn, evenly spaced from
    the first to the last. ``data`` is a list, a tuple, an array (rows along its first axis) or a
    frame of pandas or polars.
    """
    keep = _make_filter(data)
    groups: Sequence[Any] = range(len(data)) if unit is None else _group_rows(data, unit)
    if not groups:
        raise InvalidArgument("data", "must have at least one row")
    if len(groups) > most:
        groups = [groups[place] for place in np.linspace(0, len(groups) - 1, most).astype(int)]
    for group in groups:
        mask = np.ones(len(data), dtype=bool)
        mask[group] = False
        yield data, keep(mask)


def _make_filter(data: Any) -> Any:
    if isinstance(data, (list, tuple)):
        return lambda mask: type(data)(row for row, kept in zip(data, mask, strict=True) if kept)
    if hasattr(data, "iloc"):
        return lambda mask: data.loc[mask]
    if hasattr(data, "filter") and hasattr(data, "columns"):
        return lambda mask: data.filter(mask)
    if isinstance(data, np.ndarray):
        return lambda mask: data[mask]
    raise InvalidArgument(
        "data", "must be a list, an array or a data frame; otherwise pass pairs of your own"
    )


def _group_rows(data: Any, unit: str) -> list[Any]:
    if not hasattr(data, "columns") or unit not in list(data.columns):
        raise InvalidArgument("unit", "must be a column of the data frame", unit)
    places: dict[Any, list[int]] = {}
    for place, who in enumerate(np.asarray(data[unit]).tolist()):
        places.setdefault(who, []).append(place)
    return list(places.values())
