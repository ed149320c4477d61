from __future__ import annotations

import json

import pyarrow as pa

import hedgerow
from hedgerow.client.remote_explanation import RemoteExplanation


def test_an_explanation_comes_back_as_it_was() -> None:
    db = hedgerow.protect(
        pa.table({"person": range(60), "x": [place / 2 for place in range(60)]}),
        unit="person",
        neighbours="add-remove",
        columns={"x": (0, 30)},
        epsilon=100,
        max_groups=1,
        max_rows_per_group=1,
    )
    sql = "SELECT COUNT(*), AVG(x), MEDIAN(x) FROM data"
    for free in (False, True):
        own = db.explain(sql, epsilon=1)
        found = RemoteExplanation.read(json.loads(json.dumps(own.to_dict())))
        assert (repr(found), found._repr_html_()) == (repr(own), own._repr_html_())
        assert (found.epsilon, found.cost, found.receipt) == (own.epsilon, own.cost, own.receipt)
        assert (found.free, found.limited_by) == (free, "budget")
        assert found.to_dict() == own.to_dict()
        db.query(sql, epsilon=1)
