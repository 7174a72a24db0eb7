"""Every reply of a judge's calls as it came, and the judgments made of them: in, and out again for a resumed run."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from data.records.rows import judgment_id, judgment_rows
from data.records.tables import JudgmentRow, RemarkRow, ReplyRow, ScoreRow
from data.runs import charges, leases
from data.store import Store, Tx
from data.store.ids import content_id
from judges.card import Card
from judges.client.budget import Price, cost
from judges.client.usage import Charge
from judges.protocols.call_plan import CallReply, FinishedJudgment, Slot
from judges.reading.confidence import NOISE, Logprobs
from judges.strict_json import canonical, storable_text


def answer_words(card: Card) -> frozenset[str]:
    """The answers of a card's scales, in lower case: the only tokens whose alternatives say how sure a score is."""
    return frozenset(a.lower() for d in card.dimensions if d.scale.size for a in d.scale.answers) | {"n/a"}


def compact_logprobs(logprobs: Logprobs, known: frozenset[str]) -> str:
    """Log-probabilities as JSON text: whole for tokens that can be an answer, runs of other tokens as one without any.

    Joined, the tokens are still the reply. "" where there are none.
    """

    def may_answer(entry: tuple[str, object]) -> bool:
        token = entry[0].strip(NOISE).lower()
        return bool(token) and (token.isdecimal() or any(word.startswith(token) for word in known))

    entries: list[list[object]] = []
    for is_answer, group in groupby(logprobs, key=may_answer):
        if is_answer:
            entries += [[token, {other: round(chance, 4) for other, chance in among}] for token, among in group]
        else:
            entries.append(["".join(token for token, _ in group)])
    return canonical(entries) if any(len(entry) > 1 for entry in entries) else ""


def expand_logprobs(text: str) -> Logprobs:
    """Return the log-probabilities that `compact_logprobs` kept."""
    entries = json.loads(text) if text else []
    return tuple((entry[0], tuple(entry[1].items()) if len(entry) > 1 else ()) for entry in entries)


class JudgmentWriter:
    """Puts what a run yields into the store: call it with up to some hundred at a time; each call is one change."""

    def __init__(self, store: Store, actor: str, run_id: str, judge_id: str, card: Card, price: Price | None) -> None:
        self.store, self.actor, self.run_id, self.judge_id, self.price = store, actor, run_id, judge_id, price
        self._words = answer_words(card)
        # A judge that is new, in a table that nobody else writes to, cannot clash with anything.
        self._alone = not store.rows("select 1 from judgment where judge_id = $1 limit 1", [judge_id])
        self._version = store.table_version("judgment")

    def store_events(self, events: Sequence[CallReply | FinishedJudgment | Charge], up_to: float | None = None) -> int:
        """Store replies, judgments and what they cost; give how many of the judgments were new.

        `up_to`: what the run may have cost by now (charges.add_hold). Raises StoreFailed, and keeps nothing.
        """
        replies = [self._reply(event) for event in events if isinstance(event, CallReply)]
        judged = [event for event in events if isinstance(event, FinishedJudgment)]
        added = 0

        def work(tx: Tx) -> int:
            nonlocal added
            leases.require_lease(tx, self.run_id)
            filled_slots, stored_ids = self._filled_slots(tx, judged)
            tx.append(replies)
            charges.add_charge(
                tx, self.run_id, (event for event in events if not isinstance(event, FinishedJudgment)), self.price
            )
            if up_to is not None:
                charges.add_hold(tx, self.run_id, up_to)
            rows, scores, remarks = list[JudgmentRow](), list[ScoreRow](), list[RemarkRow]()
            for judgment in judged:
                task = judgment.task
                if task.slot in filled_slots:
                    continue
                raw = storable_text(judgment.raw)
                key = judgment_id(self.judge_id, task.key, task.part, raw, task.sample)
                if key in stored_ids:  # the same text once more, when it was asked again: another judgment all the same
                    key = content_id(key, self.run_id)
                if key in stored_ids:
                    continue
                reading = replace(judgment.reading, why=storable_text(judgment.reading.why))
                row, s, r = judgment_rows(key, self.judge_id, task.key, task.part, task.sample, raw, reading)
                rows.append(row._replace(run_id=self.run_id))
                scores += s
                remarks += [remark._replace(text=storable_text(remark.text)) for remark in r]
            tx.append(rows)
            tx.append(scores)
            tx.append(remarks)
            added = len(rows)
            return tx.seq

        seq = self.store.tx(self.actor, "judge", work, target=self.run_id)
        self._version = seq if added else self._version
        return added

    def _filled_slots(self, tx: Tx, judged: list[FinishedJudgment]) -> tuple[set[Slot], set[str]]:
        """Slots that hold a judgment that could be used, and the ids of all judgments of these items."""
        self._alone = self._alone and tx.table_version("judgment") == self._version
        if not judged or self._alone:
            return set(), set()
        rows = tx.rows(
            "select id, item_id, part, sample, unscored from judgment where judge_id = $1 and item_id = any($2)",
            [self.judge_id, list({judgment.task.key for judgment in judged})],
        )
        return {(r[1], r[2], int(r[3])) for r in rows if not r[4]}, {r[0] for r in rows}

    def _reply(self, reply: CallReply) -> ReplyRow:
        price = None if self.price is None else cost(self.price, reply.tokens_in, reply.tokens_out)
        return ReplyRow(
            self.run_id, self.judge_id, reply.key, reply.part, reply.sample, reply.piece, storable_text(reply.raw),
            reply.unscored or "", storable_text(reply.why), reply.mode, storable_text(reply.model), reply.tokens_in,
            reply.tokens_out, price, reply.tries, round(reply.seconds * 1000),
            compact_logprobs(reply.logprobs, self._words),
        )  # fmt: skip


def stored_replies(store: Store, judge_id: str, items: Iterable[str]) -> dict[Slot, dict[str, CallReply]]:
    """Replies to pieces of judgments that are not made yet, by slot and piece, the newest each; none that failed.

    A reply from before a judgment that could not be used has had its reading, and is not read again. After an api_error
    it counts, as the other pieces had no part in that.
    """
    replies: dict[Slot, dict[str, CallReply]] = defaultdict(dict)
    rows = store.rows(
        "select item_id, part, sample, piece, raw, nullif(unscored, ''), why, mode, model, tokens_in, tokens_out, "
        "tries, milliseconds / 1000, logprobs from reply r where judge_id = $1 and item_id = any($2) "
        "and unscored <> 'api_error' and not exists (select 1 from judgment m where m.judge_id = $1 "
        "and m.item_id = any($2) and m.item_id = r.item_id and m.part = r.part and m.sample = r.sample "
        "and m.unscored not in ('', 'api_error') and m.seq >= r.seq) order by seq",
        [judge_id, list(items)],
    )
    for *facts, logprobs in rows:
        reply = CallReply(*(*facts, expand_logprobs(logprobs)))
        replies[reply.key, reply.part, reply.sample][reply.piece] = reply
    return replies
