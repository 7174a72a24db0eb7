"""The description of each table in the audit log: what kind of change it is, and its rows in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from data.approvals.actions import PAST_FORMS
from data.approvals.rules import RULES
from data.records.judge_prompts import PROMPTS
from data.records.names import KEPT_APPROVAL_PREFIX, MACHINE_ACTOR
from data.records.protocols import PROTOCOLS
from data.records.tags import SCOPE as TAGS
from data.records.tags import describe_assignee
from judges.client.budget import dollars
from judges.plural import many

FREQUENT_KINDS = ("labels", "claims", "exposures", "replies", "sign-ins")
"""Kinds of which there are so many that they hide the others."""


_DATASETS = {
    "row": "select seq, dataset_id from {}",
    "scope": "select seq, scope as dataset_id from {}",
    "item": "select t.seq, i.dataset_id from {} t join item i on i.id = t.item_id",
    "run": "select t.seq, r.dataset_id from {} t join run r on r.id = t.run_id",
    "": "",
}
"""SQL of (seq, dataset_id) of every row of a table, by what of a row says its dataset; "" where it is about none."""


@dataclass(frozen=True)
class TrailKind:
    """A table's part in the audit log.

    `tell`: the `columns` of the table's rows `t` in words, without the actor; `about`: what says their dataset (a key
    of `_DATASETS`). `join` is what is joined to them, `rest` further conditions, groups and the order, and `source` a
    query that takes the place of the table: each of its rows is described.
    """

    kind: str
    table: str
    columns: str
    tell: Callable[..., str]
    about: str = ""
    join: str = ""
    rest: str = ""
    source: str = ""

    @property
    def sql(self) -> str:
        """SQL of the rows of the changes $1 to $2: the change's number, then `columns`."""
        join = f"join {self.join}" if self.join else ""
        return (
            f"select t.seq, {self.columns} from {self.source or self.table} t {join} "
            f"where t.seq between $1 and $2 {self.rest}"
        )

    @property
    def dataset(self) -> str:
        """SQL of (seq, dataset_id) of every row, "" where the table is about no dataset."""
        return _DATASETS[self.about].format(self.table)


def _items_or_name(items: int, name: str) -> str:
    return name if items == 1 else many(items, "item")


def _reason_suffix(text: str) -> str:
    return f": {text}" if text else ""


def _describe_decision(decision: str, dimension: str, sort: str, model: str, card: str, reason: str) -> str:
    return f"{PAST_FORMS[decision]} {dimension} ({sort}) of {model} · {card}{_reason_suffix(reason)}"


def _describe_adjudication(withdrawn: bool, dimension: str, unit: str, name: str) -> str:
    # Without the reason, which reveals what was decided: the row itself has it, and opening that is on record.
    return f"{'withdrew the decision on' if withdrawn else 'adjudicated'} {dimension} of {unit} in {name}"


def _describe_budget(limit: float | None, price_in: float | None, price_out: float | None) -> str:
    terms = "no spending limit" if limit is None else f"a spending limit of {dollars(limit)}"
    if price_in is None or price_out is None:
        return f"gave a run {terms}"
    return f"gave a run {terms}, at ${price_in:g} in and ${price_out:g} out per million tokens"


def _describe_test_calls(calls: int, cost: float | None, estimated: bool) -> str:
    cost_text = "" if cost is None else f" for {'about ' if estimated else ''}{dollars(cost)}"
    return f"tried {many(calls, 'call')} outside of a run{cost_text}"


def _describe_tuning(tuning: bool, items: int, why: str) -> str:
    amount = many(items, "item")
    if tuning:
        return f"excluded {amount} from the approval check, as used for tuning{_reason_suffix(why)}"
    return f"let the approval check count {amount} again{_reason_suffix(why)}"


def _describe_guidelines(number: int, letters: int) -> str:
    return f"{'wrote' if letters else 'withdrew'} the guidelines: version {number}, {many(int(letters), 'character')}"


SETTINGS = {
    "gold": "how labels are combined",
    "queue": "the rules of the queues",
    "policy": "the policy",
    "blinding": "what blind items hide",
    "approvals": "the policy",
    "policy proposed": "a less strict policy, proposed",
    "audits": "the limits of audits",
    "audits proposed": "limits of audits, proposed",
    "plan": "the plan of looks",
    "backups": "the backup plan",
    PROMPTS: "which judges' prompts came with it",
}
_PARTS = {
    "apart": "adjudicated where people differ by more than",
    "assisted_share": "assisted share",
    "by": "by",
    "claim_minutes": "minutes an item stays reserved",
    "every": "hours between backups",
    "keep": "backups kept",
    "overlap": "people per item",
    "resolve": "labels combined by",
    "sizes": "looks at (items)",
    "waiting": "ratings that wait for adjudication",
    **{rule.name: rule.trail for rule in RULES.values() if isinstance(rule.trail, str)},
}
"""The names of the parts of settings."""
_FLAGS = {rule.name: rule.trail for rule in RULES.values() if not isinstance(rule.trail, str)}
"""The names of the parts of settings that are no or yes: one for no, one for yes."""
_SHARES = ("assisted_share", *(rule.name for rule in RULES.values() if rule.form and rule.form.percent))


def _set(scope: str, name: str, value: str, was: str | None) -> str:
    if scope == "person":
        return _lead(name, json.loads(value), json.loads(was or "{}"))
    new, old = json.loads(value), json.loads(was) if was is not None else None
    why = _reason_suffix(new.pop("reason")) if isinstance(new, dict) and "reason" in new else ""
    if isinstance(old, dict):
        old.pop("reason", None)
    if isinstance(new, dict) and isinstance(old, dict):  # only what changed
        new, old = ({k: v for k, v in a.items() if b.get(k, ...) != v} for a, b in ((new, dict(old)), (old, dict(new))))
    if name.startswith(KEPT_APPROVAL_PREFIX):
        review = json.loads(value)
        return f"reviewed {review['dimension']}, and kept it approved{_reason_suffix(review['reason'])}"
    if name == "policy proposed":
        return _describe_proposal(json.loads(value))
    title = setting_title(name, scope)
    if scope == "mapping":
        return f"saved {title}"
    if PROMPTS in (scope, name):
        return "noted " + title if name == PROMPTS else f"kept the judges' prompts of {json.loads(value)['file']}"
    if scope == PROTOCOLS and was is None:
        return f"added {title}"
    if new in ({}, []) and old:
        return f"removed {title} (before: {describe_value(old)}){why}"
    if new == {}:
        return f"confirmed {title}{why}"
    return f"changed {title}: {describe_value(new)}" + (f" (before: {describe_value(old)})" if old else "") + why


def _describe_proposal(new: dict[str, Any]) -> str:
    """A less strict policy that waits for another lead, or that it waits no more."""
    if not new:
        return "ended the proposal of a less strict policy"
    values = {**new.get("policy", {}), **{k: v for k, v in new.items() if k not in ("policy", "reason", "person")}}
    proposal = f"{describe_value(values)}{_reason_suffix(new['reason'])}"
    return f"proposed a less strict policy, which a second lead has to agree to: {proposal}"


def setting_title(name: str, scope: str = "") -> str:
    """Return the title of a setting; settings of some scopes are named after what they are about."""
    if name.startswith("sparing:"):
        return f"the rule for verdicts that need no person ({name.rpartition(':')[2].replace('.', ', ')})"
    if scope in _SCOPES:
        return _SCOPES[scope].format(name)
    return SETTINGS.get(name, name.replace("_", " "))


_SCOPES = {"cards": "the current version of the card {}", "endpoints": "how the endpoint {} is called",
           "mapping": "how the columns of a table are read", PROMPTS: "the judges' prompts {}",
           PROTOCOLS: "the protocol {} of MT-Bench", TAGS: "tags and share of {}"}  # fmt: skip


def _lead(person: str, new: dict[str, Any], was: dict[str, Any]) -> str:
    """A change of who leads that waits for another lead, and what came of it."""
    if "role" in new:
        change = f"{person} as {new['role']}" if new["active"] else f"to deactivate {person}"
        return f"proposed {change}, which a second lead has to agree to"
    if "first" in new:
        return f"agreed to the proposal of {new['first']} about {person}"
    return f"ended the proposal of {was.get('by', 'a lead')} about {person}"


def describe_value(value: Any, name: str = "") -> str:
    """A stored value in words: its parts by their names."""
    if isinstance(value, dict):
        return ", ".join(_part(part, element) for part, element in value.items()) or "nothing"
    if isinstance(value, list):
        return ", ".join(describe_value(element) for element in value) or "none"
    if value is None or isinstance(value, bool):
        return "none" if value is None else "yes" if value else "no"
    if name in _SHARES and isinstance(value, (int, float)):
        return f"{100 * value:g}%"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


def _part(name: str, value: Any) -> str:
    if name in _FLAGS and isinstance(value, bool):
        return _FLAGS[name][value]
    if name == "policy" and isinstance(value, dict):
        return describe_value(value)
    return f"{_PARTS.get(name, name.replace('_', ' '))}{':' if name == 'reason' else ''} {describe_value(value, name)}"


def _person(person: str, role: str, active: bool, actor: str, action: str, was: bool | None, then: str | None) -> str:
    where = " on the command line of this machine" if actor == MACHINE_ACTOR else ""
    if actor == person and active and action == "join":
        return f"joined as {role}"
    if not active:
        return f"deactivated {person}" if was else f"added {person}, known from imported labels only"
    if was:
        return f"changed the role of {person} from {then} to {role}{where}"
    return f"{'added' if was is None else 'reactivated'} {person} as {role}{where}"


def _describe_invitation(email: str, subject: str, role: str, person: str, state: str) -> str:
    done = {"open": "invited", "accepted": "took in", "withdrawn": "withdrew the invitation of"}[state]
    return f"{done} {email or subject} as {person or role}"


def _known_as(person: str, email: str, issuer: str) -> str:
    return f"knows {person} by {f'{email}, ' if email else ''}an account of {issuer}"


def _signed_out(person: str, login: str, actor: str) -> str:
    return "signed out" if login else f"signed {'out' if person == actor else f'{person} out'} everywhere"


def _describe_import(source: str, items: int, judgments: int, labels: int, adjudicated: int, rule: int) -> str:
    counts = [(items, "item"), (judgments, "judgment"), (labels, "label"), (adjudicated, "adjudication")]
    parts = [many(int(n), noun) for n, noun in counts if n] + ["how labels are combined"] * bool(rule)
    return f"imported {', '.join(parts) or 'nothing new'} from {source}"


_BACKUPS = {
    "backup": "made", "backup file": "downloaded", "backup begun": "began", "backup removed": "removed",
    "backup failed": "failed to make",
}  # fmt: skip


def _describe_export(kind: str, settings: str, lines: int) -> str:
    """An export, and what of a backup is kept as one: that it was made, that it was downloaded."""
    if kind in _BACKUPS:
        about = f", revision {lines:,}" if lines else ""
        fields = json.loads(settings)
        return f"{_BACKUPS[kind]} the backup {fields['file']}{about}{_reason_suffix(fields.get('why', ''))}"
    return f"exported {kind.replace('_', ' ')}: {many(lines, 'row')}"


def _describe_draw(stream: str, n: int) -> str:
    done, place = ("drew", "audit sample") if stream == "audit" else ("added", "review queue")
    return f"{done} {many(n, 'item')} {'into' if stream == 'audit' else 'to'} the {place}"


def _describe_assignment(n: int, assignee: str, ended: int, later: int, items: int) -> str:
    whom = describe_assignee(assignee) if n == 1 else f"{n:,} people"
    if ended:
        return f"ended what was assigned to {whom}"
    return f"changed what is assigned to {whom}" if later else f"assigned {many(items, 'item')} to {whom}"


def _describe_answer(_: int, items: int, name: str, skipped: bool, again: bool) -> str:
    return f"{'skipped' if skipped else 'changed the answer to' if again else 'answered'} {_items_or_name(items, name)}"


def _describe_claim(n: int, reserved: bool, looked: bool, person: str, is_own: bool) -> str:
    if looked:
        return f"saw people's labels of {many(n, 'item')} to adjudicate"
    return f"{'reserved' if reserved else 'returned'} {many(n, 'item')}{'' if is_own else f' of {person}'}"


ROUTES = {"trail": "audit log", "desk": "review desk"}
"""Ways on which something was shown, where they are stored under another name."""


def _describe_exposure(
    _: int, items: int, name: str, route: str, of_judge: bool, people: int, person: str, is_own: bool
) -> str:  # fmt: skip
    noun = "judge scores" if of_judge else "labels of others"
    shown = f"shown {noun} of {_items_or_name(items, name)} ({ROUTES.get(route, route)})"
    if is_own:
        return f"was {shown}"
    return f"recorded that {f'{person} was' if people == 1 else f'{people:,} people were'} {shown}"


def _describe_run(card: str, model: str, items: int) -> str:
    return f"started a run of {model} · {card} over {many(int(items), 'item')}"


def _told_from_now_on(state: str, was: str | None, url: str) -> str:
    """A webhook by its host alone: the rest of its address may be a secret."""
    done = {"active": "activated", "paused": "paused", "removed": "removed"}[state] if was else "added"
    return f"{done} a webhook to {urlsplit(url).hostname}"


_IN_ORDER, _PER_CHANGE = "order by t.seq, t.id", "group by t.seq"
_CHANGE, _ITEM, _JUDGE = "change c on c.seq = t.seq", "item i on i.id = t.item_id", "judge j on j.id = t.judge_id"
_ITEMS = "count(*), count(distinct t.item_id), min(i.name)"
"""SQL of the number of rows of a change in a table about items, of their items, and the name of one item."""
_AGAIN = "t.action = 'save' and t.previous <> ''"
"""SQL: whether an answer takes the place of another one."""
TRACES = (
    TrailKind(
        "decisions", "approval", "t.decision, t.dimension, t.sort, j.model, j.card, t.reason", _describe_decision,
        "row", _JUDGE, _IN_ORDER,
    ),
    TrailKind(
        "adjudications", "adjudication", "t.withdrawn, t.dimension, t.unit, i.name", _describe_adjudication, "row",
        _ITEM, f"and t.seq not in (select seq from intake) {_IN_ORDER}",
    ),
    TrailKind(
        "adjudications", "adjudication", "count(*)", lambda n: f"imported adjudications of {many(n, 'rating')}", "row",
        "intake n on n.seq = t.seq", _PER_CHANGE,
    ),
    TrailKind(
        "settings", "setting", "t.scope, t.name, t.value, t.was", _set, "scope",
        source="(select seq, scope, name, value, lag(value) over (partition by scope, name order by seq, id) as was "
        "from setting)",
    ),
    TrailKind(
        "settings", "guideline", "t.n, t.letters", _describe_guidelines, "row", rest="order by t.seq",
        source="(select seq, length(text) as letters, row_number() over (partition by dataset_id order by seq, id) "
        "as n from guideline)",
    ),
    TrailKind(
        "settings", "item_use", "t.tuning, count(*), min(t.why)", _describe_tuning, "row",
        rest="group by t.seq, t.tuning",
    ),
    TrailKind(
        "people", "person_event", "t.person, t.role, t.active, c.actor, c.action, t.was, t.before", _person, "",
        _CHANGE, "order by t.seq, t.person",
        "(select seq, person, role, active, lag(active) over w as was, lag(role) over w as before from person_event "
        "window w as (partition by person order by seq, id))",
    ),
    TrailKind(
        "people", "invitation", "t.email, t.subject, t.role, t.person, t.state", _describe_invitation, rest=_IN_ORDER
    ),
    TrailKind("people", "identity", "t.person, t.email, t.issuer", _known_as, rest=_IN_ORDER),
    TrailKind("sign-ins", "login", "t.issuer", lambda issuer: f"signed in at {issuer}", rest=_IN_ORDER),
    TrailKind("sign-ins", "login_end", "t.person, t.login_id, c.actor", _signed_out, "", _CHANGE, _IN_ORDER),
    TrailKind(
        "people", "api_token", "t.person, t.name, t.scopes",
        lambda person, name, scopes: f"made the token {name} of {person} for {scopes.replace(' ', ', ')}",
    ),
    TrailKind(
        "people", "api_token_event", "t.kind, a.person, a.name",
        lambda kind, person, name: f"{kind} the token {name} of {person}", "", "api_token a on a.id = t.api_token_id",
    ),
    TrailKind(
        "settings", "webhook_state", "t.state, t.was, w.url", _told_from_now_on, "", "webhook w on w.id = t.webhook_id",
        source="(select seq, webhook_id, state, lag(state) over (partition by webhook_id order by seq, id) as was "
        "from webhook_state)",
    ),
    TrailKind(
        "imports", "intake",
        "t.source, t.items, t.judgments, t.labels, (select count(*) from adjudication a where a.seq = t.seq), "
        "(select count(*) from setting s where s.seq = t.seq and s.name = 'gold')",
        _describe_import, "row",
    ),
    TrailKind("exports", "export", "t.kind, t.settings, t.lines", _describe_export, "row"),
    TrailKind("runs", "run", "j.card, j.model, t.items", _describe_run, "row", _JUDGE),
    TrailKind(
        "runs", "run_event", "t.kind, t.why", lambda kind, why: f"run {kind}{_reason_suffix(why)}", "run",
        rest=_IN_ORDER,
    ),
    TrailKind(
        "runs", "run_limit", "t.spending_limit, t.price_in, t.price_out", _describe_budget, "run", rest=_IN_ORDER
    ),
    TrailKind(
        "runs", "charge", "sum(t.calls), sum(t.cost), max(case when t.estimated then 1 else 0 end) = 1",
        _describe_test_calls, rest=_PER_CHANGE, source="(select * from charge where run_id = '')",
    ),
    TrailKind(
        "cards", "card", "t.name, t.version", lambda name, version: f"added the card {name}, version {version}"
    ),
    TrailKind("queues", "draw", "t.stream, count(*)", _describe_draw, "row", rest="group by t.seq, t.stream"),
    TrailKind(
        "queues", "assignment",
        "count(distinct t.assignee), min(t.assignee), max(case when t.ended then 1 else 0 end), "
        "min(case when n.began = t.seq then 0 else 1 end), max(coalesce(i.given, 0))",
        _describe_assignment, "row",
        "assignment_now n on n.assignment_id = t.assignment_id left join (select seq, count(*) as given "
        "from assignment_item where given group by seq) i on i.seq = t.seq",
        _PER_CHANGE,
    ),
    TrailKind(
        "labels", "answer", f"{_ITEMS}, t.action = 'skip', {_AGAIN} as again", _describe_answer, "row", _ITEM,
        f"group by t.seq, t.action, {_AGAIN} order by t.seq, t.action, again",
    ),
    TrailKind(
        "exposures", "exposure",
        f"{_ITEMS}, t.route, t.judge_id <> '' as of_judge, count(distinct t.person), min(t.person), "
        "t.person = c.actor as is_own",
        _describe_exposure, "item", f"{_ITEM} join {_CHANGE}",
        "group by t.seq, t.route, t.judge_id <> '', t.person = c.actor order by t.seq, t.route, of_judge, is_own",
    ),
    TrailKind(
        "labels", "fit", _ITEMS,
        lambda n, *_: f"rated whether {many(n, 'justification')} {'fits' if n == 1 else 'fit'} the score", "item",
        _ITEM, _PER_CHANGE,
    ),
    TrailKind(
        "claims", "claim",
        "count(*), max(t.until) > max(c.made_at), max(t.draw_id) = '', t.person, t.person = max(c.actor)",
        _describe_claim, "row", _CHANGE, "group by t.seq, t.person order by t.seq, t.person",
    ),
    TrailKind(
        "replies", "reply", "count(*), min(j.model)",
        lambda n, model: f"stored {many(n, 'reply', 'replies')} of {model}", "item", _JUDGE, _PER_CHANGE,
    ),
)  # fmt: skip
"""In the order in which a change's parts are shown. Labels imported with items are in `imports`."""
