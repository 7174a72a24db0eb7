"""No page sends a browser what a judge said of an item without a row that says so, whatever address is opened."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from data.records import exposure, people
from data.store import open_store
from data.store.ids import now
from judges.cards import cards
from pages.calibration.dimension import PANELS
from pages.main import ROUTES
from tests import seeds
from tests.pages.desk_driver import at_rest, enter, turn_to
from tests.server import Server

Serve = Callable[..., Server]
NOTE = re.compile(rb"the judge says of (d-\d{4})")


def addresses(judge: str, items: list[str]) -> list[str]:
    """Every page, and every view of it that its address can name."""
    paths = [address for _, _, _, _, address, _ in ROUTES]
    paths += [f"{a}?dataset=demo&stream={s}" for a in ("desk", "queue") for s in ("audit", "review")]
    paths += [f"desk?dataset=demo&stream={s}&item={i}" for s in ("audit", "review") for i in items]
    paths += [f"calibration?dataset=demo&judge={judge}&dimension=turn.helpfulness&panel={panel}" for panel in PANELS]
    paths += [f"audits?dataset=demo&judge={judge}&audit={name}" for name in cards()["multi_turn_dialogue"].audits]
    return paths


def workspace(app: Server) -> tuple[str, list[str]]:
    """Eight judged dialogues, five of them in the audit sample: (judge id, item ids). Every note names its item."""
    items = [seeds.dialogue(n) for n in range(1, 9)]
    judgments = []
    for item in items:
        reply, note = seeds.reply(item, helpfulness=2, verdict="good"), f"the judge says of {item['id']}"
        reply["decision_basis"] = reply["conversation_level"]["coherence"]["note"] = note
        reply["per_turn"][1]["issues"] = [note]
        judgments.append(seeds.judgment(item, reply))
    labels = [
        {"item": item["id"], "unit": "turn:1", "dimension": "helpfulness", "value": 4, "annotator": "old",
         "mode": "assisted", "made_at": "2026-01-31T12:00:00Z"} for item in items
    ]  # fmt: skip
    names = ("lea", "rex", "ann")
    store = seeds.workspace(app.store_path, [*items, *judgments, *labels], names=names, audit=5)
    people.set_person(store, "lea", "rex", "researcher")
    judge = str(store.rows("select id from judge")[0][0])
    ids = [str(r[0]) for r in store.rows("select id from item order by name")]
    store.close()
    return judge, ids


@pytest.mark.slow
@pytest.mark.parametrize("person", ["ann", "rex"])
def test_every_note_of_a_judge_that_reaches_a_browser_is_on_record(serve: Serve, page: Any, person: str) -> None:
    app = serve(start=False)
    judge, ids = workspace(app)
    store = open_store(app.store)
    names = {str(i): str(n) for i, n in store.rows("select id, name from item")}
    waited = {names[i] for i in exposure.blind_pending(store, person)}
    store.close()
    app.start()
    sent: dict[str, datetime] = {}

    def keep(frame: Any) -> None:
        for name in NOTE.findall(frame if isinstance(frame, bytes) else frame.encode()):
            sent.setdefault(name.decode(), now())

    page.on("websocket", lambda socket: socket.on("framereceived", keep))
    enter(page, app.url, person, "")
    at_rest(page)
    for address in addresses(judge, ids):
        turn_to(page, address)
        assert not page.locator("[data-testid='stException']").count(), address
    app.stop()
    store = open_store(app.store)
    rows = store.rows(
        "select e.item_id, min(c.made_at) from exposure e join change c on c.seq = e.seq "
        "where e.person = $1 and e.judge_id = $2 group by e.item_id",
        [person, judge],
    )
    known = {names[str(item)]: at for item, at in rows}
    store.close()
    assert sent, "no page showed a note: the test says nothing"
    assert waited, "nothing waits for a blind answer: the test says nothing"
    late = {name for name, at in sent.items() if name not in known or known[name] > at}
    assert not late, "shown, and not on record before it was"
    assert not known.keys() & waited, "what waits for a blind answer was shown on no page"
