"""`practice`: an OpenAI-compatible endpoint on this machine that answers by fixed rules; it needs no key."""

from __future__ import annotations

import argparse
from dataclasses import fields

from judges.practice.options import FLAWS, PORT, BadOption, PracticeOptions, parse_names
from judges.process import run_async

_LONGEST = 3_600_000


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.description = (
        "Serve an endpoint on this machine to try runs with: practice, not a language model; no key needed."
    )
    parser.add_argument("--port", type=int, default=PORT, help="0 takes a free one (default %(default)s)")
    parser.add_argument("--latency-ms", type=float, default=0.0, metavar="N", help="answer after so long")
    parser.add_argument("--jitter-ms", type=float, default=0.0, metavar="N", help="... give or take so much")
    parser.add_argument("--flaws", default="", metavar="NAMES", help=f"planted flaws, of {', '.join(FLAWS)}")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of jitter and temperature")
    parser.add_argument("--batch-seconds", type=float, default=1.0, metavar="N", help="what a batch takes")
    parser.add_argument("--batch-ends", default="completed", choices=("completed", "expired", "failed"), help="how")


def chosen_options(args: argparse.Namespace) -> PracticeOptions:
    """The options that the arguments name. Raises BadOption."""
    if not 0 <= args.port <= 65535:
        raise BadOption(f"--port is a number from 0 to 65535; it is {args.port}.")
    for name in ("latency_ms", "jitter_ms", "batch_seconds"):
        if not 0 <= getattr(args, name) <= _LONGEST:
            raise BadOption(f"--{name.replace('_', '-')} is from 0 to {_LONGEST:,}; it is {getattr(args, name):g}.")
    values = {field.name: getattr(args, field.name) for field in fields(PracticeOptions)}
    return PracticeOptions(**values | {"flaws": parse_names(args.flaws, FLAWS, "flaw")})


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl+C."""
    try:
        run_async(_serve(chosen_options(args)))
    except KeyboardInterrupt:
        print("\nThe practice endpoint has ended.", flush=True)
    return 0


async def _serve(options: PracticeOptions) -> None:
    from judges.practice.family import FAMILIES
    from judges.practice.server import Server, serve_app

    server = Server(options)
    async with serve_app(server) as url:
        print(f"Practice, not a language model, at {url}. Models: {', '.join(FAMILIES)}. Ctrl+C ends it.", flush=True)
        if options.flaws:
            planted = ", ".join(name.replace("_", " ") for name in sorted(options.flaws))
            print(f"Planted: {planted}.", flush=True)
        await server.wait_until_ended()
