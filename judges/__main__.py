"""`python -m judges`: judges, audits and agreement on plain files, no workspace needed."""

import atexit
import gc
import os
import sys

# As in data/__main__.py.
gc.set_threshold(50_000, 20, 50)
atexit.register(gc.freeze)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
try:
    from judges.cli import main

    sys.exit(main(sys.argv[1:]))
except KeyboardInterrupt:  # while Python was still loading
    sys.exit(130)
