"""Bytes of a page to text, decided here: what pages declare about their encoding is too often wrong."""

from __future__ import annotations

import re

from brain_assets.text import words

_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
# Encodings a text in a European language can come in. A browser reads Latin-1 as cp1252, and so do we.
_KNOWN = {
    "ascii": "cp1252", "us-ascii": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "iso-8859-1": "cp1252",
    "iso8859-1": "cp1252", "windows-1252": "cp1252", "cp1252": "cp1252", "iso-8859-2": "iso8859-2",
    "iso-8859-15": "iso8859-15", "iso8859-15": "iso8859-15", "windows-1250": "cp1250", "macintosh": "mac-roman",
}  # fmt: skip
# Zero-width and bidi controls, tag characters, variation selectors, fillers, soft hyphen: text nobody sees.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def decode(body: bytes, declared: str = "") -> str:
    """The text of a page's bytes: BOM, then strict UTF-8, then the header's charset, then the page's own, then cp1252.

    UTF-8 goes before any declaration because bytes that are valid UTF-8 with an umlaut are practically never
    anything else; a character cut in half at the end (the byte cap) does not count against it.
    """
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    try:
        return _whole_characters(body).decode("utf-8")
    except UnicodeDecodeError:
        pass
    meta = _META.search(body[:4096])
    for name in (declared, meta[1].decode("ascii", "replace") if meta else ""):
        if encoding := _KNOWN.get(name.strip().lower(), ""):
            return body.decode(encoding, "replace")
    return body.decode("cp1252", "replace")


def _whole_characters(body: bytes) -> bytes:
    """Without a UTF-8 character that was cut at the end."""
    for back in range(1, min(4, len(body)) + 1):
        byte = body[-back]
        if byte < 0x80:
            return body
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return body if back >= length else body[:-back]
    return body


def clean(text: str) -> str:
    """NFC, without invisible and control characters, `\\n` line ends."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return words.nfc(_CONTROL.sub("", _INVISIBLE.sub("", text)))
