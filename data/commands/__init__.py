"""The command line of a workspace: one module a command, the same functions as the pages, errors as sentences."""

from __future__ import annotations

from collections.abc import Sequence

from data.commands import (
    approve,
    audit,
    back_up,
    bring_in,
    card,
    check,
    give_out,
    judge,
    lead,
    plan,
    report,
    restore,
    show_dashboard,
    spare,
    start,
)
from judges.commands import answer

COMMANDS = (
    start, bring_in, card, give_out, judge, audit, report, approve, plan, lead, spare, show_dashboard, back_up,
    restore, check,
)  # fmt: skip
"""Each has `add(subparsers)`, which names the function that runs it and returns the exit code."""


def main(args: Sequence[str]) -> int:
    """Run one command of `python -m data`."""
    told = "Works on the workspace that ASSAY_STORE names (default: assay.duckdb in this folder)."
    return answer("python -m data", told, COMMANDS, args)
