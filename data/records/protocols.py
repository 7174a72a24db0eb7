"""The protocols of MT-Bench of a workspace: those that are built in, and those that its researchers have added."""

from __future__ import annotations

import json
from collections.abc import Mapping

from data.records.access import act, allow
from data.records.values import put_setting, settings_in
from data.store import Store, Tx, cache_result
from data.store.errors import BadInput, NotFound
from judges.mtbench.protocol import Protocol, protocols

PROTOCOLS = "protocols"
"""The scope of the settings that hold them, by name; each change is another row."""


@allow("annotator")
@cache_result
def known_protocols(store: Store | Tx) -> Mapping[str, Protocol]:
    """The protocols by name, as they are now: the built-in ones first."""
    own = [Protocol.model_validate(value) for value in settings_in(store, PROTOCOLS).values()]
    return {**protocols(), **{protocol.name: protocol for protocol in own}}


@allow("annotator")
@cache_result
def protocols_by_mark(store: Store | Tx) -> Mapping[str, Protocol]:
    """Return every version that each protocol has had, by its mark, which judges have; of equal ones the newest."""
    rows = store.rows("select value from setting where scope = $1 order by seq, id", [PROTOCOLS])
    every = [*protocols().values(), *(Protocol.model_validate(json.loads(value)) for (value,) in rows)]
    return {protocol.mark: protocol for protocol in every}


def protocol_named(store: Store | Tx, name: str) -> Protocol:
    """The protocol of that name as it is now, or of that mark as it was. Raises NotFound, naming those there are."""
    by_name = known_protocols(store)
    protocol = by_name.get(name) or protocols_by_mark(store).get(name)
    if protocol is None:
        raise NotFound(f"There is no protocol {name[:80]!r} here. There are: {', '.join(by_name)}.")
    return protocol


@allow("researcher")
def add_protocol(store: Store, actor: str, protocol: Protocol) -> bool:
    """Add a protocol, or change the one of that name (researchers and leads); return whether this changed anything.

    What was before stays: judges have the mark of the protocol that they judged by. Raises BadInput for the name of a
    built-in one, NotAllowed.
    """

    def work(tx: Tx) -> bool:
        if protocol.name in protocols():
            raise BadInput(f"The protocol {protocol.name} is built in and stays as it is. Choose another name.")
        if known_protocols(tx).get(protocol.name) == protocol:
            return False
        put_setting(tx, PROTOCOLS, protocol.name, protocol.model_dump(mode="json"))
        return True

    return act(store, actor, "researcher", "protocol", work, protocol.name)
