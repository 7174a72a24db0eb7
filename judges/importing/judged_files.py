"""Judgments and labels from files, combined: the readings of one judge's replies, and people's answers by cell."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judges.audits import AuditReply, Cell
from judges.card import Card, Item
from judges.errors import AssayError, BadScale
from judges.gold import Resolve, resolve
from judges.importing.item_keys import time_in_seconds
from judges.importing.line_files import bad_lines
from judges.importing.lines import FAILED, JudgmentLine, LabelLine
from judges.judge_lookup import JudgeTraits, describe_differences, find_judges
from judges.protocols.call_plan import Task, params_of_stored, reread, unpack_replies
from judges.protocols.probes import scenario_pool
from judges.reading import bare_scores
from judges.reading.reading import counted_verdict, read_reply
from judges.types import Dialogue, Kind, Pair, Reading, Response, section_place, turn_number, units

Lines = list[tuple[int, JudgmentLine]]
_MAX_LISTED = 8


class AmbiguousJudge(AssayError):
    """A file holds several judges, or not the one that was asked for."""


@dataclass(frozen=True)
class JudgeKey:
    """A judge as files name it: a card, a model and parameters; the probe is kept separately."""

    card: str
    model: str
    params: str
    probe: str = ""
    version: str = ""

    @property
    def title(self) -> str:
        """The judge in words."""
        return f"{self.card}, {self.model}" + ("" if self.params == "{}" else f", {self.params}")

    @property
    def traits(self) -> JudgeTraits:
        """What words can name it by."""
        return JudgeTraits("", self.card, self.model, json.loads(self.params), self.version)

    @property
    def orders(self) -> str:
        """The orders of a pair in which it was asked, from its parameters; "" if they do not say."""
        return str(json.loads(self.params).get("orders") or "")

    @property
    def asked_anyhow(self) -> JudgeKey:
        """The same judge, whatever the orders of a pair that it was asked in."""
        rest = {name: value for name, value in json.loads(self.params).items() if name != "orders"}
        return replace(self, params=json.dumps(rest, sort_keys=True, ensure_ascii=False))


def judge_of(line: JudgmentLine) -> JudgeKey:
    """The judge that a line is by."""
    return judge_key(line.card, line.model, line.params, line.card_version or "")


def judge_key(card: str, model: str, params: Mapping[str, Any], version: str) -> JudgeKey:
    """The judge of a card and a model with these parameters, which include its probe."""
    usual = {name: value for name, value in params.items() if name != "probe"}
    plain = json.dumps(usual, sort_keys=True, ensure_ascii=False)
    return JudgeKey(card, model, plain, str(params.get("probe") or ""), version)


def named_judges(judges: Sequence[JudgeKey], card: str | None, words: str) -> list[JudgeKey]:
    """The judges of a card (None: of any) that words name as `find_judges` says; all judges for "".

    If a judge was asked in both orders of some pairs and in one order of others, the one with both orders counts.
    """
    pairs = [(judge, judge.traits) for judge in judges if card in (None, judge.card)]
    chosen = find_judges([traits for _, traits in pairs], words)
    named = [judge for judge, traits in pairs if any(traits is other for other in chosen)]
    both_orders = {judge.asked_anyhow for judge in named if judge.orders == "both"}
    return [judge for judge in named if judge.orders == "both" or judge.asked_anyhow not in both_orders]


def choose_judge(
    path: Path, lines: Lines, card_name: str | None, model: str | None, params: Sequence[str] = ()
) -> JudgeKey:
    """The only judge of the lines, probes left out, or the one of that card, model and parameters ("temperature=0.7").

    Raises AmbiguousJudge, which says what differs between the judges that fit.
    """
    candidates = list(dict.fromkeys(judge for _, line in lines if not (judge := judge_of(line)).probe))
    if not candidates:
        raise AmbiguousJudge(f"{path}: it has only judgments of probes; give the judge's usual ones too.")
    named = named_judges(candidates, card_name, " ".join([model or "", *params]).strip())
    if len(named) == 1:
        return named[0]
    if named:
        differences = describe_differences([judge.traits for judge in named])
        raise AmbiguousJudge(
            f"{path}: there are {len(named)} judges, which differ in {differences}. Choose one with --card, --model "
            "or --param NAME=VALUE."
        )
    names = "; ".join(judge.title for judge in candidates[:_MAX_LISTED])
    raise AmbiguousJudge(f"{path}: no judge of that card, model and parameters. There are: {names}.")


def read_replies(path: Path, lines: Lines, known: Card, items: Mapping[str, Item]) -> list[AuditReply]:
    """The lines as replies, each read for its item, as an import reads them. Raises BadLines.

    A line that repeats a known text is left out, unless it says that it is another sample. If another text already has
    its sample number, it gets the next free one. A raw text of several calls (both orders, windows, chapters) is
    combined again as its parameters say.
    """
    replies: list[AuditReply] = []
    bad: list[tuple[int, str]] = []
    seen: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    others = scenario_pool(items.values())
    for number, line in lines:
        item = items.get(line.item)
        if item is None:
            bad.append((number, f"the item {line.item!r} is not among the items."))
        elif item.kind != known.kind:
            bad.append((number, f"the item {line.item!r} is a {item.kind}, and {known.name} judges a {known.kind}."))
        elif line.part and line.part not in units(item):
            bad.append((number, f"part {line.part[:40]!r} is not a unit of the item {line.item!r}."))
        elif not line.part and line.scores is None and known.text is not None and any(known.parts(item)):
            bad.append((number, f"a judgment of {known.name} is about one unit: part has to name it."))
        elif line.part and known.read_part is None and not line.fits_part(known.parts(item), line.part):
            judged, whole_item = ", ".join(known.parts(item)[:12]), "an item as a whole: part has to be empty"
            only = f"{judged} of {line.item!r}, and not {line.part!r}"
            bad.append((number, f"{known.name} judges {only if judged else whole_item}."))
        else:
            sample = _place(seen[line.item, line.part], _text(line), line.sample)
            if sample is not None:
                task = Task(line.item, item, line.part, line.sample or 0, others)
                replies.append(AuditReply(line.item, read_judgment(known, line, task), line.part, sample))
    if bad:
        raise bad_lines(path, bad)
    return replies


def _place(texts: dict[int, str], raw: str, sample: int | None) -> int | None:
    """The number that a text gets among the known samples of a judge for one item and part; None if it is known."""
    if sample is None and raw in texts.values():
        return None
    number = sample or 0
    while number in texts:
        if texts[number] == raw:
            return None
        number += 1
    texts[number] = raw
    return number


def _text(line: JudgmentLine) -> str:
    """The text that distinguishes one reply of a judge from another."""
    if line.scores is not None:
        return bare_scores.to_raw(line.scores)
    return line.raw or json.dumps(line.reply, sort_keys=True, ensure_ascii=False)


def read_judgment(card: Card, line: JudgmentLine, task: Task) -> Reading:
    """The reading of a judgment's line for an item (`task`): of its scores, its reply, or its text of several replies.

    Why there is no score is found again in the text, unless the endpoint said it. Raises NoCell.
    """
    raw = line.raw or ""
    if line.unscored in FAILED:
        return Reading(unscored=line.unscored, why=line.why)
    scores = bare_scores.from_raw(raw) if line.scores is None else line.scores
    if scores is not None:
        return bare_scores.read_scores(card, scores, task.item)
    if line.reply is None and unpack_replies(raw) is not None:
        return reread(card, params_of_stored(line.params), task, raw).reading
    reply = raw if line.reply is None else line.reply
    return read_reply(card, reply, task.item, task.part, counted_verdict(line.params))


def resolve_cells(
    answers: Mapping[Cell, Sequence[float | None]], known: Card, rule: Resolve = "median"
) -> dict[Cell, float | None]:
    """The gold of every cell that has one, by a dataset's gold rule (`judges.gold.resolve`)."""
    gold_by_cell = dict[Cell, float | None]()
    for cell, values in answers.items():
        dimension = known.dimension(cell[2], cell[1])
        if dimension is not None and (gold := resolve(values, dimension.scale, rule)):
            gold_by_cell[cell] = gold.value
    return gold_by_cell


def answers_by_cell(answers: Mapping[tuple[Cell, str], float | None]) -> dict[Cell, list[float | None]]:
    """People's answers in every cell, without names; see `answers_by_person`."""
    values: dict[Cell, list[float | None]] = defaultdict(list)
    for (cell, _), value in answers.items():
        values[cell].append(value)
    return dict(values)


def answers_by_person(
    files: Mapping[Path, Sequence[tuple[int, LabelLine]]], known: Card, items: Mapping[str, Item], complete: bool = True
) -> dict[tuple[Cell, str], float | None]:
    """Each person's answer in every cell: blind labels or, without any blind label, all except revealed ones.

    A person's newest label of a cell counts, from any file. Labels for dimensions that the card does not have are left
    out. If items are stand-ins and not `complete`, labels for units that they lack are left out too. Raises BadLines
    for a unit that an item lacks or a value off its scale.
    """
    modes = {line.mode for lines in files.values() for _, line in lines}
    newest: dict[tuple[Cell, str], tuple[str, float | None]] = {}
    for path, lines in files.items():
        bad: list[tuple[int, str]] = []
        for number, line in lines:
            item, dimension = items.get(line.item), known.dimension(line.dimension, line.unit)
            if line.mode != ("blind" if "blind" in modes else "assisted"):
                continue
            if item is None or item.kind != known.kind or dimension is None:
                continue
            cell = (line.item, line.unit, line.dimension)
            if line.unit not in units(item):
                if complete:
                    bad.append((number, f"the item {line.item!r} has no unit {line.unit}."))
                continue
            try:
                value = dimension.scale.code(dimension.scale.parse_text(line.value), _turns(item))
            except BadScale as error:
                bad.append((number, f"{line.dimension}: {error}."))
                continue
            earlier = newest.get((cell, line.annotator))
            if earlier is None or time_in_seconds(line.made_at) >= time_in_seconds(earlier[0]):
                newest[cell, line.annotator] = (line.made_at, value)
        if bad:
            raise bad_lines(path, bad)
    return {key: value for key, (_, value) in newest.items()}


def _turns(item: Item) -> frozenset[int]:
    return frozenset(item.assistant_turns if isinstance(item, Dialogue) else ())


def placeholder_items(known: Card, lines: Lines, label_units: Iterable[tuple[str, str]]) -> dict[str, Item]:
    """Items without text, for judgments whose items are not in the files.

    Their units are those that replies and labels name. `label_units` is (item, unit) of the labels.
    """
    turns: dict[str, set[int]] = defaultdict(set)
    sections: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for _, line in lines:
        turns[line.item] |= {turn_number(line.part)} if line.part.startswith("turn:") else set()
        for entry in _objects(line.reply if line.reply is not None else _json(line.raw or "")):
            if isinstance(entry.get("turn"), int) and 0 < entry["turn"] <= 10_000:
                turns[line.item].add(entry["turn"])
            if isinstance(entry.get("section_label"), str):
                sides = {side for side in ("a", "b") if entry.get(f"response_{side}") is not None}
                sections[line.item].setdefault(entry["section_label"], set()).update(sides)
    for item, unit in label_units:
        if unit.startswith("turn:"):
            turns[item].add(turn_number(unit))
    names = dict.fromkeys(line.item for _, line in lines)
    return {key: placeholder_item(known.kind, key, turns[key], sections[key]) for key in names}


def items_of_units(kind: Kind, units_by_item: Mapping[str, Iterable[str]]) -> dict[str, Item]:
    """Items without text, with these units."""
    items = {}
    for key, own_units in units_by_item.items():
        turns = {turn_number(unit) for unit in own_units if unit.startswith("turn:")}
        cut = max((section_place(unit)[0] for unit in own_units if unit.startswith("section:")), default=0)
        items[key] = placeholder_item(kind, key, turns, {str(n): "ab" for n in range(1, cut + 1)})
    return items


def placeholder_item(
    kind: Kind, key: str, turns: Iterable[int] = (), sections: Mapping[str, Iterable[str]] | None = None
) -> Item:
    """An item without text, with these assistant turns, or these sections by their labels on these sides."""
    if kind == "response":
        return Response(id=key, kind="response", task="", output="")
    if kind == "dialogue":
        entries = [{"turn": n, "role": "assistant", "text": ""} for n in sorted(turns) or [1]]
        return Dialogue.model_validate({"id": key, "kind": "dialogue", "turns": entries})
    cut = [{"label": label, **dict.fromkeys(sides, (0, 1))} for label, sides in (sections or {}).items()]
    empty = {"text": None}
    return Pair.model_validate(
        {"id": key, "kind": "pair", "input": "", "response_a": empty, "response_b": empty, "sections": cut}
    )


def _json(raw: str) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _objects(value: Any) -> list[dict[str, Any]]:
    """Every object inside a JSON value at any depth, including objects in texts that contain the JSON of pieces."""
    objects, left = [], [value]
    while left:
        now = left.pop()
        if isinstance(now, dict):
            objects.append(now)
            left += [_json(v) if k == "raw" and isinstance(v, str) else v for k, v in now.items()]
        elif isinstance(now, list):
            left += now
    return objects
