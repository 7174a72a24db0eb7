"""Refusals of the workspace. Each message is a sentence that says what, where and what to do."""

from judges.errors import AssayError
from judges.errors import BadInput as BadInput


class StoreError(AssayError):
    """The store could not be used: the same may succeed later, and so is to be tried again."""


class StoreLocked(StoreError):
    """Another process holds the store's file."""


class StoreDamaged(StoreError):
    """The store opened with fewer rows than were confirmed."""


class StoreFailed(StoreError):
    """The store could not be read or written; of a write that failed nothing was kept."""


class NotAllowed(AssayError):
    """The person's role does not allow this."""


class NotFound(AssayError):
    """Nothing is stored under that name."""


class NotApprovable(AssayError):
    """The policy is not met, or the decision does not fit the current state."""
