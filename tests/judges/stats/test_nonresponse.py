"""Who answered: when it is enough, and what is said where it is not."""

from hypothesis import given
from hypothesis import strategies as st

from judges.stats.approval_check import CheckResult
from judges.stats.nonresponse import SampleResponse, StratumResponse, require_response

ELIGIBLE = CheckResult("meets policy", "All is well.")


@st.composite
def responses(draw):
    numbers = draw(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 60)), min_size=1, max_size=6))
    return SampleResponse(
        tuple(
            StratumResponse(f"s{n}", 10.0 * drawn, drawn, min(answered, drawn))
            for n, (drawn, answered) in enumerate(numbers)
        )
    )


@given(responses(), st.integers(0, 100))
def test_it_is_enough_where_every_share_reaches_what_is_asked(response, percent):
    parts = [*response.strata, response.overall]
    enough = all(100 * s.answered >= percent * s.drawn for s in parts)  # in whole numbers, without rounding
    assert (response.lacks(percent / 100) == 0) == enough == (response.objections(percent / 100) == "")
    decision = require_response(ELIGIBLE, response, percent / 100)
    assert (decision is ELIGIBLE) == enough
    if not enough:
        assert decision.state == "below minimum sample"
        assert 0 < decision.more[0] == decision.more[1] <= response.overall.drawn - response.overall.answered


def test_sentences_name_the_strata_that_lack_answers():
    response = SampleResponse(
        (StratumResponse("x", 100, 40, 40), StratumResponse("y", 300, 60, 50), StratumResponse("z", 90, 20, 18))
    )
    assert (
        response.describe_unanswered()
        == "12 of 120 drawn items are not answered (10 of 60 in stratum y, 2 of 20 in stratum z)."
    )
    assert response.lacks(0.9) == 4  # 54 of 60 in y; then 112 of 120 overall
    assert response.objections(0.9).endswith(
        "The policy requires answers to 90% of them, overall and in every stratum."
    )
    assert response.objections(0.8) == "" and response.list_strata().startswith(
        "x: 40 of 40, for 100; y: 50 of 60, for 300"
    )


def test_a_stratum_of_one_item_takes_that_item():
    response = SampleResponse((StratumResponse("x", 100, 50, 50), StratumResponse("y", 7, 1, 0)))
    assert response.objections(0.9) == (
        "1 of 51 drawn items is not answered (1 of 1 in stratum y). The policy requires answers to 90% of them, "
        "overall and in every stratum. The only item drawn from the 7 items of stratum y is not answered, so nothing "
        "speaks for them."
    )
    assert response.lacks(0.9) == 1 and SampleResponse((StratumResponse("y", 7, 1, 1),)).objections(1.0) == ""


def test_nothing_answered_is_said_and_no_figure_is_made_up():
    none = SampleResponse((StratumResponse("x", 30, 10, 0),))
    assert none.describe_unanswered() == "None of the 10 drawn items is answered." and none.lacks(0.9) == 9
    two = SampleResponse((StratumResponse("x", 100, 50, 50), StratumResponse("", 30, 10, 0)))
    nothing = "None of the 10 drawn from the 30 items of the stratum without a system is answered, so nothing"
    assert two.objections(0.9).endswith(f"{nothing} speaks for them.")
    assert (
        SampleResponse().describe_unanswered() == SampleResponse().objections(0.9) == ""
        and SampleResponse().lacks(1.0) == 0
    )


def test_what_is_undefined_or_short_already_keeps_its_reason():
    response = SampleResponse((StratumResponse("x", 100, 20, 10),))
    check = CheckResult("below minimum sample", "Gold for 10 items.", "Gold for 90 more items.", (90, 90))
    short = require_response(check, response, 0.9)
    assert short.reason == f"Gold for 10 items. {response.objections(0.9)}" and short.more == (90, 90)
    constant = require_response(CheckResult("undefined", "One value.", "Others."), response, 0.9)
    assert constant.state == "undefined" and constant.more is None
    assert constant.reason.startswith("One value. 10 of 20 drawn items")
    assert (
        require_response(CheckResult("fails", "Poor.", ""), response, 0.9).missing
        == "Blind answers to 8 more drawn items."
    )


def test_three_silent_strata_are_named_and_further_ones_are_counted():
    for count, further in ((3, ""), (4, " It is the same with 1 further stratum."), (5, "with 2 further strata.")):
        silent = [StratumResponse(f"s{n}", 9, 1, 0) for n in range(count)]
        text = SampleResponse((StratumResponse("x", 100, 50, 50), *silent)).objections(0.9)
        assert text.count("nothing speaks for them") == 3 and text.endswith(further or "them.")
