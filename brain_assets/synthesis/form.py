"""The form of an article: nothing cut off, no placeholder, no markup of another kind, nobody giving orders to a machine."""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(
    r"\b(?:(?-i:TODO|TBD|FIXME|XXX+)|lorem ipsum|platzhalter|placeholder|hier einfügen|insert (?:\w+ )?here|to be (?:added|filled)|"
    r"noch zu ergänzen|wird ergänzt|coming soon|beispieltext|your text)\b|\?\?\?|\{\{|\}\}|\[(?:\.\.\.|…|name|text|titel|title|link|datum|date)\]|"
    r"<(?:name|text|titel|title|placeholder|platzhalter|hier|here)\b[^>]*>",
    re.IGNORECASE,
)  # fmt: skip
_HTML = re.compile(
    r"</?(?:p|br|div|span|a|b|i|u|em|strong|ul|ol|li|h[1-6]|table|tr|td|th|tbody|thead|script|style|img|iframe|font|center|hr|"
    r"input|form|button|svg|object|embed|html|body|head|meta|link)\b[^>]*>|&(?:nbsp|amp|lt|gt|quot|#\d+|#x[0-9a-f]+);|<!--|javascript:",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:ignor(?:e|iere\w*)|disregard|forget|vergiss|missachte\w*)\b[^.\n]{0,40}\b(?:instructions?|anweisung\w*|regeln|rules|vorgaben|prompts?|previous|"
    r"bisherig\w*|vorherig\w*)\b|\b(?:you are now|du bist (?:jetzt|nun|ab sofort)|act as (?:an?|the)|verhalte dich (?:wie|als)|pretend to be|tu so als)\b|"
    r"\b(?:system|developer|entwickler)[- ]?(?:prompt|message|nachricht|modus|mode)\b|\bjailbreak\w*|\bas an? (?:assistant|ai)\b|"
    r"\b(?:respond|answer|reply|antworte\w*)\b (?:only|nur|ausschließlich) (?:with|mit|in)\b|\bnew instructions?\s*:|\bneue anweisung(?:en)?\s*:|"
    r"\b(?:note|hinweis|nachricht|message) (?:to|an) (?:the |das |die |den )?(?:assistant|model|modell|crawler|bot|llm|assistenten)\b|"
    r"\b(?:approve|bestätige|genehmige|publish|veröffentliche)\w* (?:this|diesen|dieses|the) (?:article|artikel|entry|eintrag|page|dokument)\b",
    re.IGNORECASE,
)
_LIST_END = re.compile(r"[.!?:;)\]\"'”“»`*_|]$|\d$")
_OPEN_END = re.compile(
    r"(?:\b(?:und|oder|sowie|aber|weil|dass|der|die|das|ein|eine|einen|mit|von|zu|zum|zur|im|in|auf|für|bei|wenn|and|or|but|"
    r"because|that|the|an?|with|of|to|in|on|for|at|if|when)|[,(–—-]|\.\.\.|…)$",
    re.IGNORECASE,
)
_STOPPED = re.compile(
    r"(?:\b(?:und|oder|sowie|weil|dass|einen?|einem|einer|the|and|or|because|to|of)|[,(–—]|\.\.\.|…)\s*\.$",
    re.IGNORECASE,
)


def placeholders(text: str) -> list[str]:
    """What still waits to be filled in."""
    return [m[0] for m in _PLACEHOLDER.finditer(_without_code(text))]


def html(text: str) -> list[str]:
    """Tags and entities: an article is Markdown."""
    return [m[0] for m in _HTML.finditer(_without_code(text))]


def orders(text: str) -> list[str]:
    """Sentences that talk to a machine instead of the reader."""
    return [m[0] for m in _ORDER.finditer(text)]


def cut_off(text: str) -> list[str]:
    """Signs of a text that stops midway: open code, brackets or emphasis, a last line that does not end."""
    out = []
    if len(re.findall(r"^[ \t]*(?:```|~~~)", text, re.MULTILINE)) % 2:
        out.append("code block not closed")
    for line in [ln.strip() for ln in _without_fences(text).splitlines() if ln.strip()]:
        bare = re.sub(r"`[^`]*`", "x", line)
        out.extend(f"{fault}: {line[-40:]}" for fault in unbalanced(line))
        if not line.startswith("#") and (_OPEN_END.search(bare) or _STOPPED.search(bare)):
            out.append(f"ends midway: {line[-40:]}")
    lines = [ln.strip() for ln in text.strip().splitlines() if ln.strip()]
    if not lines or not _LIST_END.search(lines[-1]):
        out.append(f"no end: {lines[-1][-40:] if lines else 'empty'}")
    return out


def unbalanced(line: str) -> list[str]:
    """Marks and brackets that one line opens and does not close."""
    bare = re.sub(r"`[^`]*`", "x", line)
    faults = [("code span not closed", "`" in bare), ("emphasis not closed", bool(bare.count("**") % 2)),
              ("bracket not closed", bare.count("(") > bare.count(")"))]  # fmt: skip
    return [name for name, found in faults if found]


def empty_headings(text: str) -> list[str]:
    """Headings with nothing under them."""
    lines = [ln.strip() for ln in _without_fences(text).splitlines() if ln.strip()]
    fenced = "```" in text or "~~~" in text
    out = []
    for i, line in enumerate(lines):
        last = i + 1 == len(lines)
        if re.match(r"#{1,6}\s", line) and (
            (last and not fenced) or (not last and re.match(r"#{1,6}\s", lines[i + 1]))
        ):
            out.append(line)
        elif re.match(r"#{1,6}\s*$", line):
            out.append("heading without words")
    return out


def title_faults(title: str) -> list[str]:
    """Why a title is none."""
    out = []
    if len(title.strip()) < 4:
        out.append("too short")
    if len(title) > 160 or "\n" in title:
        out.append("too long")
    if title.strip().endswith((".", ":", ",", ";", "…", "-")):
        out.append("ends like a sentence")
    if re.match(
        r"(?:#|\*|\d+\.\s|title\b|titel\s*:|untitled|ohne titel|artikel$|article$|entwurf|draft)",
        title.strip(),
        re.IGNORECASE,
    ):
        out.append("is no title")
    return out


def _without_fences(text: str) -> str:
    return re.sub(r"^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)", "", text, flags=re.DOTALL | re.MULTILINE)


def _without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "`x`", _without_fences(text))
