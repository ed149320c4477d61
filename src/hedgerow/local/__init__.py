"""Local differential privacy: clients randomise their values before sending them, so that nobody
else ever holds a raw value.
"""

from hedgerow.local.client.client import Client
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.metric import Metric

__all__ = ["Client", "Estimates", "Metric"]
