"""The registry of all kinds of publication."""

from collections.abc import Callable, Mapping
from typing import Final

from hedgerow.publish.kinds.cdf import specify_cdf, specify_running_totals
from hedgerow.publish.kinds.histogram import specify_histogram, specify_sparse_histogram
from hedgerow.publish.kinds.marginals import specify_marginals
from hedgerow.publish.kinds.queries import specify_queries
from hedgerow.publish.kinds.synthetic import specify_synthetic
from hedgerow.publish.specification import Specification

__all__ = ["KINDS"]

# Each kind is a function from public parameters, a domain and options to a specification.
KINDS: Final[Mapping[str, Callable[..., Specification]]] = {
    "histogram": specify_histogram,
    "sparse histogram": specify_sparse_histogram,
    "cdf": specify_cdf,
    "marginals": specify_marginals,
    "queries": specify_queries,
    "stream": specify_running_totals,
    "synthetic": specify_synthetic,
}
