"""Does what Assay says come true? Simulations with a known truth, each with what it has to reach: `make bench`.

A simulation is a module in this folder with `rows(scale)`, which yields a `Row` for each figure; it is found by being
there. `python -m tests.bench simulations` runs all of them, `python -m tests.bench.simulations NAME ...` some, and
`--markdown` prints the table that stands in docs/methods.md.
"""

import importlib
import pkgutil
import time
from collections.abc import Sequence

HELPERS = {"row", "worlds"}


def names() -> list[str]:
    """Every simulation there is."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name not in HELPERS and m.name[0] != "_")


def run(selection: Sequence[str] = (), scale: float = 1.0, markdown: bool = False) -> list[str]:
    """Run those (or all), print every figure as it comes, and return what does not hold."""
    missed = []
    for name in selection or names():
        began = time.monotonic()
        head = (
            f"### {name.capitalize()}\n\n| simulated | asked | measured |\n|---|---|---|"
            if markdown
            else f"-- {name} --"
        )
        print(f"\n{head}")
        for row in importlib.import_module(f"{__name__}.{name}").rows(scale):
            mark = "" if row.held else " **missed**" if markdown else "  MISSED"
            if markdown:
                print(f"| {row.what} | {row.target} | {row.measured}{mark} |", flush=True)
            else:
                print(f"  {row.what:90} {row.target:>16}  {row.measured}{mark}", flush=True)
            if not row.held:
                missed.append(f"{name}: {row.what}: {row.measured}, asked {row.target}")
        if not markdown:
            print(f"  ({time.monotonic() - began:.0f} s)", flush=True)
    return missed


def main() -> None:
    """All of them, as `make bench` asks."""
    missed = run()
    assert not missed, "; ".join(missed)
