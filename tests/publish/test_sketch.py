"""A sketch and what it makes are plain values."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest

from hedgerow.privacy.loss import Loss
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.sketch import Accuracy, Made, Sketch


def test_a_sketch_cannot_be_changed() -> None:
    domain = Domain((Attribute("x", "integer", (0, 1)),))
    sketch = Sketch("histogram", domain, "each cell", Loss(Fraction(1)), (Accuracy("each cell", 2, 1.0),), lambda _: Made(pa.table({})))
    assert sketch.notes == ()
    assert sketch.build(None).facts == {}  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        sketch.kind = "cdf"  # type: ignore[misc]
