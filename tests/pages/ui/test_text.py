"""How moments and lengths of time are said, and what is refused in a part of a page that is drawn by itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from data.records.access import Person
from data.store.errors import NotAllowed
from pages.ui import text


def test_a_length_of_time_is_said_roughly_and_in_good_english() -> None:
    lengths = {0.2: "1 second", 1: "1 second", 40: "40 seconds", 90: "2 minutes", 5_400: "1.5 hours", 7_200: "2 hours"}
    assert {seconds: text.duration(timedelta(seconds=seconds)) for seconds in lengths} == lengths


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_a_moment_is_said_with_its_time_as_long_as_it_is_near(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    timezone = ZoneInfo(zone)
    monkeypatch.setattr(text, "time_zone", lambda: timezone)
    noon = datetime.now(timezone).replace(hour=12, minute=3)
    near = {-1: "yesterday 12:03", 0: "12:03", 1: "tomorrow 12:03"}
    for days, words in near.items():
        stored = (noon + timedelta(days=days)).astimezone(UTC).replace(tzinfo=None)
        assert text.moment(stored) == words


@pytest.mark.parametrize(
    ("name", "isolated"),
    [
        ("דנה (2)", "\u2068דנה (2)\u2069"), ("نموذج 3", "\u2068نموذج 3\u2069"), ("日本 2", "日本 2"),
        ("a\u202eb", "ab"), ("\u2068a", "a"), ("\u2067דנה", "\u2068דנה\u2069"), (7, "7"),
    ],
)  # fmt: skip
def test_a_name_does_not_turn_what_stands_beside_it(name: object, isolated: str) -> None:
    """A number after Hebrew letters went before them, and a sign that turns letters held to the end of the line."""
    assert text.isolate(name) == isolated
    escaped = text.escape(f"{text.isolate(name)} has {text.isolate(name)} 5")
    assert escaped.count("\u2068") == escaped.count("\u2069") == 2 * isolated.count("\u2068")


@pytest.mark.parametrize(
    ("sentence", "isolated"),
    [
        ("דנה: 5 of 8, יוסי 3 of 4", "\u2068דנה\u2069: 5 of 8, \u2068יוסי\u2069 3 of 4"),
        ("דנה כהן-לוי decided “טוב, תודה”.", "\u2068דנה כהן-לוי\u2069 decided “\u2068טוב, תודה\u2069”."),
        ("It is \u2068דנה 3\u2069's, not דנה's 3", "It is \u2068דנה 3\u2069's, not \u2068דנה\u2069's 3"),
        ("שיחה 12 (3)", "שיחה 12 (3)"), ("a\u202eb 日本 3", "ab 日本 3"),
    ],
)  # fmt: skip
def test_names_in_a_sentence_do_not_turn_what_stands_beside_them(sentence: str, isolated: str) -> None:
    assert text.isolate_names(sentence) == isolated and text.isolate_names(isolated) == isolated
    assert text.escape(sentence).replace("\\", "") == isolated


def test_a_space_at_the_end_of_a_value_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences ran together: "Judged by a (3)and 2 more", "call 1 of 2,user message", "bootstrap.Fewer than"."""
    lines: list[str] = []
    monkeypatch.setattr(st, "caption", lines.append)
    text.quiet("Judged by {named}{more}", named="a", more=" and 2 more")
    text.quiet("{which}{role} message", which="call 1 of 2, ", role="user")
    text.quiet("{which}{role} message", which="", role="user")
    text.quiet("**{name}**{more}, {role}", name=" Ann ", more=" and 2 more", role="lead")
    assert lines == ["Judged by a and 2 more", "call 1 of 2, user message", "user message", "**Ann** and 2 more, lead"]


def test_a_value_is_isolated_and_a_whole_sentence_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence runs from left to right even if it begins with a name."""
    lines: list[str] = []
    monkeypatch.setattr(text.st, "markdown", lines.append)
    text.say("{name} 5", name="דנה")
    text.say("{sentence}.", sentence="דנה has 5")
    text.bullets(["דנה has 5"])
    assert lines == ["\u2068דנה\u2069 5", "\u2068דנה\u2069 has 5.", "- \u2068דנה\u2069 has 5"]


class Rerun(Exception):
    """The page is drawn anew."""


@pytest.fixture
def refusals(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What stands on the page; a part is Streamlit's without Streamlit."""
    refusals: list[str] = []

    def rerun() -> None:
        raise Rerun

    monkeypatch.setattr(text.st, "fragment", lambda draw, **_: draw)
    monkeypatch.setattr(text.st, "dialog", lambda *_, **__: lambda draw: draw)
    monkeypatch.setattr(text.st, "rerun", rerun)
    monkeypatch.setattr(text, "refuse", lambda error: refusals.append(str(error)))
    return refusals


def refuse(words: str) -> None:
    raise NotAllowed(words)


def test_a_refusal_is_said_in_its_place(refusals: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text.session, "person", lambda: Person("bob", "annotator", True))
    text.fragment(refuse)("This needs the role researcher.")
    text.dialog("Draw")(refuse)("Not now.")
    assert refusals == ["This needs the role researcher.", "Not now."]


def test_who_may_be_here_no_more_gets_another_page(refusals: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text.session, "person", lambda: None)
    for part in (text.fragment(refuse), text.dialog("Draw")(refuse)):
        with pytest.raises(Rerun):
            part("bob cannot work here now.")
    assert refusals == []


@pytest.mark.parametrize("ending", ["text.rerun_fragment()", "text.finish('Done.', 'fragment')"])
def test_a_click_in_a_fragment_is_carried_out_if_the_whole_page_runs_with_it(ending: str) -> None:
    script = f"""
import streamlit as st
from pages.ui import text

@text.fragment
def draw():
    if st.button("Next"):
        st.session_state["page"] = st.session_state.get("page", 1) + 1
        {ending}
    st.text(st.session_state.get("page", 1))

draw()
"""
    page = AppTest.from_string(script, default_timeout=60).run()  # which never runs a fragment alone
    page.button[0].click().run()
    assert not page.exception and page.text[0].value == "2"
