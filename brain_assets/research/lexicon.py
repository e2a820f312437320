"""Words that mean the same, in German and English: for asking in both languages and for reading across them."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources

from brain_assets.text import words

_LINKS = ("", "s", "n", "es", "en", "er", "e")
_MIN_PART = 4
Form = tuple[str, ...]
"""Stems of one word or fixed phrase; a text has it when it has all of them."""


@cache
def _sections() -> dict[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]]:
    """Per section of the word list ("actions", "opposites", …): the two sides of each line, as written."""
    text = resources.files("brain_assets.research").joinpath("terms_de_en.txt").read_text(encoding="utf-8")
    out: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    section = ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:].strip()
        elif line.strip() and not line.startswith("#"):
            left, _, right = line.partition("|")
            out.setdefault(section, []).append((_words(left), _words(right)))
    return {name: tuple(lines) for name, lines in out.items()}


@cache
def _lines() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """(German words, English words) of each meaning, actions first."""
    sections = _sections()
    return sections["actions"] + sections["things"] + sections["qualities"]


def _words(side: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in side.split(",") if word.strip())


@lru_cache(maxsize=50_000)
def form(phrase: str, language: str) -> Form:
    """The stems of a word or phrase in one language."""
    return tuple(
        function_word(token) if token.lower() in words.STOP else words.stem(token, language)
        for token in words.tokens(phrase.replace("-", " "))
    )


def function_word(token: str) -> str:
    """A stop word as it stands in forms: marked, because `sich` is also the stem of `sicher`."""
    return "=" + words.fold(token)


@cache
def _index() -> dict[str, dict[Form, tuple[int, ...]]]:
    """Per language: form → numbers of the meanings it has."""
    index: dict[str, dict[Form, tuple[int, ...]]] = {"de": {}, "en": {}}
    for number, sides in enumerate(_lines()):
        for language, side in zip(("de", "en"), sides, strict=True):
            for phrase in side:
                key = form(phrase, language)
                index[language][key] = (*index[language].get(key, ()), number)
    return index


def meanings(word: str, language: str) -> tuple[int, ...]:
    """Numbers of the meanings a word or phrase has in a language; empty when it is not in the lexicon."""
    return _index()[language].get(form(word, language), ())


def forms(word: str, language: str) -> frozenset[Form]:
    """Every form, in both languages, of what a word can mean; at least its own stems in each."""
    found = {form(word, "de"), form(word, "en")}
    numbers = list(meanings(word, language))
    for lemma in lemmas(word) if language == "de" else ():
        found.add(form(lemma, "de"))
        numbers.extend(meanings(lemma, "de"))
    for number in numbers:
        german, english = _lines()[number]
        found |= {form(w, "de") for w in german} | {form(w, "en") for w in english}
    return frozenset(f for f in found if f)


def translate(word: str, language: str) -> tuple[str, ...]:
    """Words of the other language for a word of `language`, the commonest first; empty when unknown."""
    side = 1 if language == "de" else 0
    out: list[str] = []
    for number in meanings(word, language):
        out.extend(w for w in _lines()[number][side] if w not in out)
    return tuple(out)


def lemmas(word: str) -> tuple[str, ...]:
    """Infinitives a German verb form can belong to, by rule: `trainiert` → `trainieren`, `abgewiesen` → `abweisen`.

    Only guesses: what is no word matches nothing.
    """
    word = words.nfc(word)
    found: list[str] = []
    if word[:1].isupper():
        return ()
    if match := _PARTICIPLE.fullmatch(word):
        prefix, middle = match[1] or "", match[2]
        for stem, ending in _PARTICIPLE_END.findall(middle):
            found.append(prefix + (_STRONG.get(stem, stem) if ending == "en" else stem.removesuffix("e")) + "en")
        if weak := re.fullmatch(r"(.{2,}?)en(?:e[mnrs]?)?", middle):
            found.append(prefix + _STRONG.get(weak[1], weak[1]) + "en")
    elif word.endswith("t") and len(word) > 4:
        found.append(word[:-1].removesuffix("e") + "en")
    return tuple(dict.fromkeys(found))


_PARTICIPLE = re.compile(
    r"(ab|an|auf|aus|bei|ein|fest|frei|her|hin|hoch|los|nach|neu|um|vor|weg|weiter|wieder|zu|zurück|zusammen|durch)?"
    r"ge([a-zäöüß]{4,})"
)
_PARTICIPLE_END = re.compile(r"^(.{2,}?)(t)(?:e[mnrs]?)?$")
_STRONG = {
    "wies": "weis", "schrieb": "schreib", "broch": "brech", "nomm": "nehm", "fund": "find", "bund": "bind",
    "worf": "werf", "gang": "geh", "stand": "steh", "zog": "zieh", "schloss": "schließ", "sproch": "sprech",
    "trieb": "treib", "stoß": "stoß", "lauf": "lauf", "blieb": "bleib", "schnitt": "schneid", "griff": "greif",
    "hob": "heb", "schob": "schieb", "kannt": "kenn", "trenn": "trenn", "stürz": "stürz", "troff": "treff",
    "sess": "sitz", "leg": "lieg", "bet": "bitt", "brach": "bring", "messen": "mess", "less": "les",
}  # fmt: skip


def actions(word: str, language: str) -> tuple[int, ...]:
    """Numbers of the meanings of a word that are actions; empty when it is no known verb."""
    spellings = (word, *(lemmas(word) if language == "de" else ()))
    numbers = dict.fromkeys(n for spelling in spellings for n in meanings(spelling, language))
    return tuple(n for n in numbers if n < len(_sections()["actions"]))


@cache
def _opposites() -> dict[int, frozenset[int]]:
    found: dict[int, set[int]] = {}
    for left, right in _sections()["opposites"]:
        for one, other in ((left, right), (right, left)):
            for number in (n for word in one for n in actions(word, "de")):
                found.setdefault(number, set()).update(n for word in other for n in actions(word, "de"))
    return {number: frozenset(others) for number, others in found.items()}


def opposite_forms(word: str, language: str) -> frozenset[Form]:
    """Forms, in both languages, of what undoes an action: of `einschalten` those of `abschalten`."""
    numbers = {n for action in actions(word, language) for n in _opposites().get(action, frozenset())}
    return frozenset(f for n in sorted(numbers) for side, tongue in zip(_lines()[n], ("de", "en"), strict=True)
                     for w in side if (f := form(w, tongue)))  # fmt: skip


def known(word: str) -> bool:
    """Whether a word is an ordinary word of the subject in either language."""
    return bool(meanings(word, "de") or meanings(word, "en"))


@cache
def _vocabulary() -> frozenset[str]:
    found = {words.fold(w) for german, _ in _lines() for w in german if " " not in w and "-" not in w}
    # Verbs stand in compounds without their ending: Schreib-puffer, Lösch-auftrag.
    return frozenset(found | {w[:-2] for w in found if w.endswith("en") and len(w) > 5})


@lru_cache(maxsize=50_000)
def parts(word: str) -> tuple[str, ...]:
    """Parts of a German compound, folded: its pieces at hyphens, else two of which at least one is a known word.

    `Gerätezertifikat` → (`gerate`, `zertifikat`); empty for what is no compound we can see.
    """
    if "-" in word.strip("-"):
        return tuple(words.fold(piece) for piece in word.split("-") if len(piece) > 1)
    whole = words.fold(word)
    if not 2 * _MIN_PART <= len(whole) <= words.LONGEST_COMPOUND or not whole.isalpha() or whole in _vocabulary():
        return ()
    best: tuple[int, tuple[str, str]] | None = None
    for cut in range(_MIN_PART, len(whole) - _MIN_PART + 1):
        head, tail = whole[:cut], whole[cut:]
        stripped = next((head.removesuffix(link) for link in _LINKS if head.removesuffix(link) in _vocabulary()), None)
        score = (2 if stripped else 0) + (2 if tail in _vocabulary() else 0)
        if score and (best is None or score >= best[0]):
            best = (score, (stripped or head, tail))
    return best[1] if best else ()
