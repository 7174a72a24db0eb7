"""The command line of judges on plain files: each module here is a command; errors are sentences.

A command's module begins with its name and what it does; until it is run, only that line is read.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import importlib
import io
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from judges.errors import AssayError
from judges.version import VERSION

_BEGINS = re.compile(r'"""`([a-z-]+)`: (.+?)(?:""")?\n')
"""The first line of a command's module."""


def main(args: Sequence[str]) -> int:
    """Run one command of `python -m judges`."""
    description = "Judges, audits and agreement on plain files; no workspace needed."
    return run_command("python -m judges", description, commands(__name__), args)


def commands(package: str, modules: Sequence[str] = ()) -> dict[str, tuple[str, str]]:
    """(module, what it does) of the commands of a package by name, in the order of `modules`, or alphabetically."""
    folder = Path(str(sys.modules[package].__file__)).parent
    by_name = {}
    for name in modules or sorted(file.stem for file in folder.glob("*.py")):
        with (folder / f"{name}.py").open(encoding="utf-8") as file:
            if begins := _BEGINS.match(file.readline()):
                by_name[begins[1]] = (f"{package}.{name}", begins[2])
    return by_name


def run_command(
    prog: str, description: str, known_commands: Mapping[str, tuple[str, str]], args: Sequence[str],
    before: Callable[[], None] = lambda: None,
) -> int:  # fmt: skip
    """Run the command that the arguments name. `known_commands` is what `commands` gives; `before` is called first.

    Only the module of that command is loaded: it has `add(parser)`, which adds its options, and `run(options)`.

    Exit code 0: done; 1: refused, or something was found, with sentences on stderr; 2: misused; 130: interrupted.
    """
    try:
        _make_writable()
        before()
        parser = argparse.ArgumentParser(prog=prog, description=description)
        parser.add_argument("--version", action="version", version=f"Assay {VERSION}", help="say the version and end")
        subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
        if args and args[0] in known_commands:
            module, does = known_commands[args[0]]
            command = importlib.import_module(module)
            subparser = subparsers.add_parser(args[0], description=does[:1].upper() + does[1:])
            subparser.set_defaults(run=command.run)
            command.add(subparser)
        else:
            for name, (_, does) in known_commands.items():
                subparsers.add_parser(name, help=does.rstrip("."))
        options = parser.parse_args(list(args))
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except AssayError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader closed the output; nothing more can be printed.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("\nStopped. What was not reported as done was written as a whole or not at all.", file=sys.stderr)
        return 130
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        print(
            f"{named}{error.strerror or error}. Check the path, its rights and the room on the disk.", file=sys.stderr
        )
        return 1


def _make_writable() -> None:
    """Make any text printable: characters that the encoding lacks are escaped as in JSON; closed output is dropped."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
    if isinstance(sys.stdout, io.TextIOWrapper):
        codecs.register_error("as in JSON", _escape)
        sys.stdout.reconfigure(errors="as in JSON")


def _escape(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end
