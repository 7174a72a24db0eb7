"""What looks into an agreement, through the store: slices, order, confidences, arms, judges on the same cells."""

import json

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from data.calibration import anchoring, comparison, confidence, item_fields, slices
from data.calibration.comparison import CONSTANT, LENGTH
from data.records.tables import DrawRow, ExposureRow, JudgeRow, LabelRow, ScoreRow
from data.store import open_store
from data.store.ids import content_id, new_id
from judges.cards import cards
from judges.render.findings import anchoring as anchoring_findings
from judges.render.findings import slices as slices_findings
from judges.render.findings.findings import sentence_text
from judges.stats.comparison import compare_judges
from judges.stats.confidence import confidence_calibration
from judges.stats.intervals import Cells
from judges.stats.slices import slice_kappa
from tests.data.cells import Cell, fill
from tests.data.judged_dataset import BEGIN, Seat, add_seats, crowd

HELP = next(d for d in cards()["multi_turn_dialogue"].dimensions if d.name == "helpfulness")
PAIRED = {d.name: d for d in cards()["long_form_pairwise"].dimensions}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = open_store(f"duckdb:///{tmp_path_factory.mktemp('looking')}/s.duckdb")
    yield store
    store.close()


@pytest.fixture(scope="module")
def crowd_dataset(store):
    return add_seats(store, crowd(120) + crowd(40, seed=3, first=120, mode="assisted", seconds=11), "crowd")


# -- items ------------------------------------------------------------------------------------------------------------


def test_a_field_of_days_holds_days_of_the_calendar_only(store):
    days = {"right": "2026-01-31", "time": "2028-02-29T23:59:59Z", "never": "2026-02-30", "null": "0000-00-00"}
    meta = {n: json.dumps({**days, "wide": "２０２６-０1-31", "some": list(days.values())[n]}) for n in range(4)}
    dataset, _ = fill(store, [Cell(n, "turn:1", (), 3.0) for n in range(4)], "days", meta=meta)
    fields = item_fields.item_fields(store, dataset)
    assert set(fields.days) == {"right", "time"} and fields.days["time"][0] == "2028-02-29"
    assert set(fields.meta) == {*days, "wide", "some"}, "they are words as any others"


def test_true_and_false_of_an_items_meta_are_yes_and_no(store):
    meta = {n: json.dumps({"long": n > 0, "level": n}) for n in range(2)}
    dataset, _ = fill(store, [Cell(n, "turn:1", (), 3.0) for n in range(2)], "flagged", meta=meta)
    fields = item_fields.item_fields(store, dataset)
    assert sorted(zip(fields.meta["long"], fields.meta["level"], strict=True)) == [("no", "0"), ("yes", "1")]


# -- slices -----------------------------------------------------------------------------------------------------------


def test_fields_that_are_called_as_other_cuts_or_figures_are_cuts_of_their_own(store):
    cells = [Cell(n, "turn:1", (float(1 + n % 5),), 3.0) for n in range(12)]
    fields = [{"length": "ab"[n % 2], "system": "cd"[n % 3 > 0], "bias": "ef"[n % 4 > 0]} for n in range(12)]
    meta = {n: json.dumps(values) for n, values in enumerate(fields)}
    dataset, judge = fill(store, cells, "called", meta=meta, systems=lambda n: (f"s{n % 4}", ""))
    sliced = slices.slice_cells(store, dataset, judge, HELP, "all")
    cuts = {cut.by: cut for cut in sliced.cuts}
    assert {"system", "length (meta)", "system (meta)", "bias (meta)"} <= set(cuts)
    assert set(cuts["system (meta)"].names) == {"c", "d"} and "s0" in cuts["system"].names
    [by_bias] = slice_kappa(sliced.cells, sliced.size, "quadratic", [cuts["bias (meta)"]])
    assert {row["bias (meta)"] for row in slices_findings.table(by_bias).rows} == {"e", "f"}


def test_cells_are_parted_by_all_that_is_known_of_their_items(store, crowd_dataset):
    dataset, judges = crowd_dataset
    sliced = slices.slice_cells(store, dataset, judges["good"], HELP, "gate")
    by = {cut.by: cut for cut in sliced.cuts}
    # the stratum of the draw is the system, so it parts nothing anew; "note" has another value for each item
    assert set(by) == {"system", "language", "length", "position", "topic"}
    assert by["position"].names == ("turn 1", "turn 2", "turn 3")
    assert by["length"].names == ("shortest third", "middle third", "longest third")
    assert by["language"].names == ("Latin script", "Japanese")
    assert len(sliced.cells.item) == len(sliced.units.code) == 360
    seats = crowd(120)
    japanese = [
        (gold, judge) for s in seats if s.number % 3 == 0 for gold, judge in zip(s.gold, s.scores["good"], strict=True)
    ]
    [by_language] = slice_kappa(sliced.cells, sliced.size, "quadratic", [by["language"]])
    kappa = cohen_kappa_score(*zip(*japanese, strict=True), weights="quadratic", labels=[1, 2, 3, 4, 5])
    assert by_language.slices[1].interval.point == pytest.approx(kappa)
    assert by_language.slices[1].interval.items == 40
    assert by_language.test.adjusted < 0.001  # it is poor on Japanese


@pytest.mark.parametrize(
    ("last", "names"),
    [(5, ("turn 2", "turn 5")), (6, ("turn 2", "turn 5", "turn 6")), (7, ("turn 2", "turn 5", "turn 6 and later"))],
)
def test_positions_stand_in_their_order_the_late_ones_together(last, names):
    units = [f"turn:{n}" for n in (5, last, 2, *range(6, last))]
    cut = slices.position_cut(slices.CodedWords(np.arange(len(units)), units), HELP)
    assert cut.names == names
    assert [cut.names[code] for code in cut.code[:3]] == ["turn 5", names[-1], "turn 2"]
    assert slices.position_cut(slices.CodedWords(np.zeros(2, dtype=int), ["pair", "pair"]), PAIRED["verdict"]) is None


def test_the_items_of_a_slice_come_with_those_furthest_apart_first(store, crowd_dataset):
    dataset, judges = crowd_dataset
    sliced = slices.slice_cells(store, dataset, judges["good"], HELP, "gate")
    listed = slices.slice_members(store, "lea", dataset, judges["good"], sliced, "language", "Japanese")
    gaps = [abs(m.human - m.judge) for m in listed]
    assert gaps == sorted(gaps, reverse=True)
    assert len(listed) == 120
    first = listed[0]
    seat = crowd(120)[int(first.name.split()[1])]
    turn = int(first.unit.split(":")[1]) - 1
    assert (seat.gold[turn] - 1, seat.scores["good"][turn] - 1) == (first.human, first.judge)
    assert first.item == content_id("crowd", seat.number)
    assert slices.slice_members(store, "lea", dataset, judges["good"], sliced, "language", "Klingon") == []


def test_the_stratum_of_an_item_is_that_of_the_audit_sample(store):
    cells = [Cell(n, "turn:1", (), 3.0, probability=(0.25, 0.5, None)[n % 3]) for n in range(6)]
    dataset, _ = fill(store, cells, "strata")
    drawn = item_fields.item_fields(store, dataset).drawn.tolist()
    assert drawn == [("0.25", "0.5", "")[n % 3] for n in sorted(range(6), key=lambda n: content_id("strata", n))]
    rest = ("review", "assisted", "", "z", None, 1.0, "[]")
    review = [DrawRow(new_id(), dataset, content_id("strata", n), *rest) for n in (0, 2)]
    store.tx("test", "review", lambda tx: tx.append(review))
    assert item_fields.item_fields(store, dataset).drawn.tolist() == drawn


def test_the_side_of_a_pair_has_the_system_that_wrote_it(store):
    cells = [Cell(n, f"response/{side}", (1.0,), 1.0, dimension="lost_in_middle") for n in range(6) for side in "ab"]
    dataset, judge = fill(store, cells, "sides", "pair", "long_form_pairwise")
    sliced = slices.slice_cells(store, dataset, judge, PAIRED["lost_in_middle"], "blind")
    by = {cut.by: cut.names for cut in sliced.cuts}
    assert by["side"] == ("response a", "response b")
    assert by["system"] == ("s0", "s1")  # these items name no system for side b, whose cells are in no slice
    verdicts = [Cell(n, "pair", (1.0,), 1.0, dimension="verdict") for n in range(6)]
    dataset, judge = fill(store, verdicts, "verdicts", "pair", "long_form_pairwise", {0: '{"lang": "de"}', 1: "{}"})
    assert "system" not in {c.by for c in slices.slice_cells(store, dataset, judge, PAIRED["verdict"], "blind").cuts}


def test_a_verdict_has_both_systems_of_its_pair_in_whatever_places(store):
    sides = [("y", "x"), ("x", "y"), ("x", "y"), ("z", "x"), ("x", ""), ("", "x")]
    cells = [Cell(n, "pair", (1.0,), 1.0, dimension="verdict") for n in range(6)]
    dataset, judge = fill(store, cells, "places", "pair", "long_form_pairwise", systems=lambda n: sides[n])
    sliced = slices.slice_cells(store, dataset, judge, PAIRED["verdict"], "blind")
    [cut] = [cut for cut in sliced.cuts if cut.by == "systems"]
    assert cut.names == ("x and y", "x and z")
    assert sorted(cut.code.tolist()) == [-1, -1, 0, 0, 0, 1], "whose pair names one system is in no slice"


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Thank you.", "Latin script"),
        ("Grüße aus Köln, Ærø und Łódź", "Latin script"),
        ("注文を確認します。OK, order #12", "Japanese"),
        ("東京電力の料金改定案", "Japanese"),
        ("订单已经确认。", "Chinese"),
        ("订" * 19 + "の", "Japanese"),
        ("订" * 20 + "の", "Chinese"),
        ("주문을 확인합니다", "Korean"),
        ("Спасибо", "Cyrillic script"),
        ("Ευχαριστώ", "other"),
        ("a long English sentence about 寿司", "Latin script"),
        ("123 ... !?", ""),
        ("１２３ … ！", ""),
    ],
)
def test_the_script_of_a_text(text, script):
    assert item_fields.guess_script(text) == script


def test_cells_in_which_somebody_says_what_is_dropped_are_in_no_slice(store):
    codes = [(0.0, 0.0), (2.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, 2.0)]  # a, tie and b
    cells = [Cell(n, "pair", (human,), judge, dimension="verdict") for n, (human, judge) in enumerate(codes)]
    meta = {n: json.dumps({"half": n % 2}) for n in range(6)}
    dataset, judge = fill(store, cells, "dropped", "pair", "plain_pairwise", meta)
    verdict = next(d for d in cards()["plain_pairwise"].dimensions if d.name == "verdict")
    assert verdict.scale.categories == ("a", "tie", "b")
    ranks = sorted(range(6), key=lambda n: content_id("dropped", n))
    for drop, left in ((True, (0, 1, 5)), (False, range(6))):
        sliced = slices.slice_cells(store, dataset, judge, verdict, "blind", drop)
        assert sorted(ranks[n] for n in sliced.cells.item) == list(left)
        assert len(sliced.units.code) == len(sliced.gap) == len(left) and sliced.size == 3
        assert all(len(cut.code) == len(left) for cut in sliced.cuts)
        ordered, _ = slices.cells_in_order(store, dataset, judge, verdict, "blind", drop)
        assert len(ordered.item) == len(left)


def test_items_stand_in_the_order_of_their_first_label(store):
    seats = [Seat(n, [float(n % 5 + 1)], {"j": [3.0]}) for n in (4, 2, 9, 7)]
    dataset, judges = add_seats(store, seats, "order")
    cells, k = slices.cells_in_order(store, dataset, judges["j"], HELP, "gate", False)
    assert k == 5
    ranked = np.asarray(cells.human)[np.argsort(cells.item)]
    assert ranked.tolist() == [2, 4, 2, 4]  # items 2, 4, 7, 9 in minutes 2, 4, 7, 9, with codes from 0


# -- confidence -------------------------------------------------------------------------------------------------------


def test_confidences_go_by_their_source_and_samples_are_one(store, crowd_dataset):
    dataset, judges = crowd_dataset
    by_source, scored = confidence.confidence_cells(store, dataset, judges["good"], HELP, "gate")
    assert (list(by_source), scored) == (["self-reported"], 360)
    seats = [
        (c, g == v)
        for s in crowd(120)
        for c, g, v in zip(s.sure["good"], s.gold, s.scores["good"], strict=True)
    ]  # fmt: skip
    high = [right for sure, right in seats if sure == 0.9]
    stated = confidence_calibration(by_source["self-reported"])
    assert stated.levels[-1].accuracy.point == pytest.approx(np.mean(high))
    assert confidence.confidence_cells(store, dataset, judges["poor"], HELP, "gate") == ({}, 360)
    more, judge = add_seats(store, [Seat(n, [4.0], {"j": [4.0]}) for n in range(3)], "sampled")
    row = ScoreRow("", judge["j"], content_id("sampled", 0), "turn:1", "helpfulness", 2.0, None, "", 1)
    store.tx("test", "another sample", lambda tx: tx.append([row]))
    sampled = confidence.confidence_cells(store, more, judge["j"], HELP, "gate")[0][confidence.SAMPLES]
    assert (sampled.confidence.tolist(), sampled.off.tolist()) == ([0.5], [0.0])


# -- blind and assisted -----------------------------------------------------------------------------------------------


def test_the_arms_side_by_side_and_what_was_changed_after_a_reveal(store):
    blind = [Seat(n, [4.0, 2.0], {"j": [4.0, 5.0]}, seconds=10 + n) for n in range(3)]
    assisted = [Seat(10 + n, [3.0], {"j": [3.0]}, mode="assisted", seconds=5) for n in range(2)]
    dataset, judges = add_seats(store, blind + assisted, "arms")

    def reveal(tx):
        rest = ("ann", "revealed", "", "", True, 5.0, None, None, False, BEGIN)
        tx.append([
            LabelRow(new_id(), "", content_id("arms", n), "turn:2", "helpfulness", value, *rest)
            for n, value in ((0, 5.0), (1, 3.0), (2, 1.0))
        ])  # fmt: skip

    store.tx("test", "reveal", reveal)
    arms = anchoring.arms(store, dataset, judges["j"], HELP, "gate")
    assert arms.blind == (6, 3, 3, (10.5, 11.0, 11.5))
    assert arms.assisted == (2, 2, 2, (5.0, 5.0, 5.0))
    assert (arms.changed, arms.to_judge, arms.nearer) == (3, 1, 2)  # 2 -> 5 and 2 -> 3 towards 5; 2 -> 1 away


def test_a_label_is_changed_after_a_reveal_if_this_judge_was_shown_before(store):
    """What people changed after they had seen other people's labels was said to be changed after a reveal."""
    seats = [Seat(n, [2.0], {"j": [4.0], "other": [4.0]}) for n in range(3)]
    dataset, judges = add_seats(store, seats, "discussed")

    def show(number, judge, route):
        row = ExposureRow(new_id(), content_id("discussed", number), judge, "ann", route)
        store.tx("ann", "exposure", lambda tx: tx.append([row]))

    show(0, "", "adjudication")
    show(1, judges["j"], "asked for")
    rest = (4.0, "ann", "revealed", "", "", False, None, None, None, False, BEGIN)
    rows = [LabelRow(new_id(), "x", content_id("discussed", n), "turn:1", "helpfulness", *rest) for n in range(2)]
    store.tx("ann", "answers", lambda tx: tx.append(rows))
    show(0, judges["j"], "asked for")
    arms_by_judge = {name: anchoring.arms(store, dataset, judge, HELP, "gate") for name, judge in judges.items()}
    changes = {name: (arms.changed, arms.to_judge, arms.nearer) for name, arms in arms_by_judge.items()}
    assert changes == {"j": (1, 1, 1), "other": (0, 0, 0)}


def test_assisted_labels_are_those_of_the_judge_whose_scores_were_shown(store):
    """Of a judge whose scores nobody had in view it was said how often people overrode it."""

    def judges_say(n):
        return {"shown": [float(n % 5 + 1)], "other": [float((n + 1) % 5 + 1)], "unseen": [3.0]}

    item, other = content_id("beside", 40), content_id("judge", "beside", "other")
    store.tx("ann", "exposure", lambda tx: tx.append([ExposureRow(new_id(), item, other, "ann", "review desk")]))
    blind = [Seat(n, [float(n % 5 + 1)], judges_say(n)) for n in range(40)]
    assisted = [Seat(n, [float(n % 5 + 1)], judges_say(n), mode="assisted", beside="shown") for n in range(40, 60)]
    dataset, judges = add_seats(store, blind + assisted, "beside")
    arms_by_judge = {name: anchoring.arms(store, dataset, judge, HELP, "gate") for name, judge in judges.items()}
    assert {name: arms.blind.labels for name, arms in arms_by_judge.items()} == dict.fromkeys(arms_by_judge, 40)
    counts = {name: (arms.assisted.labels, arms.assisted.seconds is not None) for name, arms in arms_by_judge.items()}
    assert counts == {"shown": (20, True), "other": (1, True), "unseen": (0, False)}
    anchors = {name: anchoring.anchor(store, dataset, judge, HELP, "gate") for name, judge in judges.items()}
    assert {name: anchor.assisted.items for name, anchor in anchors.items()} == {"shown": 20, "other": 1, "unseen": 0}
    assert anchors["shown"].others == pytest.approx((32, 16)), "of 40 and 20 items that have five answers alike"
    [sentence] = anchoring_findings.findings(*anchors["unseen"])
    assert "labels given with this judge's scores in view" in sentence_text(sentence)


# -- judges side by side ----------------------------------------------------------------------------------------------


def test_judges_are_held_against_each_other_on_what_all_of_them_scored(store):
    seats = []
    for n in range(40):
        b = None if n < 5 else 3.0 if n < 30 else float(n % 5 + 1)
        scores = {"a": [float(n % 5 + 1)], "b": [b], "c": ["unscored" if n == 39 else 2.0]}
        seats.append(Seat(n, [float(n % 5 + 1)], scores))
    dataset, judges = add_seats(store, seats, "same", probability=None)
    ids = [judges[name] for name in "abc"]
    both = comparison.compared_cells(store, dataset, ids[:2], HELP, "blind")
    assert (both.gold, [both.scored[i] for i in ids[:2]], len(both.cells.item)) == (40, [40, 35], 35)
    assert set(both.cells.judges) == {*ids[:2], LENGTH, CONSTANT}
    every = comparison.compared_cells(store, dataset, ids, HELP, "blind")
    assert len(every.cells.item) == 34
    assert set(every.cells.judges) == {*ids, LENGTH, CONSTANT}
    agreement = compare_judges(every.cells, ids[0], 5, "quadratic")
    human = [n % 5 for n in range(5, 39)]
    b = [2 if n < 30 else n % 5 for n in range(5, 39)]
    oracle = cohen_kappa_score(human, b, weights="quadratic", labels=range(5))
    order = np.argsort([content_id("same", n) for n in range(5, 39)])
    assert every.cells.human.tolist() == np.array(human)[order].tolist()
    assert agreement.kappas[ids[1]].point == pytest.approx(oracle)
    assert (agreement.kappas[ids[0]].point, agreement.kappas[CONSTANT].point) == (1.0, 0.0)
    assert every.cells.judges[CONSTANT].tolist() == [int(np.bincount(human).argmax())] * 34
    assert comparison.compared_cells(store, dataset, ids, HELP, "gate").cells.item.size == 0
    names = comparison.common_dimensions(store, ids)
    assert names["turn.helpfulness"] == (HELP, ids)


def test_judges_are_compared_in_what_the_first_of_them_is_asked(store):
    seats = [Seat(n, [float(n % 5 + 1)], {"a": [float(n % 5 + 1)]}) for n in range(4)]
    dataset, judges = add_seats(store, seats, "asked", probability=None)
    row = JudgeRow("pairs", "long_form_pairwise", "1", "m", "{}", False)
    store.tx("test", "judge", lambda tx: tx.append([row]))
    both = (judges["a"], "pairs")
    assert {"turn.helpfulness", "pair.verdict"} <= comparison.common_dimensions(store, both).keys()
    assert list(comparison.compare_on_shared_cells(store, dataset, both, "blind")) == ["turn.helpfulness"]
    assert comparison.compare_on_shared_cells(store, dataset, both[::-1], "blind") == {}


def test_judges_are_held_against_each_other_with_the_weights_of_the_draw(store):
    # Twenty items were drawn with one chance in two and stand for 40, twenty with one in four and stand for 80.
    cells = [
        Cell(n, "turn:1", (float(n % 5 + 1),), float(n % 5 + 1) if n < 20 else float((n + 1) % 5 + 1), "blind",
             0.5 if n < 20 else 0.25)
        for n in range(40)
    ]  # fmt: skip
    dataset, judge = fill(store, cells, "weighted")
    drawn = comparison.compared_cells(store, dataset, [judge], HELP, "gate").cells
    assert sorted(drawn.weight.tolist()) == [2.0] * 20 + [4.0] * 20
    human = [n % 5 for n in range(40)]
    judge_codes = [n % 5 if n < 20 else (n + 1) % 5 for n in range(40)]
    weight = [2] * 20 + [4] * 20
    oracle = cohen_kappa_score(human, judge_codes, weights="quadratic", labels=range(5), sample_weight=weight)
    assert compare_judges(drawn, judge, 5, "quadratic").kappas[judge].point == pytest.approx(oracle)
    assert (
        comparison.compared_cells(store, dataset, [judge], HELP, "blind").cells.weight is None
    )  # where each counts once


def test_cells_of_many_items_are_not_read_for_their_length(store, crowd_dataset, monkeypatch):
    dataset, judges = crowd_dataset
    monkeypatch.setattr(comparison, "MOST_ITEMS", 10)
    compared = comparison.compared_cells(store, dataset, [judges["good"]], HELP, "gate")
    assert compared.too_many
    assert set(compared.cells.judges) == {judges["good"], CONSTANT}
    assert json.dumps(sorted(compared.scored.values())) == "[360]"
    assert isinstance(slices.slice_cells(store, dataset, judges["good"], HELP, "gate").cells, Cells)
