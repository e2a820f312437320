"""Keeping what `think` said: answers in the data directory, and stub notes in the vault's inbox after a yes."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain_assets.errors import BrainError, ConfigurationError
from brain_assets.settings import Settings
from brain_assets.store import files
from brain_assets.store.stages import digest_of

if TYPE_CHECKING:
    from brain_assets.think import Answer

_LONGEST_NAME = 60


def slug(text: str) -> str:
    """A file name of a text: letters, digits, spaces and hyphens, at most 60 characters, never empty."""
    name = re.sub(r"\s+", " ", re.sub(r"[^\w\s-]", " ", text)).strip(" .-_")
    return name[:_LONGEST_NAME].strip(" .-_") or "note"


def save(settings: Settings, answer: Answer) -> Path:
    """Write an answer and its gaps to `answers/`, as Markdown for people and as JSON beside it; returns the Markdown.

    The same question on the same day has one file. Raises ConfigurationError if the folder cannot be written.
    """
    value = answer.to_json()
    name = slug(answer.query).replace(" ", "-").lower()
    stem = f"{settings.today.isoformat()}-{name}-{digest_of(answer.query)[:8]}"
    path = settings.answers_dir / f"{stem}.md"
    try:
        files.write_json(path.with_suffix(".json"), value)
        files.write_atomic(path, f"# {_one_line(answer.query)}\n\n{answer.to_markdown()}")
    except OSError as error:
        raise ConfigurationError(
            f"{settings.answers_dir} cannot be written ({error.strerror}).", "Correct its permissions or free space."
        ) from error
    return path


def write_stub(settings: Settings, gap: dict[str, Any], query: str) -> Path:
    """Write a stub note for a missing topic into the inbox folder of the vault: the only thing ever written there.

    Never over an existing file. Raises ConfigurationError (the inbox is no folder inside the vault, or not writable),
    BrainError (a note of that name is there).
    """
    vault = settings.vault_dir.resolve()
    inbox = (vault / settings.inbox).resolve()
    if not inbox.is_relative_to(vault):
        raise ConfigurationError(f"The inbox {settings.inbox} is not inside the vault.", "Correct BRAIN_INBOX.")
    path = inbox / f"{slug(str(gap['term']))}.md"
    text = (
        f"---\ntitle: {json.dumps(_one_line(str(gap['term'])), ensure_ascii=False)}\n"
        f"date: {settings.today.isoformat()}\nstatus: stub\ntags: [gap]\n---\n\n"
        f"# {_one_line(str(gap['term']))}\n\n- [ ] {_one_line(str(gap.get('suggestion', '')))}\n\n"
        f"> {_one_line(query)}\n"
    )
    try:
        inbox.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError as error:
        raise BrainError(f"{path} is already there.", "Add to that note, or give it another name.") from error
    except OSError as error:
        raise ConfigurationError(
            f"The inbox {inbox} cannot be written ({error.strerror}).", "Correct its permissions or BRAIN_INBOX."
        ) from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def _one_line(text: str) -> str:
    return " ".join(text.split())
