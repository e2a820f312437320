"""One note of the vault: bytes in, Entry out. Links are as written; `links.resolve` says what they mean."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable
from typing import Any

from brain_assets.model.entry import Entry
from brain_assets.sources import dates, frontmatter, markdown, passages
from brain_assets.sources.decode import decode

_TITLE = ("title", "titel")
_TAGS = ("tags", "tag", "schlagworte", "schlagwörter", "schlagwort", "stichworte", "stichwörter")
_ALIASES = ("aliases", "alias", "aliasse")
_TYPE = ("type", "typ", "notiztyp")
_STATUS = ("status", "zustand")
_SOURCE = ("source", "quelle", "quellen")
_CONFIDENCE = ("confidence", "konfidenz", "vertrauen")
_LANGUAGE = ("language", "lang", "sprache")
_MAX_TITLE = 500


def read_note(path: str, data: bytes, mtime_ns: int) -> Entry:
    """The entry of a note.

    `path` is relative to the vault (forward slashes, NFC), `mtime_ns` the file's time, which dates a note that states
    no date. Whatever is wrong with the front matter or the encoding is in `problems`, in words; only data that is no
    text at all raises (NotTextError).
    """
    decoded = decode(data)
    front = frontmatter.read(decoded.text)
    problems = [*decoded.problems, *front.problems]
    fields: dict[str, Any] = {}
    unfilled = []
    for name, value in front.fields.items():
        if frontmatter.is_placeholder(value):
            unfilled.append(name)
        else:
            fields.setdefault(name.strip().lower(), value)
    if unfilled:
        problems.append(f"unfilled template placeholder in front matter: {', '.join(unfilled[:5])}")
    body = decoded.text[front.body_start :]
    if front.rest:
        body = f"{front.rest}\n\n{body}"
    body = body.strip("\n")
    document = markdown.read(body)
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    title = _title(fields, document, stem)
    entry_id = f"note:{path}"
    stated = (_text(fields, _LANGUAGE) or "").lower()[:2]
    hint = stated if stated in ("de", "en") else None
    parts, language = passages.divide(entry_id, title, body, document.blocks, hint=hint)
    date, origin = _date(fields, front.valid, mtime_ns, problems)
    source = _text(fields, _SOURCE)
    ai_origin = is_ai_origin(_listed(fields.get("categories")), source or "", _text(fields, ("source_uri",)) or "")
    return Entry(
        id=entry_id,
        kind="note",
        path=path,
        title=title,
        body=body,
        language=language,
        date=date,
        date_origin=origin,
        name_date=dates.in_name(stem),
        type=_text(fields, _TYPE),
        status=_text(fields, _STATUS),
        source=source,
        confidence=_text(fields, _CONFIDENCE),
        aliases=_unique(alias for name in _ALIASES for alias in _listed(fields.get(name))),
        tags=_all_tags(fields, document.tags),
        headings=document.headings,
        links=document.links,
        tasks=document.tasks,
        fields=front.fields,
        ai_origin=ai_origin,
        generation_depth=int(ai_origin),
        encoding=decoded.encoding,
        content_digest=hashlib.sha256(data).hexdigest(),
        text_digest=text_digest(title, body),
        problems=tuple(problems),
        passages=parts,
    )


def text_digest(title: str, body: str) -> str:
    """SHA-256 hex of what decisions about an entry depend on: its title and body."""
    return hashlib.sha256(f"{title}\n{body}".encode("utf-8", "surrogatepass")).hexdigest()


def is_ai_origin(categories: Iterable[str], source: str, source_uri: str) -> bool:
    """Whether something was written by a model: a category beginning `AI-`, or this product named as its source."""
    return (
        any(category.strip().upper().startswith("AI-") for category in categories)
        or source.strip().lower().startswith("neural brain /")
        or source_uri.strip().lower().startswith("brain://")
    )


def _date(fields: dict[str, Any], valid: bool, mtime_ns: int, problems: list[str]) -> tuple[dt.date | None, str | None]:
    """(date, origin). Of a block that could not be read for certain the date is kept as a field only: the file's time
    dates the note then."""
    newest, unreadable = dates.stated(fields)
    if unreadable:
        problems.append(f"no date could be read from: {', '.join(unreadable[:5])}")
    if valid and newest:
        return newest.date, f"frontmatter {newest.field}"
    by_file = dates.from_timestamp(mtime_ns // 1_000_000_000)
    return by_file, "file mtime" if by_file else None


def _title(fields: dict[str, Any], document: markdown.Document, stem: str) -> str:
    stated = _text(fields, _TITLE)
    first = next((b.text for b in document.blocks if b.kind == "heading" and b.level == 1 and b.text), "")
    if frontmatter.is_placeholder(first):
        first = ""
    title = markdown.plain(stated) if stated else first or stem
    return " ".join(title.split())[:_MAX_TITLE] or stem


def _text(fields: dict[str, Any], names: tuple[str, ...]) -> str | None:
    """The first filled field of these names (lower case) as one line of text; lists are joined by commas."""
    for name in names:
        if name in fields and (value := ", ".join(_listed(fields[name], split=False))):
            return value
    return None


def _listed(value: Any, split: bool = True) -> list[str]:
    """Strings in a field: a list (nested or not), or text that may hold several, separated by commas."""
    if value is None or isinstance(value, dict):
        return []
    if isinstance(value, list):
        return [text for item in value for text in _listed(item, split=False)]
    text = " ".join(str(value).split())
    if frontmatter.is_placeholder(text):
        return []
    return [part.strip() for part in text.split(",") if part.strip()] if split else ([text] if text else [])


def _all_tags(fields: dict[str, Any], inline: tuple[str, ...]) -> tuple[str, ...]:
    stated = []
    for value in (fields[name] for name in _TAGS if name in fields):
        for text in _listed(value):
            stated.extend([text] if isinstance(value, list) and "#" not in text else text.replace("#", " ").split())
    return _unique([tag.strip("#/ ") for tag in stated] + list(inline))


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    """Filled values, the first spelling of each, in order."""
    found: dict[str, str] = {}
    for value in values:
        if value:
            found.setdefault(value.casefold(), value)
    return tuple(found.values())
