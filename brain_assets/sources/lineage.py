"""How far AI-made entries are from what people wrote: which entries they were made from, and how deep that goes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, select

from brain_assets.model.entry import Entry
from brain_assets.settings import Settings
from brain_assets.store import entries
from brain_assets.store import schema as s
from brain_assets.store.catalogue import Catalogue, bump_generation, get_meta, set_meta

_PENDING = "kb:lineage pending"
_LINEAGE_FIELDS = ("lineage", "derived_from", "sources", "source_ids", "synthesized_from")
_DERIVED = re.compile(
    r"(?i)\b(?:erzeugt|abgeleitet|erstellt|zusammengefasst|generiert|zusammengestellt)\s+(?:aus|von)\b|\bbasier(?:t|end)\s+auf\b|"
    r"\bauf\s+(?:der\s+)?(?:basis|grundlage)\s+von\b|\bquellen?\b|\b(?:derived|generated|compiled|summari[sz]ed|synthesi[sz]ed|"
    r"created|built)\s+from\b|\bbased\s+on\b|\bsources?\b|\bsummary\s+of\b|\bzusammenfassung\s+(?:von|aus)\b"
)  # fmt: skip
_SENTENCE = re.compile(r"[^.!?\n]*(?:[.!?](?!\s)[^.!?\n]*)*")


def lineage(entry: Entry, known: Mapping[str, str], recorded: Iterable[str] = ()) -> set[str]:
    """Ids of the entries an AI entry was made from.

    `known` maps every name an entry can be called by (its id, its bare KB id, its `brain://` address) to its id;
    `recorded` are ids kept elsewhere (an article's metadata). Counts what is recorded, what lineage fields list, ids
    in brackets, and ids in sentences that speak of derivation.
    """
    named = {known[name] for name in [*recorded, *_listed(entry.fields)] if name in known}
    for sentence in _SENTENCE.findall(entry.body):
        derived = bool(_DERIVED.search(sentence))
        for match in re.finditer(r"\[?[\w:/.-]*\w\]?", sentence):
            name = match[0].strip("[]")
            if name in known and (derived or (match[0].startswith("[") and match[0].endswith("]"))):
                named.add(known[name])
    return named - {entry.id}


def _listed(fields: Mapping[str, Any]) -> list[str]:
    out: list[str] = []
    stack = [fields[name] for name in _LINEAGE_FIELDS if name in fields]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            out.append(value)
        elif isinstance(value, list):
            stack.extend(value)
        elif isinstance(value, dict):
            stack.extend(v for k, v in value.items() if k in ("id", "ref", "source", *_LINEAGE_FIELDS))
    return out


def depths(sources: Mapping[str, set[str]], given: Mapping[str, int] | None = None) -> dict[str, int]:
    """Generation depth of each AI entry: 1 + the deepest of its sources; what people wrote is 0.

    `sources` maps each AI entry's id to the ids it was made from, `given` holds depths that are known already. Entries
    that refer to each other in a circle share one depth, that of the deepest source outside the circle + 1.
    """
    out = dict(given or {})
    for circle in _circles(sources):
        deepest = max((out.get(s, 0) for name in circle for s in sources[name] if s not in circle), default=0)
        out.update(dict.fromkeys(circle, 1 + deepest))
    return {name: out[name] for name in sources}


def _circles(sources: Mapping[str, set[str]]) -> list[set[str]]:
    """Strongly connected components (Tarjan, without recursion), those without sources first."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    placed: set[str] = set()
    out: list[set[str]] = []
    path: list[str] = []
    for root in sorted(sources):
        if root in index:
            continue
        work = [(root, iter(sorted(sources[root] & sources.keys())))]
        index[root] = low[root] = len(index)
        path.append(root)
        while work:
            name, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    cut = path.index(name)
                    out.append(set(path[cut:]))
                    placed.update(path[cut:])
                    del path[cut:]
            elif following not in index:
                index[following] = low[following] = len(index)
                path.append(following)
                work.append((following, iter(sorted(sources[following] & sources.keys()))))
            elif following not in placed:
                low[name] = min(low[name], index[following])
    return out


def mark(connection: Connection) -> None:
    """Note, in the transaction that changes KB entries, that depths have to be computed anew."""
    set_meta(connection, _PENDING, "1")


def settle_pending(catalogue: Catalogue, settings: Settings) -> None:
    """Compute depths anew if KB entries changed since the last time."""
    with catalogue.read() as connection:
        pending = get_meta(connection, _PENDING) == "1"
    if pending:
        with catalogue.begin() as connection:
            if settle(connection, settings):
                bump_generation(connection)
            set_meta(connection, _PENDING, "0")


def settle(connection: Connection, settings: Settings) -> list[str]:
    """Compute the depth of every live AI entry of the KB anew and write those that changed; returns their ids."""
    kb = s.entries.c.kind == "kb"
    live = s.entries.c.deleted_on.is_(None)
    ids = entries.live_ids(connection, ["kb"])
    of_ai = list(connection.execute(select(s.entries.c.id).where(kb, live, s.entries.c.ai_origin)).scalars())
    elsewhere = select(s.entries.c.id, s.entries.c.generation_depth).where(
        s.entries.c.kind != "kb", live, s.entries.c.ai_origin
    )
    given = {row[0]: row[1] for row in connection.execute(elsewhere)} if of_ai else {}
    made = list(entries.load(connection, of_ai))
    known = {name: i for i in ids for name in (i, i.removeprefix("kb:"))} | {i: i for i in given}
    known |= {e.record.source_uri: e.id for e in made if e.record and e.record.source_uri.startswith("brain://")}
    sources = {e.id: lineage(e, known, _recorded(settings, e)) for e in made}
    found = depths(sources, given)
    changed = [
        e.model_copy(update={"generation_depth": found[e.id]}) for e in made if e.generation_depth != found[e.id]
    ]
    entries.put(connection, changed)
    return [e.id for e in changed]


def _recorded(settings: Settings, entry: Entry) -> list[str]:
    """Source ids that the metadata of an approved article names; none if it was not made here."""
    name = entry.id.removeprefix("kb:")
    path = settings.metadata_dir / f"{name}.json"
    if not name.startswith("KB-AI-THINK-ARTICLE-") or "/" in name or not path.is_file():
        return []
    try:
        sources = json.loads(path.read_text(encoding="utf-8")).get("sources", [])
    except (OSError, ValueError, AttributeError):
        return []  # the article's own text still tells
    return [source for source in sources if isinstance(source, str)] if isinstance(sources, list) else []
