"""Over both protocols, one person's rows change nothing that is seen of a question but its noisy
numbers: not the status, the words, the columns, the size or the charge."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.channels.helpers_neighbours import STATEMENTS, Side, find_differences, serve_pair


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Side, Side]]:
    with serve_pair(tmp_path_factory.mktemp("pair")) as sides:
        yield sides


@pytest.mark.long
def test_responses_do_not_distinguish_neighbouring_data(pair: tuple[Side, Side]) -> None:
    differences = [found for sql in STATEMENTS[::80] for found in find_differences(pair, sql)]
    assert differences == []
    assert pair[0].list_entries() == pair[1].list_entries() != []
    assert "failure" not in {kind for kind, _ in pair[0].list_entries()}


def test_a_difference_would_be_seen(
    pair: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = pair[1].running.service.ask

    def ask_and_tell(caller: object, sql: str, **options: object) -> object:
        if "i + 1" in sql:
            raise ZeroDivisionError
        return ask(caller, sql, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(pair[1].running.service, "ask", ask_and_tell)
    assert len(find_differences(pair, "SELECT COUNT(i + 1) AS n FROM data")) == 2
    assert find_differences(pair, "SELECT COUNT(i + 2) AS n FROM data") == []
