"""What the dashboard costs at size: `python -m tests.bench.dashboard` (minutes, 2 GB of disk).

Ten million scores of a judge over a million dialogues of five systems, in seven approved dimensions and two runs; a few
thousand dialogues labelled blind on random draws. Measured is what the page asks for, from the store's tables to the
figures: first of all, again, and after a label and after a thousand scores came in.
"""

import os
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from data.approvals import record
from data.approvals.rules import Requirements
from data.calibration import calibration
from data.dashboard import dashboard
from data.store import open_store
from judges.stats.approval_check import CheckPolicy

ITEMS = int(os.environ.get("ITEMS", "1000000"))
CARD = "multi_turn_dialogue"
UNITS = {  # two turns and a conversation: ten cells an item
    "context_use": ("turn:1", "turn:2"),
    "helpfulness": ("turn:1", "turn:2"),
    "safety": ("turn:1", "turn:2"),
    "coherence": ("conversation",),
    "task_completion": ("conversation",),
    "repair_handling": ("conversation",),
    "verdict": ("conversation",),
}
BODY = (
    """'{"id":"item ' || i || '","kind":"dialogue","turns":[{"turn":1,"role":"user","text":"a"},"""
    """{"turn":1,"role":"assistant","text":"' || repeat('b ', i % 40) || '"},"""
    """{"turn":2,"role":"user","text":"c"},{"turn":2,"role":"assistant","text":"d"}]}'"""
)
"""SQL of an item's text."""
LABELLED = 3_000
SYSTEMS = tuple(f"system {n}" for n in range(5))
WARM = 0.05
"""A view of what is in memory takes at most this share of the first one, which reads all scores."""


def fill(store, items=ITEMS, labelled=LABELLED, systems=SYSTEMS):
    """Write the workspace: items, two runs with their scores, draws, labels and approvals, each by one statement."""

    def value(dimension, bias):
        lo, hi = (0, 3) if dimension == "verdict" else (1, 5)
        latent = f"((i % 5) * 0.1 + sin(i) * 0.5 + {bias} + (random() - 0.5))"
        return f"greatest({lo}.0, least({hi}.0, round({(lo + hi) / 2} + {latent})))"

    def begin(tx):
        tx.add("dataset", "id, name, description, synthetic", [("ds", "bench", "", True)])
        columns = "id, card, card_version, model, params, synthetic"
        tx.add("judge", columns, [("judge", CARD, "1", "a-judge", "{}", True)])
        tx.rows(
            f"insert into item select md5(i::text)[:20], 'ds', 'item ' || i, 'dialogue', "
            f"({list(systems)})[1 + i % {len(systems)}], '', {BODY}, '{{}}', md5(i::text)[:20], 10, {tx.seq} "
            f"from range({items}) t(i)"
        )
        tx.wrote.add("item")

    def run(number):
        def work(tx):
            tx.rows(f"select setseed(0.{number})")
            columns = "id, dataset_id, judge_id, settings, items, judgments"
            tx.add("run", columns, [(f"r{number}", "ds", "judge", "{}", items // 2, items // 2)])
            span = f"range({items * number // 2}, {items * (number + 1) // 2}) t(i)"
            tx.rows(
                f"insert into judgment select 'm' || i, 'judge', md5(i::text)[:20], '', 0, '', '', '', {tx.seq}, "
                f"'r{number}' from {span}"
            )
            cells = [(unit, dimension) for dimension, units in UNITS.items() for unit in units]
            values = ", ".join(f"({n}, '{unit}', '{dimension}')" for n, (unit, dimension) in enumerate(cells))
            tx.rows(  # as a run writes them: item by item
                f"insert into score select 'm' || i, 'judge', md5(i::text)[:20], unit, dimension, "
                f"case when dimension = 'verdict' then {value('verdict', 0.3)} else {value('', 0.3)} end, "
                f"null, '', 0, {tx.seq} from {span}, (values {values}) as d(n, unit, dimension) order by i, n"
            )
            tx.wrote.update({"score", "judgment"})

        return work

    def label(tx):
        span = f"range(0, {items}, {max(1, items // labelled)}) t(i)"
        tx.rows(
            "insert into draw select 'd' || i, 'ds', md5(i::text)[:20], 'audit', 'blind', '', 's' || (i % 5), "
            f"{labelled / items}, i, '[]', {tx.seq} from {span}"
        )
        for dimension, units in UNITS.items():
            for unit in units:
                tx.rows(
                    f"insert into label select '{dimension}{unit}' || i, '', md5(i::text)[:20], '{unit}', "
                    f"'{dimension}', {value(dimension, 0.0)}, 'ann', 'blind', 'd' || i, '', false, null, null, "
                    f"null, false, timestamp '2026-01-31 12:00:00', {tx.seq}, null from {span}"
                )
        tx.wrote.update({"draw", "label"})

    store.tx("bench", "begin", begin)
    for number in (0, 1):
        store.tx("bench", "run", run(number))
    store.tx("bench", "label", label)
    store.tx("bench", "approve", lambda tx: approve(tx, calibration.compared_dimensions(store, "judge")))


def approve(tx, dimensions):
    """Put an approval of each dimension on record, under a policy that asks for nothing."""
    requirements = Requirements(
        CheckPolicy(min_items=1, threshold=-0.99, lower_bound=False, min_clusters=2), coverage=0.0
    )
    for d in dimensions:
        record.append_decision(
            tx, ("ds", "judge", d.sort, d.name), "approve", "bench", "lea", "meets policy", requirements, "", []
        )


def more(store):
    """A thousand new dialogues with one score each, as a run that goes on writes them."""

    def work(tx):
        span = "range(1000) t(i)"
        tx.rows(
            f"insert into item select 'x' || i, 'ds', 'new ' || i, 'dialogue', '{SYSTEMS[0]}', '', {BODY}, '{{}}', "
            f"'x' || i, 10, {tx.seq} from {span}"
        )
        tx.rows(
            f"insert into judgment select 'mx' || i, 'judge', 'x' || i, '', 0, '', '', '', {tx.seq}, 'r2' from {span}"
        )
        tx.rows(
            f"insert into score select 'mx' || i, 'judge', 'x' || i, 'conversation', 'coherence', 4.0, null, '', 0, "
            f"{tx.seq} from {span}"
        )
        tx.wrote.update({"item", "judgment", "score"})

    store.tx("bench", "run", work)


def again(store):
    """Ten labels more."""

    def work(tx):
        tx.rows(
            "insert into label select 'n' || id, '', item_id, unit, dimension, value, 'bob', mode, draw_id, judge_id, "
            f"saw, seen, probability, replaces, withdrawn, made_at, {tx.seq}, null from label order by id limit 10"
        )
        tx.wrote.add("label")

    store.tx("bench", "label", work)


def main():
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"duckdb:///{Path(folder) / 'bench.duckdb'}")
        start = perf_counter()
        fill(store)
        print(
            f"{ITEMS:,} items, {ITEMS * 10:,} scores, {LABELLED:,} labelled; written in {perf_counter() - start:.0f} s"
        )
        took = {}

        def view(title):
            wall_start, worked = perf_counter(), process_time()
            approvals = dashboard.approvals_by_judge(store, "ds")
            checked = perf_counter() - wall_start
            tiles = dashboard.tiles(store, "ds", "judge", approvals["judge"])
            dashboard.scoring_runs(store, "ds", "judge")
            took[title] = process_time() - worked
            print(
                f"  {title:42} {perf_counter() - wall_start:7.2f} s, {checked:5.2f} s of it looking whether the "
                f"approvals hold; {took[title]:6.2f} s of processor time"
            )
            return tiles

        tiles = view("first view after a start")
        assert sum(s.cells for s in tiles[0].systems) == 2 * ITEMS
        assert all(s.means[0].interval.low < s.means[0].judge - 0.1 for s in tiles[0].systems)  # it is .3 too kind
        view("second view")
        again(store)
        view("after ten labels")
        more(store)
        view("after a thousand scores")
        store.close()
    assert took["second view"] < WARM * took["first view after a start"], "What is in memory is made again."


if __name__ == "__main__":
    main()
