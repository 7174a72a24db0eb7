"""What tests of statistics may ask for."""

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers that are the same for a test whichever others ran before it."""
    return np.random.default_rng(7)
