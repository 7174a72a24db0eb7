"""The command line of judges on plain files: one module a command, found by being here; errors as sentences."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import pkgutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from judges.errors import AssayError


def main(args: Sequence[str]) -> int:
    """Run one command of `python -m judges`."""
    found = [m.name for m in pkgutil.iter_modules(__path__)]
    modules = [importlib.import_module(f"judges.commands.{name}") for name in sorted(found)]
    commands = [module for module in modules if hasattr(module, "add")]
    return answer(
        "python -m judges", "Judges, audits and agreement on plain files; no workspace needed.", commands, args
    )


def answer(prog: str, description: str, commands: Iterable[Any], args: Sequence[str]) -> int:
    """Run the command that the arguments name. Each has `add(subparsers)`, which names the function that runs it.

    Exit code 0: done; 1: refused, or something was found, with sentences on stderr; 2: misused; 130: interrupted.
    """
    try:
        parser = argparse.ArgumentParser(prog=prog, description=description)
        subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
        for command in commands:
            command.add(subparsers)
        options = parser.parse_args(list(args))
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
