"""The failures a person can act on. Each carries one plain sentence, the remedy, and the exit code of the CLI."""

from __future__ import annotations


class BrainError(Exception):
    """A failure with a message for people.

    `message` says what is wrong and names the file or setting; `remedy` says what to do about it.
    The CLI prints both on stderr and leaves with `exit_code` (1 failed, 2 wrong usage or configuration).
    """

    exit_code = 1

    def __init__(self, message: str, remedy: str = "") -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(f"{message} {remedy}".strip())


class ConfigurationError(BrainError):
    """A setting, flag, folder or input that cannot be used as it is."""

    exit_code = 2


class StorageError(BrainError):
    """The disk is full, read-only or failing; what was done before stays done."""


class LockedError(BrainError):
    """Another process is writing to the same data directory."""


class NewerCatalogueError(ConfigurationError):
    """The data directory was written by a newer version than this one."""


class IndexUnavailableError(BrainError):
    """The full-text index is missing or unreadable and has to be rebuilt (`brain sync`)."""


class ModelError(BrainError):
    """A language model or embedder gave no usable answer. Never holds a secret or the reply's body."""


class NotFoundError(BrainError):
    """An id that names nothing in this brain."""


class BudgetExhausted(ModelError):
    """The run's budget of model calls or tokens is used up; what was done stays done."""


def of_storage(error: OSError) -> StorageError | None:
    """The failure in words if a place refused to be read or written (permissions, names, too many files) or its disk is
    full, read-only, over quota or failing; else None."""
    import errno

    name = error.filename.decode(errors="replace") if isinstance(error.filename, bytes) else error.filename
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO):
        place = f"{name} cannot be written" if name else "A file cannot be written"
        remedy = "Check the disk's free space and permissions and run it again: what was done stays done."
    elif error.errno in (errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP):
        place = f"{name} cannot be used" if name else "A file cannot be used"
        remedy = "Correct its permissions or its name and run it again: what was done stays done."
    elif error.errno in (errno.EMFILE, errno.ENFILE):
        place, remedy = "No more files can be opened", "Raise the limit (ulimit -n), or end other programs."
    else:
        return None
    return StorageError(f"{place} ({error.strerror}).", remedy)
