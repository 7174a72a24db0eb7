"""A measured figure beside what is asked of it."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple


class Row(NamedTuple):
    """What was simulated, what it has to reach ("" where nothing is asked), what came out, and whether that holds."""

    what: str
    target: str
    measured: str
    held: bool = True


def error(share: float, runs: int) -> float:
    """The Monte Carlo error of a share; never quite none."""
    return sqrt(max(share * (1 - share), 1 / runs) / runs)


def at_most(title: str, most: float, share: float, runs: int, more: str = "") -> Row:
    """A share that has to be at most so large, but for twice its Monte Carlo error."""
    passes = share - 2 * error(share, runs) <= most
    return Row(title, f"at most {100 * most:g} %", _figure(share, runs, more), passes)


def at_least(title: str, least: float, share: float, runs: int, more: str = "") -> Row:
    """A share that has to be at least so large, but for twice its Monte Carlo error."""
    passes = share + 2 * error(share, runs) >= least
    return Row(title, f"at least {100 * least:g} %", _figure(share, runs, more), passes)


def coverage_row(title: str, share: float, runs: int, more: str = "", low: float = 0.93, high: float = 0.97) -> Row:
    """How often an interval of 95 % holds the truth, which has to lie between the two; only too rarely is a fault."""
    passes = share + 2 * error(share, runs) >= low
    wide = " (wide)" if share - 2 * error(share, runs) > high else ""
    return Row(title, f"{100 * low:g} to {100 * high:g} %", _figure(share, runs, more) + wide, passes)


def figure_row(title: str, measured: str) -> Row:
    """A figure of which nothing is asked."""
    return Row(title, "", measured)


def _figure(share: float, runs: int, more: str) -> str:
    return f"{100 * share:.1f} % -+ {100 * error(share, runs):.1f}" + (f" ({more})" if more else "")
