"""`lead`: make somebody a lead at the machine itself; how a workspace gets independent leads."""

from __future__ import annotations

import argparse

from data.cli.options import workspace_store
from data.records import leads, people


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.description = (
        "Makes somebody a lead without another lead. That it was done on the command line is recorded in the audit "
        "log, and in the evidence of what they decide. Where the policy requires two leads, a lead made in the app "
        "by one lead alone is not independent of that one."
    )
    parser.add_argument("name", metavar="NAME", help="who; somebody new is entered")


def run(options: argparse.Namespace) -> int:
    """Make the lead, and say whether there are two independent ones by now."""
    with workspace_store() as store:
        done = people.make_lead_locally(store, options.name)
        print(f"{done.name} is a lead, made so on the command line of this machine.")
        if leads.lacks_independent_leads(leads.lead_history(store)):
            print("There are no two independent leads yet.")
        return 0
