"""Bytes of unknown origin to text: NFC, `\\n` line ends, nothing that a database or a model cannot hold."""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from functools import cache

_UTF8_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127))
_CONTROL_BYTES = bytes((*range(9), *range(14, 27), *range(28, 32)))
_LEFT_OUT_BYTES = bytes(_CONTROL)
_ASTRAL_SCRIPT = re.compile("[\U00010000-\U0001efff]")
_MARKS_KEPT = 64
_SNIFF_BYTES = 65_536


class NotTextError(ValueError):
    """The bytes are not text in any encoding that is tried; the message says what they look like."""


@dataclass(frozen=True, slots=True)
class Text:
    """Decoded text and how it was got. `problems` are sentences for the list of problems."""

    text: str
    encoding: str
    problems: tuple[str, ...] = ()


def _single_byte(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("brain_assets.cp1252", _single_byte)


def decode(data: bytes) -> Text:
    """Read bytes as UTF-8 (with or without BOM), UTF-16 or UTF-32 with BOM, Windows-1252 as the last resort.

    In a file that is UTF-8 but for some bytes only these are read as Windows-1252. NUL and other control characters
    are left out. Raises NotTextError for binary data.
    """
    text, encoding, problems = _to_text(data)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(data.translate(None, _LEFT_OUT_BYTES)) < len(data):
        kept = text.translate(_CONTROL)
        if removed := len(text) - len(kept):
            what = "NUL characters" if text.count("\0") == removed else "control characters"
            problems.append(f"{what} were left out ({removed})")
        text = kept
    return Text(clean(text), encoding, tuple(problems))


def _to_text(data: bytes) -> tuple[str, str, list[str]]:
    problems: list[str] = []
    for bom, codec, name in (
        (codecs.BOM_UTF8, "utf-8", "utf-8-sig"),
        (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16"),
        (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32"),
    ):
        if data.startswith(bom):
            data = data[len(bom) :]
            if name == "utf-8-sig":
                return _utf8(data, name, problems)
            text = data.decode(codec, "replace")
            if "\ufffd" in text:
                problems.append(f"some of it is not valid {name.upper()}")
            return text, name, problems
    if b"\0" in data[:_SNIFF_BYTES] and (bare := _bare_utf16(data[:_SNIFF_BYTES])):
        problems.append("it is UTF-16 without a byte order mark")
        return data.decode(bare, "replace"), bare, problems
    return _utf8(data, "utf-8", problems)


def _utf8(data: bytes, name: str, problems: list[str]) -> tuple[str, str, list[str]]:
    head = data[:_SNIFF_BYTES]
    controls = len(head) - len(head.translate(None, _CONTROL_BYTES))
    if controls > 8 and controls * 10 > len(head):
        raise NotTextError("it is not text (binary data)")
    try:
        return data.decode("utf-8"), name, problems
    except UnicodeDecodeError as error:
        if controls > 8 and controls * 100 > len(head):
            raise NotTextError("it is not text (binary data)") from error
    if _UTF8_SEQUENCE.search(data) is None:
        problems.append("it is not UTF-8; it was read as Windows-1252")
        return data.decode("cp1252", "replace"), "cp1252", problems
    problems.append("it is not valid UTF-8 throughout; the other bytes were read as Windows-1252")
    return data.decode("utf-8", "brain_assets.cp1252"), name, problems


def _bare_utf16(head: bytes) -> str | None:
    """UTF-16 of mostly Latin text has a NUL in every other byte."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if half and odd > 0.6 * half and even < 0.05 * half:
        return "utf-16-le"
    if half and even > 0.6 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def clean(text: str) -> str:
    """NFC without lone surrogates.

    Runs of more than 64 combining marks are cut to 64: normalising takes time quadratic in their length.
    """
    for always_normal in ("latin-1", "cp1252"):
        try:
            text.encode(always_normal)
        except UnicodeEncodeError:
            continue
        return text
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if _marks(0x10000, 1).search(text) or _ASTRAL_SCRIPT.search(text):
        text = _marks(0x1F000, _MARKS_KEPT).sub(r"\1", text)
    return unicodedata.normalize("NFC", text)


@cache
def _marks(end: int, kept: int) -> re.Pattern[str]:
    """Runs of combining characters below `end`: any at all, or those longer than `kept` (in group 1)."""
    ranges: list[list[int]] = []
    for code in range(0x300, end):
        if unicodedata.combining(chr(code)):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    one = "[" + "".join(f"{chr(a)}-{chr(b)}" for a, b in ranges) + "]"
    return re.compile(one if kept == 1 else f"({one}{{{kept}}}){one}+")


def file_name(raw: str) -> str:
    """A file name as the file system gave it (undecodable bytes as surrogates) to NFC text; such bytes are read as
    Windows-1252."""
    if raw.isascii():
        return raw
    if _SURROGATE.search(raw):
        raw = raw.encode("utf-8", "surrogateescape").decode("utf-8", "brain_assets.cp1252")
    return clean(raw)


def printable(raw: str) -> str:
    """A file name that shows what is special about it: everything but printable ASCII escaped."""
    return "".join(c if " " <= c <= "~" else c.encode("ascii", "backslashreplace").decode() for c in raw)
