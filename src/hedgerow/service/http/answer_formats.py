"""Answers as JSON, CSV or an Arrow stream, chosen by the Accept header."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from typing import Any, Final

import pyarrow as pa

from hedgerow.answers.explanation import Explanation
from hedgerow.service.query_service import AskedAnswer

__all__ = ["ARROW", "CSV", "JSON", "choose_format", "encode_answer", "encode_document"]

JSON: Final = "application/json"
CSV: Final = "text/csv"
ARROW: Final = "application/vnd.apache.arrow.stream"


def choose_format(accept: str) -> str:
    """Return the first format of an Accept header that can be written; JSON without one."""
    for part in accept.split(","):
        kind = part.split(";")[0].strip().lower()
        if kind in (JSON, CSV, ARROW):
            return kind
    return JSON


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
