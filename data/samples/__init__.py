"""The sample workspace, shipped as data: four synthetic datasets, each a compressed file of lines that an import reads.

`python -m tools.sample` writes the files anew, from what it makes them of.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
DESCRIPTION = "Synthetic sample: made by Assay's generator, not by people"
"""The description of every dataset of the sample."""


@dataclass(frozen=True)
class Sample:
    """One dataset of the sample: its name, the number of its items, and the seed of the draw of its audit sample.

    The seeds put a short item first. An audit sample keeps its random order, whatever the lengths, because looks at its
    figures before it is answered assume it.
    """

    name: str
    items: int
    seed: int

    @property
    def path(self) -> Path:
        """The file of its lines: items, then judgments, then labels."""
        return FOLDER / f"{self.name}.jsonl.gz"

    def lines(self) -> bytes:
        """Its lines as an import reads them, in UTF-8."""
        return gzip.decompress(self.path.read_bytes())


SAMPLES = (
    Sample("support-dialogues", 150, 0),
    Sample("long-reports", 30, 33),
    Sample("open-questions", 60, 2),
    Sample("short-answers", 132, 3),
)
