"""Refusals that a person can act on. Each message is a sentence: what, where, what to do."""


class AssayError(Exception):
    """Something that was refused for the reason in its message; shown unchanged, never as a traceback."""


class UnknownCard(AssayError):
    """A card was named that is neither a folder in judges/cards/ nor stored in the workspace."""


class BadScale(AssayError):
    """A value does not lie on the scale of its dimension."""


class BadStrata(AssayError):
    """Items cannot be parted for a draw as it was asked."""


class BadCard(AssayError):
    """A card cannot be made as it was described: a name, a scale, a prompt or an example does not do."""
