"""The staging area: `staging/ID.json` in exactly the KB schema, and everything internal in `article-metadata/ID.json`."""

from __future__ import annotations

import datetime as dt
import difflib
import json
from pathlib import Path
from typing import Any

from brain_assets.errors import BrainError
from brain_assets.model.entry import KBRecord
from brain_assets.settings import Settings
from brain_assets.store import files
from brain_assets.synthesis.pools import source_key

KB_KEYS: tuple[str, ...] = (
    "id", "title", "text", "answer", "auto_reply", "min_score", "categories", "keywords", "source", "source_uri",
    "language", "communication_style",
)  # fmt: skip
_LOCALE = {"de": "de-DE", "en": "en-US"}


def article_id(sources: tuple[str, ...], first_staged: dt.date) -> str:
    """`KB-AI-THINK-ARTICLE-YYYYMMDD-` and 8 hex digits of the pool's sorted source ids."""
    return f"KB-AI-THINK-ARTICLE-{first_staged:%Y%m%d}-{source_key(sources)[:8]}"


def locale(language: str) -> str:
    """`de-DE` for `de`."""
    return _LOCALE.get(language, language)


def record_json(record: KBRecord) -> dict[str, Any]:
    """A record with the KB schema's keys in their order."""
    data = record.model_dump(mode="json")
    return {key: data[key] for key in KB_KEYS}


def as_text(record: KBRecord) -> str:
    """The exact content of a staging file."""
    return json.dumps(record_json(record), ensure_ascii=False, indent=2) + "\n"


def file_of(settings: Settings, article: str) -> Path:
    return settings.staging_dir / f"{article}.json"


def metadata_file(settings: Settings, article: str) -> Path:
    return settings.metadata_dir / f"{article}.json"


def stage(settings: Settings, record: KBRecord, meta: dict[str, Any]) -> int:
    """Write both files atomically; a file that already holds this is not touched. Returns how many were written."""
    return stage_metadata(settings, record, meta) + _write(file_of(settings, record.id), record_json(record))


def stage_metadata(settings: Settings, record: KBRecord, meta: dict[str, Any]) -> int:
    """Write what is internal about an article, if its file does not hold this already; returns whether it was."""
    return _write(metadata_file(settings, record.id), meta)


def unstage(settings: Settings, article: str) -> None:
    """Take an article out of the staging area; its metadata stays."""
    file_of(settings, article).unlink(missing_ok=True)


def read_staged(settings: Settings, article: str) -> KBRecord:
    """The staging file as it stands, edited by hand or not. Raises BrainError if it is no valid KB entry of this id."""
    path = file_of(settings, article)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        record = KBRecord.model_validate(
            {**data, "categories": tuple(data["categories"]), "keywords": tuple(data["keywords"])}
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BrainError(
            f"{path} is not a readable KB entry ({type(error).__name__}).",
            "Correct it, or delete it and run `brain build`: it is written again.",
        ) from error
    if record.id != article:
        raise BrainError(f"{path} holds the id {record.id!r}.", f"An article keeps its id: set it back to {article!r}.")
    return record


def difference(old: KBRecord, new: KBRecord, names: tuple[str, str]) -> str:
    """What changed between two versions, as a unified diff of their readable text."""
    one, two = readable(old).splitlines(), readable(new).splitlines()
    return "\n".join(difflib.unified_diff(one, two, *names, lineterm=""))


def readable(record: KBRecord) -> str:
    """An article as its reader sees it, in Markdown."""
    german = record.language.startswith("de")
    lines = [f"{'Kategorien' if german else 'Categories'}: {', '.join(record.categories)}"]
    if record.keywords:
        lines.append(f"{'Stichwörter' if german else 'Keywords'}: {', '.join(record.keywords)}")
    return f"# {record.title}\n\n{record.text}\n\n{record.answer}\n\n" + "\n".join(lines) + "\n"


def _write(path: Path, value: dict[str, Any]) -> int:
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    if path.is_file() and path.read_bytes() == text.encode("utf-8"):
        return 0
    files.write_atomic(path, text)
    return 1
