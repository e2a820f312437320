"""What the full-text index holds of an entry: the tantivy schema, its documents, and what is read back of a hit."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from brain_assets.retrieval.analysis import ENGLISH, EXACT, GERMAN, Analyses
from brain_assets.text.words import fold, nfc

VERSION = 3
"""Raise it when a document's fields or their analysis change: the index is then rebuilt."""

TEXT_FIELDS = ("title", "body", "extra")
"""Each is indexed three times, as FIELD_de, FIELD_en and FIELD_x. `title` holds the aliases too, `body` begins with the
title, `extra` has headings, tags and the words of the path."""

PASSAGE_MARK = 8
"""Bytes kept of each passage's digest: enough to see that the catalogue still holds the passage that was indexed."""
_SKETCHED = 5_000
_DIGITS = re.compile(r"\d+")
_NEGATIONS = ("nicht", "kein", "nie", "ohne", " not ", "n't ", " no ", "never", "without")
_MOST_LINKS = 500
LEAD = 60
"""Characters of the body kept for a preview when the catalogue no longer holds the passage that was indexed."""


class Head(NamedTuple):
    """What a hit shows, as stored in the index."""

    id: str
    kind: str
    title: str
    path: str | None
    date: dt.date | None
    date_origin: str | None
    language: str
    type: str | None
    status: str | None
    aliases: tuple[str, ...]


def schema() -> Any:
    """The tantivy schema. Only exact fields keep positions: phrases are exact."""
    from tantivy import SchemaBuilder

    builder = SchemaBuilder()
    for name in TEXT_FIELDS:
        for analysis in (GERMAN, ENGLISH):
            builder.add_text_field(f"{name}_{analysis}", tokenizer_name="terms", index_option="freq")
        builder.add_text_field(f"{name}_{EXACT}", tokenizer_name="terms", index_option="position")
    builder.add_text_field("path", tokenizer_name="terms", index_option="position")
    for name in ("id", "kind", "type", "tag", "folder", "language"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("key", indexed=True, fast=True)
    builder.add_integer_field("date", indexed=True, fast=True)
    builder.add_bytes_field("head", stored=True)
    builder.add_bytes_field("passages", stored=True)
    builder.add_bytes_field("lead", stored=True)
    builder.add_bytes_field("sketch", stored=True)
    builder.add_bytes_field("links", stored=True)
    return builder.build()


def key_of(entry_id: str) -> int:
    """The number an entry has in the index and the vector snapshots: 63 bits of its id's SHA-256."""
    return int.from_bytes(hashlib.sha256(entry_id.encode("utf-8", "surrogatepass")).digest()[:8], "big") >> 1


class Source(NamedTuple):
    """What a document is made of: the head, the body as people read it, headings, tags, the passages' digests, and the
    ids of the entries it links to."""

    head: Head
    body: str
    headings: tuple[str, ...]
    tags: tuple[str, ...]
    passages: tuple[str, ...]
    links: tuple[str, ...] = ()


def documents(analyses: Analyses, sources: Sequence[Source]) -> list[Any]:
    """The tantivy documents of some entries."""
    texts = []
    for source in sources:
        title = analyses.words(" ".join((source.head.title, *source.head.aliases)))
        path = analyses.words((source.head.path or "").replace("/", " "))
        extra = [*analyses.words(" ".join((*source.headings, *source.tags))), *path]
        texts.append((title, [*title, *analyses.words(source.body)], extra, path))
    analyses.learn(
        set().union(*(words for _, body, extra, _ in texts for words in (body, extra)))
    )  # title, path: in them
    return [_document(analyses, source, fields) for source, fields in zip(sources, texts, strict=True)]


def _document(analyses: Analyses, source: Source, texts: tuple[list[str], ...]) -> Any:
    from tantivy import Document

    head, out = source.head, Document()
    for name, words in zip(TEXT_FIELDS, texts, strict=False):
        terms = analyses.terms(words)
        out.add_text(f"{name}_{GERMAN}", terms.german)
        out.add_text(f"{name}_{ENGLISH}", terms.english)
        out.add_text(f"{name}_{EXACT}", terms.exact)
    out.add_text("path", analyses.terms(texts[-1]).exact)
    for name, value in (("id", head.id), ("kind", head.kind), ("language", head.language)):
        out.add_text(name, value)
    if head.type:
        out.add_text("type", fold(head.type))
    for tag in tag_terms(source.tags):
        out.add_text("tag", tag)
    for folder in folder_terms(head.path):
        out.add_text("folder", folder)
    out.add_integer("key", key_of(head.id))
    if head.date:
        out.add_integer("date", head.date.toordinal())
    out.add_bytes("head", _pack_head(head))
    out.add_bytes("passages", b"".join(bytes.fromhex(d)[:PASSAGE_MARK] for d in source.passages))
    out.add_bytes("lead", source.body[:LEAD].encode("utf-8", "replace"))
    out.add_bytes("sketch", sketch(source.body))
    out.add_bytes("links", b"".join(key_of(each).to_bytes(8, "big") for each in source.links[:_MOST_LINKS]))
    return out


def sketch(body: str) -> bytes:
    """A print of a text that near-duplicates share: the eight smallest checksums of its sentences, and one of all its
    numbers and negations, because texts that differ there say different things. Empty for a text without a sentence.

    Copies share it under another title and with other line breaks; long texts mostly share it when few words differ.
    """
    body = body[:_SKETCHED]
    sentences = body.replace("\n", ". ").split(". ")
    sums = {zlib.crc32(s.strip().encode("utf-8", "replace")) for s in sentences if len(s) > 3}
    if not sums:
        return b""
    lower = body.lower()
    values = f"{' '.join(_DIGITS.findall(body))} {[lower.count(word) for word in _NEGATIONS]}"
    return b"".join(value.to_bytes(4, "big") for value in (zlib.crc32(values.encode()), *sorted(sums)[:8]))


def tag_terms(tags: Iterable[str]) -> list[str]:
    """Tags as terms: folded, each with the tags above it (`netz/vpn` is also found as `netz`)."""
    terms: dict[str, None] = {}
    for tag in tags:
        parts = fold(tag.strip().lstrip("#")).split("/")
        for end in range(1, len(parts) + 1):
            terms["/".join(parts[:end])] = None
    return [term for term in terms if term]


def folder_terms(path: str | None) -> list[str]:
    """A path and every folder above it, in lower case: what `path:` compares with."""
    if not path:
        return []
    names = [name for name in nfc(path).lower().split("/") if name not in ("", ".")]
    return ["/".join(names[:end]) for end in range(len(names), 0, -1)]


def _pack_head(head: Head) -> bytes:
    fields: list[Any] = list(head)
    fields[4] = head.date.isoformat() if head.date else None
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def read_head(stored: dict[str, list[Any]]) -> Head:
    """The head of a stored document."""
    fields = json.loads(bytes(stored["head"][0]))
    fields[4] = dt.date.fromisoformat(fields[4]) if fields[4] else None
    fields[9] = tuple(fields[9])
    return Head(*fields)


def read_marks(stored: dict[str, list[Any]]) -> list[bytes]:
    """The first bytes of the digests of a stored document's passages, in order."""
    joined = bytes(stored["passages"][0])
    return [joined[i : i + PASSAGE_MARK] for i in range(0, len(joined), PASSAGE_MARK)]


def read_sketch(stored: dict[str, list[Any]]) -> bytes:
    """The sketch of a stored document."""
    return bytes(stored["sketch"][0])


def read_links(stored: dict[str, list[Any]]) -> frozenset[int]:
    """The keys of the entries that a stored document links to."""
    joined = bytes(stored["links"][0])
    return frozenset(int.from_bytes(joined[i : i + 8], "big") for i in range(0, len(joined), 8))


def read_lead(stored: dict[str, list[Any]]) -> str:
    """The beginning of a stored document's body."""
    return bytes(stored["lead"][0]).decode("utf-8", "replace")
