"""Research rounds as a person reads them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from brain_assets.model.synthesis import ResearchRound

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What a page must not do to a terminal."""
_OUTCOMES = {
    "searched": "searched",
    "search_failed": "search_failed, no search succeeded; made again on the next run",
    "unavailable": "unavailable, nothing could be searched; made again on the next run",
    "disabled": "research is switched off",
    "nothing_open": "nothing was open",
}


def markdown(rounds: Sequence[ResearchRound]) -> str:
    """One section per round: questions, queries, hits with the reason for each choice, pages with each judgement,
    evidence, and the gaps before and after."""
    return "\n\n".join(_round(record) for record in rounds) + ("\n" if rounds else "No rounds.\n")


def _round(record: ResearchRound) -> str:
    reason = f" ({record.reason})" if record.reason else ""
    lines = [
        f"## {record.pool_id or 'Subject'}, round {record.round}: {_OUTCOMES[record.outcome]}{reason}",
        "",
        f"Open gaps: {len(record.gaps_before)} before, {len(record.gaps_after)} after. "
        f"{len(record.queries)} queries, {len(record.fetches)} pages, {record.bytes_fetched:,} bytes, "
        f"{record.seconds:.1f} s.",
        "",
        *(f"- {question}" for question in record.questions),
    ]
    if record.queries:
        lines += ["", "| query | language | hits |", "|---|---|---|"]
        lines += [f"| {_cell(q['query'])} | {q['language']} | {_hits(q)} |" for q in record.queries]
    if record.hits:
        lines += ["", "| hit | class | score | chosen | why |", "|---|---|---|---|---|"]
        for hit in record.hits:
            chosen = "yes" if hit["chosen"] else "no"
            lines.append(
                f"| {_link(hit['title'], hit['url'])} | {hit['source_class']} | {hit['score']:.2f} | {chosen} | "
                f"{_cell(hit['reason'])} |"
            )
    if record.fetches:
        lines += ["", "| page | outcome | judgement |", "|---|---|---|"]
        lines += [f"| {_link(f.get('title', ''), f['url'])} | {_outcome(f)} | {_judged(f)} |" for f in record.fetches]
    for evidence in record.evidence:
        lines += ["", *(f"> {_CONTROL.sub('', line)}" for line in evidence.quote.splitlines())]
        lines += ["", f"{evidence.url} (relevance {evidence.relevance:.2f}, quality {evidence.quality:.2f})"]
    return "\n".join(lines)


def _hits(query: dict[str, str]) -> str:
    return query["hits"] if query["outcome"] == "ok" else f"failed: {_cell(query['reason'])}"


def _outcome(fetch: dict[str, Any]) -> str:
    detail = fetch.get("reason") or ""
    return f"{fetch['outcome']}" + (f": {_cell(detail)}" if detail else "")


def _judged(fetch: dict[str, Any]) -> str:
    return "; ".join(
        f"{'accepted' if j['accepted'] else 'no'} ({j['relevance']:.2f}/{j['quality']:.2f}): {_cell(j['reason'])}"
        for j in fetch.get("judgements", ())
    )


def _link(title: Any, url: Any) -> str:
    shown = _cell(title) or str(url)
    return f"[{shown.replace('[', '(').replace(']', ')')}](<{str(url).replace('>', '%3E')}>)"


def _cell(value: Any) -> str:
    return " ".join(_CONTROL.sub("", str(value)).replace("|", "\\|").split())


def counts(rounds: Sequence[ResearchRound]) -> dict[str, Any]:
    """Counts over rounds: outcomes, queries, pages read and failed by reason, evidence, bytes."""
    outcomes = Counter(record.outcome for record in rounds)
    fetches = Counter(str(fetch["outcome"]) for record in rounds for fetch in record.fetches)
    return {
        "outcomes": dict(sorted(outcomes.items())),
        "queries": sum(len(record.queries) for record in rounds),
        "failed_queries": sum(q["outcome"] != "ok" for record in rounds for q in record.queries),
        "pages": dict(sorted(fetches.items())),
        "evidence": sum(len(record.evidence) for record in rounds),
        "bytes": sum(record.bytes_fetched for record in rounds),
    }
