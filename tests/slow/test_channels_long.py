"""Every expression that raises on one person's row in plain engines, in every form, over both
protocols."""

from __future__ import annotations

from pathlib import Path

from service.channels.helpers_neighbours import STATEMENTS, find_differences, serve_pair


def test_responses_do_not_distinguish_neighbouring_data(tmp_path: Path) -> None:
    assert len(STATEMENTS) >= 200
    with serve_pair(tmp_path) as pair:
        differences = [found for sql in STATEMENTS for found in find_differences(pair, sql)]
        assert differences == []
        assert pair[0].list_entries() == pair[1].list_entries()
        kinds = [kind for kind, _ in pair[0].list_entries()]
        assert kinds.count("charge") >= 200
        assert "failure" not in kinds
