"""`invite`: let somebody in at the machine itself, by a verified e-mail address or by their account at the provider."""

from __future__ import annotations

import argparse

from data.cli.options import workspace_store
from data.records import invitations
from data.records.access import ROLES


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.description = (
        "Lets a person sign in at the provider with this address, which the provider must have verified. They get this "
        "role, or come in as a person who is here already. Without a provider nobody signs in, and names are not "
        "checked."
    )
    add_whom(parser)
    parser.add_argument("--role", choices=ROLES, default="annotator", help="as what (default: annotator)")


def add_whom(parser: argparse.ArgumentParser) -> None:
    """Add the options that say who is invited, as whom, and for how long."""
    parser.add_argument("--email", metavar="ADDRESS", default="", help="their e-mail address at the provider")
    parser.add_argument("--subject", metavar="ID", default="", help="their account at the provider (its claim sub)")
    parser.add_argument("--person", metavar="NAME", default="", help="as somebody here, whose role they then have")
    parser.add_argument(
        "--days", type=int, metavar="N", default=invitations.DAYS, help=f"for how long (default: {invitations.DAYS})"
    )


def run(options: argparse.Namespace) -> int:
    """Open the invitation, and say until when."""
    with workspace_store(new=True) as store:
        invite = invitations.invite_locally(
            store, options.email, options.subject, options.role, options.person, options.days
        )
        whom = f"{invite.person} ({invite.role})" if invite.person else f"a new {invite.role}"
        print(f"{invite.whom} may come in as {whom} until {invite.expires:%Y-%m-%d %H:%M} UTC.")
        return 0
