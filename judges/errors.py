"""Refusals that a person can act on. Each message is a sentence: what, where, what to do."""


class AssayError(Exception):
    """A refusal; its message gives the reason and is shown unchanged, never as a traceback."""


class BadInput(AssayError):
    """The input cannot be accepted; the message says why and where."""


class UnknownCard(AssayError):
    """A card was named that is neither a folder in judges/cards/ nor stored in the workspace."""


class BadScale(AssayError):
    """A value does not lie on the scale of its dimension."""


class BadStrata(AssayError):
    """Items cannot be stratified for a draw in the requested way."""


class BadCard(AssayError):
    """A card cannot be made as described: a name, a scale, a prompt or an example is not valid."""
