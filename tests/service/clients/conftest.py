"""Answers over HTTP, which every client must get, to the digit and for free."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from service.clients.helpers_clients import BY_REGION, OLDER_THAN, free_of_charge
from service.helpers_service import RunningService


@pytest.fixture(scope="session")
def answers(running: RunningService) -> dict[str, list[tuple[Any, ...]]]:
    found = {}
    for sql in (BY_REGION, OLDER_THAN.format(30, "'north'")):
        rows = running.ask("ana", sql).document["rows"]
        found[sql] = [tuple(row.values()) for row in rows]
    return found


@pytest.fixture
def by_region(answers: dict[str, list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    return answers[BY_REGION]


@pytest.fixture
def older(answers: dict[str, list[tuple[Any, ...]]]) -> int:
    """The answer to OLDER_THAN with 30 and 'north'."""
    return int(answers[OLDER_THAN.format(30, "'north'")][0][0])


@pytest.fixture(autouse=True)
def _nothing_is_charged(
    running: RunningService, answers: dict[str, list[tuple[Any, ...]]]
) -> Iterator[None]:
    with free_of_charge(running):
        yield
