"""`python -m brain_assets` is the `brain` command."""

import sys

from brain_assets.cli import main

if __name__ == "__main__":
    sys.exit(main())
