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
        lower = [Visit(store, by_role[one]) for one in ROLES[: ROLES.index(role)]]
        for visit in (*nobodies, *lower):
            monkeypatch.setattr(session, "store", lambda visit=visit: visit)
            tried += 1
            with pytest.raises(NotAllowed):
                page()
                pytest.fail(f"{address} opened for {visit.person!r}")
    assert tried >= 150 and store.newest() == before


def cookie(said: Any, secret: str = "") -> str:
    """The cookie that Streamlit makes of claims, or of that very text."""
    signed = create_signed_value(secret or get_cookie_secret(), COOKIE, said if said in ODD else json.dumps(said))
    return signed.decode()


ODD = ("", "{", "null", "7", '["lea"]', "[" * 100_000)
"""Signed, and no claims."""


def asked(address: str, sent: str = "") -> int:
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
    refused += [cookie(one) for one in ODD]
    assert [asked(address, one) for one in refused] == [403] * len(refused)
    assert asked(address, cookie(leas)) == 200 and asked(downloads.offer(file, other), cookie(leas)) == 403
    assert asked(address.replace("given/", "given/x"), cookie(leas)) == 404
    logins.sign_out(store, "lea", str(visit.login))
    assert asked(address, cookie(leas)) == 403, "the cookie is replayed after signing out"
    for nobody in (visit, Visit(store, ""), Visit(store, "gone")):
        with pytest.raises(NotAllowed):
            downloads.offer(file, nobody)


def test_only_who_may_import_sends_a_file(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[bool] = []

    async def app(*_: Any) -> None:
        taken.append(True)

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            taken.append(message["status"] != 403)

    def sent(held: str) -> bool:
        headers = [(b"cookie", f"{COOKIE}={held}".encode())] if held else []
        scope = {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/a/b", "headers": headers}
        asyncio.run(Uploads(app, session.may_send_files)(scope, None, send))  # type: ignore[arg-type]
        return taken.pop()

    people.set_person(store, "lea", "gone", "lead")
    said = {who: claims(who) for who in ("lea", "rob", "ann", "gone")}
    for one in said.values():
        logins.sign_in(store, read_account(one))
    people.set_person(store, "lea", "gone", "lead", active=False)
    assert sent(""), "on trust, on this machine alone"
    monkeypatch.setattr(provider, "is_set", lambda: True)
    monkeypatch.setattr(session, "whole_store", lambda: store)
    nobodies = ["", "forged", cookie(claims("eve")), cookie(said["lea"], "x" * 40)]
    assert not any(sent(one) for one in (*nobodies, cookie(said["ann"]), cookie(said["gone"])))
    assert sent(cookie(said["rob"])) and sent(cookie(said["lea"]))
    logins.sign_out_everywhere(store, "rob", "rob")
    assert not sent(cookie(said["rob"]))


def test_a_file_of_a_higher_role_goes_with_it(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "backup.duckdb"
    file.write_text("all of it", encoding="utf-8")
    people.set_person(store, "lea", "rob", "lead")
    address = downloads.offer(file, Visit(store, "rob"))
    assert asked(address) == 200
    people.set_person(store, "lea", "rob", "researcher")
    assert asked(address) == 403
    people.set_person(store, "lea", "rob", "lead")
    assert asked(address) == 200
    people.set_person(store, "lea", "rob", "lead", active=False)
    assert asked(address) == 403
