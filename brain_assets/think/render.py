"""Answers for people: Markdown, and the lines of a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from brain_assets.model.gaps import Conflict, Missing, Stale, Uncited
from brain_assets.text.printable import inert, one_line, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from brain_assets.think.answer import Answer, AnswerSource

_WORDS = {
    "de": {
        "sources": "Quellen",
        "gaps": "Lücken",
        "none": "Keine Lücken gefunden.",
        "stale": "Veraltet",
        "contradiction": "Widerspruch",
        "missing": "Fehlt",
        "uncited": "Nicht behandelt",
        "old": "{age} Tage alt",
        "old_one": "1 Tag alt",
        "undated": "ohne Datum",
        "weak": "schwacher Hinweis, prüfen",
        "strong": "bitte prüfen",
        "stands": "steht in",
        "due": "überfällig",
        "aging": "alternd",
        "superseded": "ersetzt",
        "by": "Antwort von {model} ({provider})",
        "extractive": "Antwort aus Sätzen der Quellen",
    },
    "en": {
        "sources": "Sources",
        "gaps": "Gaps",
        "none": "No gaps found.",
        "stale": "Stale",
        "contradiction": "Contradiction",
        "missing": "Missing",
        "uncited": "Not addressed",
        "old": "{age} days old",
        "old_one": "1 day old",
        "undated": "undated",
        "weak": "weak signal, check",
        "strong": "please check",
        "stands": "stands in",
        "due": "due",
        "aging": "aging",
        "superseded": "superseded",
        "by": "Answered by {model} ({provider})",
        "extractive": "Answered with sentences of the sources",
    },
}


def words(language: str) -> dict[str, str]:
    return _WORDS.get(language, _WORDS["en"])


def markdown(answer: Answer) -> str:
    """Answer, numbered sources, gap report, and what was not done, as Markdown."""
    say = words(answer.language)
    lines = [inert(printable(answer.answer)), ""]
    if answer.sources:
        lines += [f"## {say['sources']}", ""]
        lines += [f"{s.n}. {_escape(s.title)} (`{one_line(s.path or s.id)}`), {_age(s, say)}" for s in answer.sources]
        lines.append("")
    lines += [f"## {say['gaps']}", ""]
    found = gap_lines(answer)
    lines += [f"- **{label}**: {_escape(text)}" for label, text in found] or [say["none"]]
    lines += ["", f"*{_origin(answer, say)}*"]
    lines += [f"*{_escape(note)}*" for note in answer.notes]
    return "\n".join(lines).strip() + "\n"


def gap_lines(answer: Answer) -> list[tuple[str, str]]:
    """(kind, sentence) of every gap, the gravest first; weak contradictions last."""
    say = words(answer.language)
    gaps = answer.gaps
    return [
        *((say["contradiction"], _conflict(c, say)) for c in gaps.contradiction if c.strength == "strong"),
        *((say["missing"], _missing(m)) for m in gaps.missing),
        *((say["stale"], _stale(s, say)) for s in gaps.stale),
        *((say["uncited"], _uncited(u, say)) for u in gaps.uncited),
        *((say["contradiction"], _conflict(c, say)) for c in gaps.contradiction if c.strength == "weak"),
    ]


def terminal(answer: Answer, console: Console, *, verbose: bool = False) -> None:
    """Print an answer on a rich console; styles fall away where the console is no terminal."""
    from rich.text import Text

    say = words(answer.language)
    console.print(Text(printable(answer.answer)))
    if answer.sources:
        console.print()
        console.print(Text(say["sources"], style="bold"))
        for s in answer.sources:
            place = one_line(f"  {s.path or s.id}, {_age(s, say)}")
            _hung(console, Text.assemble((f"  [{s.n}] ", "cyan"), one_line(s.title), (place, "dim")), indent=6)
    found = gap_lines(answer)
    console.print()
    console.print(Text(say["gaps"] if found else say["none"], style="bold" if found else "green"))
    styles = {say["contradiction"]: "red", say["missing"]: "yellow", say["stale"]: "magenta", say["uncited"]: "blue"}
    for label, text in found:
        _hung(console, Text.assemble("  ", (f"{label}: ", styles[label]), one_line(text)), indent=4)
    for note in answer.notes:
        console.print(Text(printable(note), style="dim"))
    if verbose:
        console.print()
        console.print(Text(_origin(answer, say), style="dim"))
        for a in answer.attempts:
            console.print(Text(f"  {a.provider}: {a.outcome}, {a.ms:.0f} ms", style="dim"))
        cost = "unknown" if answer.cost is None else f"${answer.cost:.5f}"
        console.print(Text(f"  coverage {answer.coverage}, cost {cost}, {answer.took_ms:.0f} ms", style="dim"))


def _hung(console: Console, text: Text, *, indent: int) -> None:
    """Print a line; where it is too long for the terminal, what follows stands below its text."""
    first, *rest = text.wrap(console, console.width - indent)
    console.print(first)
    for line in rest:
        line.pad_left(indent)
        console.print(line)


def _origin(answer: Answer, say: dict[str, str]) -> str:
    if answer.mode == "llm":
        return say["by"].format(model=answer.model, provider=answer.provider)
    return say["extractive"]


def _age(source: AnswerSource, say: dict[str, str]) -> str:
    if source.date is None:
        return say["undated"]
    return f"{source.date}, {_days(source.age_days, say)}"


def _days(age: int | None, say: dict[str, str]) -> str:
    return say["old_one" if age == 1 else "old"].format(age=age)


def _stale(gap: Stale, say: dict[str, str]) -> str:
    return f"{gap.path or gap.id}: {_days(gap.age_days, say)}, {say[gap.severity]} ({gap.reason})"


def _uncited(gap: Uncited, say: dict[str, str]) -> str:
    return f"{gap.term} ({say['stands']} {', '.join(gap.where[:3])})"


def _missing(gap: Missing) -> str:
    return f"{gap.term} – {gap.suggestion}"


def _conflict(gap: Conflict, say: dict[str, str]) -> str:
    values = f"{gap.a_value} ≠ {gap.b_value}: " if gap.a_value and gap.b_value else ""
    return f"{values}“{_short(gap.a_quote)}” ({gap.a}) – “{_short(gap.b_quote)}” ({gap.b}); {say[gap.strength]}"


def _short(quote: str) -> str:
    quote = " ".join(quote.split())
    return quote if len(quote) <= 160 else quote[:157] + "…"


def _escape(text: str) -> str:
    """Text of a note inside our Markdown: no markup of its own, no line of its own."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", printable(" ".join(text.split())))
