"""`python -m data`: what can be done with a workspace from a command line."""

import sys

try:
    from data.commands import main

    sys.exit(main(sys.argv[1:]))
except KeyboardInterrupt:  # while Python was still loading, too
    sys.exit(130)
except RuntimeError as error:
    if not isinstance(error.__cause__, KeyboardInterrupt):  # what DuckDB makes of it in the middle of a statement
        raise
    sys.exit(130)
