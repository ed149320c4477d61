"""Synthetic tables: rows that resemble the exact table, made from noisy measurements only."""

from __future__ import annotations

from hedgerow.publish.synthetic.pipeline import SyntheticTable, synthesize
from hedgerow.publish.synthetic.quality import (
    FreshCheck,
    PairQuality,
    PredictionTask,
    SyntheticQuality,
)

__all__ = [
    "FreshCheck",
    "PairQuality",
    "PredictionTask",
    "SyntheticQuality",
    "SyntheticTable",
    "synthesize",
]
