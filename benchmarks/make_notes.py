#!/usr/bin/env python3
"""Make a large German and English vault for speed and scale measurements.

    python benchmarks/make_notes.py OUT N [--seed 1] [--kb K]

Writes N notes under OUT/vault (front matter, headings, wikilinks, tags, lists, code, tables; dates 2019 to 2026), K KB
entries under OUT/kb (default N // 20) and OUT/known_items.jsonl: {"query", "path", "form", "language"} with form
title, question or transliterated. Same arguments, same bytes. Standard library only.

Notes are made of paragraphs drawn from a pool of 6,000 per language, as real notes quote and repeat each other. The
words follow natural statistics: small words and common words are those of the project's own sample in `data/`, content
words are drawn by Zipf's law (rank r with weight 1 / r) from a vocabulary of 40,000 per language, whose rare words are
compounds of the sample's words, as German makes them.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
import re
from bisect import bisect
from collections import Counter
from itertools import accumulate
from pathlib import Path

from brain_assets.text.words import STOP

SAMPLE = Path(__file__).resolve().parents[1] / "data"
FOLDERS = (
    "Projekte", "Bereiche/IT", "Bereiche/Büro", "Archiv", "Inbox", "Wissen/Netz", "Wissen/Datenbank", "Notes/ops",
    "Notes/how-to", "Journal/2025", "Journal/2026", "Team/Übergabe",
)  # fmt: skip
TYPES = ("reference", "how-to", "daily", "status", "decision", "project", "meeting")
TAGS = ("vpn", "backup", "mail", "drucker", "kubernetes", "onboarding", "datenbank", "netzwerk", "größe", "release")
STATUS = ("aktiv", "active", "entwurf", "done", "veraltet")
TRANSLITERATED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
VOCABULARY, PARAGRAPHS = 40_000, 6_000
WORD = re.compile(r"[^\W\d_]+")


class Language:
    """Words and sentence lengths of one language, sampled by frequency."""

    def __init__(self, code: str, texts: list[str], rng: random.Random) -> None:
        self.code = code
        counts = Counter(w for text in texts for w in WORD.findall(prose(text)))
        common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        small = [(w, n) for w, n in common if w in STOP]
        self.small, self.small_weights = [w for w, _ in small], list(accumulate(n for _, n in small))
        content = [w for w, _ in common if w not in STOP and len(w) > 3]
        self.content = content + rare_words(content, code, max(0, VOCABULARY - len(content)))
        self.weights = list(accumulate(1.0 / rank for rank in range(3, len(self.content) + 3)))
        self.paragraphs = [self.paragraph(rng) for _ in range(PARAGRAPHS)]

    def word(self, rng: random.Random) -> str:
        return self.content[bisect(self.weights, rng.random() * self.weights[-1])]

    def small_word(self, rng: random.Random) -> str:
        return self.small[bisect(self.small_weights, rng.random() * self.small_weights[-1])]

    def sentence(self, rng: random.Random) -> str:
        words = []
        for _ in range(rng.randint(6, 18)):
            words.append(self.small_word(rng) if rng.random() < 0.47 else self.word(rng))
        if rng.random() < 0.15:
            words.append(str(rng.randrange(1, 9999)))
        words[0] = words[0][:1].upper() + words[0][1:]
        return " ".join(words) + "."

    def paragraph(self, rng: random.Random) -> str:
        return " ".join(self.sentence(rng) for _ in range(rng.randint(3, 8)))


def rare_words(content: list[str], code: str, wanted: int) -> list[str]:
    """Words beyond the sample's: German compounds, English derivations, in a fixed order."""
    rng = random.Random(f"rare words {code}")
    heads = [w for w in content if 4 < len(w) < 10] or ["Notiz", "Server", "System"]
    endings = ("", "s", "ung", "er", "bar") if code == "de" else ("s", "ing", "er", "able", "ness", "ed")
    words: dict[str, None] = {}
    while len(words) < wanted:
        first, second = rng.choice(heads), rng.choice(heads).lower()
        joint = rng.choice(("", "", "s", "en")) if code == "de" else ""
        words[first + joint + second + rng.choice(endings)] = None
    return list(words)


def prose(text: str) -> str:
    """A note without front matter, code and links."""
    if text.startswith("---\n"):
        text = text.split("\n---\n", 1)[-1]
    return re.sub(r"```.*?```|`[^`]*`|\[\[.*?\]\]|https?://\S+", " ", text, flags=re.DOTALL)


def sample_texts() -> dict[str, list[str]]:
    """The sample's prose by language, told by the commonest words of each."""
    from brain_assets.text.language import detect

    texts: dict[str, list[str]] = {"de": [], "en": []}
    for path in sorted(SAMPLE.glob("vault/**/*.md")):
        text = path.read_text(encoding="utf-8", errors="replace")
        texts[detect(text)].append(text)
    for path in sorted(SAMPLE.glob("kb/*.json")):
        loaded = json.loads(path.read_text(encoding="utf-8"))
        for record in loaded if isinstance(loaded, list) else [loaded]:
            text = f"{record.get('title', '')}\n{record.get('text', '')}\n{record.get('answer', '')}"
            texts[detect(text)].append(text)
    if not texts["de"] or not texts["en"]:
        raise SystemExit(f"make_notes: no German and English sample under {SAMPLE}")
    return texts


def front_matter(rng: random.Random, title: str, language: str, day: dt.date) -> str:
    lines = [f'title: "{title}"']
    if rng.random() < 0.9:
        lines.append(f"type: {rng.choice(TYPES)}")
    if tags := rng.sample(TAGS, rng.randint(0, 4)):
        lines.append("tags: [" + ", ".join(tags) + "]")
    form = rng.random()
    if form < 0.75:
        lines.append(f"date: {day.isoformat()}")
    elif form < 0.85:
        lines.append(f"date: {day.strftime('%d.%m.%Y')}")
    elif form < 0.92:
        lines.append(f"created: {day.isoformat()}T08:15:00+02:00")
    lines += [f"status: {rng.choice(STATUS)}", f"lang: {language}"]
    return "---\n" + "\n".join(lines) + "\n---\n"


def note(rng: random.Random, language: Language, title: str, names: list[str]) -> str:
    day = dt.date(2019, 1, 1) + dt.timedelta(days=rng.randrange(2890))
    out = [front_matter(rng, title, language.code, day) if rng.random() < 0.93 else "", f"# {title}\n"]
    for number in range(rng.randint(2, 9)):
        if number and rng.random() < 0.4:
            out.append(f"## {language.word(rng)} {language.word(rng)}\n")
        text = rng.choice(language.paragraphs)
        if names and rng.random() < 0.3:
            text += f" {'Siehe' if language.code == 'de' else 'See'} [[{rng.choice(names)}]]."
        out.append(text + "\n")
        kind = rng.random()
        if kind < 0.08:
            out.append(f"```bash\nsystemctl status openvpn\nping -c 3 192.0.2.{rng.randrange(255)}\n```\n")
        elif kind < 0.14:
            port, version = rng.randrange(1024, 65535), f"{rng.randrange(9)}.{rng.randrange(20)}"
            out.append(f"| Feld | Wert |\n|---|---|\n| Port | {port} |\n| Version | {version} |\n")
        elif kind < 0.2:
            out.append("\n".join(f"- [ ] {language.word(rng)} {language.word(rng)}" for _ in range(3)) + "\n")
    return "\n".join(out)


def known_items(title: str, path: str, language: str) -> list[dict[str, str]]:
    bare = title.rsplit(" ", 1)[0]
    question = f"Was wissen wir über {bare}?" if language == "de" else f"What do we know about {bare}?"
    items = [("title", bare), ("question", question)]
    if (plain := bare.translate(TRANSLITERATED)) != bare:
        items.append(("transliterated", plain))
    return [{"query": query, "path": path, "form": form, "language": language} for form, query in items]


def make(out: Path, count: int, seed: int = 1, kb: int | None = None) -> None:
    """Write the vault, the KB and the known items."""
    rng = random.Random(seed)
    texts = sample_texts()
    languages = {code: Language(code, texts[code], rng) for code in ("de", "en")}
    for folder in FOLDERS:
        (out / "vault" / folder).mkdir(parents=True, exist_ok=True)
    (out / "kb").mkdir(parents=True, exist_ok=True)
    names: list[str] = []
    known: list[dict[str, str]] = []
    for i in range(count):
        language = languages["de" if rng.random() < 0.6 else "en"]
        words = [language.content[rng.randrange(len(language.content))].capitalize() for _ in range(3)]
        title = " ".join(dict.fromkeys(words)) + f" {i:06d}"
        path = f"{rng.choice(FOLDERS)}/{title}.md"
        (out / "vault" / path).write_text(note(rng, language, title, names), encoding="utf-8")
        names.append(title)
        if len(names) > 5000:
            del names[0]
        if i % max(1, count // 400) == 0:
            known += known_items(title, path, language.code)
    lines = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in known)
    (out / "known_items.jsonl").write_text(lines, encoding="utf-8")
    for i in range(count // 20 if kb is None else kb):
        language = languages["de" if rng.random() < 0.6 else "en"]
        record = {
            "id": f"KB-{i:06d}",
            "title": " ".join(language.word(rng) for _ in range(4)),
            "text": language.paragraph(rng),
            "answer": "\n".join(f"{k}. {language.sentence(rng)}" for k in range(1, rng.randint(4, 9))),
            "auto_reply": False,
            "min_score": 0.82,
            "categories": ["IT", rng.choice(("VPN", "Mail", "Backup"))],
            "keywords": rng.sample(TAGS, 3),
            "source": "Support",
            "source_uri": f"https://kb.example.org/{i}",
            "language": "de-DE" if language.code == "de" else "en-US",
            "communication_style": "formal",
        }
        path = out / "kb" / f"{record['id']}.json"
        path.write_text(json.dumps(record, ensure_ascii=False, indent=2), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kb", type=int)
    args = parser.parse_args()
    make(args.out, args.count, args.seed, args.kb)


if __name__ == "__main__":
    main()
