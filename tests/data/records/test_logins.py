"""Signing in at a provider: who an account is here, what it may by then, and that what has ended stays ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from data.approvals import policy
from data.approvals.rules import Requirements
from data.records import access, invitations, leads, logins, people, tokens
from data.records.access import Person, Visit, find_person
from data.records.logins import read_account
from data.store import Store, open_store
from data.store.errors import BadInput, NotAllowed, NotFound
from data.store.ids import now
from data.trail import trail
from data.trail.trail import KINDS, TrailFilter
from data.workspace.verify import verify

ISSUER = "https://login.example.org"


def claims(person: str, **more: Any) -> dict[str, Any]:
    """What a provider says of somebody who has just signed in."""
    payload = {
        "iss": ISSUER, "sub": f"sub-{person}", "iat": _seconds(now()), "nonce": f"n-{person}", "name": person.title(),
    }  # fmt: skip
    return {**payload, "email": f"{person}@example.org", "email_verified": True, **more}


def _seconds(moment: datetime) -> float:
    return moment.replace(tzinfo=UTC).timestamp()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A workspace whose lead is lea."""
    opened = open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")
    people.join_workspace(opened, "lea")
    yield opened
    assert not verify(opened)
    opened.close()


def enter(store: Store, person: str, **more: Any) -> Visit:
    """The visit of somebody who has just signed in. Raises NotAllowed."""
    account = read_account(claims(person, **more))
    return Visit(store, logins.sign_in(store, account), account.key)


def test_who_is_somebody_else_by_an_invitation_does_not_lose_what_groups_never_gave_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The account came in by its group as somebody new; it is invited as ann, and is in the group no more."""
    monkeypatch.setenv("ASSAY_OIDC_RESEARCHERS", "judges")
    people.set_person(store, "lea", "ann", "annotator")
    assert enter(store, "annie", groups=["judges"]).person == "Annie"
    invitations.invite(store, "lea", "annie@example.org", "annotator", "ann")
    visit = enter(store, "annie", nonce="next", groups=[])
    assert visit.visitor() == find_person(store, "ann") and find_person(store, "ann").active


def test_an_invited_address_becomes_a_person(store: Store) -> None:
    with pytest.raises(NotAllowed, match=r"nobody has invited ann@example\.org"):
        enter(store, "ann")
    before = store.newest()
    with pytest.raises(NotAllowed, match="nobody has invited"):
        enter(store, "ann", email_verified=False)
    assert store.newest() == before, "a stranger leaves no row"
    invitations.invite(store, "lea", "Ann@Example.org", "researcher")
    for unverified in ({"email_verified": False}, {"email_verified": None}, {"email": "ann@example.org.evil.org"}):
        with pytest.raises(NotAllowed):
            enter(store, "ann", nonce="other", **unverified)
    visit = enter(store, "ann")
    assert visit.visitor() == Person("Ann", "researcher", True)
    assert not invitations.open_invitations(store)
    again = enter(store, "ann", nonce="second", email="ann@new.example.org", name="Another Name")
    assert again.person == "Ann", "the account is (issuer, subject); its names may change"
    with pytest.raises(NotAllowed):
        enter(store, "ann", iss="https://other.example.org")
    trail_text = "\n".join(entry.description for entry in trail.trail_entries(store, TrailFilter(kinds=KINDS)))
    assert "took in ann@example.org as researcher" in trail_text and f"signed in at {ISSUER}" in trail_text


def test_an_invitation_ends(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    invitation = invitations.invite(store, "lea", "ann@example.org", "annotator")
    invitations.withdraw_invitation(store, "lea", invitation.id)
    with pytest.raises(NotAllowed):
        enter(store, "ann")
    with pytest.raises(NotFound):
        invitations.withdraw_invitation(store, "lea", invitation.id)
    invitations.invite(store, "lea", "ann@example.org", "annotator")
    newer = invitations.invite(store, "lea", "ann@example.org", "researcher")
    assert [entry.id for entry in invitations.open_invitations(store)] == [newer.id], "the newer one holds alone"
    later = now() + timedelta(days=invitations.DAYS, seconds=1)
    monkeypatch.setattr(invitations, "now", lambda: later)
    with pytest.raises(NotAllowed):
        enter(store, "ann")


def test_an_invitation_needs_a_lead_then_and_now(store: Store) -> None:
    people.set_person(store, "lea", "max", "lead")
    people.set_person(store, "lea", "rob", "researcher")
    with pytest.raises(NotAllowed):
        invitations.invite(store, "rob", "ann@example.org", "annotator")
    invitations.invite(store, "max", "ann@example.org", "lead")
    people.set_person(store, "lea", "max", "researcher")
    with pytest.raises(NotAllowed):
        enter(store, "ann")


@pytest.mark.parametrize(
    "email", ["", "ann", "ann@", "@example.org", "a b@example.org", "ann@host", "a\u200b@example.org"]
)
def test_what_is_no_address_is_refused(store: Store, email: str) -> None:
    with pytest.raises(BadInput):
        invitations.invite(store, "lea", email, "annotator")


def test_an_account_is_linked_to_somebody_here(store: Store) -> None:
    people.join_workspace(store, "ann")
    people.set_person(store, "lea", "ann", "researcher")
    invitations.invite(store, "lea", "ann@example.org", "annotator", person="ann")
    visit = enter(store, "ann")
    assert visit.visitor() == find_person(store, "ann"), "the role that ann has"
    with pytest.raises(NotAllowed, match="ghost"):
        invitations.invite(store, "lea", "b@example.org", "annotator", person="ghost")


def test_a_new_name_is_nobodys(store: Store) -> None:
    """A provider's name takes the place of nobody: neither by its letters nor by its looks."""
    names = ("Lea", "lea", "LEA", "l\u0435a", "Assay", "a/b<c>", "\u200b", "x" * 90, "Ann (file)")
    for number, name in enumerate(names):
        person = f"p{number}"
        invitations.invite(store, "lea", f"{person}@example.org", "annotator")
        visit = enter(store, person, name=name)
        assert visit.person not in ("lea", "Lea", "LEA", "Assay") and visit.visitor() is not None
    assert len(people.all_people(store)) == 10


def test_a_sign_in_that_has_ended_stays_ended(store: Store) -> None:
    invitations.invite(store, "lea", "ann@example.org", "annotator")
    first, other = enter(store, "ann"), enter(store, "ann", nonce="tab two")
    payload = claims("ann")
    logins.sign_out(store, "Ann", _key_of(store, first))
    assert first.visitor() is None and other.visitor() is not None
    with pytest.raises(NotAllowed):
        people.members(first)
    with pytest.raises(NotAllowed, match="one's own"):
        logins.sign_out(store, "lea", _key_of(store, other))
    logins.sign_out_everywhere(store, "lea", "Ann")
    assert other.visitor() is None
    old = {**payload, "iat": _seconds(now() - timedelta(minutes=5)), "nonce": "a stolen cookie that nobody has used"}
    with pytest.raises(NotAllowed, match="before everything was signed out"):
        logins.sign_in(store, read_account(old))
    assert enter(store, "ann", nonce="anew").visitor() is not None
    with pytest.raises(NotAllowed):
        logins.sign_out_everywhere(store, "Ann", "lea")


def _key_of(store: Store, visit: Visit) -> str:
    return str(visit.login)


def test_a_replayed_cookie_gives_the_same_ended_sign_in(store: Store) -> None:
    invitations.invite(store, "lea", "ann@example.org", "annotator")
    account = read_account(claims("ann"))
    visit = Visit(store, logins.sign_in(store, account), account.key)
    logins.sign_out(store, "Ann", account.key)
    assert logins.sign_in(store, account) == "Ann", "it is known, and it is ended"
    assert Visit(store, "Ann", account.key).visitor() is visit.visitor() is None
    for forged in ("", "no such sign-in"):
        assert Visit(store, "Ann", forged).visitor() is None
    lea = enter_as(store, "lea")
    assert Visit(store, "Ann", lea).visitor() is None, "another's sign-in"


def enter_as(store: Store, name: str) -> str:
    """The id of a sign-in of somebody who is here."""
    invitations.invite_locally(store, f"{name}@example.org", "", "lead", person=name)
    account = read_account(claims(name))
    logins.sign_in(store, account)
    return account.key


def test_a_sign_in_holds_for_its_hours(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    invitations.invite(store, "lea", "ann@example.org", "annotator")
    visit = enter(store, "ann")
    later = now() + timedelta(hours=11, minutes=59)
    monkeypatch.setattr(access, "now", lambda: later)
    assert visit.visitor() is not None
    monkeypatch.setenv("ASSAY_SESSION_HOURS", "0.5")
    assert visit.visitor() is None
    for wrong in ("0", "-1", "a day", "nan", "1e9"):
        monkeypatch.setenv("ASSAY_SESSION_HOURS", wrong)
        with pytest.raises(BadInput, match="ASSAY_SESSION_HOURS"):
            access.session_age()
    for minutes in (11, -11):
        with pytest.raises(NotAllowed, match="not used in time"):
            enter(store, "ann", nonce="late", iat=_seconds(now() - timedelta(minutes=minutes)))


def test_whoever_is_deactivated_is_out_and_stays_out(store: Store) -> None:
    invitations.invite(store, "lea", "ann@example.org", "annotator")
    visit = enter(store, "ann")
    invitations.invite(store, "lea", "ann@example.org", "lead")
    people.set_person(store, "lea", "Ann", "annotator", active=False)
    assert visit.visitor() is None
    with pytest.raises(NotAllowed, match="not active"):
        enter(store, "ann", nonce="again")
    people.set_person(store, "lea", "Ann", "annotator")
    assert visit.visitor() is None, "what was begun before does not come to life"
    assert enter(store, "ann", nonce="third").visitor() is not None


def test_groups_give_roles_and_take_them(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_OIDC_ROLE_CLAIM", "realm_access.roles")
    monkeypatch.setenv("ASSAY_OIDC_RESEARCHERS", "science, data")
    monkeypatch.setenv("ASSAY_OIDC_LEADS", "bosses")

    def role(number: int, *groups: str) -> str:
        visit = enter(store, "ann", nonce=str(number), realm_access={"roles": list(groups)})
        person = visit.visitor()
        assert person is not None
        return person.role

    with pytest.raises(NotAllowed):
        role(0, "strangers", "")
    assert [role(1, "data"), role(2, "data", "bosses"), role(3, "science")] == ["researcher", "lead", "researcher"]
    with pytest.raises(NotAllowed, match="not active"):
        role(4)
    assert role(5, "science") == "researcher", "back in the group"
    people.set_person(store, "lea", "Ann", "researcher", active=False)
    with pytest.raises(NotAllowed, match="not active"):
        role(6, "bosses")


def test_a_lead_by_group_or_machine_is_independent_and_an_invited_one_depends(store: Store, monkeypatch: Any) -> None:
    monkeypatch.setenv("ASSAY_OIDC_LEADS", "bosses")
    invitations.invite(store, "lea", "max@example.org", "lead")
    enter(store, "max")
    assert not leads.are_independent(leads.lead_history(store), "lea", "Max")
    enter(store, "eva", groups=["bosses"])
    invitations.invite_locally(store, "tom@example.org", "", "lead")
    enter(store, "tom")
    assert leads.are_independent(leads.lead_history(store), "lea", "Eva")
    assert leads.are_independent(leads.lead_history(store), "Eva", "Tom")
    policy.set_requirements(store, "lea", Requirements(four_eyes=True), "two of us")
    with pytest.raises(BadInput, match="requires two leads"):
        invitations.invite(store, "lea", "x@example.org", "lead")
    with pytest.raises(BadInput, match="requires two leads"):
        invitations.invite(store, "lea", "x@example.org", "annotator", person="Eva")


def test_an_invitation_of_a_lead_waits_for_nobody_and_ends_with_a_policy_of_two(store: Store, monkeypatch: Any) -> None:
    """It was sent while one lead was enough, and whoever takes it up later would be made a lead by one alone."""
    monkeypatch.setenv("ASSAY_OIDC_LEADS", "bosses")
    enter(store, "eva", groups=["bosses"])
    people.join_workspace(store, "kim")
    invitations.invite(store, "lea", "max@example.org", "lead")
    invitations.invite(store, "lea", "kim@example.org", "lead", person="kim")
    policy.set_requirements(store, "lea", Requirements(four_eyes=True), "two of us")
    with pytest.raises(NotAllowed, match="The policy requires two leads, so one alone invites nobody as a lead"):
        enter(store, "max")
    assert [person.name for person in people.all_people(store)] == ["Eva", "kim", "lea"]
    visit = enter(store, "kim").visitor()
    assert visit is not None and visit.role == "annotator", "the role that kim has"


@pytest.mark.parametrize(
    "lacking",
    [
        {"iss": None}, {"iss": ""}, {"sub": ""}, {"sub": 7}, {"sub": "x" * 577}, {"iat": None}, {"iat": True},
        {"iat": 0}, {"iat": -1}, {"iat": 1e11},
    ],
)  # fmt: skip
def test_claims_that_name_no_account_are_refused(lacking: dict[str, Any]) -> None:
    with pytest.raises(NotAllowed):
        read_account(claims("ann") | lacking)


def test_what_claims_tell_of_an_account(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "assay")
    payload = claims("ann", iat=1_800_000_000, sub="x" * 575)
    account = read_account(payload)
    assert (account.issuer, account.subject, account.email) == (ISSUER, "x" * 575, "ann@example.org")
    assert (account.issued, account.name, account.role) == (datetime(2027, 1, 15, 8), "Ann", None)
    assert read_account(dict(payload)).key == account.key
    fields = ("iss", "sub", "nonce", "sid", "jti", "at_hash", "auth_time")
    assert len({account.key, *(read_account({**payload, name: "other"}).key for name in fields)}) == len(fields) + 1
    assert read_account({**payload, "iat": 1_800_000_001}).key != account.key
    for email, verified, plain in (
        ("Ann@Example.org", "true", "ann@example.org"), ("ann@example.org", 1, "ann@example.org"),
        ("ann@example.org", "no", ""), ("no address", True, ""), (7, True, ""),
    ):  # fmt: skip
        assert read_account({**payload, "email": email, "email_verified": verified}).email == plain
    assert [record.msg for record in caplog.records] == ["email_refused"], "what is verified, and is no address"
    for called, name in (({"name": " "}, "ann"), ({"name": 7, "preferred_username": "annie"}, "annie")):
        assert read_account({**payload, **called}).name == name
    assert read_account({**payload, "name": None, "email": None}).name == ""
    for variable, groups in (("LEADS", "a"), ("RESEARCHERS", "a, b"), ("ANNOTATORS", "a,b,c")):
        monkeypatch.setenv(f"ASSAY_OIDC_{variable}", groups)
    claim_values = (["c", "b", "a"], ["c", "b"], "c", ["d", ""], "", {})
    roles = [read_account({**payload, "groups": value}).role for value in claim_values]
    assert roles == ["lead", "researcher", "annotator", None, None, None]


def test_shortened_claims_tell_of_the_same_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_OIDC_LEADS", "chiefs, heads")
    monkeypatch.setenv("ASSAY_OIDC_ROLE_CLAIM", "realm.roles")
    many, long = [f"group-{n}" for n in range(500)], "x" * 9_000
    for more in (
        {}, {"name": " ", "preferred_username": "annie"}, {"name": 7, "email": None}, {"email_verified": "true"},
        {"realm": {"roles": [*many, "heads", "chiefs"]}, "picture": long}, {"realm": {"roles": "heads"}},
        {"realm": {"roles": many}}, {"sid": None, "auth_time": 5, "jti": ["a"]}, {"preferred_username": long},
    ):  # fmt: skip
        payload = claims("ann", **more)
        shortened = json.loads(json.dumps(logins.shorten_claims(payload)))
        assert read_account(shortened) == read_account(payload) and len(json.dumps(shortened)) < 400
        assert logins.shorten_claims(shortened) == shortened
    endless = claims("ann", name="愛" * 9_000, email=long, **dict.fromkeys(("nonce", "sid", "at_hash"), long))
    shortened = logins.shorten_claims(endless)
    assert (
        len(json.dumps(shortened)) < 1_500
        and (read_account(shortened).name, read_account(shortened).email) == ("愛" * 100, "")
    )  # fmt: skip
    other = read_account(logins.shorten_claims({**endless, "nonce": long + "y"}))
    assert other.key != read_account(shortened).key, "another sign-in"
    with pytest.raises(NotAllowed, match="which account"):
        read_account(logins.shorten_claims(claims("ann", sub=long)))


def test_an_address_as_two_are_compared() -> None:
    assert invitations.plain_address(" Ann@Example.org ") == "ann@example.org"
    assert invitations.plain_address("\u00c4nn@example.org") == "\u00c4nn@example.org"
    assert len(invitations.plain_address("a" * 242 + "@example.org")) == 254
    for wrong in ("a" * 243 + "@example.org", "ann@.org.", "ann@org."):
        with pytest.raises(BadInput):
            invitations.plain_address(wrong)


def test_an_invitation_by_subject_and_one_as_somebody_else(store: Store) -> None:
    for days in (0, 366):
        with pytest.raises(BadInput, match="1 to 365 days"):
            invitations.invite(store, "lea", "ann@example.org", "annotator", days=days)
    with pytest.raises(BadInput, match="not a role"):
        invitations.invite(store, "lea", "ann@example.org", "boss")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="needs an e-mail"):
        invitations.invite_locally(store, "", " ", "lead")
    invitations.invite(store, "lea", "z@example.org", "annotator", days=1)
    invitation = invitations.invite_locally(store, "", " sub-ann ", "researcher", days=365)
    assert [entry.whom for entry in invitations.open_invitations(store)] == ["sub-ann", "z@example.org"]
    with pytest.raises(NotAllowed, match=r"account sub-bob \(the provider has not verified"):
        enter(store, "bob", email_verified=False)
    assert enter(store, "ann", email_verified=False).person == "Ann" and invitation.inviter != "lea"
    people.join_workspace(store, "eva")
    invitations.invite(store, "lea", "ann@example.org", "annotator")
    assert enter(store, "ann", nonce="2").person == "Ann", "an invitation as nobody in particular is for newcomers"
    invitations.invite(store, "lea", "ann@example.org", "annotator", person="eva")
    assert enter(store, "ann", nonce="3").person == "eva"
    rows = store.rows("select count(*) from identity")
    assert enter(store, "ann", nonce="4").person == "eva"
    assert store.rows("select count(*) from identity") == rows, "nothing is written where nothing is new"


def test_clocks_may_differ_a_little_and_a_sign_in_ends_once(store: Store) -> None:
    invitations.invite(store, "lea", "ann@example.org", "annotator")
    for minutes in (9, -9):
        assert enter(store, "ann", nonce=f"{minutes}", iat=_seconds(now() - timedelta(minutes=minutes))).visitor()
    visit = enter(store, "ann")
    for _ in range(2):
        logins.sign_out(store, "Ann", _key_of(store, visit))
    assert store.rows("select count(*) from login_end") == [(1,)]
    before = now()
    logins.sign_out_everywhere(store, "Ann", "Ann")
    assert enter(store, "ann", nonce="25", iat=_seconds(now() - timedelta(seconds=25))).visitor()
    with pytest.raises(NotAllowed, match="before everything"):
        enter(store, "ann", nonce="31", iat=_seconds(before - timedelta(seconds=31)))


def test_the_lead_sees_accounts(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    invitations.invite(store, "lea", "ann@example.org", "annotator")
    visit = enter(store, "ann")
    (account,) = logins.person_accounts(store)
    assert (account.person, account.email, account.issuer) == ("Ann", "ann@example.org", ISSUER) and account.last
    with pytest.raises(NotAllowed):
        logins.person_accounts(visit)
    monkeypatch.setenv("ASSAY_OIDC_LEADS", "bosses")
    first = account.last
    for person in ("zoe", "ann", "bob"):
        enter(store, person, nonce="2", groups=["bosses"])
    ann, bob, zoe = logins.person_accounts(store)
    assert [(entry.person, entry.granted) for entry in (ann, bob, zoe)] == [(n, "lead") for n in ("Ann", "Bob", "Zoe")]
    assert ann.last and first and ann.last > first, "the last of several"


@pytest.mark.parametrize("bad", ["\ud800", "a\0b"])
def test_what_no_store_takes_is_refused_in_a_sentence(store: Store, bad: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_OIDC_ANNOTATORS", "staff")
    for part in ("iss", "sub"):
        with pytest.raises(NotAllowed, match="which account this is"):
            enter(store, "ann", groups=["staff"], **{part: bad})
    for part in ("name", "email", "nonce", "preferred_username"):
        assert enter(store, f"{part}-{len(bad)}", groups=["staff"], **{part: bad}).person


def test_the_tokens_of_a_group_rest_when_nobody_signs_in(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_OIDC_RESEARCHERS", "science")
    invitations.invite(store, "lea", "ann@example.org", "annotator")
    by_group, invited = enter(store, "rob", groups=["science"]).person, enter(store, "ann").person
    texts = {name: tokens.new_token(store, name, "ci", ["read"])[1] for name in (by_group, invited)}
    soon, later = (
        now() + tokens.MAX_TIME_SINCE_SIGN_IN - timedelta(days=1),
        now() + tokens.MAX_TIME_SINCE_SIGN_IN + timedelta(days=1),
    )
    monkeypatch.setattr(tokens, "now", lambda: soon)
    assert [tokens.find_token(store, text)[1].name for text in texts.values()] == [by_group, invited]
    monkeypatch.setattr(tokens, "now", lambda: later)
    with pytest.raises(NotAllowed, match="has not signed in for 30 days"):
        tokens.find_token(store, texts[by_group])
    assert tokens.find_token(store, texts[invited])[1].name == invited
    monkeypatch.setattr(tokens, "now", now)
    with pytest.raises(NotAllowed):
        enter(store, "rob", nonce="left")
    with pytest.raises(NotAllowed, match="not active"):
        tokens.find_token(store, texts[by_group])
