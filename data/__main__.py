"""`python -m data`: what can be done with a workspace from a command line."""

import sys

try:
    from data.commands import main

    sys.exit(main(sys.argv[1:]))
except KeyboardInterrupt:  # while Python was still loading
    sys.exit(130)
