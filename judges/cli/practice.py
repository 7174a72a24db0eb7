"""`practice`: an OpenAI-compatible endpoint on this machine that answers by fixed rules; it needs no key."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from judges.practice.faults import faults
from judges.practice.options import FLAWS, PORT, REFUSABLE, Options, named


def add(subparsers: Any) -> None:
    """Add the command."""
    about = "an endpoint on this machine to try runs with: practice, not a language model; no key needed"
    parser = subparsers.add_parser("practice", description=f"Serve {about}.")
    parser.add_argument("--port", type=int, default=PORT, help="0 takes a free one (default %(default)s)")
    parser.add_argument("--latency-ms", type=float, default=0.0, metavar="N", help="answer after so long")
    parser.add_argument("--jitter-ms", type=float, default=0.0, metavar="N", help="... give or take so much")
    parser.add_argument(
        "--faults", default="", metavar="SPEC", help="such as 429=0.05:1,500=0.05,reset=0.02,refused=0.01"
    )
    parser.add_argument("--flaws", default="", metavar="NAMES", help=f"planted flaws, of {', '.join(FLAWS)}")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of faults, jitter and temperature")
    parser.add_argument("--rpm", type=int, default=0, metavar="N", help="429 above so many requests a minute")
    parser.add_argument("--refuses", default="", metavar="NAMES", help=f"status 400 for any of {', '.join(REFUSABLE)}")
    parser.add_argument("--no-json-schema", action="store_true", help="refuse response_format json_schema")
    parser.add_argument("--no-json-mode", action="store_true", help="refuse response_format json_object")
    parser.add_argument("--no-logprobs", action="store_true", help="refuse logprobs")
    parser.add_argument(
        "--key-variable", default="", metavar="NAME", help="demand the key in this environment variable"
    )
    parser.add_argument("--echo-key", action="store_true", help="repeat the key in error messages, as some proxies do")
    parser.add_argument("--batch-seconds", type=float, default=1.0, metavar="N", help="what a batch takes")
    parser.add_argument("--batch-ends", default="completed", choices=("completed", "expired", "failed"), help="how")
    parser.set_defaults(run=run)


def chosen(given: argparse.Namespace) -> Options:
    """The options that the arguments name. Raises BadOption."""
    refuses = set(named(given.refuses, REFUSABLE, "parameter"))
    for on, name in (
        (given.no_json_schema, "json_schema"),
        (given.no_json_mode, "json_object"),
        (given.no_logprobs, "logprobs"),
    ):
        if on:
            refuses.add(name)
    return Options(
        port=given.port,
        latency_ms=given.latency_ms,
        jitter_ms=given.jitter_ms,
        faults=faults(given.faults),
        seed=given.seed,
        rpm=given.rpm,
        refuses=frozenset(refuses),
        flaws=named(given.flaws, FLAWS, "flaw"),
        key_variable=given.key_variable,
        echo_key=given.echo_key,
        batch_seconds=given.batch_seconds,
        batch_ends=given.batch_ends,
    )


def run(given: argparse.Namespace) -> int:
    """Serve until Ctrl+C."""
    try:
        asyncio.run(_serve(chosen(given)))
    except KeyboardInterrupt:
        print("\nThe practice endpoint has ended.", flush=True)
    return 0


async def _serve(options: Options) -> None:
    from judges.practice.server import serving

    async with serving(options) as (url, server):
        print(
            f"Practice, not a language model, at {url}. Models: {', '.join(server.models)}. Ctrl+C ends it.", flush=True
        )
        if options.faults or options.flaws:
            print(f"Planted: {_planted(options)}.", flush=True)
        await server.ended()


def _planted(options: Options) -> str:
    faults = [f"{fault.name} {fault.share:.0%}" for fault in options.faults]
    return ", ".join([*faults, *(name.replace("_", " ") for name in sorted(options.flaws))])
