"""The options that say which judge runs, and where: shared by the commands that call a judge."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from judges.authoring.card_lookup import find_card, is_file, recipe_of_scale
from judges.authoring.recipe import RecipeScale
from judges.card import Card
from judges.client.budget import Price
from judges.client.endpoint import Endpoint
from judges.client.prices import PRICES, price
from judges.errors import BadInput
from judges.params import Params
from judges.types import Kind

_Made = TypeVar("_Made", bound=BaseModel)


_PARAMS = {
    "temperature": "0 to 2",
    "seed": "given to the endpoint, where it takes one",
    "samples": "how often each item is asked",
    "combine": "how several samples make one answer",
    "max_tokens": "the most a reply may have",
    "orders": "a pair as A/B, as B/A, or in both orders",
    "window": "assistant turns per window of a long dialogue; 0 never cuts",
    "window_over": "dialogues of more assistant turns than this are cut into windows",
    "context": "tokens that fit into one call, above which a pair is judged by chapters; 0 never cuts",
    "verdict": "which rating in a reply of prose counts",
    "probe": "a change made to each item, to see what it does",
}
_ENDPOINT = {  # option: (field, help)
    "base-url": ("base_url", "the endpoint, such as http://127.0.0.1:8000/v1 (else OPENAI_BASE_URL, else OpenAI)"),
    "key-variable": ("key_variable", "the environment variable that holds the key"),
    "api-version": ("api_version", "of an Azure endpoint"),
    "rpm": ("requests_per_minute", "requests a minute that the endpoint allows"),
    "tpm": ("tokens_per_minute", "tokens a minute that it allows"),
    "room": ("room", "tokens that a call and its reply may have; longer ones are named before (0: as known)"),
    "concurrency": ("concurrency", "the most calls at a time"),
    "timeout": ("timeout", "seconds that a call may take"),
    "tries": ("tries", "how often a call is tried at most"),
}
_METAVARS = {"base-url": "URL", "key-variable": "NAME", "api-version": "V"}


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """The options of the judge's parameters."""
    group = parser.add_argument_group("parameters of the judge (default: the card's; another value is another judge)")
    for name, about in _PARAMS.items():
        field = Params.model_fields[name]
        kinds = get_args(field.annotation)
        words = [k for k in kinds if isinstance(k, str) and k]
        sort: Any = str if words else int if kinds else field.annotation
        shown = "" if field.default in ("", None) else f" (usually {_number(field.default)})"
        group.add_argument(
            f"--{name.replace('_', '-')}", type=sort, choices=words or None, metavar=None if words else "N",
            help=about + shown,
        )  # fmt: skip
    group.add_argument("--logprobs", action="store_true", default=None, help="ask for log-probabilities, too")


def add_card(parser: argparse.ArgumentParser, about: str = "the card: a name that `list` shows") -> None:
    """The options that choose a card: by name, by a file, or by the caller's questions."""
    parser.add_argument(
        "--card",
        default="",
        metavar="NAME|FILE",
        help=f"{about}, NAME_on_turns (applied per turn), or a FILE: a recipe or a card's content as JSON, or the "
        "zip or folder of a card exported by the page Cards",
    )
    parser.add_argument(
        "--dimension",
        action="append",
        default=[],
        metavar='"NAME (SCALE): DEFINITION"',
        help="a question of your own, again for each; for pointwise_quality, else they make a card under the --card "
        "name, which no other card has. SCALE may be left out (1-5): (1-3) whole numbers, (0-1) or (0-10 step 0.5) any "
        "number, (yes/no), (poor|fair|good) words from worst to best, (red, green) words; with n/a: (1-5 or n/a). "
        "turn.NAME, section.NAME or side.NAME is asked of each of those, NAME of the whole item",
    )
    parser.add_argument(
        "--kind", choices=get_args(Kind), default="response", help="what such a card judges (default: response)"
    )
    parser.add_argument(
        "--no-confidence",
        dest="confidence",
        action="store_false",
        help="pointwise_quality: scores and justifications only, for small judges",
    )


def add_param(parser: argparse.ArgumentParser) -> None:
    """The option that picks judgments by a parameter of their judge."""
    about = "a parameter that judges differ in; repeat"
    parser.add_argument("--param", action="append", default=[], metavar="NAME=VALUE", help=about)


def add_endpoint(parser: argparse.ArgumentParser) -> None:
    """The options that say where it runs, and what its endpoint allows."""
    group = parser.add_argument_group("endpoint and limits")
    for option, (name, about) in _ENDPOINT.items():
        field = Endpoint.model_fields[name]
        shown = "" if field.default in ("", 0) else f" (default {_number(field.default)})"
        options = dict.fromkeys((f"--{option}", f"--{name.replace('_', '-')}"))
        sort: Any = field.annotation
        group.add_argument(*options, dest=name, type=sort, metavar=_METAVARS.get(option, "N"), help=about + shown)


def _number(default: Any) -> str:
    return str(default).removesuffix(".0")


def add_scale(parser: argparse.ArgumentParser) -> None:
    """Add the option of the scales of a table's columns."""
    parser.add_argument(
        "--scale", action="append", default=[], metavar="COLUMN=SCALE", help="the scale of a column's answers, as "
        "human_score=1-10, fit=yes/no or tone=poor|fair|good; that of its question, so of all columns that answer it"
    )  # fmt: skip


def add_budget(parser: argparse.ArgumentParser) -> None:
    """The options of `chosen_price`."""
    parser.add_argument("--spend", type=float, metavar="USD", help="stop before the runs into this file cost more")
    parser.add_argument("--prices", type=Path, default=PRICES, metavar="FILE", help="another price list than ours")


def chosen_card(args: argparse.Namespace, name: str | None = None, known: Mapping[str, Card] | None = None) -> Card:
    """The card that the options choose.

    `name` replaces --card, `known` are the cards there are (default: those with a folder). Raises AssayError.
    """
    card_name = args.card if name is None else name
    if not card_name and not args.dimension:
        raise BadInput("Say which card: --card NAME, or --card FILE; `python -m judges list` shows the names.")
    return find_card(card_name, args.dimension, args.kind, args.confidence, known)


def filed_card(args: argparse.Namespace) -> Card | None:
    """The card of the file that --card names; None where it names none."""
    return chosen_card(args) if args.card and is_file(args.card) else None


def chosen_params(args: argparse.Namespace, defaults: Params) -> Params:
    """The card's parameters with what was given. Raises BadInput."""
    values = {name: getattr(args, name) for name in (*_PARAMS, "logprobs")}
    return _valid(Params, defaults.model_dump() | {k: v for k, v in values.items() if v is not None})


def chosen_endpoint(args: argparse.Namespace, **others: str) -> Endpoint:
    """The endpoint; `others` that are not empty replace what was given. Raises BadInput."""
    values = {name: getattr(args, name) for name, _ in _ENDPOINT.values()}
    values |= {name: value for name, value in others.items() if value}
    return _valid(Endpoint, {k: v for k, v in values.items() if v is not None})


def chosen_scales(args: argparse.Namespace) -> dict[str, RecipeScale]:
    """The scales of columns from `human_score=1-10`. Raises AssayError for what is not of that form."""
    parts = [text.rpartition("=") for text in args.scale]
    if wrong := next((scale for name, _, scale in parts if not name.strip()), ""):
        raise BadInput(f"--scale {wrong[:60]!r} names no column. Write the column and its scale: --scale human=1-10.")
    return {name.strip(): recipe_of_scale(scale) for name, _, scale in parts}


def chosen_price(args: argparse.Namespace) -> Price | None:
    """The price of the model; BadInput if a spending limit is set and the price is not known."""
    model_price = price(args.model, False, args.prices)
    if args.spend is not None and model_price is None:
        raise BadInput(f"--spend needs the price of {args.model}: add it to the price list (--prices FILE).")
    if args.spend is not None and not (math.isfinite(args.spend) and args.spend > 0):
        raise BadInput(f"--spend is an amount in US dollars above 0, such as 2.50; it is {args.spend:g}.")
    return model_price


def _valid(model_class: type[_Made], values: dict[str, Any]) -> _Made:
    try:
        return model_class.model_validate(values)
    except ValidationError as error:
        raise BadInput(_sentence(error.errors())) from None


def _sentence(errors: Sequence[Any]) -> str:
    names = {field: option for option, (field, _) in _ENDPOINT.items()}
    parts = []
    for error in errors:
        field = str(error["loc"][0]) if error["loc"] else ""
        text = str(error["msg"]).removeprefix("Value error, ")
        value = "" if "@" in str(error["input"]) else f" {error['input']}"  # it may hold a password
        parts.append(f"--{names.get(field, field.replace('_', '-'))}{value}: {text[:1].lower()}{text[1:]}.")
    return " ".join(parts)
