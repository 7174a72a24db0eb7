"""How each table tells of a change: what kind of change it is, and its rows in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from data.names import KEPT, MACHINE
from judges.calls.budget import dollars
from judges.counted import many

QUIET = ("labels", "claims", "exposures", "replies")
"""Kinds of which there are so many that they hide the others."""


@dataclass(frozen=True)
class Trace:
    """A table's part in the trail.

    sql: rows of the changes $1 to $2, the change's number first; tell: the other columns in words, without the actor;
    dataset: SQL that gives (seq, dataset_id) of every row, "" where the table is about no dataset.
    """

    kind: str
    table: str
    sql: str
    tell: Callable[..., str]
    dataset: str = ""


def _here(table: str) -> str:
    return f"select seq, dataset_id from {table}"


def _by_item(table: str) -> str:
    return f"select t.seq, i.dataset_id from {table} t join item i on i.id = t.item_id"


def _items(table: str, more: str = "") -> str:
    """How many rows a change has in a table about items, of how many items, and the name of one of them."""
    return (
        f"select t.seq, count(*), count(distinct t.item_id), min(i.name){more} from {table} t "
        "join item i on i.id = t.item_id where t.seq between $1 and $2 group by t.seq"
    )


def _named(items: int, name: str) -> str:
    return name if items == 1 else many(items, "item")


def _why(text: str) -> str:
    return f": {text}" if text else ""


_DECIDED = {"propose": "proposed", "approve": "approved", "decline": "declined", "suspend": "suspended"}


def _decided(decision: str, dimension: str, sort: str, model: str, card: str, reason: str) -> str:
    return f"{_DECIDED[decision]} {dimension} ({sort}) of {model} · {card}{_why(reason)}"


def _adjudicated(withdrawn: bool, dimension: str, unit: str, name: str) -> str:
    # Without the reason, which tells what was decided: the row itself has it, and opening that is on record.
    return f"{'withdrew the decision on' if withdrawn else 'adjudicated'} {dimension} of {unit} in {name}"


def _limited(limit: float | None, price_in: float | None, price_out: float | None) -> str:
    of = (
        ""
        if price_in is None or price_out is None
        else f", at ${price_in:g} in and ${price_out:g} out per million tokens"
    )
    return f"gave a run {'no spending limit' if limit is None else f'a spending limit of {dollars(limit)}'}{of}"


def _asked(calls: int, cost: float | None, estimated: bool) -> str:
    paid = "" if cost is None else f" for {'about ' if estimated else ''}{dollars(cost)}"
    return f"tried {many(calls, 'call')} outside of a run{paid}"


def _tuned(tuning: bool, items: int, why: str) -> str:
    where = "out of the approval check, as used for tuning" if tuning else "back to what the approval check may count"
    return f"took {many(items, 'item')} {where}{_why(why)}"


def _guided(number: int, letters: int) -> str:
    return f"{'wrote' if letters else 'withdrew'} the guidelines: version {number}, {many(int(letters), 'character')}"


_SETTINGS = {
    "gold": "the gold rule",
    "queue": "the rules of the queues",
    "policy": "the policy",
    "blinding": "what blind items hide",
    "approvals": "how approvals are made",
    "policy proposed": "a looser policy that waits for another lead",
    "audits proposed": "limits of audits that wait for another lead",
}


def _set(scope: str, name: str, value: str, was: str | None) -> str:
    if scope == "person":
        return _lead(name, json.loads(value), json.loads(was or "{}"))
    new, old = json.loads(value), json.loads(was) if was is not None else None
    if isinstance(new, dict) and isinstance(old, dict):  # only what changed
        new, old = ({k: v for k, v in a.items() if b.get(k, ...) != v} for a, b in ((new, dict(old)), (old, dict(new))))
    if name.startswith(KEPT):
        told = json.loads(value)
        return f"looked at {told['dimension']}, and kept it approved{_why(told['reason'])}"
    what = _SETTINGS.get(name, name.replace("_", " "))
    return f"set {what}: {_words(new)}" + (f" (before: {_words(old)})" if was is not None else "")


def _lead(person: str, new: dict[str, Any], was: dict[str, Any]) -> str:
    """A change of who leads that waits for another lead, and what came of it."""
    if "role" in new:
        what = f"to make {person} {new['role']}" if new["active"] else f"to let {person} go"
        return f"proposed {what}, which takes another lead"
    if "first" in new:
        return f"agreed to what {new['first']} had proposed about {person}"
    return f"took back what {was.get('by', 'a lead')} had proposed about {person}"


def _words(value: Any) -> str:
    """A setting in words: its parts by name."""
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_words(held)}" for name, held in value.items()) or "nothing"
    if isinstance(value, list):
        return ", ".join(map(_words, value)) or "none"
    if value is None or isinstance(value, bool):
        return "none" if value is None else "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _person(person: str, role: str, active: bool, actor: str) -> str:
    if actor == person and active:
        return f"joined as {role}"
    where = " on the command line of this machine" if actor == MACHINE else ""
    return f"made {person} {role}{where}" if active else f"wrote down {person}, who does not work here"


def _imported(source: str, items: int, judgments: int, labels: int, adjudicated: int, rule: int) -> str:
    brought = [(items, "item"), (judgments, "judgment"), (labels, "label"), (adjudicated, "adjudication")]
    told = [many(int(n), what) for n, what in brought if n] + ["the gold rule"] * bool(rule)
    return f"imported {', '.join(told) or 'nothing new'} from {source}"


def _drawn(stream: str, n: int) -> str:
    done, place = ("drew", "audit sample") if stream == "audit" else ("put", "review queue")
    return f"{done} {many(n, 'item')} into the {place}"


def _answered(_: int, items: int, name: str, skipped: bool, again: bool) -> str:
    return f"{'skipped' if skipped else 'changed the answer to' if again else 'answered'} {_named(items, name)}"


def _claimed(n: int, given: bool, looked: bool) -> str:
    if looked:
        return f"looked at people's labels of {many(n, 'item')} to adjudicate"
    return f"{'was given' if given else 'gave back'} {many(n, 'item')}"


def _shown(_: int, items: int, name: str, route: str, judge: str) -> str:
    return f"was shown {'what a judge said' if judge else 'what people said'} of {_named(items, name)} ({route})"


def _started(card: str, model: str, items: int) -> str:
    return f"made a run of {card} by {model} over {many(int(items), 'item')}"


TRACES = (
    Trace(
        "decisions", "approval",
        "select t.seq, t.decision, t.dimension, t.sort, j.model, j.card, t.reason from approval t "
        "join judge j on j.id = t.judge_id where t.seq between $1 and $2 order by t.seq, t.id",
        _decided, _here("approval"),
    ),
    Trace(
        "adjudications", "adjudication",
        "select t.seq, t.withdrawn, t.dimension, t.unit, i.name from adjudication t "
        "join item i on i.id = t.item_id where t.seq between $1 and $2 and t.seq not in (select seq from intake) "
        "order by t.seq, t.id",
        _adjudicated, _here("adjudication"),
    ),
    Trace(
        "adjudications", "adjudication",
        "select t.seq, count(*) from adjudication t join intake n on n.seq = t.seq where t.seq between $1 and $2 "
        "group by t.seq",
        lambda n: f"imported what others adjudicated on {many(n, 'cell')}", _here("adjudication"),
    ),
    Trace(
        "settings", "setting",
        "select seq, scope, name, value, was from (select seq, scope, name, value, "
        "lag(value) over (partition by scope, name order by seq, id) as was from setting) t "
        "where seq between $1 and $2",
        _set, "select seq, scope as dataset_id from setting",
    ),
    Trace(
        "settings", "guideline",
        "select seq, n, letters from (select seq, length(text) as letters, "
        "row_number() over (partition by dataset_id order by seq, id) as n from guideline) t "
        "where seq between $1 and $2 order by seq",
        _guided, _here("guideline"),
    ),
    Trace(
        "settings", "item_use",
        "select seq, tuning, count(*), min(why) from item_use where seq between $1 and $2 group by seq, tuning",
        _tuned, _here("item_use"),
    ),
    Trace(
        "people", "person_event",
        "select t.seq, t.person, t.role, t.active, c.actor from person_event t join change c on c.seq = t.seq "
        "where t.seq between $1 and $2 order by t.seq, t.person",
        _person,
    ),
    Trace(
        "imports", "intake",
        "select n.seq, n.source, n.items, n.judgments, n.labels, "
        "(select count(*) from adjudication a where a.seq = n.seq), "
        "(select count(*) from setting s where s.seq = n.seq and s.name = 'gold') from intake n "
        "where n.seq between $1 and $2",
        _imported, _here("intake"),
    ),
    Trace(
        "exports", "export",
        "select seq, kind, lines from export where seq between $1 and $2",
        lambda kind, lines: f"gave out {kind}: {many(lines, 'line')}", _here("export"),
    ),
    Trace(
        "runs", "run",
        "select t.seq, j.card, j.model, t.items from run t join judge j on j.id = t.judge_id "
        "where t.seq between $1 and $2",
        _started, _here("run"),
    ),
    Trace(
        "runs", "run_event",
        "select seq, kind, why from run_event where seq between $1 and $2 order by seq, id",
        lambda kind, why: f"run {kind}{_why(why)}",
        "select t.seq, r.dataset_id from run_event t join run r on r.id = t.run_id",
    ),
    Trace(
        "runs", "run_limit",
        "select seq, spending_limit, price_in, price_out from run_limit where seq between $1 and $2 order by seq, id",
        _limited,
        "select t.seq, r.dataset_id from run_limit t join run r on r.id = t.run_id",
    ),
    Trace(
        "runs", "charge",
        "select seq, sum(calls), sum(cost), max(case when estimated then 1 else 0 end) = 1 from charge "
        "where run_id = '' and seq between $1 and $2 group by seq",
        _asked,
    ),
    Trace(
        "cards", "card",
        "select seq, name, version from card where seq between $1 and $2",
        lambda name, version: f"first used or saved the card {name} in version {version}",
    ),
    Trace(
        "queues", "draw",
        "select seq, stream, count(*) from draw where seq between $1 and $2 group by seq, stream",
        _drawn, _here("draw"),
    ),
    Trace(
        "labels", "answer",
        _items("answer", ", min(t.action) = 'skip', max(t.previous) <> ''"), _answered, _here("answer"),
    ),
    Trace(
        "exposures", "exposure",
        _items("exposure", ", min(t.route), max(t.judge_id)"), _shown, _by_item("exposure"),
    ),
    Trace(
        "labels", "fit", _items("fit"),
        lambda n, *_: f"said of {many(n, 'justification')} whether {'it fits' if n == 1 else 'they fit'}",
        _by_item("fit"),
    ),
    Trace(
        "claims", "claim",
        "select t.seq, count(*), max(t.until) > max(c.made_at), max(t.draw_id) = '' from claim t "
        "join change c on c.seq = t.seq where t.seq between $1 and $2 group by t.seq",
        _claimed, _here("claim"),
    ),
    Trace(
        "replies", "reply",
        "select t.seq, count(*), min(j.model) from reply t join judge j on j.id = t.judge_id "
        "where t.seq between $1 and $2 group by t.seq",
        lambda n, model: f"stored {many(n, 'reply', 'replies')} of {model}", _by_item("reply"),
    ),
)  # fmt: skip
"""In the order in which a change's parts are told. Labels imported with items stand in `imports`."""
