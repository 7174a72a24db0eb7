"""A dataset as the records of MT-Bench: everything that the figures of judges/mtbench are made of."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar

from data.gold.gold import NEWEST_OF_PERSON
from data.records.access import allow
from data.records.datasets import NO_PROBE_SQL, every_judge
from data.records.items import OF_QUESTION, bench_dialogues
from data.records.judge_prompts import dataset_prompts
from data.records.tables import COUNTED_JUDGMENT_SQL
from data.store import Store, cache_result
from judges.mtbench import parsing
from judges.mtbench.dialogues import answer_key, read_answer, read_item_question, texts_by, whole_number
from judges.mtbench.records import SWAPPED_WINNER, Answer, Bench, BenchQuestion, Game, Judge, Rating, Vote, Winner
from judges.mtbench.rows import INCONSISTENT
from judges.mtbench.win_rates import sort_names
from judges.protocols.order_halves import unpack_orders
from judges.protocols.orders import ORDERS, Order
from judges.reading.reading import counted_verdict

AnswerKey = tuple[str, str, int]
"""The question, model and choice of an answer."""
Judged = TypeVar("Judged", Rating, Game)

RATED, COMPARED = "mt_bench", ("plain_pairwise", "mt_bench_pair")
"""The card whose judgments are ratings of turns, and those whose judgments are verdicts on pairs."""
_SIDES: tuple[Winner, ...] = ("a", "tie", "b")
"""The answers of a verdict, in the order of its scale."""
_WORDS: dict[object, Winner] = {side: side for side in (*_SIDES, "")}
_STATED = re.compile(r"The file says (-?\d+\.?\d*), ")
"""The remark of the card mt_bench that the file's number is not that of the judgment's text."""
_COUNTED = (
    "select m.* from judgment m join judge j on j.id = m.judge_id join item i on i.id = m.item_id "
    f"where i.dataset_id = $1 and j.card = any($2) and {NO_PROBE_SQL} and {OF_QUESTION} qualify {COUNTED_JUDGMENT_SQL}"
)
"""The judgments of a dataset ($1) that count, by judges of some cards ($2)."""


@allow("annotator")
@cache_result
def bench_datasets(store: Store) -> list[str]:
    """The datasets that hold something of MT-Bench, the oldest first."""
    rows = store.rows(
        "select i.dataset_id from item i join dataset d on d.id = i.dataset_id "
        f"where d.purpose is null and {OF_QUESTION} group by i.dataset_id, d.seq order by d.seq, 1"
    )
    return [str(dataset) for (dataset,) in rows]


@allow("annotator")
@cache_result
def load_bench(store: Store, dataset_id: str) -> Bench:
    """Everything that a dataset holds of MT-Bench: questions by number, then models and judges by name.

    Items that name no question, judges of a probe and judgments of other cards are left out. Of several judgments with
    the same sample number the newest that could be read counts; of several votes of one person on a pair the newest.
    """
    questions, answers, references = _items(store, dataset_id)
    raters, ratings = _ratings(store, dataset_id)
    umpires, games = _games(store, dataset_id)
    prompts = tuple(text for prompt_set in dataset_prompts(store, dataset_id) for text in prompt_set.prompts)
    return Bench(questions, answers, references, raters | umpires, ratings, games, _votes(store, dataset_id), prompts)


@cache_result
def item_ids(store: Store, dataset_id: str) -> dict[AnswerKey, str]:
    """(question, model, choice) -> the item that holds this answer."""
    rows = store.rows(
        "select i.id, i.system_a, i.meta from item i "
        f"where i.dataset_id = $1 and i.kind = 'dialogue' and {OF_QUESTION}",
        [dataset_id],
    )
    return {answer_key(json.loads(meta), str(model)): str(item) for item, model, meta in rows}


def _items(
    store: Store, dataset_id: str
) -> tuple[dict[str, BenchQuestion], dict[AnswerKey, Answer], dict[str, dict[str, tuple[str, ...]]]]:
    """The questions, the answers, and the references by the name of the judge that they are for.

    Pairs tell the questions that no dialogue answers.
    """
    questions: dict[str, BenchQuestion] = {}
    answers: dict[AnswerKey, Answer] = {}
    references: dict[str, dict[str, tuple[str, ...]]] = {}

    def take(meta: Mapping[str, Any], user_input: tuple[str, ...]) -> None:
        question, sets = read_item_question(meta, user_input)
        if question.id not in questions or not questions[question.id].turns:
            questions[question.id] = question
        for judge, texts in sets.items():
            references.setdefault(judge, {}).setdefault(question.id, texts)

    for item in bench_dialogues(store, dataset_id):
        answer = read_answer(item)
        answers[answer[:3]] = answer
        take(item["meta"], texts_by(item, "user"))
    rows = store.rows(
        f"select i.meta, cast(i.content as json) ->> 'input' from item i where i.dataset_id = $1 and i.kind = 'pair' "
        f"and {OF_QUESTION} and not ((cast(i.meta as json) ->> 'question_id') = any($2)) order by i.name",
        [dataset_id, list(questions)],
    )
    for meta_json, user_input in rows:
        meta = json.loads(meta_json)
        take(meta, (user_input,) if user_input and whole_number(meta, "turn") in (None, 1) else ())
    answers = {key: answers[key] for key in sorted(answers, key=lambda key: (in_order(key[0]), *key[1:]))}
    return {name: questions[name] for name in sorted(questions, key=in_order)}, answers, references


@cache_result
def _ratings(store: Store, dataset_id: str) -> tuple[dict[str, Judge], tuple[Rating, ...]]:
    """The judges that rate turns, and their ratings."""
    rows = store.rows(
        f"select m.judge_id, i.meta, i.system_a, m.part, m.sample, m.raw, m.unscored, m.why, s.value, r.text "
        f"from ({_COUNTED}) m join item i on i.id = m.item_id left join score s on s.judgment_id = m.id "
        "left join remark r on r.judgment_id = m.id and r.sort = 'rule' and r.text like 'The file says %' "
        "where i.kind = 'dialogue' order by i.name, m.part, m.sample, m.id",
        [dataset_id, [RATED]],
    )
    places: dict[tuple[str, str], AnswerKey] = {}
    ratings = []
    rules = _counted_verdicts(store)
    for judge, meta, model, part, sample, raw, unscored, why, value, remark in rows:
        if (meta, model) not in places:
            places[meta, model] = answer_key(json.loads(meta), model)
        text, stated = _text_and_number(raw, value, remark or "", rules[judge])
        error = why or "the call to the judge failed" if unscored == "api_error" else ""
        turn = int(part.partition(":")[2] or 1)
        ratings.append(Rating(judge, *places[meta, model], turn, sample, text, stated, error))
    return _order_judgments(store, ratings)


@cache_result
def _games(store: Store, dataset_id: str) -> tuple[dict[str, Judge], tuple[Game, ...]]:
    """The judges that compare answers, and their verdicts: one for each order that was asked whole, else one of all.

    Of the samples of a run the first counts; judgments that files have several of are separate ones.
    """
    rows = store.rows(
        "select m.judge_id, i.meta, i.system_a, i.system_b, m.sample, m.raw, m.unscored, m.why, s.value "
        f"from ({_COUNTED}) m join item i on i.id = m.item_id "
        "left join score s on s.judgment_id = m.id and s.unit = 'pair' and s.dimension = 'verdict' "
        "where i.kind = 'pair' order by i.name, m.judge_id, m.sample",
        [dataset_id, list(COMPARED)],
    )
    games: list[Game] = []
    parameters = {judge_id: row.parameters for judge_id, row in every_judge(store).items()}
    rules = _counted_verdicts(store)
    for judge, meta_json, model, other, sample, raw, unscored, why, value in rows:
        if sample and "samples" in parameters[judge]:
            continue
        meta = json.loads(meta_json)
        (a, b), turned = sorted((model, other)), model > other
        place = (judge, str(meta["question_id"]), whole_number(meta, "turn") or 1, a, b)
        halves = unpack_orders(raw)
        for piece, (text, failed, reason) in halves.items():
            order: Order = "ba" if (piece == "ba") != turned else "ab"
            verdict = "" if failed else _verdict(text, rules[judge])
            error = reason or failed or ("" if verdict else "no verdict in the reply")
            winner = SWAPPED_WINNER[verdict] if order == "ba" else verdict
            games.append(Game(*place, order, winner, _reply_text(text), error))
        if not halves:
            verdict = "" if value is None else _SIDES[int(value)]
            winner, orders = SWAPPED_WINNER[verdict] if turned else verdict, parameters[judge].get("orders")
            only: Order | Literal[""] = "" if orders not in ORDERS else "ba" if (orders == "ba") != turned else "ab"
            games.append(Game(*place, only, winner, _reply_text(raw), why or unscored))
    return _order_judgments(store, games)


@cache_result
def _votes(store: Store, dataset_id: str) -> tuple[Vote, ...]:
    """People's votes that hold, blind or assisted; their group is their team."""
    rows = store.rows(
        "select v.annotator, coalesce(p.team, ''), i.meta, i.system_a, i.system_b, v.value from ("
        f"select l.*, {NEWEST_OF_PERSON} as newest from label_now l where l.unit = 'pair' and l.dimension = 'verdict' "
        "and l.mode in ('blind', 'assisted')) v join item i on i.id = v.item_id "
        f"left join person_now p on p.person = v.annotator where v.newest = 1 and i.dataset_id = $1 and {OF_QUESTION} "
        "and i.kind = 'pair' and v.value is not null order by i.name, v.annotator",
        [dataset_id],
    )
    votes = []
    for voter, group, meta_json, model, other, value in rows:
        meta, (a, b, verdict) = json.loads(meta_json), sort_names(model, other, _SIDES[int(value)])
        votes.append(Vote(voter, group, str(meta["question_id"]), whole_number(meta, "turn") or 1, a, b, verdict))
    return tuple(votes)


def in_order(question: str) -> tuple[float, str]:
    """Return the sort key of a question's id: numbers by value, then all other ids by their letters."""
    return (float(question), "") if question.isdecimal() else (math.inf, question)


def _order_judgments(store: Store, judgeds: Iterable[Judged]) -> tuple[dict[str, Judge], tuple[Judged, ...]]:
    """Return the judges of some judgments, by model, and the judgments ordered by judge and question."""
    judge_ids = {judged.judge for judged in judgeds}
    known = (row for judge_id, row in every_judge(store).items() if judge_id in judge_ids)
    rows = sorted(known, key=lambda row: (row.model, row.params, row.id))
    places = {row.id: n for n, row in enumerate(rows)}
    in_places = sorted(judgeds, key=lambda judged: (places[judged.judge], in_order(judged.question)))
    names = ("prompt", "wording", "protocol")
    judges = [Judge(row.id, row.model, *(str(row.parameters.get(name) or "") for name in names)) for row in rows]
    return {judge.id: judge for judge in judges}, tuple(in_places)


def _counted_verdicts(store: Store) -> dict[str, parsing.Counts]:
    """Return which rating or verdict in a text counts, by judge."""
    return {judge_id: counted_verdict(row.parameters) for judge_id, row in every_judge(store).items()}


def _text_and_number(
    raw: str, value: float | None, remark: str, counts: parsing.Counts
) -> tuple[str, float | None]:
    """Return the text of a judgment, and the number of its file if it has no text or a remark names one.

    Otherwise the number is the rating that was read, or that of the text, also where it is off the scale; FastChat's
    files state -1 where there is none.
    """
    if raw.startswith('{"judgment":""') and (row := _object(raw)):
        return "", row.get("score")
    if number_match := _STATED.match(remark):
        return raw, float(number_match[1])
    number = parsing.rating(raw, counts) if value is None else value
    return raw, -1.0 if number is None else number


def _verdict(text: str, counts: parsing.Counts) -> Winner:
    """The verdict of one reply, in its own A and B: a field of its JSON, or in brackets; "" for none."""
    if not text.lstrip().startswith("{"):
        return _WORDS.get(parsing.winner(text, counts), "")
    return _WORDS.get(str(_object(text).get("verdict")), "")


def _reply_text(text: str) -> str:
    """Return what a reply says in words; if it is JSON, as in files of verdicts, the reason that it gives."""
    payload = _object(text) if text.startswith("{") else {}
    if not {"verdict", "winner"} & payload.keys():
        return text
    reason = payload.get("reason", payload.get("judgment"))
    return reason if isinstance(reason, str) else INCONSISTENT * (payload.get("winner") == "tie (inconsistent)")


def _object(text: str) -> dict[str, Any]:
    """The object that a text which begins as one holds; {} where it is no JSON."""
    try:
        parsed: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return parsed
