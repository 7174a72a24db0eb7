"""`python -m tools.sample`: write the sample workspace that Assay ships anew."""

from __future__ import annotations

from data.samples import SAMPLES
from tools.sample import write

written = write()
for path in written:
    print(f"Written: {path} ({path.stat().st_size:,} bytes)")
if len(written) < len(SAMPLES):
    print(f"{len(SAMPLES) - len(written)} of {len(SAMPLES)} files hold the same lines already.")
