"""Faults that tests plant: which call gets which is decided by (seed, call, how often it was asked).

A fault is written `name=probability` or `name=probability:detail`, several with commas: `429=0.05:1,reset=0.02`.

    429       too many requests; detail: Retry-After in seconds (1), "date" for a date, "none" for no header
    quota     429 that says the quota is used up, which no waiting mends
    401 404 408 409 500 502 503 504   that status with an error in JSON (503: detail as for 429)
    timeout   no answer until the caller gives up
    reset     the connection is dropped in the middle of the body
    slow      the body comes in pieces; detail: seconds that it takes (default 1)
    html      a page instead of JSON; detail: its status (default 200)
    bad_body  a body that is no JSON
    no_choices, duplicate   an answer without choices, or with two that differ
    bad_json  the reply lacks a bracket and a comma            two_json  the reply holds two different objects
    cut_off   the reply ends early, finish_reason "length"     prose_around  sentences before and after the reply
    refused   the model refuses; detail "filter": the content filter cut it off
    empty     an empty reply                                   huge  a megabyte of words after the reply
    wrong_schema  the reply lacks its first key                out_of_range  a score above its scale
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from judges.practice import completion, model
from judges.practice.family import draw_chance
from judges.practice.options import BadOption
from tests.practice.options import Equipment, Fault

STATUSES = ("401", "404", "408", "409", "429", "500", "502", "503", "504")
WIRE = ("quota", *STATUSES, "timeout", "reset", "slow", "html", "bad_body")
"""Faults of the connection or the protocol."""
SHAPES = ("no_choices", "duplicate", "cut_off", "refused", "empty")
"""Faults of the envelope around the reply's text."""
TEXTS = ("bad_json", "two_json", "prose_around", "huge", "wrong_schema", "out_of_range")
"""Faults of the reply's text itself."""
NAMES = (*WIRE, *SHAPES, *TEXTS)
_HUGE = 1_000_000
_NUMBER = re.compile(r"(\[\[|: ?)\d+(?=[\],}])")


def faults(spec: str) -> tuple[Fault, ...]:
    """The faults that a text names. Raises BadOption for an unknown name or shares that are none or exceed 1."""
    faults = tuple(fault(part) for part in spec.split(",") if part.strip())
    if sum(f.share for f in faults) > 1 + 1e-9:
        raise BadOption("The shares of all faults add up to more than 1: lower some of them.")
    return faults


def fault(text: str) -> Fault:
    """One fault: `429=0.05:2`, or `429:2` for always. Raises BadOption where it is none."""
    head, _, detail = text.strip().partition(":")
    name, equals, share = (part.strip() for part in head.partition("="))
    if name not in NAMES:
        raise BadOption(f"There is no fault {name!r}. There are: {', '.join(NAMES)}.")
    try:
        value = float(share) if equals else 1.0
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise BadOption(f"{text.strip()!r} is no fault with a share: write it as {name}=0.05, from 0 to 1.")
    return Fault(name, value, detail.strip())


def plan_fault(options: Equipment, key: str, attempt: int) -> Fault | None:
    """The fault that the `attempt`-th time (from 1) of asking a call gets, None for an answer."""
    if options.script:
        text = options.script[attempt - 1] if attempt <= len(options.script) else ""
        return fault(text) if text else None
    return draw_fault(options.faults, draw_chance(options.seed, key, attempt, "fault")) if options.faults else None


def draw_fault(among: Sequence[Fault], at: float) -> Fault | None:
    """The fault in whose share of [0, 1) the number lies."""
    for candidate in among:
        at -= candidate.share
        if at < 0:
            return candidate
    return None


def spoil(name: str, text: str) -> str:
    """The reply's text as the fault leaves it; faults that need JSON leave prose without its rating."""
    if name == "prose_around":
        return f"Let me think about this step by step.\n\n{text}\n\nI hope that this is of help!"
    if name == "huge":
        return text + "\n" + "and so on " * (_HUGE // 10)
    if name == "out_of_range":
        return _NUMBER.sub(lambda m: m[1] + "97", text, count=1)
    try:
        value = json.loads(text)
    except ValueError:
        return re.sub(r"\[\[[^\]]*\]\]", "a fair rating", text)
    if name == "two_json":
        other = {**value, next(iter(value), "verdict"): None}
        return f"{text}\n\nOn second thoughts:\n{json.dumps(other, ensure_ascii=False)}"
    if name == "wrong_schema":
        return json.dumps(dict(list(value.items())[1:]), ensure_ascii=False)
    return text.replace("}", "", 1).replace(",", " ", 1)


def make_completion(
    options: Equipment, body: dict[str, Any], text: str, key: str, attempt: int, fault: Fault | None
) -> dict[str, Any]:
    """The completion's body, with what the fault does to the reply. Raises ErrorReply for a schema that is none."""
    reply = model.make_reply(options, body, text, key, attempt)
    name = fault.name if fault else ""
    if name in TEXTS:
        reply = (spoil(name, completion.reply_text(reply)),)
    if name == "cut_off":
        most = max(1, len([*completion.spell_tokens((completion.reply_text(reply),))]) * 3 // 5)
        body = {**body, "max_completion_tokens": most}
    done = model.complete_chat(body, reply, f"{key} {attempt}")
    first = done["choices"][0]
    if name in ("empty", "refused"):
        first["message"]["content"] = ""
        if first["logprobs"]:
            first["logprobs"]["content"] = []
        done["usage"]["completion_tokens"], done["usage"]["total_tokens"] = 0, done["usage"]["prompt_tokens"]
    if fault and name == "refused" and fault.detail == "filter":
        first["finish_reason"] = "content_filter"
    elif name == "refused":
        refusal = "I can't help with that. (A planted refusal: practice, not a language model.)"
        first["message"] |= {"content": None, "refusal": refusal}
    if name == "duplicate":
        other = spoil("out_of_range", first["message"]["content"])
        done["choices"].append(completion.completion_choice(1, other, first["finish_reason"]))
    if name == "no_choices":
        done["choices"] = []
    return done
