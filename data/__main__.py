"""`python -m data`: what can be done with a workspace from a command line."""

import atexit
import gc
import os
import sys

# Loading leaves no circular garbage, and looking for it takes a tenth of a command; so does looking at its end.
gc.set_threshold(50_000, 20, 50)
atexit.register(gc.freeze)
# The products of matrices here are small: threads for one of them only wait for each other, at full speed.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
try:
    from data.cli import main

    sys.exit(main(sys.argv[1:]))
except KeyboardInterrupt:  # while Python was still loading, too
    sys.exit(130)
except RuntimeError as error:
    if not isinstance(error.__cause__, KeyboardInterrupt):  # what DuckDB makes of it in the middle of a statement
        raise
    sys.exit(130)
