"""The addresses that are told of events: made, tried, paused and removed by leads."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from data.records.access import act, allow, allow_change, is_switched_on, require
from data.records.tables import WebhookEventRow, WebhookRow, WebhookSecretRow, WebhookStateRow
from data.store import Store, Tx, cache_result
from data.store.errors import BadInput, NotFound
from data.store.ids import new_id, now
from data.webhooks.events import note_finished_queues
from judges.strict_json import canonical

EVENTS = {
    "queue.finished": "a queue of a dataset is finished: every item drawn into it has its answers",
    "approval.changed": "a dimension was proposed, approved, declined or suspended",
    "run.ended": "a run finished, failed or was stopped",
}
"""The events that a webhook can be told of."""
TEST = "test"
MAX_WEBHOOKS = 20
_MAX_URL_LENGTH = 500


@dataclass(frozen=True)
class Webhook:
    """An address, what it is told of, who made it, and whether it is active; `seq` is the change that made it."""

    id: str
    url: str
    events: tuple[str, ...]
    person: str
    made_at: datetime
    state: str
    seq: int

    @property
    def host(self) -> str:
        """The host of the address, which alone is shown: the rest may be a secret."""
        return host_of(self.url)


def host_of(url: str) -> str:
    """The host of an address."""
    return urlsplit(url).hostname or ""


def allows_private() -> bool:
    """Whether addresses within private networks may be told, as the environment says. Raises BadInput."""
    return is_switched_on("ASSAY_WEBHOOK_PRIVATE")


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet, and of no private network."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    inner = getattr(ip, "ipv4_mapped", None) or getattr(ip, "sixtofour", None)
    if inner is not None:
        return is_public(str(inner))
    if ip in ipaddress.ip_network("64:ff9b::/96"):
        return is_public(str(ipaddress.ip_address(int(ip) & 0xFFFFFFFF)))
    if ip.version == 6 and ip not in ipaddress.ip_network("2000::/3"):
        return False  # what no network routes, such as an IPv4 address written as one of IPv6
    return ip.is_global and not ip.is_multicast


def check_url(url: str) -> str:
    """The address itself. Raises BadInput for what cannot be told."""
    try:
        parts = urlsplit(url)
        name, _ = parts.hostname or "", parts.port
    except ValueError:
        parts, name = urlsplit(""), ""
    plain = url.isascii() and url.isprintable() and " " not in url and len(url) <= _MAX_URL_LENGTH
    if parts.scheme not in ("http", "https") or not name or not plain or "@" in parts.netloc or parts.fragment:
        raise BadInput(
            f"{url[:80]!r} cannot be the address of a webhook. Give one such as https://host/path, without a name "
            f"or password in it, of at most {_MAX_URL_LENGTH} characters."
        )
    try:
        is_private = not is_public(name)
    except ValueError:
        is_private = name.lower() == "localhost" or name.lower().endswith(".localhost")
    if is_private and not allows_private():
        raise BadInput(
            f"{name} is an address of this machine or of a private network. Whoever operates Assay can allow that "
            "with ASSAY_WEBHOOK_PRIVATE=1."
        )
    return url


@allow("lead")
def add_webhook(store: Store, actor: str, url: str, events: Sequence[str]) -> tuple[Webhook, str]:
    """Add an address: it, and the secret that signs what goes to it. Raises NotAllowed, BadInput."""
    url = check_url(url.strip())
    if not events or not set(events) <= EVENTS.keys():
        raise BadInput(f"Choose the events that the address is notified of: one or more of {', '.join(EVENTS)}.")
    require(store, actor, "lead")
    note_finished_queues(store)  # what was finished before is no news
    secret = f"whsec_{secrets.token_urlsafe(32)}"

    def work(tx: Tx) -> str:
        if sum(webhook.state != "removed" for webhook in _webhooks(tx)) >= MAX_WEBHOOKS:
            raise BadInput(f"There are {MAX_WEBHOOKS} webhooks already. Remove one that is not needed any more.")
        row = WebhookRow(new_id(), url, " ".join(e for e in EVENTS if e in events), actor, now())
        tx.append([row])
        tx.append([WebhookSecretRow(new_id(), row.id, secret)])
        tx.append([WebhookStateRow(new_id(), row.id, "active")])
        return row.id

    webhook_id = act(store, actor, "lead", "webhook", work)
    return _one(store, webhook_id), secret


@allow("lead")
def list_webhooks(store: Store, actor: str) -> list[Webhook]:
    """Those that were not removed, in the order of their making."""
    require(store, actor, "lead")
    return [webhook for webhook in _webhooks(store) if webhook.state != "removed"]


@allow_change("lead", "webhook")
def set_state(tx: Tx, actor: str, webhook_id: str, state: str) -> None:
    """Make a webhook `active`, `paused` or `removed`. Raises NotFound, NotAllowed.

    What happens while it is paused is told once it is active again.
    """
    if _one(tx, webhook_id).state != state:
        tx.append([WebhookStateRow(new_id(), webhook_id, state)])


@allow_change("lead", "webhook test")
def send_test(tx: Tx, actor: str, webhook_id: str) -> None:
    """Have a webhook told something at once, to try it. Raises NotFound, NotAllowed."""
    tx.append([WebhookEventRow(new_id(), TEST, "", canonical({"webhook": _one(tx, webhook_id).id}))])


def active_webhooks(store: Store | Tx) -> list[Webhook]:
    """Those that are active."""
    return [webhook for webhook in _webhooks(store) if webhook.state == "active"]


def secret_of(store: Store, webhook_id: str) -> str:
    """Return the secret that signs what is sent to a webhook."""
    return str(store.rows("select secret from webhook_secret where webhook_id = $1", [webhook_id])[0][0])


def _one(reader: Store | Tx, webhook_id: str) -> Webhook:
    webhook = next((w for w in _webhooks(reader) if w.id == webhook_id and w.state != "removed"), None)
    if webhook is None:
        raise NotFound("This webhook no longer exists. Load the page again.")
    return webhook


@cache_result
def _webhooks(reader: Store | Tx) -> list[Webhook]:
    rows = reader.rows(
        "select w.id, w.url, w.events, w.person, w.made_at, s.state, w.seq from webhook w join "
        "(select webhook_id, state, row_number() over (partition by webhook_id order by seq desc, id desc) as newest "
        "from webhook_state) s on s.webhook_id = w.id and s.newest = 1 order by w.seq"
    )
    return [Webhook(str(i), str(u), tuple(str(e).split()), str(p), at, str(s), int(q)) for i, u, e, p, at, s, q in rows]
