"""`python -m judges`: judges, audits and agreement on plain files, no workspace needed."""

import sys

try:
    from judges.commands import main

    sys.exit(main(sys.argv[1:]))
except KeyboardInterrupt:  # while Python was still loading
    sys.exit(130)
