"""`python -m judges`: judges, audits and agreement on plain files, no workspace needed."""

from judges.process import run_process

run_process("judges.cli")
