"""Everybody who may not, at every page and every file to take away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from data.records import invitations, logins, people
from data.records.access import ROLES, Visit
from data.records.logins import read_account
from data.store import Store, open_store
from data.store.errors import NotAllowed
from pages.main import ROUTES
from pages.me.sign_in import sign_out
from pages.server import downloads, provider
from pages.server.uploads import Uploads
from pages.ui import session
from tests.data.records.test_logins import claims, enter

COOKIE = "_streamlit_user"
PAGES = [(address, role, page) for _, role, page, _, address, _ in ROUTES if page is not sign_out]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A workspace with lea, rob and ann in the three roles, and gone, who was a lead and is not active any more."""
    opened = open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")
    people.join_workspace(opened, "lea")
    for name, role in (("rob", "researcher"), ("ann", "annotator"), ("gone", "lead")):
        people.set_person(opened, "lea", name, role)  # type: ignore[arg-type]
        invitations.invite_locally(opened, f"{name}@example.org", "", "lead", person=name)
    invitations.invite_locally(opened, "lea@example.org", "", "lead", person="lea")
    people.set_person(opened, "lea", "gone", "lead", active=False)
    yield opened
    opened.close()


def test_no_page_opens_for_whom_it_is_not(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ended, holds = enter(store, "lea", nonce="ended"), enter(store, "ann")
    logins.sign_out(store, "lea", str(ended.login))
    nobodies = [
        *(Visit(store, name) for name in ("", "gone", "eve", "Assay")), ended, Visit(store, "", ""),
        Visit(store, "lea", "forged"), Visit(store, "lea", holds.login),
    ]  # fmt: skip
    by_role = dict(zip(ROLES, ("ann", "rob", "lea"), strict=True))
    tried, before = 0, store.newest()
    for address, role, page in PAGES:
        lower = [Visit(store, by_role[lower_role]) for lower_role in ROLES[: ROLES.index(role)]]
        for visit in (*nobodies, *lower):
            monkeypatch.setattr(session, "store", lambda visit=visit: visit)
            tried += 1
            with pytest.raises(NotAllowed):
                page()
                pytest.fail(f"{address} opened for {visit.person!r}")
    assert tried >= 150 and store.newest() == before


def cookie(value: Any, secret: str = "") -> str:
    """The cookie that Streamlit makes of claims, or of that very text."""
    signed = create_signed_value(secret or get_cookie_secret(), COOKIE, value if value in ODD else json.dumps(value))
    return signed.decode()


ODD = ("", "{", "null", "7", '["lea"]', "[" * 100_000)
"""Signed, and no claims."""


def file_status(address: str, sent: str = "") -> int:
    """The status of the answer at the address of a file."""
    _, _, token, name = address.split("/")
    scope = {
        "type": "http", "path_params": {"token": token, "name": name},
        "headers": [(b"cookie", f"{COOKIE}={sent}".encode())] if sent else [],
    }  # fmt: skip
    return downloads.serve_file(Request(scope)).status_code


def test_a_file_is_given_to_whom_it_was_made_for_alone(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "all.zip"
    file.write_text("scores", encoding="utf-8")
    leas, anns = claims("lea"), claims("ann")
    visit, other = (
        Visit(store, logins.sign_in(store, account), account.key) for account in map(read_account, (leas, anns))
    )
    address = downloads.offer(file, visit)
    refused = ["", "forged", cookie(anns), cookie(leas, "x" * 40), cookie({**leas, "nonce": "other"}), cookie({})]
    refused += [cookie(text) for text in ODD]
    assert [file_status(address, value) for value in refused] == [403] * len(refused)
    assert file_status(address, cookie(leas)) == 200 and file_status(downloads.offer(file, other), cookie(leas)) == 403
    assert file_status(address.replace("given/", "given/x"), cookie(leas)) == 404
    logins.sign_out(store, "lea", str(visit.login))
    assert file_status(address, cookie(leas)) == 403, "the cookie is replayed after signing out"
    for nobody in (visit, Visit(store, ""), Visit(store, "gone")):
        with pytest.raises(NotAllowed):
            downloads.offer(file, nobody)


def test_only_who_may_import_sends_a_file(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes: list[bool] = []

    async def app(*_: Any) -> None:
        outcomes.append(True)

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            outcomes.append(message["status"] != 403)

    def may_send(value: str) -> bool:
        headers = [(b"cookie", f"{COOKIE}={value}".encode())] if value else []
        scope = {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/a/b", "headers": headers}
        asyncio.run(Uploads(app, session.may_send_files)(scope, None, send))  # type: ignore[arg-type]
        return outcomes.pop()

    people.set_person(store, "lea", "gone", "lead")
    all_claims = {person: claims(person) for person in ("lea", "rob", "ann", "gone")}
    for person_claims in all_claims.values():
        logins.sign_in(store, read_account(person_claims))
    people.set_person(store, "lea", "gone", "lead", active=False)
    assert may_send(""), "on trust, on this machine alone"
    monkeypatch.setattr(provider, "is_set", lambda: True)
    monkeypatch.setattr(session, "whole_store", lambda: store)
    nobodies = ["", "forged", cookie(claims("eve")), cookie(all_claims["lea"], "x" * 40)]
    assert not any(may_send(value) for value in (*nobodies, cookie(all_claims["ann"]), cookie(all_claims["gone"])))
    assert may_send(cookie(all_claims["rob"])) and may_send(cookie(all_claims["lea"]))
    logins.sign_out_everywhere(store, "rob", "rob")
    assert not may_send(cookie(all_claims["rob"]))


def test_a_file_of_a_higher_role_goes_with_it(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "backup.duckdb"
    file.write_text("all of it", encoding="utf-8")
    people.set_person(store, "lea", "rob", "lead")
    address = downloads.offer(file, Visit(store, "rob"))
    assert file_status(address) == 200
    people.set_person(store, "lea", "rob", "researcher")
    assert file_status(address) == 403
    people.set_person(store, "lea", "rob", "lead")
    assert file_status(address) == 200
    people.set_person(store, "lea", "rob", "lead", active=False)
    assert file_status(address) == 403
