"""Some simulations, or all: `python -m tests.bench.simulations [NAME ...] [--scale .1] [--markdown]`."""

import argparse
import sys

from tests.bench.simulations import names, run

parser = argparse.ArgumentParser(prog="python -m tests.bench.simulations", description=__doc__)
parser.add_argument("name", nargs="*", help=f"which: {', '.join(names())}")
parser.add_argument("--scale", type=float, default=1.0, help="times the usual number of runs")
parser.add_argument("--markdown", action="store_true", help="the table of docs/methods.md")
options = parser.parse_args()
missed = run(options.name, options.scale, options.markdown)
if missed:
    sys.exit("\n".join(["", "What does not hold:", *missed]))
