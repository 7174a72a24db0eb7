"""The command line of a workspace: one module a command, the same functions as the pages, errors as sentences."""

from __future__ import annotations

from collections.abc import Sequence

from data import log
from judges.cli import commands, run_command

COMMANDS = (
    "start", "import_", "card", "export", "run", "mtbench", "audit", "means", "report", "approve", "plan", "lead",
    "invite", "spare", "check", "progress", "token", "dashboard", "backup", "restore", "verify", "copy",
)  # fmt: skip
"""The modules of the commands, in the order in which they are listed; each is loaded when it is run."""


def main(args: Sequence[str]) -> int:
    """Run one command of `python -m data`."""
    description = "Works on the workspace that ASSAY_STORE names (default: assay.duckdb in this folder)."
    return run_command("python -m data", description, commands(__name__, COMMANDS), args, lambda: log.begin("WARNING"))
