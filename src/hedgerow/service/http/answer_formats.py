"""Answers as JSON, CSV or an Arrow stream, chosen by the Accept header."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import date
from typing import Any, Final

import pyarrow as pa

from hedgerow.answers.explanation import Explanation
from hedgerow.errors import InvalidArgument
from hedgerow.service.query_service import AskedAnswer

__all__ = [
    "ARROW",
    "CSV",
    "JSON",
    "NotAcceptable",
    "choose_format",
    "encode_answer",
    "encode_document",
]

JSON: Final = "application/json"
CSV: Final = "text/csv"
ARROW: Final = "application/vnd.apache.arrow.stream"
_WEIGHT: Final = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")


class NotAcceptable(InvalidArgument):
    """An Accept header that no format fits."""


def choose_format(accept: str) -> str:
    """Return the format that an Accept header likes best, JSON without one; refuse a header that
    allows none of them, before anything is charged."""
    wanted = [_read_range(part) for part in accept.split(",") if part.strip()]
    if not wanted:
        return JSON
    # Of equal weights the one that was named first wins, then JSON.
    weights = {kind: _weigh(kind, wanted) for kind in (JSON, CSV, ARROW)}
    best = max(weights, key=lambda kind: weights[kind])
    if weights[best][0] <= 0:
        raise NotAcceptable("accept", f"must allow one of {JSON}, {CSV}, {ARROW}", accept[:200])
    return best


def _read_range(part: str) -> tuple[str, float]:
    """Return a media range and its weight; a weight that is none is 0."""
    kind, *parameters = (piece.strip().lower() for piece in part.split(";"))
    found = [piece.partition("=")[2] for piece in parameters if piece.startswith("q=")]
    if not found:
        return kind, 1.0
    return kind, float(found[0]) if _WEIGHT.fullmatch(found[0]) else 0.0


def _weigh(kind: str, wanted: list[tuple[str, float]]) -> tuple[float, float]:
    """Return the weight of a format, given by the range that fits it most closely, and how early
    that range stands."""
    for range_ in (kind, kind.split("/")[0] + "/*", "*/*"):
        for place, (named, weight) in enumerate(wanted):
            if named == range_:
                return weight, -place if named == kind else -len(wanted)
    return 0.0, 0.0


def encode_answer(answer: AskedAnswer, format_: str) -> tuple[bytes, str]:
    """Return the bytes of an answer and their media type; explanations are always JSON."""
    if format_ == JSON or isinstance(answer, Explanation):
        return encode_document(answer.to_dict()), JSON
    if format_ == CSV:
        return _encode_csv(answer.columns, answer.rows), f"{CSV}; charset=utf-8"
    table = answer.to_arrow()
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue(), ARROW


def encode_document(document: object) -> bytes:
    """Return a document as JSON; infinite numbers are text, as JSON has none."""
    return json.dumps(_replace_infinities(document), ensure_ascii=False).encode()


def _replace_infinities(value: object) -> object:
    if isinstance(value, dict):
        return {key: _replace_infinities(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_infinities(item) for item in value]
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return value


def _encode_csv(columns: tuple[str, ...], rows: list[dict[str, Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_format_cell(row[name]) for name in columns] for row in rows)
    return text.getvalue().encode()


def _format_cell(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else value
