"""`python -m data`: what can be done with a workspace from a command line."""

from judges.process import run_process

run_process("data.cli")
