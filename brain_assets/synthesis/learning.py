"""The learning switch: staged articles are embedded, and so offered for linking, only while it is on."""

from __future__ import annotations

from sqlalchemy import Connection, select

from brain_assets.errors import ModelError
from brain_assets.settings import Settings
from brain_assets.store import entries, schema, stages
from brain_assets.store.catalogue import Catalogue, get_meta, set_meta
from brain_assets.store.stages import Item, Progress, StageReport, no_progress

_KEY = "learning"
STAGE = "learn"
_ALL = 1_000_000
_NOT_EMBEDDED = ModelError("The embedder gave no vector for this article.", "See the embeddings in: brain status")


def is_on(cat: Catalogue) -> bool:
    """Whether learning is on; it is until somebody switches it off."""
    with cat.read() as connection:
        return get_meta(connection, _KEY) != "off"


def on(cat: Catalogue) -> None:
    """Switch learning on; the next learn run catches up."""
    with cat.begin() as connection:
        set_meta(connection, _KEY, "on")


def off(cat: Catalogue) -> None:
    """Switch learning off: what is learnt stays, nothing new is embedded."""
    with cat.begin() as connection:
        set_meta(connection, _KEY, "off")


def waiting(cat: Catalogue) -> list[str]:
    """Ids of live articles whose present text has not been learnt, ordered."""
    with cat.read() as connection:
        return [item.id for item in _items(connection) if item.digest != _learnt(connection).get(item.id)]


def learnt(connection: Connection) -> list[str]:
    """Ids of live articles whose present text is learnt: what vector sets must cover besides notes and KB."""
    done = _learnt(connection)
    return [item.id for item in _items(connection) if done.get(item.id) == item.digest]


def learn(cat: Catalogue, settings: Settings, *, progress: Progress = no_progress) -> StageReport:
    """Embed every staged article that waits, and let it be found and linked by its vectors. Off: does nothing.

    The caller holds the writer lock. Articles whose passages could not be embedded stay waiting.
    """
    from brain_assets.retrieval import index, vectors

    if not is_on(cat):
        return StageReport(STAGE, details={"disabled": "learning is off (brain learning on)"})
    with cat.read() as connection:
        items = _items(connection)
    embedded: dict[str, object] = {}

    def compute(batch: list[Item]) -> dict[str, bool | Exception]:
        index.update(cat, settings)
        report = vectors.update(cat, settings, articles=True, progress=progress)
        embedded.update(report.details.get("sets", {}))
        failed = {name: s["failed"] for name, s in report.details["sets"].items() if s["failed"]}
        if failed:
            error = ModelError(
                f"Passages could not be embedded: {failed}.", "See `brain doctor`, then run learn again."
            )
            return {item.id: error for item in batch}
        return {item.id: True for item in batch}

    def commit(connection: Connection, results: dict[str, bool]) -> None:
        """The vectors are their room's; the ledger row is what says that an article is learnt."""

    report = stages.run(cat, stages.Stage(STAGE, batch_size=_ALL), items, compute, commit, progress=progress)
    report.details["sets"] = embedded
    return report


def _items(connection: Connection) -> list[Item]:
    return [Item(i, digest) for i, digest in entries.digests(connection, ("article",)).items()]


def _learnt(connection: Connection) -> dict[str, str]:
    rows = connection.execute(select(schema.ledger).where(schema.ledger.c.stage == STAGE))
    return {row.item_id: row.digest for row in rows}
