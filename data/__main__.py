"""`python -m data`: what can be done with a workspace from a command line."""

import sys

from data.commands import main

sys.exit(main(sys.argv[1:]))
