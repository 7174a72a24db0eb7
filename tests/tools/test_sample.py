"""The generator of the sample workspace: always the same, canonical, faults readable in the text, outcome tuned."""

from __future__ import annotations

import gzip
import json
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from statistics import median_low
from typing import Any

import pytest

from data.samples import DESCRIPTION, FOLDER, SAMPLES
from judges.card import Card
from judges.cards import cards
from judges.reading import reading
from judges.sections import cut_sections
from judges.stats.agreement import cross_table, kappa
from judges.stats.approval_check import check_dimension, check_dimensions
from judges.stats.intervals import Cells, Interval, kappa_interval
from judges.types import ITEM, Dialogue, Pair, Response, units
from tools import sample
from tools.sample import material
from tools.sample.dialogues import play

ITEM_KEYS = {
    "dialogue": ["id", "kind", "scenario", "system", "turns", "meta"],
    "pair": ["id", "kind", "input", "response_a", "response_b", "meta"],
    "response": ["id", "kind", "task", "output", "reference", "system", "meta"],
}
LABEL_KEYS = ["item", "unit", "dimension", "value", "annotator", "mode", "made_at"]
SYSTEMS = {"aster-1", "birch-2", "cedar-mini"}
NAMES = ("support-dialogues", "long-reports", "open-questions", "short-answers")


@cache
def samples() -> sample.Samples:
    """The sample of the default seed."""
    return sample.generate()


def dataset(name: str) -> sample.SampleDataset:
    return samples().dataset(name)


@cache
def items(name: str) -> dict[str, Dialogue | Pair | Response]:
    """The items of a dataset as Assay reads them, pairs cut into their sections."""
    by_id = {}
    for row in dataset(name).items:
        item = ITEM.validate_python(row)
        if isinstance(item, Pair):
            item = item.model_copy(
                update={"sections": cut_sections(item.response_a.text or "", item.response_b.text or "")}
            )
        by_id[item.id] = item
    return by_id


def card(name: str) -> Card:
    return cards()[dataset(name).judgments[0]["card"]]


def read(name: str, row: dict[str, Any]) -> Any:
    return reading.read_reply(card(name), row["reply"] if "reply" in row else row["raw"], items(name)[row["item"]])


def turn_texts(row: dict[str, Any], role: str, last: int) -> Iterator[str]:
    return (turn["text"] for turn in row["turns"] if turn["role"] == role and turn["turn"] <= last)


# -- the same every time ------------------------------------------------------------------------------------------


def test_a_seed_always_gives_the_same_and_another_one_something_else() -> None:
    assert sample.generate(5) == sample.generate(5)
    assert sample.generate(5).datasets != sample.generate(6).datasets
    assert sample.make_bench_dialogues(10) == sample.make_bench_dialogues(10)


def test_it_does_not_disturb_the_random_numbers_of_others() -> None:
    random.seed(1)
    expected = random.Random(1).random()
    sample.generate(5)
    assert random.random() == expected


def test_it_is_quick() -> None:
    sample.generate()  # reads the material, which is kept
    began = time.process_time()
    sample.generate(8)
    assert time.process_time() - began < 2


# -- what is shipped ----------------------------------------------------------------------------------------------


def test_what_is_shipped_is_exactly_what_is_made() -> None:
    assert [(file.name, file.items) for file in SAMPLES] == [(d.name, len(d.items)) for d in samples().datasets]
    for file, generated in zip(SAMPLES, samples().datasets, strict=True):
        assert file.lines() == generated.lines(), f"{file.path.name} is not what is made now: python -m tools.sample"
    assert {path.name for path in FOLDER.glob("*.gz")} == {file.path.name for file in SAMPLES}
    assert "generator, not by people" in DESCRIPTION


def test_only_files_whose_lines_change_are_written(tmp_path: Path) -> None:
    assert [path.name for path in sample.write(tmp_path)] == [file.path.name for file in SAMPLES]
    (tmp_path / "long-reports.jsonl.gz").write_bytes(gzip.compress(b"{}\n"))
    other = tmp_path / "short-answers.jsonl.gz"
    other.write_bytes(content := gzip.compress(dataset("short-answers").lines(), 1))
    assert [path.name for path in sample.write(tmp_path)] == ["long-reports.jsonl.gz"]
    assert gzip.decompress((tmp_path / "long-reports.jsonl.gz").read_bytes()) == dataset("long-reports").lines()
    assert other.read_bytes() == content


# -- what there is ------------------------------------------------------------------------------------------------


def test_how_much_of_everything() -> None:
    assert {d.name: len(d.items) for d in samples().datasets} == dict(zip(NAMES, (150, 30, 60, 132), strict=True))
    assert {i.system for n in NAMES[:1] + NAMES[2:] for i in items(n).values()} == SYSTEMS  # type: ignore[union-attr]
    judged = Counter((row["model"], row.get("sample")) for row in dataset("support-dialogues").judgments)
    assert judged == {**{("synthetic-judge-a", n): 150 for n in range(3)}, ("synthetic-judge-b", None): 150}


def test_dialogues_are_short_and_long() -> None:
    turns = Counter(len(row["turns"]) // 2 for row in dataset("support-dialogues").items)
    assert min(turns) == 2 and max(turns) == 40 and turns[40] == 1
    assert sum(n for length, n in turns.items() if 3 <= length <= 6) > 100
    assert sum(n for length, n in turns.items() if 11 <= length <= 14) >= 3


def test_about_one_in_six_dialogues_is_japanese_and_some_are_chinese() -> None:
    rows = dataset("support-dialogues").items
    languages = Counter(row["meta"]["language"] for row in rows)
    assert 0.12 <= languages["ja"] / len(rows) <= 0.2 and 6 <= languages["zh"] <= 20
    assert languages["en"] > 100 and set(languages) == {"en", "ja", "zh"}
    for row in rows:
        written = "".join(turn_texts(row, "user", 99))
        if row["meta"]["language"] != "en":  # in English ones there may be a Japanese word
            assert bool(re.search(r"[ぁ-ん]", written)) == (row["meta"]["language"] == "ja")


def test_who_labelled_what_leaves_work_for_others() -> None:
    people: dict[str, set[str]] = defaultdict(set)
    for row in dataset("support-dialogues").labels:
        people[row["item"]].add(row["annotator"])
    readers = Counter(len(annotators) for annotators in people.values())
    assert 110 <= len(people) <= 130 and len(items("support-dialogues")) - len(people) >= 20
    assert 40 <= readers[2] <= 50 and readers[3] == 20
    assert len({row["item"] for row in dataset("long-reports").labels}) == 10
    assert len({row["item"] for row in dataset("open-questions").labels}) == 15


def test_one_in_five_labellings_was_assisted_and_none_mixes_modes() -> None:
    modes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in dataset("support-dialogues").labels:
        modes[row["item"], row["annotator"]].add(row["mode"])
    assert all(len(own_modes) == 1 for own_modes in modes.values())
    assert 0.12 <= sum("assisted" in own_modes for own_modes in modes.values()) / len(modes) <= 0.28


def test_labels_were_made_on_working_days_of_the_two_weeks_before() -> None:
    moments = [datetime.fromisoformat(row["made_at"]) for d in samples().datasets for row in d.labels]
    assert min(moments) >= datetime(2026, 11, 2, tzinfo=UTC) and max(moments) < datetime(2026, 11, 16, tzinfo=UTC)
    assert all(moment.weekday() < 5 for moment in moments)
    for generated in samples().datasets:
        assert [row["made_at"] for row in generated.labels] == sorted(row["made_at"] for row in generated.labels)


# -- the form -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_canonical(name: str) -> None:
    generated = dataset(name)
    for row in generated.items:
        assert list(row) == ITEM_KEYS[row["kind"]] and set(row["meta"]) == {"topic", "language"}
    assert len(items(name)) == len(generated.items)
    for row in generated.judgments:
        answer = [key for key in ("reply", "raw") if key in row]
        assert [key for key in row if key != "sample"] == ["item", "card", "model", "params", *answer]
        assert len(answer) == 1 and row["item"] in items(name)
    dimensions = {dimension.name: dimension for dimension in card(name).dimensions if dimension.asked}
    for row in generated.labels:
        assert list(row) == LABEL_KEYS and row["unit"] in units(items(name)[row["item"]])
        dimensions[row["dimension"]].scale.code(row["value"])  # raises where the value is not on the scale


@pytest.mark.parametrize("name", NAMES)
def test_a_labelled_item_is_labelled_completely(name: str) -> None:
    cells: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for row in dataset(name).labels:
        cells[row["item"], row["annotator"]].add((row["unit"], row["dimension"]))
    for (item, _), labelled in cells.items():
        assert labelled == set(samples().truth[item])


@pytest.mark.parametrize("name", NAMES)
def test_every_reply_can_be_read_and_three_in_a_hundred_texts_cannot(name: str) -> None:
    rows = dataset(name).judgments
    for row in rows:
        assert (read(name, row).unscored is None) == ("reply" in row)
    assert 0.01 <= sum("raw" in row for row in rows) / len(rows) <= 0.05


def test_replies_that_cannot_be_read_fail_in_different_ways() -> None:
    rows = [row for row in dataset("support-dialogues").judgments if "raw" in row]
    reasons = {read("support-dialogues", row).unscored for row in rows}
    assert reasons == {"unreadable", "cut_off", "out_of_range", "refused"}


def test_decision_bases_keep_to_forty_words() -> None:
    bases = [row["reply"]["decision_basis"] for d in samples().datasets for row in d.judgments if "reply" in row]
    assert max(len(basis.split()) for basis in bases) <= 40
    assert len(set(bases)) > 300


# -- the text -----------------------------------------------------------------------------------------------------


def test_planted_faults_can_be_read_in_the_text() -> None:
    rows = {row["id"]: row for row in dataset("support-dialogues").items}
    kinds: Counter[str] = Counter()
    for id, faults in samples().faults.items():
        for fault in faults:
            turn = int(fault.unit.removeprefix("turn:"))
            assert any(fault.earlier in text for text in turn_texts(rows[id], "user", turn)), (id, fault)
            assert fault.statement in list(turn_texts(rows[id], "assistant", turn))[-1], (id, fault)
            if fault.kind == "padding" and rows[id]["meta"]["language"] == "en":
                assert len(list(turn_texts(rows[id], "assistant", turn))[-1].split()) > 55
            kinds[fault.kind] += 1
    assert min(kinds[kind] for kind in ("forgotten", "ignored_correction", "contradiction", "unsafe", "padding")) >= 8


@pytest.mark.parametrize("story", material.stories(), ids=lambda story: story.key)
def test_every_reply_of_a_story_fits_its_evidence_and_leaves_no_slot_open(story: material.Story) -> None:
    ways = max(len(exchange.replies) for exchange in story.exchanges)
    for n in range(ways):
        choices = [min(n, len(exchange.replies) - 1) for exchange in story.exchanges]
        dialogue = play("x", story, "aster-1", choices, n, random.Random(n))
        for fault in dialogue.faults:
            turn = int(fault.unit.removeprefix("turn:"))
            assert any(fault.earlier in text for text in turn_texts(dialogue.item, "user", turn)), fault
            assert fault.statement in list(turn_texts(dialogue.item, "assistant", turn))[-1], fault
        names = {name for slot, _ in story.slots for name in slot}
        written = json.dumps(dialogue.item, ensure_ascii=False) + dialogue.goal + dialogue.done + str(dialogue.issues)
        assert not [name for name in names if f"{{{name}}}" in written]
        assert "[[" not in written and "]]" not in written


def test_low_scores_have_a_reason_in_words() -> None:
    for story in material.stories():
        for reply in (reply for exchange in story.exchanges for reply in exchange.replies):
            assert reply.issues or min(reply.scores) > 2, reply.text
            assert bool(reply.objection) == bool(reply.repair), reply.text


def test_no_two_dialogues_share_more_than_a_farewell() -> None:
    users: dict[str, list[str]] = defaultdict(list)
    for row in dataset("support-dialogues").items:
        for text in turn_texts(row, "assistant", 99):
            users[text].append(row["id"])
    shared = {text for text, ids in users.items() if len(ids) > 1}
    assert all(len(text.split()) < 12 for text in shared)
    assert len(shared) / len(users) < 0.01


def test_a_story_does_not_stand_beside_itself() -> None:
    scenarios = [row["scenario"] for row in dataset("support-dialogues").items]
    assert all(scenario not in scenarios[n + 1 : n + 4] for n, scenario in enumerate(scenarios[:-10]))


def test_long_pairs_are_long_and_show_every_kind_of_structure() -> None:
    labels = []
    for row, pair in zip(dataset("long-reports").items, items("long-reports").values(), strict=True):
        assert isinstance(pair, Pair)
        if row["meta"]["language"] == "en":
            assert 600 <= len(row["input"].split()) <= 1500
            assert all(300 <= len(row[f"response_{side}"]["text"].split()) <= 900 for side in "ab")
        labels.append([(section.label, section.a is None, section.b is None) for section in pair.sections or []])
    assert [("First half", False, False), ("Second half", False, False)] in labels
    assert any(all(not a and not b for _, a, b in sections) and len(sections) > 4 for sections in labels)
    assert any(any(a for _, a, _ in sections) and any(b for *_, b in sections) for sections in labels)
    flags = {name for truth in samples().truth.values() for (_, name), value in truth.items() if value is True}
    assert flags == {dimension.name for dimension in card("long-reports").dimensions if dimension.sort == "side"} - {
        "aggregate"
    }


def test_the_judge_shows_the_weaknesses_that_audits_look_for() -> None:
    name, counts = "support-dialogues", Counter[str]()
    for row in dataset(name).judgments:
        if row["model"] != "synthetic-judge-a" or row.get("sample") or "reply" not in row:
            continue
        whole, turns = row["reply"]["conversation_level"], row["reply"]["per_turn"]
        flat = [score for turn in turns for score in turn["scores"].values()]
        corrected = samples().truth[row["item"]]["conversation", "repair_handling"] != "n/a"
        counts["replies"] += 1
        counts["averaged"] += whole["coherence"]["score"] == int(sum(flat) / len(flat) + 0.5)
        counts["repair overlooked"] += corrected and whole["repair_handling"]["score"] == "n/a"
        counts["rules broken"] += any(remark.sort == "rule" for remark in read(name, row).remarks)
    assert counts["averaged"] / counts["replies"] > 0.5
    assert counts["repair overlooked"] >= 10 and 2 <= counts["rules broken"] <= 25


def test_bench_dialogues_have_thirteen_scores_and_a_weakest_turn() -> None:
    bench = sample.make_bench_dialogues(100)
    texts = {"\n".join(turn["text"] for turn in row["turns"]) for row in bench.items}
    assert len(texts) == len(bench.items) == len(bench.judgments) == 100 and not bench.labels
    for item, judgment in zip(bench.items, bench.judgments, strict=True):
        reply = reading.read_reply(cards()["multi_turn_dialogue"], judgment["reply"], ITEM.validate_python(item))
        assert len(reply.scores) == 14 and sum(score.dimension == "weakest_turn" for score in reply.scores) == 1


# -- the outcome --------------------------------------------------------------------------------------------------


def blind(name: str) -> dict[str, dict[tuple[str, str], list[float]]]:
    """By dimension and cell, the codes that people gave blind, without n/a where most did not say so."""
    scales = {dimension.name: dimension.scale for dimension in card(name).dimensions}
    by_dimension: dict[str, dict[tuple[str, str], list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for row in dataset(name).labels:
        if row["mode"] == "blind":
            by_dimension[row["dimension"]][row["item"], row["unit"]].append(scales[row["dimension"]].code(row["value"]))
    return {
        dimension: {
            cell: [code for code in codes if code is not None]
            for cell, codes in cells.items()
            if 2 * sum(code is not None for code in codes) >= len(codes)
        }
        for dimension, cells in by_dimension.items()
    }


@cache
def evidence(name: str, model: str = "synthetic-judge-a") -> dict[str, Interval]:
    """Kappa of every ordered dimension on blind gold (lower median), with its interval, clustered by item."""
    scores: dict[tuple[str, str, str], float] = {}
    for row in dataset(name).judgments:
        if row["model"] == model:
            for score in read(name, row).scores:
                if score.value is not None:
                    scores.setdefault((row["item"], score.unit, score.dimension), score.value)
    out, numbers = {}, {id: number for number, id in enumerate(items(name))}
    gold = blind(name)
    for dimension in card(name).dimensions:
        if dimension.scale.weights and dimension.asked:
            cells = [c for c in gold[dimension.name] if (*c, dimension.name) in scores and gold[dimension.name][c]]
            human = [int(median_low(gold[dimension.name][cell]) - dimension.scale.base) for cell in cells]
            judge = [int(scores[(*cell, dimension.name)] - dimension.scale.base) for cell in cells]
            valued = Cells([numbers[item] for item, _ in cells], human, judge)
            out[dimension.name] = kappa_interval(valued, dimension.scale.size, dimension.scale.weights)
    return out


def test_dialogues_show_four_states_of_the_gate() -> None:
    states = {name: check_dimension(interval).state for name, interval in evidence("support-dialogues").items()}
    assert states["helpfulness"] == "meets policy"
    assert states["coherence"] == states["task_completion"] == "inconclusive"
    assert states["context_use"] == "fails"
    assert states["repair_handling"] == "below minimum sample"
    together = check_dimensions(evidence("support-dialogues"))
    assert together["helpfulness"].state == "meets policy"


def test_one_line_answers_show_the_fifth_state() -> None:
    assert check_dimension(evidence("short-answers")["coherence"]).state == "undefined"
    assert check_dimension(evidence("short-answers")["factuality"]).state == "meets policy"


def test_the_second_judge_agrees_less() -> None:
    first, second = evidence("support-dialogues"), evidence("support-dialogues", "synthetic-judge-b")
    for dimension in ("context_use", "helpfulness", "coherence", "task_completion"):
        assert (second[dimension].point or 0) < (first[dimension].point or 0)


def test_people_agree_with_one_another_about_as_people_do() -> None:
    gold = blind("support-dialogues")
    for dimension in ("context_use", "helpfulness", "coherence", "task_completion"):
        both = [(a, b) for codes in gold[dimension].values() for i, a in enumerate(codes) for b in codes[:i]]
        first, second = ([int(pair[side]) - 1 for pair in both] for side in (0, 1))
        agreement = kappa(cross_table(first + second, second + first, 5), "quadratic")
        assert agreement is not None and 0.6 <= agreement <= 0.9
