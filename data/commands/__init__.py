"""The command line of a workspace: one module a command, the same functions as the pages, errors as sentences."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence

from data.commands import back_up, bring_in, check, restore
from judges.errors import AssayError

COMMANDS = (bring_in, back_up, restore, check)
"""Each has `add(subparsers)`, which names the function that runs it and returns the exit code."""


def main(args: Sequence[str]) -> int:
    """Run one command. Exit code 0: done; 1: refused, or something was found, with sentences on stderr; 2: misused."""
    parser = argparse.ArgumentParser(
        prog="python -m data",
        description="Works on the workspace that ASSAY_STORE names (default: assay.duckdb in this folder).",
    )
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(subparsers)
    options = parser.parse_args(list(args))
    try:
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except AssayError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read the output has seen enough; nothing more can be said to them.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("\nStopped. What was not reported as done was not written.", file=sys.stderr)
        return 130
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        print(
            f"{named}{error.strerror or error}. Check the path, its rights and the room on the disk.", file=sys.stderr
        )
        return 1
