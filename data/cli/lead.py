"""`lead`: make somebody a lead at the machine itself; how a workspace gets independent leads."""

from __future__ import annotations

import argparse

from data.cli.invite import add_whom
from data.cli.options import workspace_store
from data.records import invitations, leads, people
from data.store.errors import BadInput


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.description = (
        "Makes somebody a lead without another lead. The audit log, and the evidence of their decisions, record that "
        "it was done on the command line. If the policy requires two leads, a lead whom one lead alone made in the app "
        "is not independent of that lead."
    )
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="who; somebody new is entered")
    add_whom(parser)


def run(options: argparse.Namespace) -> int:
    """Make the lead, or invite whoever signs in as one, and say whether there are two independent ones by now."""
    with workspace_store(new=True) as store:
        name = options.name or options.person
        if options.person not in ("", name):
            raise BadInput(f"{options.name!r} and --person {options.person!r} name two people: give only one.")
        if options.days != invitations.DAYS and not (options.email or options.subject):
            raise BadInput("--days says how long an invitation is open: give --email or --subject too.")
        if options.email or options.subject:
            invitations.check_invitation(options.email, options.subject, options.days)
        if name:
            done = people.make_lead_locally(store, name)
            print(f"{done.name} is a lead, made so on the command line of this machine.")
        elif not (options.email or options.subject):
            raise BadInput("Say who: a name, or with --email or --subject who may sign in as a lead.")
        if options.email or options.subject:
            invite = invitations.invite_locally(store, options.email, options.subject, "lead", name, options.days)
            print(f"{invite.whom} may sign in as {name or 'a new lead'} until {invite.expires:%Y-%m-%d %H:%M} UTC.")
        if leads.lacks_independent_leads(leads.lead_history(store)):
            print("There are no two independent leads yet.")
        return 0
