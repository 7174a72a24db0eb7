"""Several tests at one time, against statsmodels and by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from statsmodels.stats.multitest import multipletests

from judges.stats.multiple_testing import benjamini_yekutieli, holm


def test_by_hand():
    # m 3, c(3) = 1 + 1/2 + 1/3 = 11/6, m c = 5.5; ascending .01 .02 .04 times 5.5/1, 5.5/2, 5.5/3:
    # .055, .055, .07333
    assert benjamini_yekutieli([0.04, 0.01, 0.02]) == pytest.approx([0.22 / 3, 0.055, 0.055])
    assert benjamini_yekutieli([]) == []
    # Holm: .01 * 3, .02 * 2, .04 * 1, and never below the one before: .03, .04, .04
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    with pytest.raises(ValueError, match="between 0 and 1"):
        benjamini_yekutieli([0.2, 1.2])


@pytest.mark.slow
@settings(max_examples=15)
@given(some.lists(some.floats(0, 1), min_size=1, max_size=12))
def test_both_are_statsmodels(p_values):
    expected = multipletests(p_values, method="fdr_by")[1].tolist()
    assert benjamini_yekutieli(p_values) == pytest.approx(expected, abs=1e-12)
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist(), abs=1e-12)
