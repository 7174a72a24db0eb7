"""Tokens: what lets a program in, for how long, and as whom."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from data.cli import main
from data.records import people, tables, tokens
from data.store import Store, ids, open_store
from data.store.errors import BadInput, NotAllowed, NotFound
from data.store.ids import now


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")
    for name in ("lea", "ann", "ben"):
        people.join_workspace(opened, name)
    yield opened
    opened.close()


def test_a_token_is_shown_once_and_nothing_of_it_is_kept_that_lets_anybody_in(store: Store) -> None:
    token, text = tokens.new_token(store, "ann", "ci", ["read", "check"])
    assert text.startswith(token.prefix) and token.scopes == ("check", "read")
    stored, person = tokens.find_token(store, text)
    assert (stored.id, person.name) == (token.id, "ann")
    secret = text.removeprefix(token.prefix)
    tables = ("api_token", "api_token_event", "change")
    rows = [str(row) for table in tables for row in store.rows(f"select * from {table}")]
    assert not any(secret in row or secret.strip("_") in row for row in rows)
    for wrong in ("", token.prefix, text[:-1], text + "a", text.swapcase(), "\ud800", "é" * 300):
        with pytest.raises(NotAllowed):
            tokens.find_token(store, wrong)


def test_a_token_ends_with_its_person_its_time_and_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusal(text: str) -> str:
        with pytest.raises(NotAllowed) as no:
            tokens.find_token(store, text)
        return str(no.value)

    token, text = tokens.new_token(store, "ann", "ci", ["read"], days=3)
    people.set_person(store, "lea", "ann", "annotator", active=False)
    assert "not active" in refusal(text)
    row = store.rows("select name, prefix, scopes, made_at, expires_at from api_token")[0]
    strangers = tables.ApiTokenRow(ids.new_id(), "zoe", *row[:2], hashlib.sha256(b"z").hexdigest(), *row[2:])
    store.tx("lea", "token", lambda tx: tx.append([strangers]))
    assert "zoe" in refusal("z"), "of nobody who works here"
    people.set_person(store, "lea", "ann", "researcher")
    assert tokens.find_token(store, text)[1].role == "researcher", "what its person may do now"
    later = now() + timedelta(days=3)
    monkeypatch.setattr(tokens, "now", lambda: later)
    assert "expired" in refusal(text)
    monkeypatch.setattr(tokens, "now", ids.now)
    for actor, error in (("ben", NotAllowed), ("nobody", NotAllowed)):
        with pytest.raises(error):
            tokens.revoke_token(store, actor, token.id)
    tokens.revoke_token(store, "lea", token.id)
    assert "revoked" in refusal(text)
    tokens.revoke_token(store, "ann", token.id)
    assert store.rows("select count(*) from api_token_event where kind = 'revoked'") == [(1,)], "revoked once"
    with pytest.raises(NotFound):
        tokens.revoke_token(store, "ann", "none")


def test_what_a_token_cannot_be(store: Store) -> None:
    for name, scopes, days in (
        ("", ["read"], 9), ("x" * 61, ["read"], 9), ("a\nb\x07", ["read"], 9), ("a", [], 9), ("a", ["admin"], 9),
        ("a", ["read"], 0), ("a", ["read"], 367),
    ):  # fmt: skip
        with pytest.raises(BadInput):
            tokens.new_token(store, "ann", name, scopes, days)
    with pytest.raises(NotAllowed):
        tokens.new_token(store, "stranger", "a", ["read"])
    for name, days in (("x" * 60, 366), (" b  c ", 1)):
        token, _ = tokens.new_token(store, "ben", name, list(reversed(tokens.SCOPES)), days)
        assert token.name == " ".join(name.split())
        assert round((token.expires - now()) / timedelta(minutes=1)) == days * 24 * 60
        assert token.scopes == tuple(tokens.SCOPES) and token.state(token.expires) == "expired"
        assert token.state(token.expires - timedelta(seconds=1)) == "holds"
    for _ in range(tokens.MAX_TOKENS):
        token, _ = tokens.new_token(store, "ann", "a", ["read"])
    with pytest.raises(BadInput, match="20 tokens"):
        tokens.new_token(store, "ann", "a", ["read"])
    tokens.new_token(store, "ben", "a", ["read"])
    tokens.revoke_token(store, "ann", token.id)
    tokens.new_token(store, "ann", "a", ["read"])


def test_others_tokens_are_for_leads_and_its_use_is_noted_seldom(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, text = tokens.new_token(store, "ann", "ci", ["read"])
    assert [entry.id for entry in tokens.all_tokens(store, "lea")] == [token.id]
    with pytest.raises(NotAllowed):
        tokens.all_tokens(store, "ben")
    assert tokens.list_tokens(store, "ben") == []
    for _ in range(3):
        tokens.find_token(store, text)
    assert store.rows("select count(*) from api_token_event where kind = 'used'") == [(1,)]
    used = tokens.list_tokens(store, "ann")[0].used
    assert used is not None
    for later, times in ((timedelta(minutes=59), 1), (timedelta(hours=1), 2)):
        monkeypatch.setattr(tokens, "now", lambda: used + later)  # noqa: B023
        tokens.find_token(store, text)
        assert store.rows("select count(*) from api_token_event where kind = 'used'") == [(times,)]
    newer, _ = tokens.new_token(store, "ann", "ci", ["read"])
    assert [entry.id for entry in tokens.list_tokens(store, "ann")] == [newer.id, token.id]
    assert [entry.id for entry in tokens.all_tokens(store, "lea")] == [newer.id, token.id]


def test_the_command_makes_lists_and_revokes(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store.close()
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path / 'a.duckdb'}")
    assert main(["token", "new", "nightly run", "--scope", "write", "--as", "ann"]) == 0
    output = capsys.readouterr()
    text = output.out.strip()
    assert "of ann for write" in output.err and text not in output.err
    assert main(["token", "list"]) == 0
    assert "ann  nightly run  write  holds" in capsys.readouterr().out
    for none in ("nothing", ""):
        assert main(["token", "revoke", none]) == 1
    assert main(["token", "revoke", text[:12], "--as", "ann"]) == 0
    assert main(["token", "list", "--as", "ann"]) == 0
    assert "revoked" in capsys.readouterr().out
