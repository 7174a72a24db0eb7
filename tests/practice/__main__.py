"""`python -m tests.practice`: the practice endpoint as a server, with faults, limits and keys on demand."""

from __future__ import annotations

import argparse
import asyncio
import sys

from judges.practice.options import FLAWS, PORT, BadOption, parse_names
from judges.practice.server import serve_app
from tests.practice.faults import faults
from tests.practice.options import REFUSABLE, Equipment
from tests.practice.server import FaultyServer


def read_equipment(arguments: argparse.Namespace) -> Equipment:
    """What the arguments name. Raises BadOption."""
    return Equipment(**{
        **vars(arguments),
        "faults": faults(arguments.faults),
        "flaws": parse_names(arguments.flaws, FLAWS, "flaw"),
        "refuses": parse_names(arguments.refuses, REFUSABLE, "parameter"),
    })  # fmt: skip


async def serve(options: Equipment) -> None:
    """Serve until it is ended."""
    server = FaultyServer(options)
    async with serve_app(server) as url:
        print(f"Practice, not a language model, at {url}. Ctrl+C ends it.", flush=True)
        for fault in options.faults:
            print(f"Planted: {fault.name} {fault.share:.0%}", flush=True)
        await server.wait_until_ended()


def main() -> int:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(prog="python -m tests.practice", description=__doc__)
    parser.add_argument("--port", type=int, default=PORT, help="0 takes a free one (default %(default)s)")
    parser.add_argument("--latency-ms", type=float, default=0.0, metavar="N", help="answer after so long")
    parser.add_argument("--jitter-ms", type=float, default=0.0, metavar="N", help="... give or take so much")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of faults, jitter and temperature")
    parser.add_argument("--flaws", default="", metavar="NAMES", help=f"planted flaws, of {', '.join(FLAWS)}")
    parser.add_argument("--batch-seconds", type=float, default=1.0, metavar="N", help="what a batch takes")
    parser.add_argument("--batch-ends", default="completed", choices=("completed", "expired", "failed"), help="how")
    parser.add_argument("--faults", default="", metavar="SPEC", help="such as 429=0.05:1,500=0.05,reset=0.02")
    parser.add_argument("--rpm", type=int, default=0, metavar="N", help="429 above so many requests a minute")
    parser.add_argument("--refuses", default="", metavar="NAMES", help=f"status 400 for any of {', '.join(REFUSABLE)}")
    parser.add_argument("--key-variable", default="", metavar="NAME", help="demand the key in this variable")
    parser.add_argument("--echo-key", action="store_true", help="repeat the key in error messages, as some proxies do")
    try:
        asyncio.run(serve(read_equipment(parser.parse_args())))
    except BadOption as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nThe practice endpoint has ended.", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
