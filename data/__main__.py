"""`python -m data`: what can be done with a workspace from a command line."""

import atexit
import gc
import os
import sys

# Loading makes no cyclic garbage: searching for it takes a tenth of a command's time, and so does a search at exit.
gc.set_threshold(50_000, 20, 50)
atexit.register(gc.freeze)
# Matrix products here are small: several threads would only wait for each other, in busy loops.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
try:
    from data.cli import main

    sys.exit(main(sys.argv[1:]))
except KeyboardInterrupt:  # an interrupt may also come while Python still loads modules
    sys.exit(130)
except RuntimeError as error:
    if not isinstance(error.__cause__, KeyboardInterrupt):  # DuckDB raises it for an interrupt in a statement
        raise
    sys.exit(130)
