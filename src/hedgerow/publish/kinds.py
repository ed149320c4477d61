"""The kinds of publication there are."""

from collections.abc import Callable, Mapping
from typing import Final

from hedgerow.publish.asked import queries
from hedgerow.publish.crosstabs import crosstabs
from hedgerow.publish.cumulative import cdf, stream
from hedgerow.publish.histogram import histogram, sparse_histogram
from hedgerow.publish.sketch import Sketch
from hedgerow.publish.synthesized import synthetic

__all__ = ["KINDS"]

# Each kind of publication: from public terms, a domain and options to a sketch.
KINDS: Final[Mapping[str, Callable[..., Sketch]]] = {
    "histogram": histogram,
    "sparse histogram": sparse_histogram,
    "cdf": cdf,
    "marginals": crosstabs,
    "queries": queries,
    "stream": stream,
    "synthetic": synthetic,
}
