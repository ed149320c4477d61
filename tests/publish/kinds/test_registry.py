"""Every kind of publication that can be asked for is one that the command line and the library
offer.
"""

from __future__ import annotations

from hedgerow.cli.app import COMMANDS
from hedgerow.database.publishing.publisher import Publisher
from hedgerow.publish.kinds.registry import KINDS


def test_kinds_commands_and_methods_are_the_same() -> None:
    named = set(KINDS) - {"sparse histogram"}  # an option of histograms
    assert {f"publish {kind}" for kind in named} == {
        command.name for command in COMMANDS if command.name.startswith("publish ")
    }
    assert all(callable(getattr(Publisher, kind)) for kind in named)
