"""A record for each table that is written: its fields are the table's columns, in the order of the store.

`Tx.append` and the staging of an import take names and types of columns from here. A column that a later migration
added stands last and has a default, for rows whose writer does not know it. The column `seq`, the number of the change
that wrote a row, is added by the transaction. The store itself writes `change` (`data/store/base.py`) and `combination`
(`data/store/combination.py`), whose records stand there.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, NamedTuple

# -- people and settings ------------------------------------------------------------------------------------------


class PersonEventRow(NamedTuple):
    """A person's role, activity and team from now on."""

    id: str
    person: str
    role: str
    active: bool
    team: str


class IdentityRow(NamedTuple):
    """An account of the provider is this person from now on; `granted` is the role that its groups give."""

    id: str
    issuer: str
    subject: str
    person: str
    email: str
    granted: str


class LoginRow(NamedTuple):
    """A person has signed in at the provider; `issued` is when, by its clock (UTC)."""

    id: str
    person: str
    issuer: str
    subject: str
    issued: datetime


class LoginEndRow(NamedTuple):
    """A sign-in has ended, or ("") all that a person had begun."""

    id: str
    person: str
    login_id: str


class InvitationRow(NamedTuple):
    """Whoever has this verified e-mail address, or is this account, may come in; as `person`, if that is not ""."""

    id: str
    invitation: str
    email: str
    subject: str
    role: str
    person: str
    expires: datetime
    inviter: str
    state: str


class SettingRow(NamedTuple):
    """A value (canonical JSON) of the workspace, of a dataset or of a person, by scope and name."""

    id: str
    scope: str
    name: str
    value: str


class ExposureRow(NamedTuple):
    """A person was shown what a judge ("": other people) said of an item, and on which route."""

    id: str
    item_id: str
    judge_id: str
    person: str
    route: str


# -- what is judged ------------------------------------------------------------------------------------------------


class DatasetRow(NamedTuple):
    """A set of items that is labelled and judged together; with the purpose "questions" one that is asked of models."""

    id: str
    name: str
    description: str
    synthetic: bool
    purpose: str | None = None


class GuidelineRow(NamedTuple):
    """A version of what the people who label a dataset go by (Markdown)."""

    id: str
    dataset_id: str
    text: str


class IntakeRow(NamedTuple):
    """An import: where it came from, how its items were sampled, and how many rows it brought."""

    id: str
    dataset_id: str
    source: str
    format: str
    sampling: str
    items: int
    judgments: int
    labels: int
    population: int | None = None


class ExportRow(NamedTuple):
    """An export out of the workspace: its kind, its settings (JSON) and the number of its lines."""

    id: str
    dataset_id: str
    kind: str
    settings: str
    lines: int


class ItemRow(NamedTuple):
    """One thing that is judged. `content` is the canonical JSON of the item, `cells` the number of its units."""

    id: str
    dataset_id: str
    name: str
    kind: str
    system_a: str
    system_b: str
    content: str
    meta: str
    hash: str
    cells: int


class ItemUseRow(NamedTuple):
    """An item is put aside for tuning prompts, or counted again."""

    id: str
    dataset_id: str
    item_id: str
    tuning: bool
    why: str
    person: str


# -- judges and what they say --------------------------------------------------------------------------------------


class CardRow(NamedTuple):
    """A version of a card; `spec` is its canonical JSON."""

    version: str
    name: str
    spec: str


class JudgeRow(NamedTuple):
    """A card's version with a model and its parameters (canonical JSON)."""

    id: str
    card: str
    card_version: str
    model: str
    params: str
    synthetic: bool

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as they are stored, which for an imported judge may be anything."""
        parsed = json.loads(self.params or "{}")
        return parsed if isinstance(parsed, dict) else {}

    @property
    def probe(self) -> str:
        """The change that was made to what it saw, "" for none."""
        return str(self.parameters.get("probe") or "")


class CombineRuleRow(NamedTuple):
    """The rule that combines several samples of a judge in a dimension; `drawn`: the answer if the vote is tied."""

    judge_id: str
    sort: str
    dimension: str
    rule: str
    drawn: float | None


class JudgmentRow(NamedTuple):
    """A judge's reply about an item, or a part of it; `unscored` is the sort of reason why it could not be used.

    `run_id`: the run that it was made in, None where it was imported.
    """

    id: str
    judge_id: str
    item_id: str
    part: str
    sample: int
    raw: str
    unscored: str
    why: str
    run_id: str | None = None


COUNTED_JUDGMENT_SQL = (
    "row_number() over (partition by m.judge_id, m.item_id, m.part, m.sample "
    "order by m.unscored <> '', m.seq desc, m.id desc) = 1"
)
"""SQL: whether a judgment `m` is the one that counts of its slot (`qualify`): the newest, with scores if any has."""


class ScoreRow(NamedTuple):
    """A judge's value (None: n/a) in a cell; `source` says where its confidence (0 to 1) is from."""

    judgment_id: str
    judge_id: str
    item_id: str
    unit: str
    dimension: str
    value: float | None
    confidence: float | None
    source: str
    sample: int


class RemarkRow(NamedTuple):
    """Words of a judge about a cell or a unit: a note, an issue, or a rule that its reply breaks."""

    judgment_id: str
    judge_id: str
    item_id: str
    unit: str
    dimension: str
    sort: str
    text: str
    sample: int


class FitRow(NamedTuple):
    """A person's word on whether a judge's justification fits its score."""

    id: str
    judge_id: str
    item_id: str
    unit: str
    dimension: str
    fits: bool
    person: str


# -- what people answer --------------------------------------------------------------------------------------------


class DesignRow(NamedTuple):
    """The design of a draw: how it parted the items that had no stratum yet, and was allocated; `about` is JSON."""

    id: str
    dataset_id: str
    parted_by: str
    field: str
    judge_id: str
    allocation: str
    about: str


class StratumRow(NamedTuple):
    """The stratum of an item that could be drawn."""

    dataset_id: str
    item_id: str
    stratum: str


class DrawRow(NamedTuple):
    """An item taken into a queue; `probability` None: not at random; `reasons` are those to look at it, as JSON."""

    id: str
    dataset_id: str
    item_id: str
    stream: str
    mode: str
    judge_id: str
    stratum: str
    probability: float | None
    priority: float
    reasons: str


class ClaimRow(NamedTuple):
    """An item is reserved for a person until then; `draw_id` "" where they adjudicate it."""

    id: str
    dataset_id: str
    draw_id: str
    item_id: str
    person: str
    until: datetime


class AssignmentRow(NamedTuple):
    """Draws are given to a person, or to a tag, by these terms from now on; `chosen` is how they were chosen (JSON)."""

    id: str
    assignment_id: str
    dataset_id: str
    stream: str
    assignee: str
    offer: str
    priority: int
    due: datetime | None
    note: str
    chosen: str
    ended: bool


class AssignmentItemRow(NamedTuple):
    """A draw is given to an assignment, or taken out of it."""

    assignment_id: str
    draw_id: str
    given: bool


class AnswerRow(NamedTuple):
    """An answer saved or skipped on the desk; `id` is the key made in the browser, `previous` is that before it."""

    id: str
    dataset_id: str
    item_id: str
    draw_id: str
    person: str
    judge_id: str
    action: str
    mode: str
    reason: str
    previous: str
    milliseconds: int
    made_at: datetime


class LabelRow(NamedTuple):
    """A person's value (None: n/a) in a cell.

    `saw` and `seen`: whether a judge's value was beside it, and which; `probability`: that of the item's draw where the
    label was imported (None: not at random); `replaces`: the label before it; `withdrawn`: the cell has no answer any
    more; `unseen`: it takes over a judge's value that was never on screen (None: nobody can tell).
    """

    id: str
    answer_id: str
    item_id: str
    unit: str
    dimension: str
    value: float | None
    annotator: str
    mode: str
    draw_id: str
    judge_id: str
    saw: bool
    seen: float | None
    probability: float | None
    replaces: str | None
    withdrawn: bool
    made_at: datetime
    unseen: bool | None = None


class CommentRow(NamedTuple):
    """A person's words about an item or a unit of it, with an answer."""

    id: str
    answer_id: str
    item_id: str
    unit: str
    sort: str
    text: str
    person: str


class RepairRow(NamedTuple):
    """The text that a person would have written in place of a turn or a response, with an answer."""

    id: str
    answer_id: str
    item_id: str
    unit: str
    text: str
    person: str


class AdjudicationRow(NamedTuple):
    """A person's decision in a cell where people's labels (JSON) differ; `withdrawn`: it is not in force any more."""

    id: str
    dataset_id: str
    item_id: str
    unit: str
    dimension: str
    value: float | None
    reason: str
    labels: str
    saw_judge: bool
    withdrawn: bool
    person: str


# -- decisions on a judge ------------------------------------------------------------------------------------------


class ApprovalRow(NamedTuple):
    """A decision on a dimension of a judge: the check's state, the policy (JSON), the print of what was behind it."""

    id: str
    dataset_id: str
    judge_id: str
    sort: str
    dimension: str
    decision: str
    reason: str
    state: str
    policy: str
    print: str
    person: str


class ApprovalEvidenceRow(NamedTuple):
    """A figure, or words, that a decision was made on."""

    approval_id: str
    name: str
    figure: float | None
    told: str


# -- runs ----------------------------------------------------------------------------------------------------------


class RunRow(NamedTuple):
    """A judge over a dataset: its settings (JSON), and how many items and judgments it has before it."""

    id: str
    dataset_id: str
    judge_id: str
    settings: str
    items: int
    judgments: int


class RunEventRow(NamedTuple):
    """A run was started, stopped, failed or finished, and why."""

    id: str
    run_id: str
    kind: str
    why: str


class RunLimitRow(NamedTuple):
    """A new limit in US dollars, or new prices per million tokens, of a run that was resumed."""

    id: str
    run_id: str
    spending_limit: float | None
    price_in: float | None
    price_out: float | None


class BatchEventRow(NamedTuple):
    """An event of a batch at an endpoint's Batch API: its new state, with details (JSON)."""

    id: str
    run_id: str
    batch: str
    state: str
    detail: str


class ReplyRow(NamedTuple):
    """One call of a judge, as it came; `piece` is the call's place in the judgment, `cost` in US dollars."""

    run_id: str
    judge_id: str
    item_id: str
    part: str
    sample: int
    piece: str
    raw: str
    unscored: str
    why: str
    mode: str
    model: str
    tokens_in: int
    tokens_out: int
    cost: float | None
    tries: int
    milliseconds: int
    logprobs: str


class ChargeRow(NamedTuple):
    """The cost of calls of one sort, in US dollars (None: the price is not known)."""

    id: str
    run_id: str
    sort: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    estimated: bool


class SpendingHoldRow(NamedTuple):
    """The most that a run may have cost by now, in US dollars, with the calls that are under way."""

    id: str
    run_id: str
    upto: float


class RunLeaseRow(NamedTuple):
    """The process that works on a run, until when nobody else may, and why somebody asked it to stop."""

    id: str
    run_id: str
    holder: str
    until: datetime
    stop: str


# -- programs that ask ---------------------------------------------------------------------------------------------


class ApiTokenRow(NamedTuple):
    """A token of a person for the HTTP API: how it begins, the SHA-256 of all of it, and what it is for.

    `scopes` are names with spaces between them.
    """

    id: str
    person: str
    name: str
    prefix: str
    hash: str
    scopes: str
    made_at: datetime
    expires_at: datetime


class ApiTokenEventRow(NamedTuple):
    """A token was used (noted once in a while), or holds no more."""

    id: str
    api_token_id: str
    kind: str
    made_at: datetime


class ApiRequestRow(NamedTuple):
    """A request with an idempotency key (`name`): what was asked as a fingerprint, and the answer (JSON)."""

    id: str
    person: str
    name: str
    print: str
    state: str
    answer: str
    made_at: datetime


class WebhookRow(NamedTuple):
    """An address that is told of events, whose kinds are names with spaces between them."""

    id: str
    url: str
    events: str
    person: str
    made_at: datetime


class WebhookSecretRow(NamedTuple):
    """The secret that signs what goes to a webhook."""

    id: str
    webhook_id: str
    secret: str


class WebhookStateRow(NamedTuple):
    """A webhook is active, paused or removed from now on."""

    id: str
    webhook_id: str
    state: str


class WebhookEventRow(NamedTuple):
    """Something happened that no other row says; `about` is JSON."""

    id: str
    kind: str
    dataset_id: str
    about: str


class WebhookTryRow(NamedTuple):
    """A try to tell a webhook of an event: begun (`due`: until then it is another's), and what came of it."""

    id: str
    webhook_id: str
    event: str
    state: str
    why: str
    due: datetime
    made_at: datetime
