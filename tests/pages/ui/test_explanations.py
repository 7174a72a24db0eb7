"""What explains figures is there for all that ask for it."""

from __future__ import annotations

from data.reports.statistics import STATISTICS
from pages.ui.explanations import TEXTS


def test_what_a_statistic_names_is_explained() -> None:
    named = {(s.name, key) for s in STATISTICS.values() for key in s.explanations}
    missing = sorted(pair for pair in named if pair[1] not in TEXTS)
    assert not missing, f"TEXTS of pages/ui/explanations.py does not explain these (statistic, key): {missing}"
