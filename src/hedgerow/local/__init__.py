"""Collecting from clients who trust nobody: every client randomises before it sends, and nobody
ever holds a raw value.
"""

from hedgerow.local.client.client import Client
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.metric import Metric

__all__ = ["Client", "Estimates", "Metric"]
