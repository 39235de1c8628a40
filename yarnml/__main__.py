"""`python -m yarnml`: the command line where no script is installed."""

import sys

from yarnml.cli import main

sys.exit(main())
