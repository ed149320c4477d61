"""A collector in a process of its own, one for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from local.posting import METRIC, OTHER, TEXTS
from local.serving import Served, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("collector")
    (folder / "texts").write_text("a.example\nb.example\n", encoding="utf-8")
    with serving(
        folder / "counts", METRIC, OTHER, TEXTS, candidates=f"home={folder / 'texts'}"
    ) as served:
        yield served
