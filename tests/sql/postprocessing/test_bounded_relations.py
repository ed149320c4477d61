"""Tables of exact and noisy columns."""

from __future__ import annotations

from hedgerow.sql.postprocessing.bounded_relations import BoundedColumn, BoundedRelation


def test_a_column_is_found_by_a_name_that_it_has_alone() -> None:
    n, nameless = BoundedColumn("n", True), BoundedColumn(None, True)
    relation = BoundedRelation((n, BoundedColumn("m", False), BoundedColumn("M", True), nameless))
    assert relation.find("N") == n
    assert relation.find("m") is None
    assert relation.find("k") is None
