"""Invitations: who may come in by a verified e-mail address, in which role or as whom, and until when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from data.records import leads, people
from data.records.access import ROLES, Role, act, allow, allow_change, require
from data.records.names import MACHINE_ACTOR, has_invisible_characters
from data.records.tables import InvitationRow
from data.store import Store, Tx
from data.store.errors import BadInput, NotAllowed, NotFound
from data.store.ids import new_id, now

DAYS = 14
"""For how long an invitation is open, unless it says otherwise."""


class Invitation(NamedTuple):
    """Whoever has this e-mail address, or is this account (`subject`), may come in, in a role or as a person here."""

    id: str
    email: str
    subject: str
    role: Role
    person: str
    expires: datetime
    inviter: str

    @property
    def whom(self) -> str:
        """The address, or the account where it is open to that."""
        return self.email or self.subject


def plain_address(email: str) -> str:
    """An e-mail address as two are compared: without capitals, unless it has letters beyond ASCII. Raises BadInput."""
    email = email.strip()
    name, at, host = email.rpartition("@")
    if not (name and at and "." in host.strip(".")) or len(email) > 254 or any(c.isspace() for c in email):
        raise BadInput(f"{email[:80]!r} is not an e-mail address.")
    if has_invisible_characters(email):
        raise BadInput(f"{email[:80]!r} has invisible characters. Type it again.")
    return email.lower() if email.isascii() else email


@allow("lead")
def invite(store: Store, actor: str, email: str, role: Role, person: str = "", days: int = DAYS) -> Invitation:
    """Invite whoever has an e-mail address (leads), in a role, or as somebody here, whose role they then have.

    An open invitation to that address ends. Raises NotAllowed; BadInput for an address or time that cannot be, and
    where the policy asks for two leads and one alone would make a lead.
    """
    new = Invitation(new_id(), plain_address(email), "", role, person, _until(days), actor)

    return act(store, actor, "lead", "invite", lambda tx: _open(tx, new), new.email)


def check_invitation(email: str, subject: str, days: int) -> None:
    """Raises BadInput where nobody can be invited so."""
    if not ((email and plain_address(email)) or subject.strip()):
        raise BadInput("An invitation needs an e-mail address, or the subject of an account.")
    _until(days)


def invite_locally(
    store: Store, email: str, subject: str, role: Role, person: str = "", days: int = DAYS
) -> Invitation:
    """Invite at the machine itself, as a lead too, whoever leads so far; by an address or by the provider's subject."""
    check_invitation(email, subject, days)
    new = Invitation(
        new_id(), plain_address(email) if email else "", subject.strip(), role, person, _until(days), MACHINE_ACTOR
    )
    return store.tx(MACHINE_ACTOR, "invite", lambda tx: _open(tx, new), target=new.whom)


def _until(days: int) -> datetime:
    if not 1 <= days <= 365:
        raise BadInput(f"An invitation is open for 1 to 365 days, not for {days}.")
    return now() + timedelta(days=days)


def _open(tx: Tx, new: Invitation) -> Invitation:
    if new.role not in ROLES:
        raise BadInput(f"{new.role!r} is not a role. There are: {', '.join(ROLES)}.")
    if new.person:
        new = new._replace(role=require(tx, new.person, "annotator").role)
    if why := _why_not(tx, new):
        raise BadInput(why)
    for old in _open_ones(tx):
        if (old.email, old.subject) == (new.email, new.subject):
            _append(tx, old, "withdrawn")
    _append(tx, new, "open")
    return new


def _why_not(tx: Tx, new: Invitation) -> str:
    """Return the reason why one lead alone may not send this invitation, a sentence; "" if one may."""
    if new.inviter == MACHINE_ACTOR or new.role != "lead" or not leads.needs_two_leads(tx):
        return ""
    return (
        "The policy requires two leads, so one alone invites nobody as a lead. Invite them as a researcher and propose "
        "the change, or invite them on the command line: python -m data lead --email ADDRESS."
    )


@allow_change("lead", "invite")
def withdraw_invitation(tx: Tx, actor: str, invitation: str) -> None:
    """Take an open invitation back (leads). Raises NotFound, NotAllowed."""
    match = next((candidate for candidate in _open_ones(tx) if candidate.id == invitation), None)
    if match is None:
        raise NotFound("This invitation is not open any more.")
    _append(tx, match, "withdrawn")


@allow("lead")
def open_invitations(store: Store | Tx) -> list[Invitation]:
    """The invitations that can still be accepted, the newest first."""
    return [invitation for invitation in _open_ones(store) if invitation.expires > now()]


def find_invitation(tx: Tx, email: str, subject: str) -> Invitation | None:
    """The invitation that an account with this verified address (or "") can accept; None for none.

    It must be open still, and whoever invited must still be a lead.
    """
    inviters = leads.current_leads(leads.lead_history(tx)) | {MACHINE_ACTOR}
    for invitation in open_invitations(tx):
        named = invitation.email == email if invitation.email else invitation.subject == subject
        if named and invitation.whom and invitation.inviter in inviters:
            return invitation
    return None


def accept_invitation(tx: Tx, invitation: Invitation, name: str) -> str:
    """Take an account in by an invitation: as whom. `name` is what the provider calls somebody new."""
    if invitation.person:
        invitation = invitation._replace(role=require(tx, invitation.person, "annotator").role)
    if why := _why_not(tx, invitation):
        raise NotAllowed(why)
    _append(tx, invitation, "accepted")
    return invitation.person or people.add_person(tx, name, invitation.role)



def _open_ones(store: Store | Tx) -> Sequence[Invitation]:
    rows = store.rows(
        "select invitation, email, subject, role, person, expires, inviter from invitation_now "
        "where state = 'open' order by seq desc, invitation"
    )
    return [Invitation(*row) for row in rows]


def _append(tx: Tx, invitation: Invitation, state: Literal["open", "accepted", "withdrawn"]) -> None:
    tx.append([InvitationRow(new_id(), *invitation, state)])
