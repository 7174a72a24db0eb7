"""What a visit does around signing out, without a browser."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner_utils.exceptions import StopException

from data.records import logins
from pages.me import sign_in
from pages.ui import session, url_state


def test_the_way_to_the_provider_is_not_taken_back_by_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that another one follows at once loses what it sent last: nobody was signed out at the provider then."""
    done: list[str] = []

    def stop() -> None:
        raise StopException

    monkeypatch.setattr(session, "store", lambda: SimpleNamespace(login="key", person="lea"))
    monkeypatch.setattr(logins, "sign_out", lambda *_: done.append("signed out"))
    monkeypatch.setattr(st, "logout", lambda: done.append("led to the provider"))
    monkeypatch.setattr(st, "stop", stop)
    monkeypatch.setattr(url_state, "open_page", lambda *_: done.append("another page"))
    with pytest.raises(StopException):
        sign_in.sign_out()
    assert done == ["signed out", "led to the provider"]
