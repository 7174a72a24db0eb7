"""What the workspace asks before a dimension may be published: a setting, whose changes are on the trail."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from data import settings
from data.store import Store, Tx
from judges.gate import Policy


@dataclass(frozen=True)
class Asked:
    """What an approval has to meet: the gate's policy, and what is asked beside it.

    four_eyes: another lead than the one who proposes has to approve. alarms: an audit of the judge in alarm refuses an
    approval, instead of only being shown beside it.
    """

    policy: Policy = field(default_factory=Policy)
    four_eyes: bool = False
    alarms: bool = False


def asked(store: Store | Tx) -> Asked:
    """What holds now."""
    gate = Policy(**settings.get(store, settings.WORKSPACE, "policy", {}))
    more: dict[str, Any] = settings.get(store, settings.WORKSPACE, "approvals", {})
    return Asked(gate, bool(more.get("four_eyes")), bool(more.get("alarms")))
