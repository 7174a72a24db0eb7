"""The practice endpoint: an OpenAI-compatible server on this machine that answers every card by documented rules.

It is practice, not a language model: it costs nothing, needs no key, and lets people try runs and audits. Its scores
say nothing about anything. `answer.py` has the rules for each card, `mtbench.py` those for MT-Bench's questions and
for prompts without a fence of ours, `options.py` the flaws that can be planted.
"""
