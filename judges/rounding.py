"""How far figures may be apart that differ by the rounding of their sums alone."""

from __future__ import annotations

ROUNDING = 1e-9
"""A difference of answers, shares or sizes, or an error, below it is rounding: 4.4 and 3.4 are one step apart."""
STEP_ROUNDING = 1e-6
"""The same in steps of a scale, whose values may be large beside a step."""
NO_SPREAD = 1e-12
"""A sum of squares below this share of what it is the difference of is rounding."""
