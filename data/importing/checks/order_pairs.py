"""Checks of imported judgments of one order of a pair: they wait for the other order, which may come in a later line.

The two become one judgment of both orders. What is left at the end is joined with the other order where the workspace
holds it; else it is kept alone, under a judge that was asked in this one order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from data.importing.checks.import_context import ImportContext, check_text
from data.importing.checks.known_rows import KnownItem, KnownJudgments
from data.importing.files.spill_file import SpillFile
from judges.card import Card
from judges.importing.entries import Line, LineError
from judges.importing.lines import FAILED, JudgmentLine
from judges.plural import many
from judges.protocols import order_halves
from judges.protocols.call_plan import unpack_replies
from judges.protocols.order_halves import OrderMatcher, OrderReply
from judges.protocols.orders import NAMES, Order, swap
from judges.reading import bare_scores
from judges.strict_json import canonical, show_value
from judges.types import Pair

_CHUNK = 200
_PAIR_FIELDS = ("item", "card", "model", "params", "sample", "card_version")


class OrderCheck:
    """Holds replies to one order of a pair until the other one comes, on the disk."""

    def __init__(self, context: ImportContext, known: KnownJudgments, file: BinaryIO) -> None:
        self.context, self.known, self._shelf = context, known, SpillFile(file)
        self._waiting = OrderMatcher()
        self._numbers = 0
        self.alone: Counter[Order] = Counter()
        self.completed = 0

    def meet(
        self, line: Line, judgment_line: JudgmentLine, card: Card, item: KnownItem, raw: str, about: tuple[str, str]
    ) -> JudgmentLine | None:
        """The judgment of both orders, if the other one has come; None where this one waits for it, or is there.

        `about` is the ids of the judge (parameters as given) and of the item. Raises LineError, BadJson, NoCell.
        """
        order = judgment_line.order
        if order is None or not isinstance(item, Pair):
            raise LineError("order", f"{show_value(item.id)} is a {item.kind}: only a judgment of a pair has an order.")
        if judgment_line.part:
            raise LineError("order", "A judgment of one part of a pair has no order: leave out order, or part.")
        raw = raw if judgment_line.reply is None else canonical(judgment_line.reply)
        if unpack_replies(raw) is not None:
            raise LineError("order", "The reply is of several calls, which say their orders: leave out order.")
        if (scores := bare_scores.from_raw(raw)) is not None:
            bare_scores.read_scores(card, scores, item if order == "ab" else swap(item))
        unscored, why = judgment_line.unscored if judgment_line.unscored in FAILED else None, judgment_line.why
        if line.unscored is not None:
            unscored, why = line.unscored  # type: ignore[assignment]
        check_text(why)
        half: OrderReply = (raw, unscored, why if unscored else "")
        number = self._waiting.meet(about, order, judgment_line.sample, half, self._numbers)
        if number == -1:
            self.context.report.repeated.judgments += 1
            return None
        data = {name: getattr(judgment_line, name) for name in _PAIR_FIELDS}
        if number is None:
            row = {"file": line.file, "line": line.line, "data": data, "order": order, "half": half, "about": about}
            self._shelf.put_object(self._numbers, row)
            self._numbers += 1
            return None
        mate = self._shelf.get_object(number)
        return JudgmentLine.model_validate(_join_orders(data, {order: half, mate["order"]: mate["half"]}))

    def unpaired_lines(self, judge: Callable[[dict[str, Any]], str]) -> Iterator[Line]:
        """Yield what still waits at the end, as lines that wait for nothing. `judge` gives the id of a line's judge."""
        numbers = self._waiting.left
        for start in range(0, len(numbers), _CHUNK):
            rows = [self._shelf.get_object(number) for number in numbers[start : start + _CHUNK]]
            stored_ids = [self._stored_ids(row, judge) for row in rows]
            ids = dict.fromkeys(key for ids_of_row in stored_ids for key in ids_of_row)
            texts = {key: order_halves.unpack_orders(raw) for key, raw in self.known.texts(list(ids))}
            for row, ids_of_row in zip(rows, stored_ids, strict=True):
                order: Order = row["order"]
                other: Order = "ba" if order == "ab" else "ab"
                half: OrderReply = row["half"]
                stored_texts = [texts[key] for key in ids_of_row if key in texts]
                if any(len(halves) == 2 and halves[order] == half for halves in stored_texts):
                    self.context.report.known.judgments += 1
                    continue
                mate = next((halves for halves in stored_texts if len(halves) == 1 and other in halves), {})
                if mate:
                    self.completed += 1
                else:
                    self.alone[order] += 1
                data = _join_orders(row["data"], {order: half, **mate})
                yield Line(row["file"], row["line"], "judgment", data)

    def describe_outcome(self) -> str:
        """Return sentences on what became of the judgments that were left at the end; "" if there were none."""
        sentences = []
        if self.completed:
            sentences.append(
                f"{many(self.completed, 'judgment')} in one order joined the other order, which the dataset had "
                "already: together they are now one judgment, of a judge that was asked in both orders."
            )
        if self.alone:
            counts = ", ".join(f"{n:,} as {NAMES[order]}" for order, n in sorted(self.alone.items()))
            sentences.append(
                f"{many(self.alone.total(), 'judgment')} came in one order only ({counts}): "
                "they are kept under a judge that was asked in that order. When the other order is imported, with the "
                "same card, model and params, both become one judgment."
            )
        return " ".join(sentences)

    def _stored_ids(self, row: dict[str, Any], judge: Callable[[dict[str, Any]], str]) -> list[str]:
        """The judgments of this item in both orders, and in either, of the judges that differ by these only."""
        params, item = row["data"]["params"], row["about"][1]
        judges = (judge({**row["data"], "params": {**params, "orders": orders}}) for orders in ("both", "ab", "ba"))
        return [key for judge_id in judges for key in self.known.ids_of_item(judge_id, item)]


def _join_orders(data: dict[str, Any], halves: dict[Order, OrderReply]) -> dict[str, Any]:
    """The line of a judgment of these orders."""
    params = order_halves.params_with_orders(data["params"], halves)
    return {**data, "params": params, "raw": order_halves.pack_orders(halves)}
