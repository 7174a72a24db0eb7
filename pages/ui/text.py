"""Text on pages. Untrusted text (names, items, replies, files) is only ever shown as text, never as Markdown.

Streamlit reads Markdown in st.markdown, st.write and every widget label, and would fetch remote images from it:
`escape` makes such a text harmless, and is the only way that other text gets into a label. Times are said in the zone
of the browser. A refusal is shown as its sentence, also in fragments and dialogs, which are defined here: an exception
in one does not reach the router, and Streamlit would say that the app has an error.
"""

from __future__ import annotations

import contextlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import wraps
from typing import Any, Literal, ParamSpec
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st
from streamlit.errors import StreamlitAPIException

from data.records.datasets import Dataset
from judges.client import endpoint
from judges.errors import AssayError
from judges.plural import many
from judges.types import Kind
from pages.ui import session

P = ParamSpec("P")

KINDS: dict[Kind, str] = {"dialogue": "Dialogues", "pair": "Pairs of responses", "response": "Single responses"}
NO_RATINGS = (
    "No item has both reference labels (gold) and a score of this judge yet. Label items that it has scored, or run it "
    "on labelled ones."
)
"""The text of a panel that compares people and judge, before there is anything to compare."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&^=/@])")
_TURNING = re.compile(r"(\u2068[^\u202a-\u202e\u2066-\u2069]*\u2069)|[\u202a-\u202e\u2066-\u2069]")
"""Signs that turn the direction of the text after them, which may be ours; the group keeps to a name (`isolate`)."""
_RIGHT_TO_LEFT = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_NAME = re.compile(rf"(\u2068[^\u2069]*\u2069)|{_RIGHT_TO_LEFT}+(?:[^\w:;()\u2066-\u2069]+{_RIGHT_TO_LEFT}+)*")
"""Words from right to left that no number and no sign of ours parts; the group is isolated already."""
_ADDRESS = re.compile(r"(?<=\\:)(?=\\/\\/)|(?<=[wW]{3})(?=\\\.)|(?=\\@)")
"""The positions at which Streamlit makes links of bare addresses: http://, www., and before the @ of a mail address."""


def escape(text: object) -> str:
    """Any text made safe for a label or a Markdown line: every character that Markdown reads is escaped.

    Streamlit also looks for addresses after it resolves escapes, so an empty span of small text splits them.
    """
    escaped = _SPECIAL.sub(r"\\\1", " ".join(isolate_names(str(text)).split()))
    return _ADDRESS.sub(":small[]", escaped)


def isolate(name: object) -> str:
    """A name as a part of a sentence of ours: letters that run from right to left do not turn what stands beside it."""
    plain = _TURNING.sub(r"\1", str(name))
    return f"\u2068{plain}\u2069" if any(unicodedata.bidirectional(sign) in ("R", "AL") for sign in plain) else plain


def isolate_names(sentence: str) -> str:
    """A sentence of ours in which each name from right to left is isolated; without a letter of ours it stays whole."""
    plain = _TURNING.sub(r"\1", sentence)
    if not any(unicodedata.bidirectional(sign) == "L" for sign in plain):
        return plain
    return _NAME.sub(lambda name: name[1] or f"\u2068{name[0]}\u2069", plain)


def shorten(text: str, columns: int) -> str:
    """A text cut to so many columns, of which Chinese, Japanese and Korean letters take two, with an ellipsis."""
    room = columns
    for end, letter in enumerate(text):
        room -= 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if room < 0:
            return text[:end].rstrip() + "…"
    return text


def join_lines(*lines: str) -> str:
    """Lines one below the other, without those that say nothing."""
    return "\n".join(filter(None, lines))


def _fill(template: str, values: dict[str, object]) -> str:
    """A template with its values; one that is the whole template is a sentence, and runs as ours do.

    A space at an end of a value stays, as in " and 2 more", but not within strong text, whose stars allow none.
    """
    put = escape if re.fullmatch(r"\{\w+\}\.?", template) else lambda value: escape(isolate(value))

    def put_with_spaces(name: str, value: object) -> str:
        words = "" if template.partition(f"{{{name}}}")[0].count("**") % 2 else str(value)
        return " " * words.startswith(" ") + put(value) + " " * words.endswith(" ")

    return template.format(**{name: put_with_spaces(name, value) for name, value in values.items()})


def say(template: str, **values: object) -> None:
    """A Markdown line of ours with values put in as plain text: say("**{n}** items in {name}", n=3, name=name)."""
    st.markdown(_fill(template, values))


def quiet(template: str, **values: object) -> None:
    """The same as a caption."""
    st.caption(_fill(template, values))


def bullets(lines: Iterable[str]) -> None:
    """Sentences one below the other."""
    with st.container(gap=None):
        for line in lines:
            st.markdown(f"- {escape(line)}")


def warn(template: str, **values: object) -> None:
    """The same as a warning."""
    st.warning(_fill(template, values), icon=":material/info:")


def refuse(error: Exception) -> None:
    """A refusal, as the sentence that it is."""
    st.error(escape(error), icon=":material/block:")


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """A refusal in the body ends the body and is shown at that place on the page."""
    try:
        yield
    except AssayError as error:
        refuse(error)


def fragment(draw: Callable[P, None], **options: Any) -> Callable[P, None]:
    """A part of a page that alone reruns with what is done in it. `options` go to Streamlit."""
    return st.fragment(_say_refusals(draw), **options)


def dialog(title: str, **options: Any) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """A decorator: a part over the page, which a rerun of the page closes. `options` go to Streamlit."""
    decorate = st.dialog(title, **options)
    return lambda draw: decorate(_say_refusals(draw))


def _say_refusals(draw: Callable[P, None]) -> Callable[P, None]:
    """The part with what is refused said in its place; whoever may be here no more gets the page of the router."""

    @wraps(draw)
    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            draw(*args, **kwargs)
        except AssayError as error:
            if session.person() is None:
                st.rerun()
            refuse(error)

    return call


@contextlib.contextmanager
def keep_refusal(state: dict[str, Any]) -> Iterator[None]:
    """End the body at a refusal, and keep it for `tell_outcome`, because a callback runs before the page is drawn."""
    try:
        yield
    except AssayError as error:
        state["refused"] = error


def tell_outcome(state: dict[str, Any], icon: str = ":material/check:") -> None:
    """Draw the outcome of the last act once: the refusal or the message that it kept for this page run.

    It always has its own place, even if there is nothing to show: otherwise it would move the fields below, which would
    be drawn again and lose text that somebody is typing.
    """
    with st.container():
        if refused := state.pop("refused", None):
            refuse(refused)
        if message := state.pop("said", ""):
            st.success(escape(message), icon=icon)


def finish(words: str, scope: Literal["app", "fragment"] = "app") -> None:
    """Say that an act is done, in a note that passes; the page is drawn anew, so that a dialog closes."""
    st.toast(escape(words), icon=":material/check:")
    if scope == "fragment":
        rerun_fragment()
    st.rerun()


def rerun_fragment() -> None:
    """Draw the fragment anew, or the whole page if all of it runs.

    It does if somebody clicked in the fragment just after something outside it, as Streamlit makes one run of both.
    """
    with contextlib.suppress(StreamlitAPIException):
        st.rerun(scope="fragment")
    st.rerun()


def show_secret(state: dict[str, str], words: str) -> None:
    """Show a secret that was just made and kept for this page run, this once."""
    if secret := state.pop("secret", ""):
        st.success(words, icon=":material/key:")
        st.code(secret, language=None)


def synthetic(dataset: Dataset) -> None:
    """The mark of synthetic data, wherever such a dataset shows; nothing for others."""
    if dataset.synthetic:
        st.badge("synthetic", icon=":material/science:", color="orange", help=escape(dataset.description) or None)


def practice(model: str) -> None:
    """The mark of a practice judge; nothing for others."""
    if endpoint.is_practice(model):
        st.badge(
            "practice, not a language model", icon=":material/science:", color="orange",
            help="Its scores come from simple rules. They let you try Assay, and say nothing about any language model.",
        )  # fmt: skip


def time_zone() -> tzinfo:
    """The time zone of the browser; UTC where it does not say, or says something unknown."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def local_time(at: datetime) -> datetime:
    """A moment of the store, which is UTC, in the zone of the browser."""
    return at.replace(tzinfo=UTC).astimezone(time_zone())


def moment(at: datetime) -> str:
    """A moment of the store in the browser's zone: 14:03, yesterday or tomorrow 14:03, Mon 14:03, 3 Nov, 3 Nov 2025."""
    local, present = local_time(at), datetime.now(time_zone())
    days = (present.date() - local.date()).days
    if days == 0:
        return f"{local:%H:%M}"
    if days in (1, -1):
        return f"{'yesterday' if days == 1 else 'tomorrow'} {local:%H:%M}"
    if 0 < days < 7:
        return f"{local:%a %H:%M}"
    return f"{local.day} {local:%b}" + (f" {local.year}" if local.year != present.year else "")


def day(at: datetime) -> str:
    """The day of a moment to come, in the browser's zone: today, Fri 27 Nov, 8 Jan 2027."""
    local, present = local_time(at), datetime.now(time_zone())
    if local.date() == present.date():
        return "today"
    named = f"{local.day} {local:%b}"
    return f"{local:%a} {named}" if local.year == present.year else f"{named} {local.year}"


def work_left(left: int, total: int, due: datetime | None) -> str:
    """Return somebody's assigned work that waits: 12 of 40 assigned items left, due Fri 27 Nov. "" if none does."""
    if not left:
        return ""
    return f"{left:,} of {many(total, 'assigned item')} left{f', due {day(due)}' if due else ''}"


def duration(length: timedelta) -> str:
    """A length of time, roughly: 40 seconds, 12 minutes, 3.5 hours."""
    seconds = length.total_seconds()
    if seconds < 90:
        return many(max(round(seconds), 1), "second")
    if seconds < 5400:
        return f"{round(seconds / 60)} minutes"
    return f"{seconds / 3600:.1f}".removesuffix(".0") + " hours"


def example_items(items: Mapping[str, str]) -> None:
    """Name the items of this workspace that are examples in the prompt."""
    if items:
        quiet(
            "Examples in the prompt, so left out of every figure that compares the judge with people: {names}.",
            names=", ".join(items.values()),
        )
