"""What the calibration page costs at size: `python -m tests.bench.calibration` (minutes, 2 GB of disk).

Ten million cells of gold in eight dimensions (five-point scales, flags, a verdict) over a million items of ten cells,
labelled blind on random draws of unequal probability, all in a store as the app has it. Measured is what the page asks
for: every kappa with its interval by items, from the store's tables to the figures. Beside it, in the same run and on
the same rows, scikit-learn's plain `cohen_kappa_score` on arrays that are in memory already (a point, no interval).
"""

import os
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from sklearn.metrics import cohen_kappa_score

from data.audits import audits
from data.calibration import baselines, score_sums
from data.calibration.calibration import basis_sizes, comparison_input, comparison_inputs
from data.records import datasets
from data.store import open_store
from judges.cards import cards
from judges.stats.agreement import kappa
from judges.stats.calibration import anchoring_difference, summarise

ITEMS = int(os.environ.get("ITEMS", "1000000"))
CARD = "long_form_pairwise"
UNITS = {  # the units of an item that are asked each dimension: ten cells in eight dimensions
    "groundedness": ["section:1/a", "section:1/b"],
    "relevance": ["section:1/a", "section:1/b"],
    "quality": ["section:1/a"],
    "mid_content_drift": ["response/a"],
    "lost_in_middle": ["response/a"],
    "hallucinated_continuation": ["response/a"],
    "false_completeness": ["response/a"],
    "verdict": ["pair"],
}
PAGE = (  # in the order in which the page asks, when nothing is remembered of them
    ("the page: which judges there are", lambda store, dimensions: datasets.dataset_judges(store, "ds")),
    ("the page: known alarms", lambda store, dimensions: audits.known_alarms(store, "ds", "judge")),
    # On another basis than the figures above, which the store remembers.
    (
        "the page: all dimensions together",
        lambda store, dimensions: comparison_inputs(store, "ds", "judge", dimensions, "blind"),
    ),
    (
        "the page: rules that do not read",
        lambda store, dimensions: baselines.measure_baselines(store, "ds", "judge", dimensions, "gate"),
    ),
    ("the page: means by system", lambda store, dimensions: score_sums.score_means(store, "ds", "judge")),
)
MOST = 4.0
"""Times the processor time of one plain join that fetches the same rows: what all points and intervals may take."""


def fill(store, dimensions, items=ITEMS, two=0.0, assisted=0.0):
    """Write the workspace: items, draws, scores and labels, each by one statement.

    A share of the items has the labels of a second person as well (`two`), and a share is labelled beside the judge.
    """

    def value(dimension, noise):
        latent = f"(z + {noise} * (random() - 0.5))"
        lo, hi = dimension.scale.base, dimension.scale.base + dimension.scale.size - 1
        return f"greatest({lo}.0, least({hi}.0, round({(lo + hi) / 2} + {dimension.scale.size / 2} * {latent})))"

    def work(tx):
        tx.rows("select setseed(0.4)")
        tx.rows(
            f"create temp table made as select i, md5(i::text)[:20] as id, random() - 0.5 as z, case when i % 100 < "
            f"{100 * assisted} then 'assisted' else 'blind' end as mode, i % 100 >= {100 - 100 * two} as both_people "
            f"from range({items}) t(i)"
        )
        tx.add("dataset", "id, name, description, synthetic", [("ds", "bench", "", True)])
        tx.add("judge", "id, card, card_version, model, params, synthetic", [("judge", CARD, "1", "m", "{}", True)])
        seq = tx.seq
        tx.rows(
            "insert into item select id, 'ds', 'item ' || i, 'pair', 's' || (i % 5), 't', "
            """'{"id":"item ' || i || '","kind":"pair","input":"Question ' || i || '",' || """
            """'"response_a":{"system":"s' || (i % 5) || '","text":"' || repeat('long ', i % 40) || '"},' || """
            """'"response_b":{"system":"t","text":"short"}}', """
            f"'{{}}', id, 10, {seq} from made"
        )
        tx.rows(f"insert into judgment select 'm' || id, 'judge', id, '', 0, '{{}}', '', '', {seq}, null from made")
        tx.rows(
            "insert into draw select 'd' || id, 'ds', id, 'audit', mode, '', 's' || (i % 5), 1 / (1.0 + i % 5), i, "
            f"'[]', {seq} from made"
        )
        for number, dimension in enumerate(dimensions):
            for unit in UNITS[dimension.name]:
                tx.rows(
                    f"insert into score select '', 'judge', id, '{unit}', '{dimension.name}', "
                    f"{value(dimension, 0.6)}, null, '', 0, {seq} from made"
                )
                for person, where in (("ann", ""), ("bob", " where both_people")):
                    tx.rows(
                        f"insert into label select '{person}{number}{unit}' || id, '', id, '{unit}', "
                        f"'{dimension.name}', {value(dimension, 0.5)}, '{person}', mode, 'd' || id, '', false, null, "
                        f"null, null, false, timestamp '2026-01-31 12:00:00', {seq}, null from made{where}"
                    )
        tx.wrote |= {"item", "judgment", "draw", "score", "label"}

    store.tx("bench", "fill", work)


def codes(store, dimension):
    """The same rows as arrays, as small as can be: scikit-learn's best case."""
    frame = store.frame(
        "select cast(l.value as tinyint) as human, cast(s.value as tinyint) as judge from label l join score s "
        "on s.item_id = l.item_id and s.unit = l.unit and s.dimension = l.dimension where l.dimension = $1",
        [dimension.name],
    )
    return frame["human"].to_numpy(), frame["judge"].to_numpy()


def main():
    dimensions = [d for d in cards()[CARD].dimensions if d.name in UNITS]
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"duckdb:///{Path(folder) / 'bench.duckdb'}")
        start = perf_counter()
        fill(store, dimensions)
        print(
            f"{ITEMS:,} items, {ITEMS * 10:,} cells, {len(dimensions)} dimensions; "
            f"written in {perf_counter() - start:.0f} s"
        )
        reference = fetched = joined = 0.0
        start, cpu_start = perf_counter(), process_time()
        inputs = comparison_inputs(store, "ds", "judge", dimensions, "gate")
        summaries = [summarise(cells, dimension) for cells, dimension in zip(inputs, dimensions, strict=True)]
        ours, worked = perf_counter() - start, process_time() - cpu_start
        for dimension, summary in zip(dimensions, summaries, strict=True):
            start, cpu_start = perf_counter(), process_time()
            human, judge = codes(store, dimension)
            fetched += perf_counter() - start
            joined += process_time() - cpu_start
            labels = list(range(dimension.scale.base, dimension.scale.base + dimension.scale.size))
            start = perf_counter()
            point = cohen_kappa_score(human, judge, labels=labels)
            reference += (sklearn := perf_counter() - start)
            assert np.isclose(kappa(summary.counts), point), dimension.name
            assert summary.interval.low < summary.interval.point < summary.interval.high
            interval = f"{summary.interval.point:.4f} ({summary.interval.low:.4f} to {summary.interval.high:.4f})"
            print(f"  {dimension.name:28} {summary.cells:>9,} {interval}   scikit-learn {sklearn:5.2f} s")
        print(f"{'points and intervals by items, from the tables':58} {ours:7.2f} s {ours / reference:6.2f}")
        print(f"{'  the same in processor time of all threads':58} {worked:7.2f} s")
        print(f"{'scikit-learn, plain kappa, point only, from memory':58} {reference:7.2f} s   1.00")
        print(f"{'the same, its rows fetched from the tables by one join':58} {reference + fetched:7.2f} s")
        start = perf_counter()
        anchoring_difference(
            comparison_input(store, "ds", "judge", dimensions[0], "gate"),
            comparison_input(store, "ds", "judge", dimensions[0], "assisted"),
            dimensions[0],
        )
        print(f"{'blind beside assisted, one dimension':58} {perf_counter() - start:7.2f} s")
        start = perf_counter()
        basis_sizes(store, "ds", dimensions)
        print(f"{'what every basis rests on (asked where the gate has none)':58} {perf_counter() - start:7.2f} s")
        for title, work in PAGE:
            start, cpu_start = perf_counter(), process_time()
            work(store, dimensions)
            wall, cpu = perf_counter() - start, process_time() - cpu_start
            print(f"{title:58} {wall:7.2f} s {wall / reference:6.2f}   {cpu:.2f} s of processor time")
        store.close()
    assert worked < MOST * joined, (
        f"{worked:.1f} s of processor time; at most {MOST} times the {joined:.1f} s of fetching the rows are allowed."
    )


if __name__ == "__main__":
    main()
