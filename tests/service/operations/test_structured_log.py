from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

from hedgerow.service.operations.structured_log import start_log

NAMES = ("hedgerow.service", "asyncio", "uvicorn", "starlette")


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    loggers = [logging.getLogger(name) for name in NAMES]
    held = [(one.handlers, one.propagate, one.level) for one in loggers]
    stream = io.StringIO()
    start_log(stream)
    yield stream
    for logger, (handlers, propagate, level) in zip(loggers, held, strict=True):
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(level)


def test_events_are_lines_of_json(lines: io.StringIO) -> None:
    logger = logging.getLogger("hedgerow.service")
    logger.info("a\nline %s", "\N{SNOWMAN}", extra={"fields": {"account": "ana"}})
    line = json.loads(lines.getvalue())
    assert lines.getvalue().count("\n") == 1
    assert (line["event"], line["level"], line["account"]) == ("a\nline ☃", "INFO", "ana")
    assert line["time"].endswith("Z")


def test_words_of_other_packages_may_quote_data_and_are_left_out(lines: io.StringIO) -> None:
    try:
        raise ValueError("SELECT 'secret'")
    except ValueError:
        logging.getLogger("uvicorn.error").exception("failed at 'secret'")
        logging.getLogger("asyncio").error("Task raised ValueError('secret')")
    logging.getLogger("uvicorn.error").info("routine")
    found = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert "secret" not in lines.getvalue()
    assert [one["event"] for one in found] == [
        *("uvicorn.error reported something", "asyncio reported something")
    ]
    assert found[0]["error"] == "ValueError"
