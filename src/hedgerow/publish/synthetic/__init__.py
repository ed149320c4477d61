"""Tables that look like the exact one and are made of noisy measurements only."""

from __future__ import annotations

from hedgerow.publish.synthetic.quality import Check, Pair, Quality, Task
from hedgerow.publish.synthetic.synthesis import Synthetic, synthesize

__all__ = ["Check", "Pair", "Quality", "Synthetic", "Task", "synthesize"]
