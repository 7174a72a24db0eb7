"""Real files of others come in whole, and the published figures come out of the rows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from data.importing.detection.plan_proposal import suggest_mapping
from data.importing.files.source import from_path
from data.importing.importing import detect_formats, import_source
from data.importing.plan import ImportPlan
from data.records import people
from data.records.judge_prompts import settle_prompts
from data.store import Store, open_store
from data.workspace.verify import verify
from judges.cards.mt_bench.protocol_cards import judge_card
from judges.mtbench.protocol import Protocol
from judges.protocols.call_plan import Task, build_request
from judges.stats.agreement import kappa
from judges.types import ITEM

CODES = 3
"""The verdict's scale: a, tie, b."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, real: Path) -> Store:
    """A workspace with all three data sets, each imported as one command would."""
    store = open_store(f"duckdb:///{tmp_path_factory.mktemp('real') / 'store.duckdb'}")
    people.join_workspace(store, "lea")
    for name in ("mt_bench_ja", "mt_bench_en"):
        import_source(store, "lea", from_path(real / name), ImportPlan(name, sampling="all"))
    for name in ("testset-v1", "gpt-3.5-turbo-testset-v1", "pandalm-7b-testset-v1"):
        source = from_path(real / "pandalm" / f"{name}.json")
        known = detect_formats(source)[0]
        plan = ImportPlan(
            "pandalm", sampling="random", population=10_000, mappings=(suggest_mapping(known.columns, known.rows),)
        )
        import_source(store, "lea", source, plan)
    return store


def agreement(pairs: Counter[tuple[float, float]]) -> tuple[float, float | None, int]:
    """Share of equal verdicts, Cohen's kappa and n of counted pairs of verdicts."""
    table = [[pairs[(float(row), float(column))] for column in range(CODES)] for row in range(CODES)]
    n = sum(pairs.values())
    return sum(table[k][k] for k in range(CODES)) / n, kappa(table), n


@pytest.mark.slow
def test_everything_fits_together(store: Store) -> None:
    assert verify(store) == []


@pytest.mark.slow
def test_mt_bench_ja_has_320_ratings_a_judge_and_the_published_means(store: Store) -> None:
    rows = store.rows(
        "select j.model, i.system_a, count(*), avg(case when s.unit = 'turn:1' then s.value end), "
        "avg(case when s.unit = 'turn:2' then s.value end), avg(s.value) from score s "
        "join judge j on j.id = s.judge_id join item i on i.id = s.item_id "
        "where s.dimension = 'rating' group by j.model, i.system_a order by 1 desc, 2"
    )
    rounded = [(judge, system[-4:], n, *(round(mean, 5) for mean in means)) for judge, system, n, *means in rows]
    assert rounded == [
        ("gpt-4o", "1-8b", 160, 7.6375, 7.1750, 7.40625),
        ("gpt-4o", "-70b", 160, 9.0750, 7.8125, 8.44375),
        ("gpt-4.1-2025-04-14", "1-8b", 160, 7.4125, 6.5750, 6.99375),
        ("gpt-4.1-2025-04-14", "-70b", 160, 8.9625, 7.8500, 8.40625),
    ]
    unread = "from judgment m join judge j on j.id = m.judge_id where j.card = 'mt_bench' and m.unscored <> ''"
    assert store.rows(f"select count(*) {unread}") == [(0,)]
    broken = "select count(*) from remark r join judge j on j.id = r.judge_id where r.sort = 'rule' "
    assert store.rows(f"{broken} and j.card = 'mt_bench'") == [(0,)]


@pytest.mark.parametrize("judge", ["gpt-4o", "gpt-4.1-2025-04-14"])
def test_a_judge_by_the_published_prompts_is_asked_just_what_the_published_one_was(
    store: Store, real: Path, judge: str
) -> None:
    """Every prompt that the files keep, to the letter: templates, references and the system prompt."""
    protocol, prompts = settle_prompts(store, Protocol(name="canon", prompts="single-v1", judge=judge))
    card = judge_card(protocol, prompts)
    system = {prompt.name: prompt.system for prompt in prompts}
    items: dict[str, str] = dict(store.rows("select name, content from item where kind = 'dialogue'"))
    same = 0
    for line in (real / "mt_bench_ja" / "model_judgment" / f"{judge}_single.jsonl").read_text().splitlines():
        row = json.loads(line)
        item = ITEM.validate_json(items[f"{row['question_id']}/{row['model']}"])
        messages = build_request(card, card.defaults, Task("k", item, f"turn:{row['turn']}"), "", {}, "text").messages
        assert [message["content"] for message in messages] == [system[row["judge"][1]], row["user_prompt"]]
        same += 1
    assert same == 320


def test_mt_bench_en_has_all_votes_voters_and_verdicts(store: Store) -> None:
    where = "join item i on i.id = l.item_id join dataset d on d.id = i.dataset_id where d.name = 'mt_bench_en'"
    columns = "count(*), count(distinct annotator), count(l.replaces)"
    assert store.rows(f"select {columns} from label l {where}") == [(3_355, 65, 1)]
    assert store.rows(f"select count(*) from label_now l {where}") == [(3_354,)]
    double = "select i.name, l.annotator from label l join item i on i.id = l.item_id where l.replaces is not null"
    assert store.rows(double) == [("128/claude-v1~gpt-3.5-turbo/turn1", "author_0")]
    teams = store.rows("select team, count(*) from person_now where team <> '' group by team order by team")
    assert teams == [("author", 7), ("expert", 58)]
    verdicts = "select count(*) from judgment m join judge j on j.id = m.judge_id where j.model = 'gpt4_pair'"
    assert store.rows(verdicts) == [(2_400,)]
    missing = "select count(*) from item where kind = 'pair' and (system_a = $1 or system_b = $1)"
    assert store.rows(missing, ["vicuna-13b-v1.2"]) == [(800,)]


@pytest.fixture(scope="module")
def votes(store: Store) -> list[tuple[str, str, float]]:
    """(pair with its turn, voter, verdict), the current ones."""
    return store.rows(
        "select i.name, l.annotator, l.value from label_now l join item i on i.id = l.item_id "
        "join dataset d on d.id = i.dataset_id where d.name = 'mt_bench_en'"
    )


@pytest.fixture(scope="module")
def verdicts(store: Store) -> dict[str, float]:
    """GPT-4's verdict by pair."""
    query = (
        "select i.name, s.value from score s join item i on i.id = s.item_id join judge j on j.id = s.judge_id "
        "where j.model = 'gpt4_pair'"
    )
    return dict(store.rows(query))


def test_the_majority_of_all_voters_agrees_with_gpt4_as_published(
    votes: list[tuple[str, str, float]], verdicts: dict[str, float]
) -> None:
    by_pair: dict[str, Counter[float]] = {}
    for name, _, value in votes:
        by_pair.setdefault(name, Counter())[value] += 1
    s1: Counter[tuple[float, float]] = Counter()
    s2: Counter[tuple[float, float]] = Counter()
    for name, counts in by_pair.items():
        (first, n), *rest = counts.most_common()
        majority = 1.0 if rest and rest[0][1] == n else first
        judged = verdicts[name]
        s1[(majority, judged)] += 1
        if 1.0 not in (majority, judged):
            s2[(majority, judged)] += 1
    agreements = [(round(share, 3), round(value or 0, 3), n) for share, value, n in map(agreement, (s1, s2))]
    assert agreements == [(0.672, 0.505, 1_814), (0.884, 0.767, 1_078)]


@pytest.mark.parametrize(("turn", "s1", "s2"), [(1, (0.6597, 1343), (0.8463, 859)), (2, (0.6574, 1325), (0.8461, 864))])
def test_gpt4_agrees_with_experts_as_published(
    votes: list[tuple[str, str, float]],
    verdicts: dict[str, float],
    turn: int,
    s1: tuple[float, int],
    s2: tuple[float, int],
) -> None:
    pairs = [
        (value, verdicts[name])
        for name, voter, value in votes
        if name.endswith(f"turn{turn}") and voter.startswith("expert")
    ]
    decided = [pair for pair in pairs if 1.0 not in pair]
    for subset, expected in ((pairs, s1), (decided, s2)):
        assert (round(sum(a == b for a, b in subset) / len(subset), 4), len(subset)) == expected


def test_pandalm_comes_in_through_the_suggested_mapping(store: Store) -> None:
    rows = store.rows(
        "select i.name, l.annotator, l.value from label_now l join item i on i.id = l.item_id "
        "join dataset d on d.id = i.dataset_id where d.name = 'pandalm'"
    )
    labels: dict[str, dict[str, float]] = {}
    for name, annotator, value in rows:
        labels.setdefault(name, {})[annotator] = value
    assert len(labels) == 999 and all(len(item_labels) == 3 for item_labels in labels.values())
    kappas = []
    for first, second in ((1, 2), (1, 3), (2, 3)):
        pairs = Counter((g[f"annotator{first}"], g[f"annotator{second}"]) for g in labels.values())
        kappas.append(round(agreement(pairs)[1] or 0, 2))
    assert sorted(kappas) == [0.85, 0.86, 0.88]


def test_what_gpt35_said_unreadably_is_unscored_and_no_tie(store: Store) -> None:
    query = (
        "select j.model, m.unscored, count(*) from judgment m join judge j on j.id = m.judge_id "
        "where j.model in ('gpt', 'pandalm') group by j.model, m.unscored order by 1, 2"
    )
    assert store.rows(query) == [("gpt", "", 974), ("gpt", "unreadable", 25), ("pandalm", "", 999)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mt_bench_ja", "mt_bench_en"])
def test_importing_them_again_adds_nothing(store: Store, real: Path, name: str) -> None:
    before = store.newest()
    assert import_source(store, "lea", from_path(real / name), ImportPlan(name, sampling="all")).preview.new.total == 0
    assert store.newest() == before
