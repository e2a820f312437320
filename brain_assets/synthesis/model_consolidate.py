"""The fact base with a language model: it reads every piece of every source, its quotes are checked word for word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from brain_assets.llm.base import LanguageModel
from brain_assets.llm.structured import structured
from brain_assets.model.entry import Entry
from brain_assets.model.synthesis import Consolidation, GapQuestion, Pool, Statement, StatementRole
from brain_assets.synthesis import borne, consolidate, gaps, structure
from brain_assets.text import words

PROMPT_VERSION = "consolidate-2"
_CHUNK_CHARS = 6_000
_MAX_TOKENS = 3_000
_MAX_CRITICAL = 3
_LANGUAGES = {"de": "German", "en": "English"}

_SYSTEM = """You read one part of one source of a support team and list what it states about the subject, for an internal
fact base. Subject: {title}.

For each statement give its role (symptom, prerequisite, step, validation, error_handling, fact), its words in {language},
translated where the source is in another language, and one quote: the exact words of the source in the source's own
language, copied from one sentence or line without any change. Keep every number, command, path, host name and version as
it is. State nothing the source does not say; leave out what is not about the
subject. List open questions only if the source itself leaves something open that a reader needs; mark those critical
without which the subject cannot be handled."""


class _Said(BaseModel):
    model_config = ConfigDict(extra="ignore")
    role: StatementRole
    text: str = Field(min_length=3, max_length=1200)
    quote: str = Field(min_length=3, max_length=1200)


class _Question(BaseModel):
    model_config = ConfigDict(extra="ignore")
    question: str = Field(min_length=5, max_length=300)
    critical: bool = False


class _Part(BaseModel):
    """What the model says of one part of one source."""

    model_config = ConfigDict(extra="ignore")
    statements: list[_Said] = Field(default_factory=list, max_length=60)
    open_questions: list[_Question] = Field(default_factory=list, max_length=10)


@dataclass(frozen=True, slots=True)
class _Chunk:
    entry: Entry
    text: str


def refine(model: LanguageModel, pool: Pool, sources: Sequence[Entry], base: Consolidation) -> Consolidation:
    """The deterministic fact base with what the model read: its roles and wording, and the gaps it saw.

    A statement whose quote is not in its source, or whose figures and names are not in its quote, is dropped and
    counted. Statements of the sources that the model passed over stay. Raises ModelFailure and BudgetExhausted.
    """
    said: list[Statement] = []
    found: list[GapQuestion] = []
    dropped = 0
    for chunk in _chunks(sources):
        answer = structured(
            model,
            system=_SYSTEM.format(title=pool.title, language=_LANGUAGES.get(pool.language, "English")),
            data={"source": f"{chunk.entry.title}\n\n{chunk.text}"},
            schema=_Part,
            max_tokens=_MAX_TOKENS,
            prompt_version=PROMPT_VERSION,
        )
        for item in answer.statements:
            statement = _checked(pool, chunk.entry, item, base.statements)
            if statement is None:
                dropped += 1
            else:
                said.append(statement)
        found.extend(_gap(pool, q, chunk.entry) for q in answer.open_questions)
    return _joined(base, said, found, dropped, f"{model.provider}/{model.model}")


def _chunks(sources: Sequence[Entry]) -> Iterator[_Chunk]:
    """Every source in parts that fit a prompt, cut between pieces, nothing left out."""
    for entry in sources:
        part: list[str] = []
        size = 0
        for block in _blocks(entry.body):
            if part and size + len(block) > _CHUNK_CHARS:
                yield _Chunk(entry, "\n\n".join(part))
                part, size = [], 0
            part.append(block)
            size += len(block) + 2
        if part:
            yield _Chunk(entry, "\n\n".join(part))


def _blocks(body: str) -> Iterator[str]:
    """Paragraphs of a body; one longer than a part is cut at its lines, a longer line at its words."""
    for block in body.split("\n\n"):
        if len(block) <= _CHUNK_CHARS:
            if block.strip():
                yield block
            continue
        lines: list[str] = []
        for line in block.split("\n"):
            pieces = [line[i : i + _CHUNK_CHARS] for i in range(0, len(line), _CHUNK_CHARS)] or [""]
            for piece in pieces:
                if lines and sum(map(len, lines)) + len(piece) > _CHUNK_CHARS:
                    yield "\n".join(lines)
                    lines = []
                lines.append(piece)
        if lines:
            yield "\n".join(lines)


def _checked(pool: Pool, entry: Entry, item: _Said, known: Sequence[Statement]) -> Statement | None:
    """The statement, if its quote stands in the source and bears its figures, names and sense."""
    quote = structure.squash(item.quote)
    if not quote or quote not in structure.squash(f"{entry.title}\n{entry.body}"):
        return None
    origin = next((s for s in known if entry.id in s.source_refs and _overlaps(s, quote)), None)
    text = structure.squash(item.text)
    subject = origin.subject if origin else ""
    context = f"{entry.title} {subject} {quote} {origin.text if origin else ''}"
    if not borne.figures_and_names_in(text, context) or not borne.same_sense(text, quote):
        return None
    return Statement(
        role=item.role,
        text=text,
        source_refs=(entry.id,),
        quotes=(quote,),
        language=pool.language,
        subject=""
        if words.content_stems(subject, pool.language) & words.content_stems(text, pool.language)
        else subject,
        code=origin.code if origin else "",
        group=origin.group if origin else f"{entry.id}##",
        order=origin.order if origin else 0,
        kind=origin.kind if origin else "sentence",
        labelled=origin.labelled if origin else False,
        disputed=origin.disputed if origin else False,
    )


def _overlaps(statement: Statement, quote: str) -> bool:
    return any(quote in own or own in quote for own in statement.quotes)


def _gap(pool: Pool, item: _Question, entry: Entry) -> GapQuestion:
    return gaps.stated(pool, item.question, item.critical, f"seen by the model in {entry.title}")


def _joined(
    base: Consolidation, said: Sequence[Statement], found: Sequence[GapQuestion], dropped: int, author: str
) -> Consolidation:
    """What the model said, and what it passed over, in the order of the sources."""
    passed = [s for s in base.statements if not any(_covers(m, s) for m in said)]
    place = {ref: i for i, ref in enumerate(dict.fromkeys(r for s in base.statements for r in s.source_refs))}
    together = sorted([*said, *passed], key=lambda s: (place.get(s.source_refs[0], len(place)), s.group, s.order))
    known = {g.question for g in (*base.critical_gaps, *base.optional_gaps)}
    new = list({g.question: g for g in found if g.question not in known}.values())
    critical = [g for g in new if g.critical][:_MAX_CRITICAL]
    optional = [g.model_copy(update={"critical": False}) for g in new if g not in critical]
    return base.model_copy(
        update={
            "statements": tuple(consolidate.merge(together)),
            "critical_gaps": (*base.critical_gaps, *critical),
            "optional_gaps": (*base.optional_gaps, *optional),
            "research_queries": (*base.research_queries, *(g.question for g in critical)),
            "dropped_statements": base.dropped_statements + dropped,
            "author": author,
        }
    )


def _covers(new: Statement, old: Statement) -> bool:
    return new.source_refs[0] in old.source_refs and any(_overlaps(old, quote) for quote in new.quotes)
