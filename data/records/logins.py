"""The sign-ins at the provider: its accounts as people of this workspace, each sign-in, and how sign-ins end.

An account (issuer, subject) becomes a person by an invitation, or by a group that the provider names. Each sign-in is a
row, found by the claims that distinguish it: one that has ended stays ended, whatever a browser sends.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from data import log
from data.records import invitations, people
from data.records.access import Person, Role, act, allow, allow_change, find_login, find_person, require
from data.records.names import SIGN_IN_ACTOR
from data.records.tables import IdentityRow, LoginRow
from data.store import Store, Tx
from data.store.errors import BadInput, NotAllowed
from data.store.ids import content_id, new_id, now, to_utc
from judges.strict_json import storable_text

SIGN_IN_TIMEOUT = timedelta(minutes=10)
"""A sign-in has to be used within this time, or made again, so that an unused cookie does not stay valid."""
MAX_CLOCK_SKEW = timedelta(seconds=30)
"""By how much the provider's clock may be ahead of ours before that matters to what was ended."""
_CLAIMS_OF_ONE_SIGN_IN = ("nonce", "sid", "jti", "at_hash", "auth_time")
"""The claims that distinguish one sign-in from the others of an account."""
_MAX_ACCOUNT_LENGTH, _MAX_CLAIM_LENGTH = 600, 100


@dataclass(frozen=True)
class Account:
    """The provider's facts about the person who signs in. `email` is "" unless the provider has verified it.

    `role` is the role that their groups give, None if they give none. `key` distinguishes this sign-in from every
    other.
    """

    issuer: str
    subject: str
    email: str
    name: str
    role: Role | None
    issued: datetime
    key: str


@dataclass(frozen=True)
class PersonAccount:
    """An account of somebody here, and when they signed in last (UTC; None: not yet)."""

    person: str
    email: str
    issuer: str
    granted: str
    last: datetime | None


def read_account(claims: Mapping[str, Any]) -> Account:
    """Return the account that verified claims describe. Raises NotAllowed if they lack what identifies an account."""
    issuer, subject, issued = (claims.get(name) for name in ("iss", "sub", "iat"))
    identity = issuer + subject if isinstance(issuer, str) and issuer and isinstance(subject, str) and subject else ""
    if not identity or len(identity) > _MAX_ACCOUNT_LENGTH or storable_text(identity) != identity:
        raise NotAllowed("The provider did not say which account this is (iss, sub). Ask whoever operates it.")
    if not isinstance(issued, int | float) or isinstance(issued, bool) or not 0 < issued < 1e11:
        raise NotAllowed("The provider did not say when this sign-in was made (iat). Ask whoever operates it.")
    email = ""
    if claims.get("email_verified") in (True, "true") and isinstance(claims.get("email"), str):
        try:
            email = invitations.plain_address(str(claims["email"]))
        except BadInput:
            log.info("email_refused")
    sign_in_claims = [str(claims.get(name, "")) for name in _CLAIMS_OF_ONE_SIGN_IN]
    return Account(
        str(issuer), str(subject), email, _claimed_name(claims) or email.partition("@")[0], granted_role(claims)[0],
        to_utc(datetime.fromtimestamp(issued, UTC)),
        content_id("login", issuer, subject, issued, sign_in_claims),
    )  # fmt: skip


def shorten_claims(claims: Mapping[str, Any]) -> dict[str, Any]:
    """Return the claims that `read_account` uses, short enough for one cookie; the account is the same.

    Of the groups, one that gives the role is kept. An issuer, subject or address that is too long is left out.
    """
    used_claims = {
        name: claims[name] for name in ("iss", "sub", "iat", "email", "email_verified")
        if name in claims and len(str(claims[name])) <= _MAX_ACCOUNT_LENGTH
    }  # fmt: skip
    for name in _CLAIMS_OF_ONE_SIGN_IN:
        claim = str(claims.get(name, ""))
        used_claims |= {name: claim if len(claim) <= _MAX_CLAIM_LENGTH else content_id("claim", claim)} if claim else {}
    _, group = granted_role(claims)
    for name in reversed(_role_claim()):
        group = {name: group}
    return {**group, "name": _claimed_name(claims)[:_MAX_CLAIM_LENGTH], **used_claims}


def _claimed_name(claims: Mapping[str, Any]) -> str:
    """Return the provider's name for somebody; "" if it has none."""
    called = [claims.get(name) for name in ("name", "preferred_username")]
    return next((name for name in called if isinstance(name, str) and name.strip()), "")


def _role_claim() -> list[str]:
    return (os.environ.get("ASSAY_OIDC_ROLE_CLAIM", "").strip() or "groups").split(".")


def granted_role(claims: Mapping[str, Any]) -> tuple[Role | None, Any]:
    """The highest role that the groups in the claims give, as the environment says which do, and a group that does."""
    claim: Any = claims
    for name in _role_claim():
        claim = claim.get(name) if isinstance(claim, Mapping) else None
    groups = {str(group) for group in (claim if isinstance(claim, list) else [claim])} if claim else set[str]()
    groups_by_role: dict[Role, str] = {
        "lead": os.environ.get("ASSAY_OIDC_LEADS", ""),
        "researcher": os.environ.get("ASSAY_OIDC_RESEARCHERS", ""),
        "annotator": os.environ.get("ASSAY_OIDC_ANNOTATORS", ""),
    }
    for role, setting in groups_by_role.items():
        if giving := groups & set(re.split(r"\s*,\s*", setting.strip())) - {""}:
            return role, min(giving)
    return None, None


def sign_in(store: Store, account: Account) -> str:
    """Return as whom an account is here, from its first sign-in on. Raises NotAllowed with a sentence.

    An account that is nobody yet comes in by an open invitation, or by its groups. If its groups gave a role, and now
    give another one or none, the person's role follows.
    """
    if (known := find_login(store, account.key)) is not None:
        return known.person
    if abs(now() - account.issued) > SIGN_IN_TIMEOUT:
        raise NotAllowed("This sign-in was not used in time, or the provider's clock is wrong. Sign in again.")
    person = store.tx(SIGN_IN_ACTOR, "sign in", lambda tx: _update_account(tx, account))
    if not person:
        whose = account.email or f"account {account.subject} (the provider has not verified an e-mail address of it)"
        raise NotAllowed(
            f"You are signed in, but nobody has invited {whose} here. Ask a lead of this workspace for an invitation."
        )

    def begin(tx: Tx) -> None:
        if find_login(tx, account.key) is not None:
            return
        (ended,) = tx.rows(
            "select max(c.made_at) from login_end e join change c on c.seq = e.seq "
            "where e.person = $1 and e.login_id = ''",
            [person],
        )[0]
        if ended is not None and account.issued < ended - MAX_CLOCK_SKEW:
            raise NotAllowed("This sign-in is from before everything was signed out. Sign in again.")
        tx.append([LoginRow(account.key, person, account.issuer, account.subject, account.issued)])

    act(store, person, "annotator", "sign in", begin)
    return person


def _update_account(tx: Tx, account: Account) -> str:
    """Bring an account up to date: as whom it is here, "" for nobody, and the role that its groups give now."""
    rows = tx.rows(
        "select '' as id, issuer, subject, person, email, granted from identity_now where issuer = $1 and subject = $2",
        [account.issuer, account.subject],
    )
    identity = IdentityRow(*rows[0]) if rows else None
    invited = invitations.find_invitation(tx, account.email, account.subject)
    if invited is not None and (identity is None or invited.person not in ("", identity.person)):
        person = invitations.accept_invitation(tx, invited, account.name)
    elif identity is not None:
        person = identity.person
    elif account.role is not None:
        person = people.add_person(tx, account.name, account.role)
    else:
        return ""
    before = identity.granted if identity is not None and identity.person == person else ""
    _follow_groups(tx, find_person(tx, person), before, account.role)
    new = IdentityRow("", account.issuer, account.subject, person, account.email, account.role or "")
    if new != identity:
        tx.append([new._replace(id=new_id())])
    return person


def _follow_groups(tx: Tx, known: Person, before: str, role: Role | None) -> None:
    """Give a person the role of their groups, or take away what these gave. A lead's deactivation stays."""
    new = known
    if role is not None and (known.active or _left_by_groups(tx, known.name)):
        new = Person(known.name, role, True, known.team)
    elif role is None and before:
        new = Person(known.name, known.role, False, known.team)
    if new != known:
        people.change_person(tx, new)


def _left_by_groups(tx: Tx, name: str) -> bool:
    rows = tx.rows(
        "select c.actor from person_event e join change c on c.seq = e.seq where e.person = $1 "
        "order by e.seq desc, e.id desc limit 1",
        [name],
    )
    return bool(rows) and rows[0][0] == SIGN_IN_ACTOR



@allow("annotator")
def sign_out(store: Store, actor: str, login: str) -> None:
    """End a sign-in of one's own; its cookie is worth nothing from then on."""

    def work(tx: Tx) -> None:
        stored = find_login(tx, login)
        if stored is None or stored.person != actor:
            raise NotAllowed("Only one's own sign-in can be ended.")
        if not stored.ended:
            people.end_logins(tx, actor, login)

    store.tx(actor, "sign out", work)


@allow_change("annotator", "sign out", "name")
def sign_out_everywhere(tx: Tx, actor: str, name: str) -> None:
    """End all sign-ins of a person: one's own, or anybody's (leads). Raises NotAllowed."""
    if actor != name:
        require(tx, actor, "lead")
    people.end_logins(tx, find_person(tx, name).name)


@allow("lead")
def person_accounts(store: Store) -> list[PersonAccount]:
    """The accounts of people here, by name, each with its last sign-in."""
    rows = store.rows(
        "select n.person, n.email, n.issuer, n.granted, max(c.made_at) from identity_now n "
        "left join login l on l.issuer = n.issuer and l.subject = n.subject left join change c on c.seq = l.seq "
        "group by n.person, n.email, n.issuer, n.granted order by lower(n.person), n.issuer, n.email"
    )
    return [PersonAccount(*row) for row in rows]
