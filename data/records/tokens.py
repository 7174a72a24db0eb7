"""Tokens by which programs ask as a person: made by that person, shown once, kept as a hash, ended at any time.

A token is 256 random bits, so its SHA-256 needs no salt and no slow function. It may do what its scopes name and its
person's role allows at the moment of asking, and nothing once that person is not active any more.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from data.records.access import Person, allow, allow_change, find_person, require
from data.records.tables import ApiTokenEventRow, ApiTokenRow
from data.store import Store, Tx, cache_result
from data.store.errors import BadInput, NotAllowed, NotFound
from data.store.ids import new_id, now

SCOPES = {
    "check": "ask whether a judge meets the policy",
    "read": "read figures, progress, approvals and runs; with the role researcher also items, labels and scores",
    "write": "send items, judgments, labels and cards",
    "draw": "draw audit samples and fill review queues",
    "run": "start, stop and resume runs of judges, which cost what their endpoint asks",
}
"""The scopes of a token, and what each lets a program do."""
DEFAULT_DAYS, MAX_DAYS, MAX_TOKENS = 90, 366, 20
_TOKEN_PREFIX = "assay_"
_MAX_NAME_LENGTH = 60
_MIN_TIME_BETWEEN_USE_EVENTS = timedelta(hours=1)
"""The use of a token is recorded at most once in this time."""
MAX_TIME_SINCE_SIGN_IN = timedelta(days=30)
"""The time that tokens work after a person's last sign-in if a group gives their role; a sign-in checks the role."""


@dataclass(frozen=True)
class Token:
    """A token of a person. `prefix` is how it begins; `used` when it was last noted to be used; times are UTC."""

    id: str
    person: str
    name: str
    prefix: str
    scopes: tuple[str, ...]
    expires: datetime
    used: datetime | None
    revoked: bool

    def state(self, moment: datetime) -> str:
        """Whether it holds, in a word."""
        return "revoked" if self.revoked else "expired" if moment >= self.expires else "holds"


@allow_change("annotator", "token")
def new_token(tx: Tx, actor: str, name: str, scopes: Sequence[str], days: int = DEFAULT_DAYS) -> tuple[Token, str]:
    """Make a token for oneself: it, and its text, which is kept nowhere.

    Raises NotAllowed for somebody who does not work here, BadInput for a name, scopes or days that cannot be.
    """
    name = " ".join(name.split())
    if not 1 <= len(name) <= _MAX_NAME_LENGTH or not name.isprintable():
        raise BadInput(f"Give the token a name of 1 to {_MAX_NAME_LENGTH} characters, as what it is for.")
    if not scopes or not set(scopes) <= SCOPES.keys():
        raise BadInput(f"Say what the token may do: one or more of {', '.join(SCOPES)}.")
    if not 1 <= days <= MAX_DAYS:
        raise BadInput(f"A token is valid for 1 to {MAX_DAYS} days, not {days:,}.")
    prefix = _TOKEN_PREFIX + secrets.token_hex(4)
    text = f"{prefix}_{secrets.token_urlsafe(32)}"
    moment = now()
    if sum(token.state(moment) == "holds" for token in _tokens(tx).values() if token.person == actor) >= MAX_TOKENS:
        raise BadInput(f"{actor} has {MAX_TOKENS} tokens already. Revoke one that is not needed any more.")
    row = ApiTokenRow(
        new_id(), actor, name, prefix, _hash(text), " ".join(s for s in SCOPES if s in scopes),
        moment, moment + timedelta(days=days),
    )  # fmt: skip
    tx.append([row])
    return _token(tx, row.id), text


@allow("annotator")
def list_tokens(store: Store, actor: str) -> list[Token]:
    """One's own tokens, the newest first."""
    require(store, actor, "annotator")
    tokens = [token for token in _tokens(store).values() if token.person == actor]
    return sorted(tokens, key=lambda token: token.id, reverse=True)


@allow("lead")
def all_tokens(store: Store, actor: str) -> list[Token]:
    """Everybody's tokens, the newest first, for leads."""
    require(store, actor, "lead")
    return sorted(_tokens(store).values(), key=lambda token: token.id, reverse=True)


@allow_change("annotator", "token")
def revoke_token(tx: Tx, actor: str, token_id: str) -> None:
    """End a token: one's own, or as a lead anybody's. Raises NotFound, NotAllowed."""
    token = _token(tx, token_id)
    if token.person != actor:
        require(tx, actor, "lead")
    if not token.revoked:
        tx.append([ApiTokenEventRow(new_id(), token_id, "revoked", now())])


@allow("anybody")
def find_token(store: Store, text: str) -> tuple[Token, Person]:
    """The token of that text, and whose it is; that it is used is put on record now and then.

    Raises NotAllowed where it does not hold, or its person is not active.
    """
    token = _tokens(store).get(_hash(text))
    if token is None:
        raise NotAllowed("This token is not known here. Make one on the page Your labels.")
    refuse_ended(store, token)
    try:
        person = find_person(store, token.person)
    except NotFound as error:
        raise NotAllowed(str(error)) from None
    if not person.active:
        raise NotAllowed(f"{token.person}, whose token this is, is not active in this workspace.")
    seen = _seen_in_groups(store).get(person.name)
    if seen is not None and now() - seen > MAX_TIME_SINCE_SIGN_IN:
        raise NotAllowed(
            f"{person.name}, whose token this is, has the role by a group at the sign-in provider, and has not signed "
            f"in for {MAX_TIME_SINCE_SIGN_IN.days} days. The token is valid again once they sign in."
        )
    _note_use(store, token)
    return token, person


@allow("anybody")
def refuse_ended(store: Store, token: Token) -> None:
    """Raises NotAllowed where a token that let somebody in has ended since."""
    current = _token(store, token.id)
    if current.state(now()) != "holds":
        raise NotAllowed(f"This token ({current.prefix}...) has {'been revoked' if current.revoked else 'expired'}.")


def _note_use(store: Store, token: Token) -> None:
    if token.used is not None and now() - token.used < _MIN_TIME_BETWEEN_USE_EVENTS:
        return

    def work(tx: Tx) -> None:
        used = _token(tx, token.id).used
        if used is None or now() - used >= _MIN_TIME_BETWEEN_USE_EVENTS:
            tx.append([ApiTokenEventRow(new_id(), token.id, "used", now())])

    store.tx(token.person, "token used", work)


@cache_result
def _seen_in_groups(store: Store) -> dict[str, datetime]:
    """Person -> their last sign-in, of those whose role a group of the provider gives."""
    rows = store.rows(
        "select n.person, max(l.issued) from identity_now n join login l on l.issuer = n.issuer "
        "and l.subject = n.subject where n.granted <> '' group by n.person"
    )
    return {str(name): at for name, at in rows}


def _token(reader: Store | Tx, token_id: str) -> Token:
    token = next((token for token in _tokens(reader).values() if token.id == token_id), None)
    if token is None:
        raise NotFound("There is no such token. Load the list again.")
    return token


@cache_result
def _tokens(store: Store | Tx) -> dict[str, Token]:
    """Every token by its hash."""
    rows = store.rows(
        "select t.hash, t.id, t.person, t.name, t.prefix, t.scopes, t.expires_at, "
        "(select max(e.made_at) from api_token_event e where e.api_token_id = t.id and e.kind = 'used'), "
        "(select count(*) from api_token_event e where e.api_token_id = t.id and e.kind = 'revoked') from api_token t"
    )
    return {
        str(hash_): Token(id_, person, name, prefix, tuple(scopes.split()), expires, used, bool(revocations))
        for hash_, id_, person, name, prefix, scopes, expires, used, revocations in rows
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
