"""Signing in at a real provider, in a real browser: who gets in, as whom, and that what has ended stays ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from data.records import invitations, people
from data.store import open_store
from tests import seeds
from tests.pages.desk_driver import at_rest
from tests.server import Server

pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:authlib", "ignore:authlib.jose module")
Serve = Callable[..., Server]
SECRET = "canary-secret-of-the-client"
COOKIES = "canary-secret-of-the-cookies-0123456789"
MODELS = "http://127.0.0.1:9/v1"


def user(name: str, **more: Any) -> dict[str, Any]:
    """What the provider says of an account."""
    return {"sub": name, "name": name.title(), "email": f"{name}@example.org", "email_verified": True, **more}


USERS = [
    user("lea"), user("ann"), user("bob", email_verified=False), user("eve"), user("rob", groups=["science"]),
]  # fmt: skip


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    """The address of a provider with these accounts."""
    import oidc_provider_mock as mock  # here, where its warnings about Authlib are left aside

    accounts = [mock.User(sub=user["sub"], claims=user) for user in USERS]
    with mock.run_server_in_thread(user_claims=accounts) as server:
        yield f"http://localhost:{server.server_port}"


@pytest.fixture(scope="module")
def app(serve_all: Serve, provider: str) -> Server:
    """The app at which they sign in: lea is invited as lead, ann and bob as annotators; scientists are researchers."""
    app = serve_all(start=False)
    app.env |= {
        "ASSAY_OIDC_METADATA_URL": f"{provider}/.well-known/openid-configuration",
        "ASSAY_OIDC_CLIENT_ID": "assay",
        "ASSAY_OIDC_CLIENT_SECRET": SECRET,
        "ASSAY_OIDC_REDIRECT_URL": f"{app.url}/oauth2callback",
        "ASSAY_OIDC_COOKIE_SECRET": COOKIES,
        "ASSAY_OIDC_RESEARCHERS": "science",
        "ASSAY_ENDPOINTS": f"{MODELS} MODELS_KEY",
    }
    seeds.dialogues(app.store_path, 2, names=("old",))
    store = open_store(app.store)
    invitations.invite_locally(store, "lea@example.org", "", "lead")
    for name in ("ann", "bob"):
        invitations.invite_locally(store, f"{name}@example.org", "", "annotator")
    store.close()
    app.start()
    return app


def sign_in(page: Any, app: Server, sub: str, address: str = "") -> None:
    """Follow a link to a page, and sign in at the provider under an account."""
    page.goto(f"{app.url}/{address}")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.locator(f"button[name=sub][value={sub}]").click()
    page.wait_for_url(f"{app.url}/**")
    at_rest(page)


def cookies(page: Any) -> list[dict[str, Any]]:
    return [cookie for cookie in page.context.cookies() if cookie["name"].startswith("_streamlit_user")]


@pytest.mark.slow
def test_the_invited_come_in_and_strangers_do_not(app: Server, new_page: Callable[..., Any]) -> None:
    page = new_page()
    page.goto(app.url)
    at_rest(page)
    expect(page.get_by_text("old · lead")).to_have_count(0)
    sign_in(page, app, "ann")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    page.goto(f"{app.url}/me")
    expect(page.get_by_role("heading", name="Ann")).to_be_visible()
    page.goto(f"{app.url}/workspace")
    expect(page.get_by_text("This page is for leads")).to_be_visible()
    for name in ("bob", "eve"):
        other = new_page()
        sign_in(other, app, name)
        expect(other.get_by_text("nobody has invited")).to_be_visible()
        expect(other.get_by_role("heading", name="Overview")).to_have_count(0)
    scientist = new_page()
    sign_in(scientist, app, "rob", "trail?person=%E6%84%9B")
    assert scientist.url == f"{app.url}/trail?person=%E6%84%9B", "the link leads where it led"
    expect(scientist.get_by_role("heading", name="Audit log")).to_be_visible()
    scientist.goto(f"{app.url}/runs?endpoint={MODELS} MODELS_KEY")
    expect(scientist.get_by_text("cannot be reached")).to_be_visible()
    for label, listed in (("Address", MODELS), ("Variable that holds the key", "MODELS_KEY")):
        expect(scientist.get_by_label(label)).to_have_value(listed)
        expect(scientist.get_by_label(label)).to_be_disabled()
    scientist.get_by_text("Whoever operates Assay sets MODELS_KEY on the server.").wait_for()
    scientist.goto(f"{app.url}/runs?endpoint=other")
    expect(scientist.get_by_label("Endpoint")).to_have_value("Practice (fixed rules)")
    assert SECRET not in app.log and COOKIES not in app.log


@pytest.mark.slow
def test_a_cookie_is_worth_nothing_after_signing_out(app: Server, new_page: Callable[..., Any]) -> None:
    page = new_page()
    sign_in(page, app, "lea")
    session_cookies = cookies(page)
    assert session_cookies
    tab = page.context.new_page()
    tab.goto(f"{app.url}/workspace")
    expect(tab.get_by_role("heading", name="Backups")).to_be_visible()
    tab.get_by_role("button", name="Make a backup").click()
    expect(tab.get_by_text("Backup made")).to_be_visible()
    page.goto(f"{app.url}/sign-out")
    page.locator("button[type=submit]").first.click()
    page.wait_for_url(f"{app.url}/**")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    at_rest(tab)
    tab.get_by_role("button", name="Check the workspace").click()
    expect(tab.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    thief = new_page()
    thief.context.add_cookies(session_cookies)
    thief.goto(f"{app.url}/workspace")
    expect(thief.get_by_text("You have signed out")).to_be_visible()
    expect(thief.get_by_role("heading", name="Backups")).to_have_count(0)


def test_a_forged_or_foreign_cookie_is_nobody(app: Server, new_page: Callable[..., Any]) -> None:
    page = new_page()
    page.context.add_cookies([
        {"name": "_streamlit_user", "value": "forged", "url": app.url},
        {"name": "assay_name", "value": "old", "url": app.url},
    ])  # fmt: skip
    page.goto(f"{app.url}/workspace")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()


@pytest.mark.slow
def test_a_lead_takes_a_role_while_the_tab_is_open(app: Server, new_page: Callable[..., Any]) -> None:
    scientist, lead = new_page(), new_page()
    sign_in(scientist, app, "rob")
    scientist.goto(f"{app.url}/trail")
    expect(scientist.get_by_role("heading", name="Audit log")).to_be_visible()
    sign_in(lead, app, "lea")
    lead.goto(f"{app.url}/people")
    lead.get_by_role("button", name="Rob", exact=True).click()
    lead.get_by_role("button", name="Deactivate").click()
    expect(lead.get_by_role("dialog")).to_have_count(0)
    scientist.reload()
    expect(scientist.get_by_text("not active")).to_be_visible()


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"ASSAY_OIDC_CLIENT_ID": "assay"}, "lacks server_metadata_url"),
        ({"STREAMLIT_SERVER_ADDRESS": "0.0.0.0"}, "ASSAY_TRUST_NETWORK=1"),
        ({"ASSAY_SESSION_HOURS": "0"}, "ASSAY_SESSION_HOURS"),
        ({"ASSAY_WEBHOOK_PRIVATE": "no"}, "ASSAY_WEBHOOK_PRIVATE is 'no'. It has to be 0 or 1"),
    ],
)  # fmt: skip
def test_a_start_that_would_let_anybody_in_is_refused(
    serve: Serve, tmp_path: Path, environment: dict[str, str], message: str
) -> None:
    app = serve(start=False)
    app.env |= environment
    app.launch()
    assert app.wait() != 0
    assert message in app.log and "Traceback" not in app.log
    store = open_store(app.store)
    assert not people.all_people(store)
    store.close()
