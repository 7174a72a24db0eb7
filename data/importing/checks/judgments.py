"""Checks of imported judgments: their item, card and part must exist; what cannot be read is kept as unscored."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from data.importing.checks.import_context import MAX_SHOWN_ROWS, ImportContext, check_text
from data.importing.checks.known_rows import KnownItem, KnownJudgments
from data.importing.checks.order_pairs import OrderCheck
from data.records import rows
from judges.authoring.soundness import find_faults
from judges.card import Card
from judges.client.endpoint import is_practice
from judges.importing.entries import Line, LineError
from judges.importing.judged_files import read_judgment
from judges.importing.lines import FAILED, JudgmentLine
from judges.plural import many, verb
from judges.protocols.call_plan import Task
from judges.reading import bare_scores
from judges.strict_json import canonical, show_value
from judges.types import Reading, is_unit, units

_PARAMS = 20_000


@dataclass(frozen=True)
class ImportedJudge:
    """A judge that the import names: its card, model, and parameters as canonical JSON."""

    card: Card
    model: str
    params: str
    synthetic: bool = False

    @property
    def named(self) -> str:
        """Its card and model, and the prompt that tells it from others of its model, where its parameters name one."""
        params = json.loads(self.params)
        prompt = "@".join(str(params[name]) for name in ("prompt", "wording") if params.get(name))
        return f"{self.card.name}: {self.model}" + (f" ({prompt})" if prompt else "")


class JudgmentCheck:
    """Takes judgments; remembers the judges they name, and counts by reason what could not be read."""

    def __init__(self, context: ImportContext, known: KnownJudgments, orders: BinaryIO) -> None:
        self.context, self.known = context, known
        self.orders = OrderCheck(context, known, orders)
        self.judges: dict[str, ImportedJudge] = {}
        self.unscored: Counter[str] = Counter()
        self._off_scale, self._first_off_scale = 0, ""
        self._unversioned: set[str] = set()
        self._ids: dict[tuple[str, str, str, bool], str] = {}

    def take(self, line: Line) -> None:
        """Put a judgment, scores and remarks into the spool, or count it as known. Raises LineError or AssayError."""
        judgment = JudgmentLine.model_validate(line.data)
        item = self.context.item(judgment.item)
        card = self._card(judgment)
        if card.kind != item.kind:
            raise LineError(
                "card", f"The card {card.name} judges a {card.kind}, but {show_value(item.id)} is a {item.kind}."
            )
        part = _part(judgment, card, item)
        if judgment.scores is not None:
            raw = bare_scores.to_raw(judgment.scores)
        else:
            raw = judgment.raw if judgment.raw is not None else canonical(judgment.reply)
        check_text(raw, judgment.reply)
        key = rows.item_id(self.context.dataset_id, item.id)
        if judgment.order is not None:
            joined = self.orders.meet(line, judgment, card, item, raw, (self.judge_id(judgment), key))
            if joined is None:
                return
            judgment, raw, line = joined, joined.raw or "", replace(line, unscored=None)
        judge = self._judge(card, judgment)
        own_id, sample = self.known.place(judge, key, part, raw, judgment.sample)
        if sample is None:
            report = self.context.report
            counts = report.known if self.known.was_stored(own_id) else report.repeated
            counts.judgments += 1
            return
        if line.unscored is not None:
            reading = Reading(unscored=line.unscored[0], why=line.unscored[1])  # type: ignore[arg-type]
        else:
            if judgment.unscored in FAILED:
                check_text(judgment.why)
            if judgment.scores is None and (scores := bare_scores.from_raw(raw)) is not None:
                judgment = judgment.model_copy(update={"scores": scores})
            reading = read_judgment(card, judgment, Task(key, item, part, sample))
            if judgment.scores is not None:
                self._count_off_scale(item.id, reading)
        row, scores_of_row, remarks = rows.judgment_rows(own_id, judge, key, part, sample, raw, reading)
        self.context.spool.add([row], len(raw))
        self.context.spool.add(scores_of_row, 100 * len(scores_of_row))
        self.context.spool.add(remarks, sum(len(remark.text) for remark in remarks))
        self._report(judgment, part, sample, judge, reading)

    def _count_off_scale(self, item: str, reading: Reading) -> None:
        off_scale = [remark for remark in reading.remarks if remark.sort == "rule"]
        self._off_scale += len(off_scale)
        if off_scale and not self._first_off_scale:
            self._first_off_scale = f"{off_scale[0].dimension} of {show_value(item)}: {off_scale[0].text}"

    def _card(self, line: JudgmentLine) -> Card:
        """The card that a judgment names, in the version that it names where that one is there."""
        known = self.context.cards.get(line.card)
        version = self.context.versions.get(line.card_version or "")
        if version is not None and version.name == line.card:
            return version
        if known is None:
            raise LineError(
                "card", f"There is no card {show_value(line.card)}. There are: {', '.join(self.context.cards)}."
            )
        return known

    def _report(self, line: JudgmentLine, part: str, sample: int, judge: str, reading: Reading) -> None:
        new = self.context.report.new
        new.judgments += 1
        if reading.unscored:
            self.unscored[reading.unscored] += 1
        if new.judgments <= MAX_SHOWN_ROWS:
            scores = [f"{s.unit} {s.dimension} {'n/a' if s.value is None else f'{s.value:g}'}" for s in reading.scores]
            words = f"unscored ({reading.unscored}): {reading.why}" if reading.unscored else ", ".join(scores)
            shown: dict[str, Any] = {"item": line.item, "card": line.card, "model": self.judges[judge].model}
            self.context.show("judgments", new.judgments, **shown, part=part, sample=sample, scores=words)

    def unpaired_lines(self) -> Iterator[Line]:
        """The judgments of one order of a pair whose other order did not come, as separate lines."""
        return self.orders.unpaired_lines(lambda data: self.judge_id(JudgmentLine.model_validate(data)))

    def judge_id(self, line: JudgmentLine) -> str:
        """The id that the judge of a judgment has, whether or not it comes in."""
        return rows.judge_id(self._card(line).version, line.model, line.params, self._is_synthetic(line.model))

    def _is_synthetic(self, model: str) -> bool:
        """Whether the replies of a model are made up."""
        return self.context.snapshot.plan.synthetic or is_practice(model)

    def _judge(self, card: Card, line: JudgmentLine) -> str:
        """The id of the judge that a judgment names."""
        model, synthetic = line.model, self._is_synthetic(line.model)
        params = canonical(line.params) if line.params else "{}"
        judge = self._ids.get((card.version, model, params, synthetic))
        if judge is None:
            check_text(model)
            check_text(params, line.params)
            if len(params) > _PARAMS:
                raise LineError("params", f"params is {len(params)} characters long: at most {_PARAMS} are allowed.")
            judge = rows.judge_id(card.version, model, line.params, synthetic)
            self._ids[(card.version, model, params, synthetic)] = judge
            self.judges[judge] = ImportedJudge(card, model, params, synthetic)
            for fault in find_faults(card) if card.recipe is None else ():
                self.context.problems.warn(fault.text)
        if line.card_version != card.version:
            self._unversioned.add(judge)
        return judge

    def describe_off_scale(self) -> str:
        """Return a sentence on the scores of judgments that are off their scale beside others; "" if none is."""
        if not self._off_scale:
            return ""
        are, do = ("is", "counts") if self._off_scale == 1 else ("are", "count")
        first = self._first_off_scale
        return f"{many(self._off_scale, 'score')} {are} off the scale and {do} as missing, such as {first}."

    def describe_renewed(self) -> str:
        """Return a sentence on the judges that are new only because their card has a new version; "" if none is."""
        if not self._unversioned:
            return ""
        before, renewed = self.known.judges(self.context.dataset_id), []
        for judge in (self.judges[key] for key in self._unversioned):
            versions = before.get((judge.card.name, judge.model, judge.params, judge.synthetic), ())
            if versions and judge.card.version not in versions:
                renewed.append(judge.named)
        if not renewed:
            return ""
        n, names = len(renewed), ", ".join(sorted(renewed)[:5]) + (" and others" if len(renewed) > 5 else "")
        return (
            f"{names}: {verb(n, 'this is a new judge', 'these are new judges')}, because the judge of that name that "
            "judged this dataset before used another version of the card, and a line without card_version means the "
            "newest. For scores of the earlier judge, give its version in each line (card_version)."
        )


def _part(line: JudgmentLine, card: Card, item: KnownItem) -> str:
    """The unit that a judgment is about, where its card judges one at a time; the reply may name its turn."""
    part = line.part
    turn = (line.reply or {}).get("turn")
    if not part and card.text is not None and isinstance(turn, int):
        part = f"turn:{turn}"
    judged = card.parts(item)
    if not part and any(judged) and not line.fits_part(judged, part):
        raise LineError("part", f"The card {card.name} judges one turn at a time: part must say which, as in turn:1.")
    if part and not is_unit(part):
        raise LineError("part", f"{show_value(part)} is not a unit: part is empty, or one such as turn:1.")
    if part and part not in (choices := units(item)):
        raise LineError("part", f"{show_value(item.id)} has no {show_value(part)}. It has: {', '.join(choices[:12])}.")
    if part and card.read_part is None and not line.fits_part(judged, part):
        subject = f"an item as a whole: part must be empty, and is {show_value(part)}"
        if any(judged):
            subject = f"{', '.join(judged[:12])} of {show_value(item.id)}, and not {show_value(part)}"
        raise LineError("part", f"The card {card.name} judges {subject}.")
    return part
