"""Two metrics for the tests of ``hedgerow local``, and what its commands print."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry, Rappor

METRIC = Metric.of("colour", KAry.calibrate(domain=5, epsilon=4), epoch=7)
HOME = Metric.of("home", Rappor(k=32, h=2, m=16, f=16_384, p=16_384, q=49_152))


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return the JSON document that a command printed, and nothing else."""
    out, err = capsys.readouterr()
    assert err == ""
    found: dict[str, Any] = json.loads(out)
    return found


def watch_progress(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType
) -> list[tuple[str, int, int]]:
    """Record the progress that a command reports."""
    heard: list[tuple[str, int, int]] = []

    @contextmanager
    def watched(task: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
        assert not quiet
        yield lambda done, total: heard.append((task, done, total))

    monkeypatch.setattr(module, "show_progress", watched)
    return heard
