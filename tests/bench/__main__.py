"""Measures everything that is measured: `make bench`, or `python -m tests.bench NAME ...` for some of it.

A measurement is a module in this folder with a `main()` that prints what it found; it is found by being there.
"""

import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def run(selection: list[str]) -> int:
    """Run those (or all) measurements one after the other; 1 when one did not hold."""
    measurements = sorted(
        {p.stem for p in FOLDER.glob("[!_]*.py")} | {p.parent.name for p in FOLDER.glob("[!_]*/__init__.py")}
    )
    if unknown := [name for name in selection if name not in measurements]:
        print(f"There is no measurement {', '.join(unknown)}. There are: {', '.join(measurements)}.")
        return 1
    failed = []
    for name in selection or measurements:
        main = getattr(importlib.import_module(f"tests.bench.{name}"), "main", None)
        if main is None:
            continue
        print(f"\n== {name} ==", flush=True)
        try:
            main()
        except AssertionError as error:
            print(f"{name} does not hold: {error}")
            failed.append(name)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
