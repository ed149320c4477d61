"""The command line: thin shells over the library. ``app`` lists the commands."""

from hedgerow.cli.app import main

__all__ = ["main"]
