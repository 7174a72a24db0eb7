"""What a run is to be: card, endpoint, model, parameters and limits, chosen in one form."""

from __future__ import annotations

import os
from typing import Any

import pandas as pd
import streamlit as st
from pydantic import ValidationError

from data import cards, datasets, runs
from data.datasets import Dataset
from data.orders import Order
from data.store import Store
from judges.card import Card
from judges.endpoint import Endpoint
from judges.errors import AssayError
from judges.params import Params
from pages.parts import picked, session, text

PRACTICE, USUAL, OTHER = "practice", "usual", "other"
PROBES = {
    "": "none: the items as they are",
    "scenario_swapped": "another item's scenario",
    "reference_removed": "no reference answer",
    "injected_order": "an order to the judge planted in the text",
}
HELP = {
    "samples": "Every item is asked so often. How far the samples agree is a confidence.",
    "orders": "Both orders show whether the first place wins; what changes with the order is called a tie.",
    "window": "Long dialogues are judged in windows of so many assistant turns; 0 never cuts.",
    "context": "Tokens that fit into one call; a longer pair is judged chapter by chapter. 0 never cuts.",
    "logprobs": "Token probabilities, where the endpoint gives them, become an expected score and a confidence.",
    "probe": "A change made to each item before the judge sees it, to see what it does. A judge of its own.",
}


def card(store: Store, dataset_id: str) -> Card | None:
    """A card that can be run on the items of a dataset; for pointwise_quality with the dimensions of one's choice."""
    kinds = datasets.kinds(store, dataset_id)
    fitting = {n: c for n, c in cards.known(store).items() if c.kind in kinds and c.prompts}
    if not fitting:
        st.info("No card can judge these items yet.", icon=":material/style:")
        return None
    usual = next((j[1] for j in datasets.judges(store, dataset_id) if j[1] in fitting), "")
    found = fitting[picked.one("card", "Card", {n: c.title for n, c in fitting.items()}, default=usual)]
    return _named(found) if found.name == "pointwise_quality" else found


def _named(usual: Card) -> Card:
    """The pointwise card with its dimensions as the person names them."""
    from judges.cards.pointwise_quality.card import named

    rows = [(d.name, d.definition) for d in usual.dimensions if d.asked]
    with st.expander("Dimensions: names of your choice, each with a definition"):
        table = st.data_editor(
            pd.DataFrame(rows, columns=["Name", "Definition"]), num_rows="dynamic", hide_index=True, key="runs:named",
            column_config={"Name": st.column_config.TextColumn(width=200)},
        )  # fmt: skip
    chosen = [(str(n).strip(), str(d or "").strip()) for n, d in table.itertuples(index=False) if str(n or "").strip()]
    return usual if chosen == rows or not chosen else named(chosen)


def endpoint() -> Endpoint | None:
    """Where the judge runs. Keys come from the environment of the server, and are never typed into a page."""
    usual = os.environ.get("OPENAI_BASE_URL", "").strip() or "OpenAI"
    options = {PRACTICE: "Practice endpoint (no language model)", USUAL: usual, OTHER: "Another address"}
    where = picked.one("endpoint", "Endpoint", options, default=PRACTICE)
    if where == PRACTICE:
        return Endpoint(base_url=runs.practice_url())
    if where == USUAL:
        return Endpoint()
    left, middle, right = st.columns([3, 2, 1])
    address = left.text_input("Address", key="runs:url", placeholder="http://127.0.0.1:8000/v1").strip()
    variable = middle.text_input("Environment variable that holds the key", "OPENAI_API_KEY", key="runs:variable")
    version = right.text_input("Azure API version", key="runs:azure", placeholder="not Azure")
    if not address:
        return None
    return made(Endpoint, base_url=address, key_variable=variable.strip(), api_version=version.strip())


def model(at: Endpoint) -> str:
    """A model of the endpoint's list, or a name that the person types."""
    kept = session.scratch("runs:models")
    if (at.base_url, at.key_variable) not in kept:
        try:
            kept[at.base_url, at.key_variable] = runs.models(at)
        except AssayError as error:
            text.refuse(error)
            return ""
    known = kept[at.base_url, at.key_variable]
    wanted = st.query_params.get("model", "")
    options = known if not wanted or wanted in known else [wanted, *known]
    chosen: str | None = st.selectbox(
        "Model", options, index=options.index(wanted) if wanted in options else 0 if len(options) < 8 else None,
        accept_new_options=True, key="runs:model", placeholder="choose, or type a name",
    )  # fmt: skip
    return chosen or ""


def params(of: Card) -> Params | None:
    """The parameters, which are part of the judge's identity: another value is another judge."""
    usual, given = of.defaults, {}
    left, right = st.columns(2)
    given["temperature"] = left.number_input("Temperature", 0.0, 2.0, usual.temperature, 0.1, key="runs:temperature")
    given["samples"] = right.number_input(
        "Samples per item", 1, 50, usual.samples, key="runs:samples", help=HELP["samples"]
    )
    given["max_tokens"] = left.number_input(
        "Most tokens of a reply", 16, 200_000, usual.max_tokens, 256, key="runs:max_tokens"
    )
    given["seed"] = right.number_input("Seed", 0, None, None, key="runs:seed", placeholder="none", step=1)
    if of.kind == "pair":
        given["orders"] = left.selectbox(
            "Orders", ["both", "ab"], index=0 if usual.orders == "both" else 1, key="runs:orders", help=HELP["orders"],
            format_func={"both": "A/B and B/A", "ab": "A/B only"}.get,
        )  # fmt: skip
        given["context"] = right.number_input(
            "Context of the model, in tokens", 0, 10_000_000, usual.context, 1000, key="runs:context",
            help=HELP["context"],
        )  # fmt: skip
    if of.kind == "dialogue" and not of.text:
        given["window"] = left.number_input(
            "Turns per window", 0, 50, usual.window, key="runs:window", help=HELP["window"]
        )
    probes = [p for p in PROBES if p in ("", "injected_order") or _PROBED[p] == of.kind]
    wanted = st.query_params.get("probe", "")
    given["probe"] = right.selectbox(
        "Probe", probes, index=probes.index(wanted) if wanted in probes else 0, format_func=PROBES.get,
        key="runs:probe", help=HELP["probe"],
    )  # fmt: skip
    if not of.text:
        given["logprobs"] = st.checkbox(
            "Ask for token probabilities", usual.logprobs, key="runs:logprobs", help=HELP["logprobs"]
        )
    return made(Params, **usual.model_dump() | given)


_PROBED = {"scenario_swapped": "dialogue", "reference_removed": "response"}


def limits(at: Endpoint) -> tuple[Endpoint | None, float | None, tuple[float, float] | None, int]:
    """What the endpoint allows and what may be spent: (endpoint, US dollars, price per million in and out, items)."""
    left, right = st.columns(2)
    given = {
        "concurrency": left.number_input("Calls at a time", 1, 1024, at.concurrency, key="runs:concurrency"),
        "timeout": right.number_input("Seconds until a call is given up", 1.0, 3600.0, at.timeout, key="runs:timeout"),
        "requests_per_minute": left.number_input("Requests a minute", 0, None, 0, key="runs:rpm", help="0: not known."),
        "tokens_per_minute": right.number_input("Tokens a minute", 0, None, 0, key="runs:tpm", help="0: not known."),
    }
    spend = left.number_input("Spend at most, US dollars", 0.0, None, None, key="runs:spend", placeholder="no limit")
    most = right.number_input("Items, drawn at random", 1, None, None, key="runs:most", placeholder="all", step=1)
    price_in = left.number_input(
        "Price of a million tokens in", 0.0, None, None, key="runs:in", placeholder="as listed"
    )
    price_out = right.number_input("… and out", 0.0, None, None, key="runs:out", placeholder="as listed")
    price = (price_in, price_out) if price_in is not None and price_out is not None else None
    return made(Endpoint, **at.model_dump() | given), spend, price, int(most or 0)


def made(model_of: Any, **values: Any) -> Any:
    """A model of the values; None, with a sentence for each fault, where they are wrong."""
    try:
        return model_of(**values)
    except ValidationError as error:
        for fault in error.errors():
            text.warn("{field}: {fault}.", field=fault["loc"][-1], fault=fault["msg"].removeprefix("Value error, "))
        return None


def chosen(store: Store, dataset: Dataset) -> Order | None:
    """An order for a run, as far as it was chosen; None while something is missing."""
    one, two, three = st.columns([2, 2, 2])
    with one:
        of = card(store, dataset.id)
    with two:
        at = endpoint() if of else None
    if of is None or at is None:
        return None
    with three:
        name = model(at)
    left, right = st.columns(2)
    with left, st.expander("Parameters: part of the judge's identity"):
        asked = params(of)
    with right, st.expander("Limits: how fast, how much"):
        limited, spend, price, most = limits(at)
    if not name or asked is None or limited is None:
        return None
    return Order(dataset.id, of, name, asked, limited, spending_limit=spend, price=price, most=most)
