"""The log of the service: JSON lines on standard error, without data, SQL or secrets.

What other packages log is kept to its place: a message or a traceback of theirs may quote a
statement.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Final, TextIO

__all__ = ["JsonFormatter", "start_log"]

_OWN: Final = "hedgerow.service"
_FOREIGN: Final = ("asyncio", "uvicorn", "starlette")


class JsonFormatter(logging.Formatter):
    """Records as JSON lines; those of other packages without their words."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname,
        }
        if record.name == _OWN:
            line["event"] = record.getMessage()
            line |= getattr(record, "fields", {})
            return json.dumps(line, ensure_ascii=True)
        line |= {"event": f"{record.name} reported something", "line": str(record.lineno)}
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line)


def start_log(stream: TextIO = sys.stderr) -> None:
    """Write the log of the service and of the packages below it to one stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    for name, level in ((_OWN, logging.INFO), *((name, logging.WARNING) for name in _FOREIGN)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
