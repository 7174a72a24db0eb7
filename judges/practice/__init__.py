"""The practice endpoint: an OpenAI-compatible server on this machine that answers every card by documented rules.

It is practice, not a language model: it costs nothing, needs no key, and lets people try runs, audits and faults. Its
scores say nothing about anything. Rules: `heuristics.py`; faults: `faults.py`; planted flaws: `options.py`.
"""

from __future__ import annotations

from judges.practice.background import Running, start
from judges.practice.options import Fault, Options

__all__ = ["Fault", "Options", "Running", "start"]
