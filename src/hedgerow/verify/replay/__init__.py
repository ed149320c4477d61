"""Grey-box tests of glue code: record what mechanisms are asked on some data, play their answers
again on neighbouring data, and compare.

What passes is TESTED on the pairs that were tried. It is not PROVED, which is said of programs by
``hedgerow.verify``, and not AUDITED.
"""

from __future__ import annotations

from hedgerow.verify.replay.assertion import assert_private
from hedgerow.verify.replay.replay import Replay, ReplayFinding, ReplayStep, replay
from hedgerow.verify.replay.row_neighbours import without_each_row

__all__ = ["Replay", "ReplayFinding", "ReplayStep", "assert_private", "replay", "without_each_row"]
