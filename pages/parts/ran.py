"""Runs as people see them: the estimate before, progress during, the table after, and how two judges differ."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta, tzinfo
from typing import Any

import pandas as pd
import streamlit as st

from data.orders import Order, Run, Shown, Standing
from judges.endpoint import practice
from judges.errors import AssayError
from pages.parts import clock, links, marks, text, todo

MARKS = {
    "running": "▶ running", "stopping": "■ stopping", "stopped": "■ stopped", "interrupted": "! interrupted",
    "failed": "✕ failed", "finished": "✓ finished", "waiting for batch": "… waiting for batch",
}  # fmt: skip
COLUMNS = {
    "Dataset": st.column_config.TextColumn(width=150),
    "Card": st.column_config.TextColumn(width=160),
    "Model": st.column_config.TextColumn(width=170),
    "Parameters": st.column_config.TextColumn(width=220),
    "Items": st.column_config.NumberColumn(width=60, format="localized"),
    "State": st.column_config.TextColumn(width=120),
    "By": st.column_config.TextColumn(width=90),
    "Begun": st.column_config.TextColumn(width=110),
}


def as_batch(order: Order) -> Order:
    """The same order through the endpoint's Batch API."""
    return replace(order, batch=True)


def money(cost: float | None) -> str:
    """US dollars, or that the price is not known."""
    return "price not known" if cost is None else f"${cost:,.2f}" if cost >= 0.1 or not cost else f"${cost:.4f}"


def estimate(found: Any) -> None:
    """What a run would take, and what that rests on."""
    if not found.judgments:
        st.info("Nothing is left to ask: this very judge has judged all of these items.", icon=":material/check:")
        return
    text.say(
        "**{calls}** for {judgments} of {items}: about {tin} tokens in and {tout} out, {cost}.",
        calls=todo.many(found.calls, "call"), judgments=todo.many(found.judgments, "judgment"),
        items=todo.many(found.items, "item"), tin=f"{found.tokens_in:,}", tout=f"{found.tokens_out:,}",
        cost=money(found.cost),
    )  # fmt: skip
    text.quiet("{notes}", notes=" ".join(found.notes))


def shown(found: Sequence[Shown]) -> None:
    """A dry run in full: what was sent, what came back, what it was read as."""
    st.caption("Nothing of this was stored.")
    for one in found:
        state = f"unscored: {one.reading.unscored}" if one.reading.unscored else f"{len(one.reading.scores)} scores"
        with st.expander(text.plain(f"{one.name} · {state}"), expanded=one is found[0]):
            left, right = st.columns(2, gap="medium")
            with left:
                st.caption("What was sent")
                for message in one.messages:
                    text.quiet("{role}", role=message["role"])
                    st.code(message["content"], language=None, wrap_lines=True, height=260)
            with right:
                st.caption("What came back")
                st.code(one.raw or "nothing", language=None, wrap_lines=True, height=260)
                reading(one.reading)


def reading(found: Any) -> None:
    """Scores and remarks that a reply was read as, or why it was not."""
    if found.unscored:
        st.text(f"Unscored ({found.unscored}): {found.why}.")
        return
    rows = [
        (s.unit, s.dimension, "n/a" if s.value is None else f"{s.value:g}", s.confidence, s.source)
        for s in found.scores
    ]
    frame = pd.DataFrame(rows, columns=["Unit", "Dimension", "Value", "Confidence", "Source"])
    known = frame if frame["Confidence"].notna().any() else frame[["Unit", "Dimension", "Value"]]
    st.dataframe(known, hide_index=True, height=260)
    for remark in (r for r in found.remarks if r.sort == "rule"):
        st.text(f"Breaks a rule: {remark.text}")


def standing(run: Run, now: Standing) -> str:
    """How far a run is; its state."""
    with st.container(border=True, gap="small"):
        with st.container(horizontal=True, vertical_alignment="center"):
            text.say("**{model}** · {card} on {dataset}", model=run.model, card=run.card, dataset=run.dataset)
            marks.judge(run.model)
            st.space("stretch")
            with st.container(width="content"):
                text.quiet("{state}", state=MARKS[now.state])
        st.progress(
            now.done / now.total if now.total else 1.0, text=text.plain(f"{now.done:,} of {now.total:,} judgments")
        )
        left = f"about {clock.span(timedelta(seconds=now.seconds_left))} left" if now.seconds_left else ""
        parts = [
            f"{now.scored:,} scored", *(f"{n:,} {reason.replace('_', ' ')}" for reason, n in now.unscored.items()),
            f"{now.calls:,} calls", f"{now.tokens_in:,} tokens in, {now.tokens_out:,} out", money(now.cost),
            f"{now.rate:.1f} a second" if now.state == "running" else "", left,
        ]  # fmt: skip
        text.quiet("{parts}", parts=" · ".join(p for p in parts if p))
        if now.why:
            text.warn("{why}", why=now.why)
        for sentence in now.problems[:5]:
            st.text(sentence)
    return now.state


def table(found: Sequence[Run], zone: tzinfo) -> list[Run]:
    """All runs, newest first; those that were chosen (one to open, two to compare)."""
    rows = [
        (r.dataset, r.card, r.model, said(r.params), r.items, MARKS[r.state], r.by, clock.at(r.at, zone)) for r in found
    ]
    st.caption("Choose one to open it, two to see how their judges differ.")
    event = st.dataframe(
        pd.DataFrame(rows, columns=list(COLUMNS)), hide_index=True, column_config=COLUMNS, key="runs:table",
        on_select="rerun", selection_mode="multi-row", height="content" if len(rows) <= 12 else 480,
    )  # fmt: skip
    return [found[n] for n in event.selection.rows]


def said(params: dict[str, Any]) -> str:
    """Parameters in one line."""
    return ", ".join(f"{name} {value}" for name, value in params.items())


def differences(one: Any, other: Any) -> None:
    """Two judges side by side: parameters that differ, and their prompts line by line."""
    pairs = {**{"card": (one.card.name, other.card.name), "model": (one.model, other.model)}}
    pairs |= {"card version": (one.card.version, other.card.version)}
    names = list(dict.fromkeys([*one.params, *other.params]))
    pairs |= {name: (one.params.get(name, "–"), other.params.get(name, "–")) for name in names}
    rows = [(name, str(a), str(b)) for name, (a, b) in pairs.items() if a != b]
    st.subheader("How the two judges differ")
    if rows:
        st.dataframe(pd.DataFrame(rows, columns=["", "First", "Second"]), hide_index=True)
    else:
        st.caption("They are the same judge.")
    lines = list(
        difflib.unified_diff(
            prompt(one.card).splitlines(), prompt(other.card).splitlines(), "first", "second", lineterm=""
        )
    )
    if lines:
        st.code("\n".join(lines), language="diff", wrap_lines=True)
    elif rows:
        st.caption("Their prompts are the same.")


def prompt(card: Any) -> str:
    """All prompts of a card as one text."""
    return "\n\n".join(f"[{name or 'usual'}]\n{words}" for name, words in card.prompts.items())


def title(run: Run, zone: tzinfo) -> None:
    """What a run is."""
    st.title("Run")
    where = "the practice endpoint" if practice(run.model) else run.endpoint or "the endpoint of the environment"
    st.text(f"Begun by {run.by} {clock.at(run.at, zone)}, at {where}")


def ways(run: Run) -> None:
    """Where to go on from a run."""
    with st.container(horizontal=True):
        links.to("calibration", "Calibration", icon=":material/monitoring:", dataset=run.dataset, judge=run.judge)
        links.to("audits", "Audits", icon=":material/troubleshoot:", dataset=run.dataset, judge=run.judge)
        links.to("desk", "Review desk", icon=":material/rate_review:", dataset=run.dataset, judge=run.judge)


def facts(run: Run, judge: Any) -> None:
    """Parameters and prompt of a run's judge."""
    left, right = st.columns([1, 2], gap="large")
    with left:
        st.subheader("Parameters")
        st.code(json.dumps(run.params, indent=1, ensure_ascii=False), language="json")
        text.quiet(
            "Card {card}, version {version}. Judge {judge}.", card=run.card, version=run.version, judge=run.judge
        )
    with right:
        st.subheader("Prompt")
        st.code(prompt(judge.card), language=None, wrap_lines=True, height=420)


def act(doing: str, work: Callable[[], object]) -> None:
    """Do it; a refusal is a sentence."""
    try:
        with st.spinner(text.plain(doing)):
            work()
    except AssayError as error:
        text.refuse(error)


def go(run: str) -> None:
    """Open a run."""
    st.query_params["run"] = run
    st.rerun()
