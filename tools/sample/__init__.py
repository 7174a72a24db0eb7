"""The generator of the sample workspace: synthetic items, judge replies and labels for every page to show something.

`generate(seed)` gives four datasets. The same seed gives the same data, on any machine and on any day. What the
generator knows about its items (true scores, planted faults) stands beside the datasets, in no row of them.
`write()`, or `python -m tools.sample`, puts the datasets where Assay ships them.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data.samples import FOLDER
from tools.sample import judge_pairs, long, people, responses
from tools.sample.broken import spoil_reply
from tools.sample.dialogues import dialogues, short_dialogues
from tools.sample.judge import JUDGE_A, JUDGE_B, JudgeProfile, SimulatedReply
from tools.sample.truth import Fault, GeneratedItem, Truth

SEED = 20
"""The seed whose outcome is tuned: one dimension in each state that the gate knows."""
_UNREADABLE = 0.03
Row = dict[str, Any]


@dataclass(frozen=True)
class SampleDataset:
    """Canonical rows of one dataset, each a dict as it stands in a line of JSONL."""

    name: str
    items: list[Row]
    judgments: list[Row]
    labels: list[Row]

    def lines(self) -> bytes:
        """Its rows as JSON lines in UTF-8: items, then judgments, then labels."""
        rows = [*self.items, *self.judgments, *self.labels]
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


@dataclass(frozen=True)
class Samples:
    """Datasets, and by item id what is true of them: scores, and the faults that were planted."""

    datasets: list[SampleDataset]
    truth: dict[str, Truth] = field(default_factory=dict)
    faults: dict[str, tuple[Fault, ...]] = field(default_factory=dict)

    def dataset(self, name: str) -> SampleDataset:
        """The dataset of that name."""
        return next(dataset for dataset in self.datasets if dataset.name == name)


def generate(seed: int = SEED) -> Samples:
    """All four datasets: support-dialogues, long-reports, open-questions and short-answers."""
    items: list[GeneratedItem] = []
    datasets = [
        _support_dialogues(seed, items),
        _long_reports(seed, items),
        _questions("open-questions", "open_questions", "r", 15, seed, items),
        _questions("short-answers", "short_answers", "s", 112, seed, items),
    ]
    return Samples(
        datasets,
        {example.id: example.truth for example in items},
        {example.id: example.faults for example in items if example.faults},
    )


def make_bench_dialogues(n: int = 100, seed: int = SEED) -> SampleDataset:
    """`n` different dialogues of exactly three assistant turns, so of 13 scored cells, with one judgment each."""
    rng = random.Random(f"{seed}/bench")
    items = short_dialogues(n, 3, rng)
    judgments = [_judgment(example, JUDGE_A, SimulatedReply(example, JUDGE_A, rng).reply(rng)) for example in items]
    return SampleDataset("bench-dialogues", [example.item for example in items], judgments, [])


def write(folder: Path = FOLDER) -> list[Path]:
    """Write each dataset as `<name>.jsonl.gz` into a folder; gives the files whose lines were others before.

    A file that holds the same lines stays as it is: compressed by another zlib they are other bytes.
    """
    written = []
    for dataset in generate().datasets:
        path, lines = folder / f"{dataset.name}.jsonl.gz", dataset.lines()
        if not path.exists() or gzip.decompress(path.read_bytes()) != lines:
            path.write_bytes(gzip.compress(lines, mtime=0))
            written.append(path)
    return written


def _support_dialogues(seed: int, all_items: list[GeneratedItem]) -> SampleDataset:
    items = dialogues(150, random.Random(f"{seed}/dialogues"))
    all_items += items
    judgments, judge_values = _judge_dialogues(items, JUDGE_A, random.Random(f"{seed}/judge-a"))
    judgments += _judge_dialogues(items, JUDGE_B, random.Random(f"{seed}/judge-b"))[0]
    rng = random.Random(f"{seed}/people")
    usual = [example for example in items if len(example.lengths) <= 14]  # the very long one is left to the user
    chosen = sorted(
        rng.sample(usual, 128), key=lambda example: -people.count_able(example)
    )  # first those whom most people can read
    readers = [3] * 20 + [2] * 25 + rng.sample([2] * 20 + [1] * 63, 83)
    labels = people.labels(chosen, readers, judge_values, rng, people.finish)
    return SampleDataset("support-dialogues", [example.item for example in items], judgments, labels)


def _judge_dialogues(
    items: Sequence[GeneratedItem], profile: JudgeProfile, rng: random.Random
) -> tuple[list[Row], dict[str, Truth]]:
    """The judgments of one judge of dialogues, and by item the values of its first sample, where that can be read."""
    rows: list[Row] = []
    for example in items:
        simulated = SimulatedReply(example, profile, rng)
        samples = profile.params["samples"]
        rows += [
            _judgment(example, profile, simulated.reply(rng), sample if samples > 1 else None)
            for sample in range(samples)
        ]
    _spoil(rows, rng)
    first = {row["item"]: row["reply"] for row in rows if row.get("sample", 0) == 0 and "reply" in row}
    return rows, {id: _dialogue_values(reply) for id, reply in first.items()}


def _judgment(item: GeneratedItem, profile: JudgeProfile, reply: Row, sample: int | None = None) -> Row:
    row: Row = {"item": item.id, "card": "multi_turn_dialogue", "model": profile.model, "params": dict(profile.params)}
    if sample is not None:
        row["sample"] = sample
    return row | {"reply": reply}


def _dialogue_values(reply: Row) -> Truth:
    values: Truth = {
        (f"turn:{entry['turn']}", name): score for entry in reply["per_turn"] for name, score in entry["scores"].items()
    }
    values |= {("conversation", name): noted["score"] for name, noted in reply["conversation_level"].items()}
    values["conversation", "verdict"] = reply["verdict"]
    values["conversation", "weakest_turn"] = reply["weakest_turn"] or "none"
    return values


def _long_reports(seed: int, all_items: list[GeneratedItem]) -> SampleDataset:
    rng = random.Random(f"{seed}/long")
    items = long.pairs(rng)
    all_items += items
    replies = {example.id: judge_pairs.reply(example, rng) for example in items}
    judge_values = {example.id: judge_pairs.values(example, replies[example.id]) for example in items}
    judgments = _simple(items, "long_form_pairwise", judge_pairs.MODEL, judge_pairs.PARAMS, replies, rng)
    chosen = rng.sample(items, 10)
    labels = people.labels(chosen, [2] * 4 + [1] * 6, judge_values, rng, long.finish)
    return SampleDataset("long-reports", [example.item for example in items], judgments, labels)


def _questions(
    name: str, material: str, prefix: str, labelled: int, seed: int, all_items: list[GeneratedItem]
) -> SampleDataset:
    """Responses. In `short-answers` everybody finds every one-line answer coherent: kappa is undefined there."""
    rng, short = random.Random(f"{seed}/{name}"), name == "short-answers"
    items = responses.responses(material, prefix, rng)
    all_items += items
    replies = {example.id: responses.reply(example, short, rng) for example in items}
    judge_values = {id: responses.values(reply) for id, reply in replies.items()}
    judgments = _simple(items, "rubric_open_ended", responses.MODEL, responses.PARAMS, replies, rng)
    chosen = rng.sample(items, labelled)
    readers = [2] * (labelled // 3) + [1] * (labelled - labelled // 3)
    finish: Callable[[Truth, random.Random], Truth] = responses.finish_short if short else responses.finish
    labels = people.labels(chosen, readers, {} if short else judge_values, rng, finish)
    return SampleDataset(name, [example.item for example in items], judgments, labels)


def _simple(
    items: Sequence[GeneratedItem], card: str, model: str, params: Row, replies: Mapping[str, Row], rng: random.Random
) -> list[Row]:
    rows = [{"item": o.id, "card": card, "model": model, "params": dict(params), "reply": replies[o.id]} for o in items]
    _spoil(rows, rng)
    return rows


def _spoil(rows: list[Row], rng: random.Random) -> None:
    """Make about three in a hundred replies unreadable, in place."""
    for fault, number in enumerate(sorted(rng.sample(range(len(rows)), round(len(rows) * _UNREADABLE)))):
        rows[number]["raw"] = spoil_reply(rows[number].pop("reply"), fault, rng)
