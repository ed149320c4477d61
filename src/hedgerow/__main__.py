"""The program ``hedgerow``, as ``python -m hedgerow``."""

import sys

from hedgerow.cli import main

if __name__ == "__main__":
    sys.exit(main())
