"""The approvals page in a real browser: a lead decides, bad gold suspends, and the lead's home says so."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import expect

from data.approvals import approvals, case, policy, record
from data.approvals.suspension import PeriodFigure
from data.store import open_store
from pages.approvals import page as approvals_page
from tests.data.approvals.test_approvals import Key, approve, judged_cells, open_workspace, relabel, set_asked
from tests.data.approvals.test_suspension import draw, drawn_cells, label, undrawn
from tests.pages.desk_driver import at_rest, enter
from tests.server import Server

NASTY = "Good <b>x</b> ![a](https://canary.test/a.png) **bold** 対話"


def test_figures_below_0_have_a_minus_sign_and_no_hyphen() -> None:
    """A lower bound of -0.11 stood below an interval from −0.07."""
    policy_: Any = SimpleNamespace(threshold=0.4, lower_bound=True)
    gate = SimpleNamespace(interval=SimpleNamespace(point=0.5))
    result = SimpleNamespace(gate=gate, check=SimpleNamespace(bound=-0.11))
    judged: Any = SimpleNamespace(result=result, requirements=SimpleNamespace(policy=policy_))
    assert approvals_page.met_policy_sentence(judged, "Yes").endswith(", and so is its lower bound, \u22120.11.")
    figures = [PeriodFigure(period, -0.25, None, None, 20, -0.5) for period in ("at the approval", "labels since")]
    assert approvals_page._describe_bias(figures).startswith("Bias (judge - people): \u22120.50 at the approval, ")
    assert approvals_page._interval_row(figures[0], 0.4).remark == "\u22120.25 on 20 items"


def start_app(serve: Callable[..., Server], four_eyes: bool = False, bad: bool = False) -> tuple[Server, Key]:
    """The app on a store in which helpfulness meets policy; `bad`: it was approved, and then bad gold came."""
    app = serve(start=False)
    store, dataset, judge = open_workspace(app.store_path, [*judged_cells(120), *judged_cells(20, "safety")])
    key: Key = (dataset, judge, "turn", "helpfulness")
    if bad:
        approvals.record_decision(
            store, "lea", *key, "approve", NASTY, case.seen_mark(store, case.find_case(store, *key))
        )
        relabel(store, key, lambda v: 6 - v, most=60)
    if four_eyes:
        set_asked(store, four_eyes=True)
    store.close()
    app.start()
    return app, key


def open_row(page: Any, name: str = "helpfulness · turn") -> Any:
    before = page.url
    page.get_by_role("button", name=name).click()
    page.wait_for_url(lambda url: url != before)
    at_rest(page)  # until then, the evidence of the row before may stand beside that of the new one
    expect(page.get_by_text("All evidence")).to_be_visible()
    return page.get_by_test_id("stMain")


@pytest.mark.slow
def test_a_lead_decides_and_what_the_policy_refuses_cannot_be_clicked(
    serve: Callable[..., Server], page: Any, new_page: Callable[..., Any]
) -> None:
    app, key = start_app(serve)
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    enter(page, app.url, "lea", "approvals?dataset=demo")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("To decide: 1 meeting the policy, not decided.")
    open_row(page)
    expect(main).to_contain_text("You may approve it: kappa 0.9")
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(main).to_contain_text("Say why, in a sentence")
    # another lead changes what is asked, so what stands on this page is not what stands now
    other = new_page()
    enter(other, app.url, "lou", "approvals?dataset=demo")
    other.get_by_text("Change the policy").click()
    at_rest(other)
    other.get_by_role("spinbutton", name="Required kappa").fill("0.4")
    other.get_by_role("textbox", name="Reason").fill("The cards say so.")
    other.keyboard.press("Tab")  # the values are in the form before its button is clicked
    other.get_by_role("button", name="Save the policy").click()
    expect(other.get_by_test_id("stMain")).to_contain_text("Nothing was approved or suspended by it")
    page.get_by_role("textbox", name="Reason").first.fill(NASTY)
    page.keyboard.press("Tab")
    expect(main).to_contain_text("Something changed since you opened this")
    expect(main.get_by_role("button", name="Approve", exact=True)).to_have_count(0)
    page.get_by_role("button", name="I have reviewed it").click()
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(main).to_contain_text("helpfulness · turn is approved.")
    expect(main).to_contain_text("lea approved it")
    expect(main).to_contain_text("Evidence at that time: meets policy, kappa 0.9")
    bounds = re.findall(r"lower bound ([\d.]+\d),", main.inner_text())
    assert len(bounds) == 2 and len(set(bounds)) == 1, "the bound that was checked, and no other beside it"
    expect(main).to_contain_text("**bold** 対話")
    expect(main.get_by_role("button", name="Approve", exact=True)).to_have_count(0)
    expect(main.get_by_role("button", name="Suspend", exact=True)).to_be_visible()
    page.get_by_text("not ready to approve: what is missing").click()
    open_row(page, "safety · turn")
    expect(main).to_contain_text("blind answers to 88 more drawn items")
    at_rest(page)
    expect(main.get_by_role("button", name="Approve", exact=True)).to_have_count(0)
    reader = new_page()
    enter(reader, app.url, "ann", "approvals?dataset=demo")
    open_row(reader)
    expect(reader.get_by_test_id("stMain")).to_contain_text("Leads decide")
    at_rest(reader)
    for name in ("Suspend", "Decline", "Approve"):
        expect(reader.get_by_role("button", name=name, exact=True)).to_have_count(0)
    expect(reader.get_by_text("Change the policy")).to_have_count(0)
    assert not [url for url in urls if "canary" in url]
    app.stop()
    store = open_store(app.store)
    assert [(a.person, a.reason) for a in record.decision_history(store, *key)] == [("lea", NASTY)]
    store.close()


def test_bad_gold_suspends_and_stands_on_the_leads_home(serve: Callable[..., Server], page: Any) -> None:
    app, key = start_app(serve, four_eyes=True, bad=True)
    enter(page, app.url, "lea", "")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("helpfulness · turn in demo was suspended by new evidence. With the labels")
    main.get_by_role("link", name="Review and decide").click()
    expect(main).to_contain_text("To decide: 1 suspended by new evidence.")
    expect(main).to_contain_text("Assay (approval check) suspended it")
    page.get_by_role("textbox", name="Reason").first.fill("People read the rubric anew.")
    page.get_by_role("button", name="Decline", exact=True).click()
    expect(main).to_contain_text("helpfulness · turn is declined.")
    page.get_by_role("link", name="Overview").first.click()
    expect(page.get_by_text("To label")).to_be_visible()
    expect(main).not_to_contain_text("suspended")
    app.stop()
    store = open_store(app.store)
    assert [a.decision for a in record.decision_history(store, *key)] == ["decline", "suspend", "approve"]
    store.close()


@pytest.mark.slow
def test_what_is_to_be_looked_at_is_shown_to_leads_and_kept(
    serve: Callable[..., Server], page: Any, new_page: Callable[..., Any]
) -> None:
    app = serve(start=False)
    more = drawn_cells(120, 180)
    store, dataset, judge = open_workspace(app.store_path, [*judged_cells(120), *undrawn(more)])
    key: Key = (dataset, judge, "turn", "helpfulness")
    approve(store, key)
    draw(store, key, more)
    label(store, key, range(120, 180), lambda v: max(v - 1, 1.0) if v != 3 else 5.0)
    assert approvals.active_approvals(store, dataset) and approvals.find_open_decisions(store).doubted
    set_asked(store, threshold=0.6)
    store.close()
    app.start()
    enter(page, app.url, "lea", "")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("1 approved, to be reviewed.")
    page.goto(f"{app.url}/dashboard?dataset=demo")
    expect(main).to_contain_text("helpfulness · turn is to be reviewed: Kappa fell by")
    expect(page.get_by_text("approved under an older policy")).to_be_visible()
    sentence = "Approved under the first policy (required: kappa 0.50); today's policy requires kappa 0.60."
    expect(main).to_contain_text(sentence)
    reader = new_page()
    enter(reader, app.url, "ann", "dashboard?dataset=demo")
    expect(reader.get_by_text("approved under an older policy")).to_be_visible()
    expect(reader.get_by_test_id("stMain")).not_to_contain_text("is to be reviewed")
    page.get_by_role("link", name="Review", exact=True).click()
    expect(main).to_contain_text("labels since")
    expect(main).to_contain_text("0.97 on 120 items")
    reason = page.get_by_role("textbox", name="Reason").first
    field = reason.element_handle()
    page.get_by_role("button", name="Keep approved").click()
    expect(main).to_contain_text("Say why, in a sentence")
    at_rest(page)
    assert field.evaluate("field => field.isConnected"), "drawn anew, it would lose what somebody types meanwhile"
    reason.fill(NASTY)
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Keep approved").click()
    expect(main).to_contain_text("stays approved.")
    expect(main).to_contain_text("lea reviewed it and kept it approved: Good <b>x</b>")
    expect(page.get_by_role("button", name="Keep approved")).to_have_count(0)


def change_policy(page: Any, reason: str, **values: str) -> None:
    """Fill the form of the policy, which is open, and save it."""
    for name, value in values.items():
        page.get_by_role("spinbutton", name=name.replace("_", " ")).fill(value)
    page.get_by_role("textbox", name="Reason").last.fill(reason)
    page.keyboard.press("Tab")  # the values are in the form before its button is clicked
    page.get_by_role("button", name="Save the policy").click()


@pytest.mark.slow
def test_two_leads_at_one_policy_change_and_agree_to_what_they_have_seen_only(
    serve: Callable[..., Server], page: Any, new_page: Callable[..., Any]
) -> None:
    app, _ = start_app(serve, four_eyes=True)
    other = new_page()
    for tab, name in ((page, "lea"), (other, "lou")):
        enter(tab, app.url, name, "approvals?dataset=demo")
        tab.get_by_text("Change the policy").click()
        tab.get_by_role("button", name="Save the policy").wait_for()
        at_rest(tab)
    # Both have the form open: what one of them typed is not saved in parts, under a reason that is not of it.
    change_policy(page, "Stricter.", Required_kappa="0.6")
    expect(page.get_by_text("Nothing was approved or suspended by it")).to_be_visible()
    change_policy(other, "Much stricter.", Required_kappa="0.7", Required_items="200")
    expect(other.get_by_text("was changed since you opened this form")).to_be_visible()
    at_rest(other)
    expect(other.get_by_text("Much stricter.")).to_have_count(0)
    # What is agreed to is what stood there.
    change_policy(page, "A little less.", Required_kappa="0.55")
    expect(page.get_by_text("proposed a less strict policy: A little less.")).to_be_visible()
    other.reload()
    expect(other.get_by_text("proposed a less strict policy: A little less.")).to_be_visible()
    at_rest(other)
    change_policy(page, "Far less.", Required_kappa="0.3")
    expect(page.get_by_text("proposed a less strict policy: Far less.")).to_be_visible()
    other.get_by_role("button", name="Agree").click()
    expect(other.get_by_text("proposed a less strict policy: Far less.")).to_be_visible()
    at_rest(other)
    app.stop()
    store = open_store(app.store)
    assert policy.requirements(store).policy.threshold == 0.6
    assert [change.reason for change in policy.policy_changes(store)][:1] == ["Stricter."]
    store.close()
