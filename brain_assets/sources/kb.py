"""The knowledge base: JSON files, each with one entry or a list of entries in the KB schema (DESIGN §8)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from brain_assets.model.entry import Entry, KBRecord
from brain_assets.sources import dates, markdown, passages
from brain_assets.sources.decode import NotTextError, clean, decode
from brain_assets.sources.markup import readable
from brain_assets.sources.vault import is_ai_origin, text_digest


class InvalidFileError(ValueError):
    """A file that gives no entry; the message is the reason."""


def _default_for_null(default: Any) -> BeforeValidator:
    return BeforeValidator(lambda value: default if value is None else value)


_Text = Annotated[str, _default_for_null("")]
_Texts = Annotated[tuple[str, ...], _default_for_null(())]
_Filled = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Item(BaseModel):
    """The KB schema as files must follow it. Fields that it does not name are allowed and kept."""

    model_config = ConfigDict(extra="allow", allow_inf_nan=False)

    id: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300, pattern=r"^[^\x00-\x1f]+$")
    ]
    title: _Filled
    text: str
    answer: str
    auto_reply: Annotated[bool, _default_for_null(False)] = False
    min_score: Annotated[float, _default_for_null(0.82), Field(ge=0, le=1)] = 0.82
    categories: _Texts = ()
    keywords: _Texts = ()
    source: _Text = ""
    source_uri: _Text = ""
    language: _Text = ""
    communication_style: _Text = ""


@dataclass(frozen=True, slots=True)
class KBItem:
    """One item of a file: an entry, or the reason why it is none. `place` is `#index` in a list, else empty."""

    place: str
    entry: Entry | None
    reason: str = ""


def read_file(path: str, data: bytes) -> list[KBItem]:
    """The items of one KB file, in order. Raises InvalidFileError if it holds no item at all."""
    try:
        decoded = decode(data)
        value = json.loads(decoded.text, parse_constant=_refuse_constant)
    except NotTextError as error:
        raise InvalidFileError(str(error)) from error
    except json.JSONDecodeError as error:
        what = "the file is empty" if not data.strip() else f"malformed JSON: {error.msg}"
        raise InvalidFileError(f"{what} (line {error.lineno}, column {error.colno})") from error
    except RecursionError as error:
        raise InvalidFileError("malformed JSON: it is nested too deeply") from error
    except ValueError as error:
        raise InvalidFileError(f"malformed JSON: {error}") from error
    digest = hashlib.sha256(data).hexdigest()
    if isinstance(value, dict):
        return [_item(path, "", value, digest, decoded.encoding, decoded.problems)]
    if not isinstance(value, list):
        raise InvalidFileError("it holds neither an entry nor a list of entries")
    if not value:
        raise InvalidFileError("it holds an empty list")
    return [
        _item(path, f"#{index}", item, digest, decoded.encoding, decoded.problems) for index, item in enumerate(value)
    ]


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _item(path: str, place: str, value: Any, digest: str, encoding: str, problems: tuple[str, ...]) -> KBItem:
    if not isinstance(value, dict):
        return KBItem(place, None, "it is no JSON object")
    try:
        item = _Item.model_validate(_cleaned(value))
    except ValidationError as error:
        return KBItem(place, None, _reasons(error))
    except RecursionError:
        return KBItem(place, None, "it is nested too deeply")
    return KBItem(place, _entry(path, item, digest, encoding, problems))


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n"))
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {_cleaned(name): _cleaned(item) for name, item in value.items()}
    return value


def _reasons(error: ValidationError) -> str:
    reasons = []
    for problem in error.errors(include_input=False, include_url=False)[:5]:
        field = ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "missing":
            reasons.append(f"missing required field {field}")
        elif problem["type"] == "string_too_short":
            reasons.append(f"required field {field} is empty")
        else:
            reasons.append(f"{field}: {problem['msg']}")
    return "; ".join(reasons)


def _entry(path: str, item: _Item, digest: str, encoding: str, problems: tuple[str, ...]) -> Entry:
    record = KBRecord(
        id=item.id,
        title=" ".join(readable(item.title).split()) or item.title,
        text=readable(item.text).strip(),
        answer=readable(item.answer).strip(),
        auto_reply=item.auto_reply,
        min_score=item.min_score,
        categories=tuple(readable(c) for c in item.categories),
        keywords=tuple(readable(k) for k in item.keywords),
        source=item.source,
        source_uri=item.source_uri,
        language=item.language,
        communication_style=item.communication_style,
    )
    body = "\n\n".join(part for part in (record.text, record.answer) if part)
    document = markdown.read(body)
    entry_id = f"kb:{record.id}"
    stated = record.language.lower()[:2]
    parts, language = passages.divide(
        entry_id, record.title, body, document.blocks, stated if stated in ("de", "en") else None
    )
    extra = dict(item.model_extra or {})
    if (record.text, record.answer) != (item.text.strip(), item.answer.strip()):
        extra["as_written"] = f"{item.text}\n{item.answer}"  # quotes have to be found in it too
    changed = dates.parse(extra["date_mod"]) if isinstance(extra.get("date_mod"), str) else None
    ai_origin = is_ai_origin(record.categories, record.source, record.source_uri)
    return Entry(
        id=entry_id,
        kind="kb",
        path=path,
        title=record.title,
        body=body,
        language=language,
        date=changed,
        date_origin="glpi date_mod" if changed else None,
        type=_plain(extra.get("type")),
        status=_plain(extra.get("status")),
        source=record.source or None,
        confidence=_plain(extra.get("confidence")),
        tags=_distinct([*record.categories, *record.keywords]),
        headings=document.headings,
        links=document.links,
        tasks=document.tasks,
        fields=extra,
        record=record,
        ai_origin=ai_origin,
        generation_depth=int(ai_origin),
        encoding=encoding,
        content_digest=digest,
        text_digest=text_digest(record.title, body),
        problems=problems,
        passages=parts,
    )


def _plain(value: Any) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for value in values:
        if value.strip():
            found.setdefault(value.strip().casefold(), value.strip())
    return tuple(found.values())
