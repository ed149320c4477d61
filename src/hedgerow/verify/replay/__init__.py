"""Grey-box tests of glue code: record what mechanisms are asked on some data, play their answers again on neighbouring data, and compare.

What passes is TESTED on the pairs that were tried. It is not PROVED, which is said of programs by ``hedgerow.verify``, and not AUDITED.
"""

from __future__ import annotations

from hedgerow.verify.replay.asserting import assert_private
from hedgerow.verify.replay.neighbouring import without_each_row
from hedgerow.verify.replay.replaying import Finding, Replay, Step, replay

__all__ = ["Finding", "Replay", "Step", "assert_private", "replay", "without_each_row"]
