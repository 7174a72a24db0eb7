"""`check`: whether a judge meets the policy, as a check in a pipeline asks; the exit code says it."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import sys
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlencode

from data.approvals.ci_check import CODES, check_judge
from data.cli.options import acting_person, add_actor, add_dataset, add_judge, workspace_store
from data.records import datasets
from data.store.errors import BadInput, NotFound
from judges.errors import AssayError

_TIMEOUT_SECONDS = 120
_NO_API = "The server there is not Assay's API: its answer is not JSON."


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.description = (
        "Says of each dimension whether the judge meets the policy. Exit code 0: every one does. 1: one does not. 2: "
        "one is undecided (inconclusive, below minimum sample, undefined), or the question could not be answered. "
        "With --url it asks a running Assay, with the token in ASSAY_TOKEN."
    )
    add_dataset(parser)
    add_judge(parser)
    parser.add_argument(
        "--dimension", metavar="NAME", action="append", default=[],
        help="only this one, as in helpfulness or turn.helpfulness; repeat it (default: every one)",
    )  # fmt: skip
    parser.add_argument("--url", metavar="URL", default="", help="a running Assay, as http://127.0.0.1:8501")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_actor(parser)


def run(options: argparse.Namespace) -> int:
    """Print the verdict."""
    try:
        answer = _check_on_server(options) if options.url else _check_here(options)
    except (AssayError, OSError) as error:
        print(error, file=sys.stderr)
        return CODES["cannot be said"]
    if options.json:
        print(json.dumps(answer, ensure_ascii=False, indent=1))
    else:
        print(f"{answer['model']} ({answer['card']}) on {answer['dataset']}: {answer['verdict']}.")
        print("\n".join(f"  {dimension['line']}" for dimension in answer["dimensions"]))
    return int(answer["code"])


def _check_here(options: argparse.Namespace) -> dict[str, Any]:
    with workspace_store() as store:
        at = datasets.dataset_named(store, options.dataset)
        return check_judge(
            store, acting_person(store, options.actor), at, options.judge, options.dimension
        ).as_json()


def _check_on_server(options: argparse.Namespace) -> dict[str, Any]:
    """Return the answer of a running Assay. Raises NotFound if none answers, BadInput for what it refuses."""
    token = os.environ.get("ASSAY_TOKEN", "").strip()
    if not token:
        raise BadInput("Put a token with the scope check into ASSAY_TOKEN. One is made on the page Your labels.")
    if not token.isascii() or not token.isprintable():
        raise BadInput("ASSAY_TOKEN is not a token: it has characters that no token has. Copy the token again.")
    query = [("dataset", options.dataset), *(("dimension", name) for name in options.dimension)]
    query += [("judge", options.judge)] if options.judge else []
    address = f"{options.url.rstrip('/')}/api/v1/check?{urlencode(query)}"
    try:
        request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
        if request.type not in ("http", "https"):
            raise ValueError(request.type)
        with urllib.request.build_opener(_NoRedirects()).open(request, timeout=_TIMEOUT_SECONDS) as answer:
            return _read(answer.read())
    except urllib.error.HTTPError as error:
        raise BadInput(str(_read(error.read()).get("detail") or f"Assay answered {error.code}.")) from None
    except OSError as error:
        raise NotFound(f"No Assay answers at {options.url}: {getattr(error, 'reason', None) or error}.") from None
    except (ValueError, http.client.InvalidURL):
        raise BadInput(f"{options.url!r} is not the address of Assay. Give one like http://127.0.0.1:8501.") from None
    except http.client.HTTPException:
        raise BadInput(_NO_API) from None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which would take the token elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _read(body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise BadInput(_NO_API)
    return answer
