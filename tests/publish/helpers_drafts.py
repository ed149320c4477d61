"""Small publications of each kind, with the receipts that a database would write."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import BuiltTable, Specification
from hedgerow.release.private_table import PrivateTable

AGE = Attribute("age", "integer", edges=tuple(map(Fraction, range(0, 101, 20))))
INCOME = Attribute("income", "real", edges=tuple(map(Fraction, range(0, 1001, 5))))
REGION = Attribute("region", "text", ("North & West", "South", "<b>East</b>"))
SMOKER = Attribute("smoker", "boolean", (False, True))
DAY = Attribute("day", "date", tuple(date.fromordinal(739_000 + i) for i in range(500)))


def made(
    kind: Callable[..., Specification],
    attributes: tuple[Attribute, ...],
    terms: PrivacyParameters,
    **options: Any,
) -> tuple[Specification, BuiltTable]:
    """Of 3,000 rows whose codes go round."""
    domain = Domain(attributes)
    sketch = kind(terms, domain, **options)
    codes = np.stack(
        [
            (np.arange(3000) * (place + 1) + np.arange(3000) // 7) % size
            for place, size in enumerate(domain.sizes)
        ],
        axis=1,
    )
    purse = PrivateTable(
        ContingencyTable.from_codes(codes, domain.sizes),
        sketch.cost,
        rows=terms.rows,
        relation=terms.relation,
        group=terms.group,
    )
    return sketch, sketch.build(purse)


def receipt(
    sketch: Specification, found: BuiltTable, terms: PrivacyParameters, owner: str = "id"
) -> dict[str, Any]:
    return {
        "kind": sketch.kind,
        "table": "visits",
        "version": "2026-10",
        "population": "patients",
        "unit": {"neighbours": terms.relation, "owner": owner, "rows": terms.rows},
        "attributes": [attribute.to_dict() for attribute in sketch.domain.attributes],
        "design": sketch.strategy,
        "cost": sketch.cost.to_dict(),
        "accuracy": [
            {"what": a.name, "answers": a.answers, "rms": a.rms, "radius": a.radius}
            for a in sketch.accuracy
        ],
        "facts": found.facts,
        "notes": list(sketch.notes),
        "data": "ab" * 32,
        "ledger": {"entry": 17, "hash": "cd" * 32, "time": "2026-11-16T06:30:00Z"},
        "where": "age < 90",
    }
