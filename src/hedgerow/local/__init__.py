"""Collecting from clients who trust nobody: every client randomises before it sends, and nobody ever holds a raw value."""

from hedgerow.local.client import Client
from hedgerow.local.estimates import Estimates
from hedgerow.local.spec import Metric

__all__ = ["Client", "Estimates", "Metric"]
