"""Grey-box tests of glue code: record the calls of mechanisms on some data, play their outputs
again on neighbouring data, and compare.

A function that passes is TESTED on these pairs. It is not PROVED, which ``hedgerow.verify`` says of
programs, and not AUDITED.
"""

from __future__ import annotations

from hedgerow.verify.replay.assertion import assert_private
from hedgerow.verify.replay.replay import Replay, ReplayFinding, ReplayStep, replay
from hedgerow.verify.replay.row_neighbours import without_each_row

__all__ = ["Replay", "ReplayFinding", "ReplayStep", "assert_private", "replay", "without_each_row"]
