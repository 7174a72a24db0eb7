"""Adjudication: which cells wait, deciding and taking back, who may, and two who decide at once."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from data.adjudication import adjudication, adjudication_items
from data.desk import desk
from data.gold import disputes
from data.gold.disputes import PersonLabel, comparable_labels
from data.gold.gold import gold_sql
from data.queue import listing, queue
from data.records import exposure, people, settings
from data.records.datasets import dataset_named
from data.records.settings import GoldRule
from data.records.tables import AnswerRow, CommentRow, JudgeRow, RemarkRow, ScoreRow
from data.store import open_store
from data.store.errors import BadInput, NotAllowed, NotFound
from data.store.ids import new_id, now
from data.workspace.verify import verify
from judges.errors import AssayError, BadScale
from judges.types import Scale
from tests.data.cells import Cell, fill

ORDINAL = Scale("ordinal", 1, 5, na=True)


@pytest.fixture
def store(tmp_path):
    opened = open_store(f"duckdb:///{tmp_path}/s.duckdb")
    people.join_workspace(opened, "lea")
    for name in ("res", "person0", "person1", "ann"):
        people.join_workspace(opened, name)
    people.set_person(opened, "lea", "res", "researcher")
    yield opened
    opened.close()


def fill_dataset(store, cells, difference=1, name="demo", resolve="median"):
    """(dataset id, {item number: id}) of cells under a rule."""
    dataset, _ = fill(store, cells, name)
    if settings.gold_rule(store, dataset) != GoldRule(resolve, difference):
        settings.set_gold_rule(store, "lea", dataset, GoldRule(resolve, difference))
    rows = store.rows("select id, name from item where dataset_id = $1", [dataset])
    return dataset, {int(n.split()[1]): i for i, n in rows}


def decide(store, dataset, actor="lea", value=4, reason="misread the text", at=0, key=None, **changes):
    cell = disputes.cells_to_adjudicate(store, dataset)[at]
    fields = {"item_id": cell.item, "unit": cell.unit, "dimension": cell.dimension, "token": cell.token, **changes}
    return adjudication.adjudicate(store, actor, key or new_id(), value=value, reason=reason, **fields)


def saw_judge(store, decision):
    [[saw_it]] = store.rows("select saw_judge from adjudication where id = $1", [decision.id])
    return saw_it


def saw(store, person, item):
    return bool(exposure.find_exposures(store, person, [item]).get(item, set()) - {exposure.OTHER_PEOPLE})


def mode(store, item, person, drawn):
    return exposure.answer_mode(drawn, exposure.find_exposures(store, person, [item]).get(item, ()))


def value_on(store, dataset, basis, item):
    sql = gold_sql("turn", ORDINAL, basis, settings.gold_rule(store, dataset))
    [row] = store.rows(f"select value, how from ({sql}) g where item_id = $3", [dataset, "helpfulness", item])
    return row


def test_labels_of_one_class_are_held_against_each_other():
    blind = [PersonLabel(f"b{n}", f"p{n}", 3.0, "blind") for n in range(2)]
    assisted = [PersonLabel(f"s{n}", f"q{n}", 5.0, "assisted") for n in range(2)]
    assert comparable_labels([*assisted, *blind]) == tuple(blind)
    # one blind label alone has nothing to be held against
    assert comparable_labels([*assisted, blind[0]]) == tuple(assisted)
    assert comparable_labels([assisted[0], blind[0]]) == (blind[0],)
    assert comparable_labels([]) == ()


def test_what_waits_and_in_which_order(store):
    dataset, ids = fill_dataset(store, [
        Cell(0, "turn:1", (3.0, 5.0), 3.0), Cell(0, "turn:2", (3.0, 4.0), 3.0),
        Cell(1, "turn:2", (2.0, 4.0), 3.0), Cell(1, "turn:1", (1.0, 5.0), 3.0),
        Cell(2, "turn:1", (1.0, 5.0), 3.0, "revealed"), Cell(3, "turn:1", (1.0, 4.0), 3.0, "assisted"),
        Cell(4, "turn:1", (None, 4.0), 3.0), Cell(4, "conversation", (0.0, 2.0), 0.0, "blind", None, "verdict"),
    ])  # fmt: skip
    # Items 1 and 4 have a cell that is as far apart as can be; beside it lie two steps of four (1.5 in all), and two of
    # the verdict's four categories, three steps (1 + 2/3). Item 3: three steps of four; item 0: two.
    cells = [(c.item, c.unit) for c in disputes.cells_to_adjudicate(store, dataset)]
    four, one_, three, none = ids[4], ids[1], ids[3], ids[0]
    expected = [
        (four, "turn:1"),
        (four, "conversation"),
        (one_, "turn:1"),
        (one_, "turn:2"),
        (three, "turn:1"),
        (none, "turn:1"),
    ]
    assert cells == expected
    assert disputes.cells_waiting_under(store, dataset, GoldRule("median", None)) == []
    assert {(c.item, c.unit) for c in disputes.cells_waiting_under(store, dataset, GoldRule("median", 0))} == {
        *cells,
        (none, "turn:2"),
    }


def test_answers_without_an_order_wait_where_people_are_divided_however_near_their_codes_are(store):
    people_say = {0: (0.0, 1.0), 1: (1.0, 1.0)}
    cells = [Cell(n, "pair", answers, 0.0, dimension="verdict") for n, answers in people_say.items()]
    dataset, _ = fill(store, cells, "pairs", kind="pair", card="long_form_pairwise")
    settings.set_gold_rule(store, "lea", dataset, GoldRule("median", 1))
    assert [cell.name for cell in disputes.cells_to_adjudicate(store, dataset)] == ["item 0"]


def test_of_two_items_the_one_with_the_widest_gap_comes_first(store):
    """Items whose widest gap is the same go by the sum of their gaps; without a gap of 1 all of it counts."""
    dataset, ids = fill_dataset(store, [
        Cell(0, "turn:1", (2.0, 4.0), 3.0), Cell(0, "turn:2", (2.0, 4.0), 3.0),
        Cell(1, "turn:1", (1.0, 4.0), 3.0), Cell(2, "turn:1", (2.0, 4.0), 3.0),
    ])  # fmt: skip
    cells = [(c.item, c.unit) for c in disputes.cells_to_adjudicate(store, dataset)]
    assert cells == [(ids[1], "turn:1"), (ids[0], "turn:1"), (ids[0], "turn:2"), (ids[2], "turn:1")]


def test_beside_an_item_stands_what_people_wrote_about_it_with_the_answers_that_hold(store):
    dataset, ids = fill_dataset(store, [Cell(n, "turn:1", (1.0, 5.0), 3.0) for n in range(2)])
    rest = "person0", "", "save", "blind", ""
    answers = [
        AnswerRow(key, dataset, ids[n], "", *rest, previous, 0, now())
        for key, n, previous in (("old", 0, ""), ("new", 0, "old"), ("other", 1, ""))
    ]
    comments = [
        CommentRow(new_id(), answer.id, answer.item_id, "turn:1", "comment", f"{answer.id} words", "person0")
        for answer in answers
    ]
    store.tx("person0", "answers", lambda tx: [tx.append(rows) for rows in (answers, comments)])
    cells = disputes.cells_to_adjudicate(store, dataset)
    shown = adjudication_items.load_adjudication_items(store, "lea", cells, 2)
    words = {item.view.item.id: [comment.text for comment in item.comments] for item in shown}
    assert words == {ids[0]: ["new words"], ids[1]: ["other words"]}


def test_a_decision_stands_and_can_be_taken_back(store):
    dataset, ids = fill_dataset(store, [Cell(0, "turn:1", (3.0, 5.0), 3.0, "blind", 0.5)])
    decision = decide(store, dataset, "res", 4, "  misread the text ")
    assert (decision.value, decision.reason, {s.person for s in decision.labels}) == (
        4.0, "misread the text", {"person0", "person1"})  # fmt: skip
    assert not saw_judge(store, decision)
    for basis in ("gate", "blind", "all"):
        assert value_on(store, dataset, basis, ids[0]) == (4.0, "adjudicated")
    assert disputes.cells_to_adjudicate(store, dataset) == []
    labels = json.loads(store.rows("select labels from adjudication")[0][0])
    assert sorted((one_["person"], one_["value"], one_["mode"]) for one_ in labels) == [
        ("person0", 3.0, "blind"), ("person1", 5.0, "blind")]  # fmt: skip
    [done] = adjudication_items.adjudicated_cells(store, "res", dataset)
    assert (done.person, done.value, done.reason) == ("res", "4", "misread the text")
    assert done.labels == "person0 3, person1 5"
    with pytest.raises(NotAllowed, match=r"^res made this decision: only they or a lead can take it back\.$"):
        people.set_person(store, "lea", "ann", "researcher")
        adjudication.withdraw_adjudication(store, "ann", new_id(), decision.id)
    key = new_id()
    adjudication.withdraw_adjudication(store, "res", key, decision.id)
    adjudication.withdraw_adjudication(store, "res", key, decision.id)  # sent twice
    assert value_on(store, dataset, "gate", ids[0]) == (3.0, "median")
    assert len(disputes.cells_to_adjudicate(store, dataset)) == 1
    with pytest.raises(BadInput, match="is no longer in force"):
        adjudication.withdraw_adjudication(store, "res", new_id(), decision.id)
    again = decide(store, dataset, "res", 2, "looked again")
    adjudication.withdraw_adjudication(store, "lea", new_id(), again.id)  # a lead may take back what others decided
    assert store.rows("select person, withdrawn from adjudication order by seq desc limit 1") == [("lea", True)]


def test_a_decision_is_written_once_for_its_key(store):
    dataset, _ = fill_dataset(store, [Cell(0, "turn:1", (3.0, 5.0), 3.0), Cell(1, "turn:1", (1.0, 5.0), 3.0)])
    cell = disputes.cells_to_adjudicate(store, dataset)[0]
    key = new_id()
    fields = (cell.item, cell.unit, cell.dimension, 4, "why", cell.token)
    assert adjudication.adjudicate(store, "lea", key, *fields) == adjudication.adjudicate(store, "lea", key, *fields)
    assert store.rows("select count(*) from adjudication") == [(1,)]
    with pytest.raises(BadInput, match="Another decision has this"):
        decide(store, dataset, key=key)


def test_a_key_is_acknowledged_for_its_own_act_only(store):
    dataset, _ = fill_dataset(store, [Cell(0, "turn:1", (3.0, 5.0), 3.0), Cell(1, "turn:1", (1.0, 5.0), 3.0)])
    one_, two = (adjudication.adjudication_work(store, "lea", dataset).own[n] for n in (0, 1))
    key, other, back = new_id(), new_id(), new_id()

    def fields(cell, value=4, reason="why"):
        return cell.item, cell.unit, cell.dimension, value, reason, cell.token

    adjudication.adjudicate(store, "lea", key, *fields(one_))
    adjudication.adjudicate(store, "lea", other, *fields(two))
    for changed in (fields(one_, 5), fields(one_, None), fields(one_, reason="because"), fields(two)):
        with pytest.raises(AssayError):
            adjudication.adjudicate(store, "lea", key, *changed)
    with pytest.raises(BadInput, match="Another decision has this"):
        adjudication.withdraw_adjudication(store, "lea", key, key)
    adjudication.withdraw_adjudication(store, "lea", back, key)
    adjudication.withdraw_adjudication(store, "lea", back, key)
    for person, of in (("lea", other), ("lea", "none"), ("res", key)):
        with pytest.raises(BadInput, match="Another decision has this"):
            adjudication.withdraw_adjudication(store, person, back, of)
    with pytest.raises(BadInput, match="Another decision has this"):
        adjudication.adjudicate(store, "lea", back, *fields(one_))
    assert store.rows("select count(*) from adjudication") == [(3,)]


@pytest.mark.parametrize("value", [10**400, float("nan"), float("inf"), -(10**9), True, [], {"a": 1}, [[4]]])
def test_what_is_no_answer_is_refused_in_a_sentence(store, value):
    dataset, _ = fill_dataset(store, [Cell(0, "turn:1", (3.0, 5.0), 3.0)])
    with pytest.raises(BadScale, match="no answer of its scale"):
        decide(store, dataset, value=value)


def test_who_may_decide(store):
    dataset, _ = fill_dataset(store, [Cell(0, "turn:1", (3.0, 5.0), 3.0)])
    with pytest.raises(NotAllowed, match="needs the role researcher"):
        decide(store, dataset, "ann")
    people.set_person(store, "lea", "person0", "researcher")
    with pytest.raises(NotAllowed, match="Somebody else has to decide: lea, res"):
        decide(store, dataset, "person0")
    assert adjudication.adjudication_work(store, "person0", dataset) == adjudication.AdjudicationWork([], 1)
    assert adjudication.adjudication_work(store, "ann", dataset) == adjudication.AdjudicationWork([], 1)
    assert len(adjudication.adjudication_work(store, "res", dataset).own) == 1
    # Where nobody else is left, the one who labelled it may: the labels kept with the decision show it.
    people.set_person(store, "lea", "person0", "lead")
    people.set_person(store, "person0", "lea", "lead", active=False)
    people.set_person(store, "person0", "res", "researcher", active=False)
    assert decide(store, dataset, "person0").person == "person0"


REFUSED = [
    ({"value": 6}, BadScale, "6.0 is not on the scale"), ({"value": "x"}, BadScale, "not on the scale"),
    ({"value": None}, BadScale, "n/a is not an answer here"), ({"reason": " \n"}, BadInput, "needs a reason"),
    ({"reason": "x" * 2001}, BadInput, "at most 2,000 are"), ({"key": "short"}, BadInput, "a key of 8 to 80"),
    ({"token": "old"}, BadInput, "changed while you decided"), ({"unit": "turn:9"}, NotFound, "in force any more"),
    ({"item_id": "nothing"}, NotFound, "no such item"), ({"dimension": "unheard"}, NotFound, "in force any more"),
]  # fmt: skip


def test_what_cannot_be_decided_is_refused_in_a_sentence(store):
    dataset, _ = fill_dataset(store, [Cell(0, "turn:1", (3.0, 5.0), 3.0)])
    for changes, error, says in REFUSED:
        with pytest.raises(error, match=says):
            decide(store, dataset, **changes)
    assert store.rows("select count(*) from adjudication") == [(0,)]


def test_an_annotator_is_shown_nothing_that_others_decide_on(store):
    dataset, ids = fill_dataset(store, [Cell(n, "turn:1", (3.0, 5.0), 3.0) for n in range(2)])
    decision, newest = decide(store, dataset), store.newest()
    item = disputes.cells_to_adjudicate(store, dataset)[0].item
    for act in (
        lambda: adjudication.reveal_while_adjudicating(store, "ann", item),
        lambda: adjudication.record_look(store, "ann", list(ids.values())),
        lambda: adjudication.withdraw_adjudication(store, "ann", new_id(), decision.id),
        lambda: adjudication_items.adjudicated_cells(store, "ann", dataset),
    ):
        with pytest.raises(NotAllowed, match="needs the role researcher"):
            act()
    assert store.newest() == newest and exposure.find_exposures(store, "ann", list(ids.values())) == {}
    cell, *_ = adjudication_items.adjudicated_cells(store, "res", dataset)
    assert (cell.id, cell.person, cell.value, cell.labels) == (decision.id, "lea", "4", "person0 3, person1 5")


def test_decisions_on_items_that_one_may_still_get_blind_are_left_out_of_the_list(store, monkeypatch):
    dataset, ids = fill_dataset(store, [Cell(n, "turn:1", (3.0, 5.0), 3.0, "blind", n or None) for n in range(2)])
    for item in ids.values():
        decide(store, dataset, item_id=item, token=_token(store, dataset, item))
    names = [[c.name for c in adjudication_items.adjudicated_cells(store, name, dataset)] for name in ("res", "lea")]
    newest_first = [f"item {n}" for n in reversed(ids)]
    assert names == [["item 0"], newest_first], "item 1 is drawn, and lea has decided on it"
    monkeypatch.setattr(adjudication_items, "_NEWEST", 1)
    names = [[c.name for c in adjudication_items.adjudicated_cells(store, name, dataset)] for name in ("res", "lea")]
    assert names == [["item 0"], ["item 1"]], "they take no place among the newest"


@pytest.mark.parametrize(("letters", "valid"), [(7, False), (8, True), (80, True), (81, False)])
def test_a_key_of_8_to_80_letters_is_one(store, letters, valid):
    dataset, _ = fill_dataset(store, [Cell(0, "turn:1", (3.0, 5.0), 3.0)])
    if not valid:
        with pytest.raises(BadInput, match="A decision needs a key of 8 to 80 letters, made where it was taken"):
            decide(store, dataset, key="k" * letters)
        with pytest.raises(BadInput, match="Taking a decision back needs a key of 8 to 80 letters"):
            adjudication.withdraw_adjudication(store, "lea", "w" * letters, decide(store, dataset).id)
        return
    decision = decide(store, dataset, key="k" * letters)
    adjudication.withdraw_adjudication(store, "lea", "w" * letters, decision.id)
    assert adjudication.adjudication_work(store, "res", dataset).others == 0
    assert [len(adjudication.adjudication_work(store, person, dataset).own) for person in ("res", "person0")] == [1, 0]


def test_where_people_agree_nothing_can_be_decided(store):
    dataset, _ = fill_dataset(store, [Cell(0, "turn:1", (3.0, 5.0), 3.0), Cell(1, "turn:1", (4.0, 4.0), 3.0)])
    agreed = next(i for (i,) in store.rows("select item_id from label group by item_id having min(value) = max(value)"))
    with pytest.raises(BadInput, match="nothing to decide"):
        decide(store, dataset, item_id=agreed)
    with pytest.raises(NotFound, match="No cell of this item waits"):
        adjudication.reveal_while_adjudicating(store, "lea", agreed)


def test_the_store_knows_who_saw_the_judge(store):
    dataset, ids = fill_dataset(store, [
        Cell(0, "turn:1", (3.0, 5.0), 3.0, "blind", 0.5), Cell(1, "turn:1", (1.0, 5.0), 3.0, "assisted", 0.5)
    ])  # fmt: skip
    adjudication.reveal_while_adjudicating(store, "lea", ids[0])
    assert saw_judge(store, decide(store, dataset, "lea", 5, item_id=ids[0], token=_token(store, dataset, ids[0])))
    assert value_on(store, dataset, "all", ids[0]) == (5.0, "adjudicated")
    assert value_on(store, dataset, "gate", ids[0]) == value_on(store, dataset, "blind", ids[0]) == (3.0, "median")
    # The labels themselves were given with the judge in view: what is decided on them counts on no blind basis either.
    assert saw_judge(store, decide(store, dataset, "res", 2))
    assert mode(store, ids[0], "lea", "blind") == "revealed"  # and lea's own label is no blind one


def test_who_opened_an_item_with_the_judge_in_view_saw_it(store):
    _, ids = fill_dataset(store, [Cell(0, "turn:1", (3.0, 5.0), 3.0), Cell(1, "turn:1", (3.0, 5.0), 3.0)])
    desk.open_item(store, "res", ids[0])
    assert saw(store, "res", ids[0])
    assert not saw(store, "res", ids[1])
    assert not saw(store, "lea", ids[0])


def test_what_a_colleague_was_shown_marks_nobody_elses_decision(store):
    dataset, ids = fill_dataset(store, [Cell(n, "turn:1", (3.0, 5.0), 3.0, "blind", 0.5) for n in range(2)])
    adjudication.reveal_while_adjudicating(
        store, "res", ids[0]
    )  # res sees the judge's scores of the item that lea decides on,
    adjudication.reveal_while_adjudicating(store, "lea", ids[1])  # and lea those of another one
    adjudication.record_look(store, "lea", [ids[0]])  # people's labels, which are no judge's
    decision = decide(store, dataset, "lea", 5, item_id=ids[0], token=_token(store, dataset, ids[0]))
    assert not saw_judge(store, decision)
    assert value_on(store, dataset, "gate", ids[0]) == (5.0, "adjudicated")


def test_a_decision_is_reopened_when_labels_change(store):
    dataset, ids = fill_dataset(store, [Cell(0, "turn:1", (3.0, 5.0), 3.0)])
    decision = decide(store, dataset)
    old = store.rows("select id, value from label where value = 5")[0][0]
    columns = (
        "id, answer_id, item_id, unit, dimension, value, annotator, mode, draw_id, judge_id, saw, seen, probability, "
        "replaces, withdrawn, made_at"
    )

    def change(value):
        values = (ids[0], "turn:1", "helpfulness", value, "person1", "blind", "", "", False, None, None)
        store.tx("t", "t", lambda tx: tx.add("label", columns, [(new_id(), "", *values, old, False, "2026-01-01")]))

    change(5.0)  # given anew with the same value: nothing to look at
    assert disputes.cells_to_adjudicate(store, dataset) == []
    old = store.rows("select id from label_now where annotator = 'person1'")[0][0]
    change(4.0)  # they lie one step apart now, and yet it waits: it was decided on something else
    [cell] = disputes.cells_to_adjudicate(store, dataset)
    assert cell.reopened and cell.decision.id == decision.id
    [item] = adjudication_items.load_adjudication_items(store, "res", [cell], 3)
    assert (item.cells, item.decided) == ([cell], []), "what is to be decided again is not shown beside itself"
    assert value_on(store, dataset, "all", ids[0]) == (4.0, "adjudicated")  # what was decided stands until then
    decide(store, dataset, "res", 3, "looked again")
    assert disputes.cells_to_adjudicate(store, dataset) == []
    assert value_on(store, dataset, "all", ids[0]) == (3.0, "adjudicated")


def test_of_two_who_decide_at_once_one_is_told_so(store):
    dataset, _ = fill_dataset(store, [Cell(n, "turn:1", (1.0, 5.0), 3.0) for n in range(6)])
    cells = disputes.cells_to_adjudicate(store, dataset)

    def go(actor):
        messages = []
        for c in cells:
            try:
                decision = adjudication.adjudicate(
                    store, actor, new_id(), c.item, c.unit, c.dimension, 4, "why", c.token
                )
                messages.append(decision.person)
            except AssayError as error:
                messages.append(str(error))
        return messages

    with ThreadPoolExecutor(2) as pool:
        both = list(zip(*pool.map(go, ["lea", "res"]), strict=True))
    for pair in both:
        other = {"lea": "res", "res": "lea"}
        [winner] = [p for p in pair if p in other]
        [refused] = [p for p in pair if p not in other]
        assert refused == f"{winner} decided this rating meanwhile: 4, because: why"
    assert store.rows("select count(*) from adjudication") == [(6,)]


def test_beside_what_waits_of_an_item_stands_what_was_decided_with_all_its_labels(store):
    dataset, _ = fill_dataset(store, [
        Cell(0, "turn:1", (1.0, 5.0), 3.0), Cell(0, "turn:2", (1.0, 5.0), 3.0, dimension="safety"),
        Cell(0, "turn:2", (4.0, 4.0), 3.0), Cell(0, "conversation", (3.0,), 3.0, dimension="coherence"),
    ], difference=3)  # fmt: skip
    decide(store, dataset, "res", 2, "the definition settles it", at=next(
        n for n, c in enumerate(disputes.cells_to_adjudicate(store, dataset)) if c.unit == "turn:1"))  # fmt: skip
    left = disputes.cells_to_adjudicate(store, dataset)
    [item] = adjudication_items.load_adjudication_items(store, "res", left, 3)
    assert [(c.unit, c.dimension) for c in item.cells] == [("turn:2", "safety")]
    [cell] = item.decided
    assert (cell.unit, cell.dimension, [s.value for s in cell.labels]) == ("turn:1", "helpfulness", [1.0, 5.0])
    assert (cell.decision.person, cell.decision.value) == ("res", 2.0)
    assert cell.decision.reason == "the definition settles it"
    assert set(item.dimensions) == {("turn:1", "helpfulness"), ("turn:2", "safety")}


def test_what_a_rule_would_change_is_told_before_it_is_saved(store):
    dataset, _ = fill_dataset(store, [
        Cell(0, "turn:1", (2.0, 4.0, 5.0, 5.0), 3.0),  # median 4, majority 5
        Cell(1, "turn:1", (3.0, 3.0, 5.0), 3.0), Cell(2, "turn:1", (3.0, 4.0), 3.0), Cell(3, "turn:1", (5.0, 5.0), 3.0),
    ], difference=None)  # fmt: skip
    assert adjudication.rule_effect(store, dataset, GoldRule("majority", 1)) == adjudication.RuleEffect(2, 0, 1)
    assert adjudication.rule_effect(store, dataset, GoldRule("median", 0)) == adjudication.RuleEffect(3, 0, 0)
    assert settings.gold_rule(store, dataset) == GoldRule()


def test_the_docket_holds_no_judge_until_it_is_asked_for(store):
    dataset, ids = fill_dataset(store, [Cell(0, "turn:1", (1.0, 5.0), 3.0)])
    settings.hide_systems(store, "lea", dataset, True)
    [item] = adjudication_items.load_adjudication_items(store, "lea", disputes.cells_to_adjudicate(store, dataset), 3)
    assert item.judge_scores is None and item.view.mode == "blind" and not item.view.scores
    assert item.view.unnamed, "the names of systems are hidden as long as the judge is"
    [(judge, judgment)] = store.rows("select judge_id, id from judgment")
    probe = JudgeRow(new_id(), "c", "v", "m", '{"probe":"length"}', False)
    cell = ids[0], "turn:1", "helpfulness"
    notes = (("note", "Clear.", 0), ("rule", "It says 9.", 0), ("note", "Vague.", 1))
    for row in (
        probe, ScoreRow(judgment, probe.id, *cell, 5.0, None, "", 0),
        *(RemarkRow(judgment, judge, *cell, *note) for note in notes),
    ):  # fmt: skip
        store.tx("lea", "test", lambda tx, row=row: tx.append([row]))
    adjudication.reveal_while_adjudicating(store, "lea", ids[0])
    [item] = adjudication_items.load_adjudication_items(store, "lea", disputes.cells_to_adjudicate(store, dataset), 3)
    assert item.judge_scores == [adjudication_items.AdjudicationScore("turn:1", "helpfulness", "m", 3.0, "Clear.")]
    assert not item.view.unnamed
    [other] = adjudication_items.load_adjudication_items(store, "res", disputes.cells_to_adjudicate(store, dataset), 3)
    assert other.judge_scores is None


def _token(store, dataset, item):
    return next(c.token for c in disputes.cells_to_adjudicate(store, dataset) if c.item == item)


def test_a_dataset_has_its_own_rule(store):
    dataset, _ = fill_dataset(store, [Cell(0, "turn:1", (1.0, 5.0), 3.0)])
    other, _ = fill_dataset(store, [Cell(0, "turn:1", (1.0, 5.0), 3.0)], difference=None, name="other")
    assert len(disputes.cells_to_adjudicate(store, dataset)) == 1
    assert disputes.cells_to_adjudicate(store, other) == []
    assert dataset_named(store, "other").id == other


def test_who_knows_what_others_say_is_not_asked_in_the_audit_sample(store):
    dataset, ids = fill_dataset(store, [Cell(n, "turn:1", (1.0, 5.0), 3.0, "blind", 0.5) for n in range(3)])

    def waiting_numbers():
        drawn = queue.claim_items(store, "res", dataset, "audit", queue.QueueFilters(), (), 9)
        return {number for number, item in ids.items() if item in {claim.item for claim in drawn}}

    assert waiting_numbers() == {0, 1, 2} and mode(store, ids[0], "res", "blind") == "blind"
    adjudication.record_look(store, "res", [ids[0], ids[1]])
    adjudication.record_look(store, "res", [ids[1], ids[0]])  # shown again: nothing new to write
    assert store.rows("select count(*) from exposure where judge_id = '' and person = 'res'") == [(2,)]
    decide(store, dataset, "res", item_id=ids[2], token=_token(store, dataset, ids[2]))
    assert waiting_numbers() == set() and queue.count_open(store, "res", dataset, "audit") == 0
    assert queue.count_open(store, "lea", dataset, "audit") == 3
    rows = listing.list_queue(store, "res", dataset, "audit", queue.QueueFilters()).rows
    assert {row.state for row in rows} == {"not for you"}
    assert {mode(store, item, "res", "blind") for item in ids.values()} == {"revealed"}
    assert mode(store, ids[0], "res", "assisted") == "assisted"
    assert not [finding for finding in verify(store) if "claim" in finding or "exposure" in finding]
    with pytest.raises(NotAllowed, match="needs the role researcher"):
        adjudication.record_look(store, "ann", [ids[0]])
