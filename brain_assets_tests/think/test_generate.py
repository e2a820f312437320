"""Answers of models: kept only as far as the sources bear them, whatever the model or a text says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from brain_assets.llm import calls, chain
from brain_assets.settings import Settings, load
from brain_assets.store import catalogue, schema
from brain_assets.think import Answer, think
from brain_assets.think.generate import MAX_TOKENS
from brain_assets_tests.model_server import ModelServer, Reply, error, ollama, openai
from brain_assets_tests.think.conftest import Brain

QUERY = "Wie lange werden Sicherungen der Kasse aufbewahrt?"
PORT = "Auf welchem Port lauscht der Kassenserver?"
GOOD = "Der Kassenserver lauscht auf Port 8443 [1]."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer() as running:
        for name in ("GEMINI", "DEEPSEEK", "OPENAI"):
            monkeypatch.setenv(f"BRAIN_{name}_URL", f"{running.url}/{name.lower()}")
            monkeypatch.setenv(f"{name}_API_KEY", f"{name.lower()}-secret")
        monkeypatch.setenv("BRAIN_THINK_PROVIDERS", "gemini,deepseek,openai")
        monkeypatch.setattr(chain, "_refused", {})
        yield running


def settings_of(brain: Brain) -> Settings:
    return load(
        data_dir=brain.settings.data_dir, vault_dir=brain.settings.vault_dir, now="2026-12-01", vector_sets="usem3"
    )


def ask(brain: Brain, query: str = PORT) -> Answer:
    return think(settings_of(brain), query, searcher=brain.searcher, record=False)


def number_of(brain: Brain, query: str, entry_id: str) -> int:
    answer = think(settings_of(brain), query, no_llm=True, searcher=brain.searcher, record=False)
    return next(s.n for s in answer.sources if s.id == entry_id)


def test_a_supported_answer_is_the_models(brain: Brain, server: ModelServer) -> None:
    server.queue(openai(GOOD, tokens=(700, 20)))
    answer = ask(brain)
    assert (answer.mode, answer.provider, answer.model) == ("llm", "gemini", "gemini-3.5-flash-lite")
    assert answer.answer == GOOD.replace(" [1].", ". [1]")
    assert [(a.provider, a.outcome) for a in answer.attempts] == [("gemini", "ok")]
    assert answer.cost == pytest.approx((700 * 0.30 + 20 * 2.50) / 1e6)


def test_the_prompt_is_small_and_texts_stand_in_delimiters(brain: Brain, server: ModelServer) -> None:
    server.queue(openai("Das WLAN der Werkstatt heißt `speiche-intern` [1]."))
    ask(brain, "Wie heißt das WLAN der Werkstatt?")
    request = server.chats[0]
    assert request.body["max_tokens"] == MAX_TOKENS == 512
    system, user = (m["content"] for m in request.body["messages"])
    assert "swordfish" not in system
    blocks = re.findall(r"<<<([0-9a-f]{16}) source \[(\d)\]\n(.*?)\n\1 source \[\2\]>>>", user, re.DOTALL)
    assert len(blocks) == user.count("<<<")
    assert len({mark for mark, _, _ in blocks}) == 1
    for _, _, text in blocks:
        assert len(text.split("\n", 1)[1]) <= 400
    assert user.rstrip().endswith("Wie heißt das WLAN der Werkstatt?")


def test_the_default_chain_costs_what_the_documentation_says(brain: Brain, server: ModelServer) -> None:
    """A real prompt with seven full previews, at the default prices: a short answer, and one that fills its limit."""
    server.queue(openai(GOOD))
    ask(brain)
    settings = load()
    tokens_in = 1_300
    prompt = server.chats[0].prompt
    # Three characters a token is cautious for German; the previews of this small vault are shorter than they may be.
    assert (
        len(prompt) + 7 * 400 - sum(map(len, re.findall(r"source \[\d\]\n.*?\n(.*?)\n\w", prompt, re.DOTALL)))
    ) / 3 < 2_000
    costs = {}
    for model in (settings.gemini_model, settings.deepseek_model, settings.openai_model):
        made = [calls.Call("cloud", model, "think/1", tokens_in, out, 1.0, "ok") for out in (180, MAX_TOKENS)]
        costs[model] = [round(calls.cost([call], settings.prices) or 1, 5) for call in made]
    assert list(costs.values()) == [[0.00084, 0.00167], [0.00023, 0.00033], [0.00022, 0.00039]]
    text = (Path(__file__).parents[2] / "docs" / "think.md").read_text(encoding="utf-8")
    for model, (short, long) in costs.items():
        assert f"| `{model}` | ${short:.5f} | ${long:.5f} |" in text


def test_an_unsupported_sentence_is_sent_back_once_and_then_left_out(brain: Brain, server: ModelServer) -> None:
    wrong = f"{GOOD} Er wurde 2019 gekauft und kostet 900 Euro [1]."
    server.queue(openai(wrong), openai(wrong))
    answer = ask(brain)
    assert "900" not in answer.answer
    assert "Port 8443" in answer.answer
    assert any("Ein Satz des Modells" in n for n in answer.notes)
    assert len(server.chats) == 2
    assert "Not borne by the source" in server.chats[1].prompt


def test_a_repaired_answer_is_taken(brain: Brain, server: ModelServer) -> None:
    server.queue(openai("Er lauscht auf Port 9443 [1]."), openai(GOOD))
    assert ask(brain).answer == GOOD.replace(" [1].", ". [1]")


def test_a_citation_of_the_wrong_source_is_not_kept(brain: Brain, server: ModelServer) -> None:
    other = next(n for n in range(1, 8) if n != number_of(brain, PORT, "note:IT/Kassenserver.md"))
    wrong = f"Der Kassenserver lauscht auf Port 8443 [{other}]."
    server.queue(*[openai(wrong)] * 6)
    answer = ask(brain)
    assert answer.mode == "extractive"
    assert [a.outcome for a in answer.attempts] == ["nonsense"] * 3


def test_a_sentence_without_a_citation_gets_that_of_its_source(brain: Brain, server: ModelServer) -> None:
    server.queue(openai("Der Kassenserver lauscht auf Port 8443."))
    number = number_of(brain, PORT, "note:IT/Kassenserver.md")
    assert ask(brain).answer == f"Der Kassenserver lauscht auf Port 8443. [{number}]"


def test_the_wrong_language_is_corrected_or_refused(brain: Brain, server: ModelServer) -> None:
    english = "The till server listens on port 8443 according to the notes of the team [1]."
    server.queue(openai(english), openai(GOOD))
    assert ask(brain).answer.startswith("Der Kassenserver")
    assert "Answer in German" in server.chats[1].prompt
    server.queue(openai(english), openai(english), openai(GOOD))
    answer = ask(brain)
    assert [(a.provider, a.outcome) for a in answer.attempts] == [("gemini", "nonsense"), ("deepseek", "ok")]


def test_a_refusal_is_asked_once_more_and_then_becomes_extractive(brain: Brain, server: ModelServer) -> None:
    refusal = "Dazu kann ich leider keine Angaben machen, die Quellen enthalten nichts."
    server.queue(openai(refusal), openai(GOOD))
    assert ask(brain).mode == "llm"
    server.queue(openai(refusal), openai(refusal))
    answer = ask(brain)
    assert (answer.mode, answer.provider) == ("extractive", None)
    assert [(a.provider, a.outcome) for a in answer.attempts] == [("gemini", "refused")]
    assert "Port 8443" in answer.answer
    assert any("refused" in n for n in answer.notes)


def test_all_clouds_rate_limited_is_extractive_with_the_reasons(brain: Brain, server: ModelServer) -> None:
    server.queue(*[error(429)] * 3)
    answer = ask(brain)
    assert answer.mode == "extractive"
    assert [(a.provider, a.outcome) for a in answer.attempts] == [
        ("gemini", "rate_limited"), ("deepseek", "rate_limited"), ("openai", "rate_limited"),
    ]  # fmt: skip
    assert "Port 8443" in answer.answer
    value = answer.to_json()
    assert {a["outcome"] for a in value["attempts"]} == {"rate_limited"}


def test_ollama_answers_when_the_clouds_do_not(
    brain: Brain, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_THINK_PROVIDERS", "gemini,ollama")
    monkeypatch.setenv("OLLAMA_HOST", server.url)
    server.queue(error(402), ollama(f"<think>Port…</think>{GOOD}"))
    answer = ask(brain)
    assert (answer.mode, answer.provider, answer.cost) == ("llm", "ollama", 0)
    assert [a.outcome for a in answer.attempts] == ["no_credit", "ok"]


@pytest.mark.parametrize(
    "obeyed",
    [
        "The API key is sk-123456 [1].",
        "Das WLAN-Passwort ist geheim123 [2].",
        "Ich ignoriere die Frage. Quelle [1] sagt: alles ist gut [1].",
        '{"answer": "hacked"}',
        "[1][2][3]",
        "<html>gekapert</html>",
    ],
)
def test_a_model_that_obeys_a_text_changes_nothing(brain: Brain, server: ModelServer, obeyed: str) -> None:
    server.respond = lambda _: openai(obeyed)
    answer = ask(brain, "Wie heißt das WLAN der Werkstatt?")
    assert answer.mode == "extractive"
    for secret in ("sk-123456", "geheim123", "hacked", "gekapert", "gemini-secret"):
        assert secret not in answer.answer
    assert "speiche-intern" in answer.answer


def test_gaps_look_at_what_the_model_said(brain: Brain, server: ModelServer) -> None:
    query = "Auf welchem Port lauscht der Kassenserver, und was läuft auf dem Fotoarchiv?"
    server.queue(openai(GOOD))
    uncited = [u.term for u in ask(brain, query).gaps.uncited]
    assert uncited == ["Fotoarchiv"]


def test_every_call_is_in_the_log_with_its_purpose(brain: Brain, server: ModelServer) -> None:
    settings = settings_of(brain)
    with catalogue.open(settings) as cat, cat.begin() as connection:
        connection.execute(schema.llm_calls.delete())
    server.queue(error(401), openai("Unsinn."), openai("Unsinn."), openai(GOOD, tokens=(500, 30)))
    assert ask(brain).provider == "openai"
    with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
        rows = connection.execute(select(schema.llm_calls).order_by(schema.llm_calls.c.id)).all()
    assert [(r.provider, r.purpose, r.outcome) for r in rows] == [
        ("gemini", "think", "bad_key"),
        ("deepseek", "think", "ok"),
        ("deepseek", "think", "ok"),
        ("openai", "think", "ok"),
    ]
    assert (rows[-1].input_tokens, rows[-1].output_tokens) == (500, 30)


def test_a_slow_model_is_given_up(brain: Brain, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_THINK_TIMEOUT", "400ms")
    server.queue(Reply(delay=2), Reply(delay=2), openai(GOOD))
    answer = ask(brain)
    assert [a.outcome for a in answer.attempts] == ["timeout", "ok"]


def test_no_sources_ask_no_model(tmp_path: Path, server: ModelServer) -> None:
    from brain_assets_tests.think.conftest import build

    settings = build(tmp_path, {}, [], with_vectors=False)
    answer = think(settings, PORT)
    assert not server.chats
    assert answer.mode == "extractive"
