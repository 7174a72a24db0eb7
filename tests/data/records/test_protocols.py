"""A workspace's own protocols: added and changed by researchers, found by name or by the mark that judges bear."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.records import people, protocols
from data.store.errors import BadInput, NotAllowed, NotFound
from data.trail.trail import TrailFilter, all_entries
from judges.mtbench.protocol import Protocol
from judges.mtbench.protocol import protocols as built_in
from tests.data.imports import workspace

MINE = Protocol(name="mine", samples=2, judge="m")


def test_a_protocol_is_added_changed_and_still_found_as_it_was(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    people.join_workspace(store, "ann")
    assert list(protocols.known_protocols(store)) == ["fastchat", "swallow"]
    with pytest.raises(NotAllowed):
        protocols.add_protocol(store, "ann", MINE)
    assert protocols.add_protocol(store, "lea", MINE) and not protocols.add_protocol(store, "lea", MINE)
    now = MINE.model_copy(update={"cut_at": 100, "system": "Answer {it} \u2028 well."})
    assert protocols.add_protocol(store, "lea", now)
    assert protocols.known_protocols(store) == {**built_in(), "mine": now}
    assert protocols.protocol_named(store, "mine") == now and protocols.protocol_named(store, MINE.mark) == MINE
    with pytest.raises(NotFound, match=r"no protocol 'other' here\. There are: fastchat, swallow, mine"):
        protocols.protocol_named(store, "other")
    lines = [entry.description for entry in all_entries(store, TrailFilter())]
    assert "added the protocol mine of MT-Bench" in lines
    assert any("changed the protocol mine of MT-Bench" in line and "cut at 100" in line for line in lines)
    store.close()


def test_the_built_in_ones_stay_as_they_are(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    with pytest.raises(BadInput, match=r"The protocol swallow is built in and stays as it is\. Choose another name"):
        protocols.add_protocol(store, "lea", built_in()["swallow"].model_copy(update={"samples": 1}))
    assert protocols.known_protocols(store) == built_in()
    store.close()
