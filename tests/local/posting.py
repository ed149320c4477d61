"""Metrics, a good batch, and a way to post parts of one to the application without a socket."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import numpy as np

from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry, Rappor
from local.serving import PACKED, packed

METRIC = Metric.of("colour", KAry.calibrate(domain=5, epsilon=2), epoch=7)
OTHER = Metric.of("shape", KAry.calibrate(domain=300, epsilon=1))
TEXTS = Metric.of("home", Rappor(k=12, h=2, m=4, f=32_768, p=32_768, q=49_152))
VALUES = np.arange(40) % 5
GOOD = packed(METRIC, VALUES)
KEY = "0123456789abcdef"


async def posted(app: Any, parts: list[Any], key: str = KEY) -> tuple[int, dict[str, Any]]:
    """Post a body in parts through the application itself; a part may also be an event or a number
    of seconds to wait for, or None to wait for ever.
    """
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        part = parts.pop(0) if parts else b""
        if isinstance(part, float):
            await asyncio.sleep(part)
            part = b""
        if part is None or isinstance(part, asyncio.Event):
            await (part or asyncio.Event()).wait()
            part = b""
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"content-type", PACKED.encode()), (b"batch-key", key.encode())]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/reports",
        "raw_path": b"/v1/reports",
        "query_string": b"",
        "headers": headers,
    }
    scope |= {
        "http_version": "1.1",
        "scheme": "http",
        "client": ("203.0.113.7", 7),
        "server": ("x", 80),
        "asgi": {"version": "3.0"},
    }
    await app(scope, receive, send)
    return sent[0]["status"], json.loads(b"".join(message.get("body", b"") for message in sent))
