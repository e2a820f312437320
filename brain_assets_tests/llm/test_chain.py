from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import brain_assets
from brain_assets import settings as settings_module
from brain_assets.llm import base, chain
from brain_assets.llm.secrets import api_key
from brain_assets.settings import Settings
from brain_assets_tests.model_server import ModelServer, Reply, error, ollama, openai

KEYS = {"GEMINI_API_KEY": "g-secret-1", "DEEPSEEK_API_KEY": "d-secret-2", "OPENAI_API_KEY": "o-secret-3"}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture(autouse=True)
def _environment(server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI", "DEEPSEEK", "OPENAI"):
        monkeypatch.setenv(f"BRAIN_{name}_URL", f"{server.url}/{name.lower()}")
        monkeypatch.setenv(f"{name}_API_KEY", KEYS[f"{name}_API_KEY"])
    monkeypatch.setenv("OLLAMA_HOST", server.url)
    monkeypatch.setenv("BRAIN_SECRETS_DIR", str(tmp_path))
    monkeypatch.setenv("BRAIN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(chain, "_refused", {})


def say(model: base.LanguageModel) -> str:
    return model.complete([{"role": "user", "content": "?"}], max_tokens=64).text


def outcomes(answered: chain.Answered[str]) -> list[tuple[str, str]]:
    return [(a.provider, a.outcome) for a in answered.attempts]


def test_the_first_that_answers_is_taken(server: ModelServer) -> None:
    server.queue(openai("From the first."))
    answered = chain.first_answer(settings_module.load(), say)
    assert (answered.value, answered.provider, answered.model) == ("From the first.", "gemini", "gemini-3.5-flash-lite")
    assert outcomes(answered) == [("gemini", "ok")]


def test_each_failure_is_recorded_and_the_next_is_asked(server: ModelServer) -> None:
    server.queue(error(429), openai("cut", finish="length"), openai(None), ollama("From my own server."))
    answered = chain.first_answer(settings_module.load(), say)
    assert answered.value == "From my own server."
    assert outcomes(answered) == [
        ("gemini", "rate_limited"),
        ("deepseek", "truncated"),
        ("openai", "empty"),
        ("ollama", "ok"),
    ]
    assert [r.path for r in server.chats] == [
        "/gemini/chat/completions",
        "/deepseek/chat/completions",
        "/openai/chat/completions",
        "/api/chat",
    ]


def test_nobody_answering_is_no_crash(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    server.queue(*[error(429)] * 3)
    answered = chain.first_answer(settings_module.load(), say)
    assert answered.value is None
    assert outcomes(answered)[-1] == ("ollama", "unreachable")


def test_an_answer_its_asker_refuses_is_a_failure_too(server: ModelServer) -> None:
    def only_long(model: base.LanguageModel) -> str:
        text = say(model)
        if len(text) < 10:
            raise base.Nonsense("Too short.")
        return text

    server.queue(openai("No."), openai("A longer answer."))
    answered = chain.first_answer(settings_module.load(), only_long)
    assert outcomes(answered) == [("gemini", "nonsense"), ("deepseek", "ok")]
    assert len(answered.calls) == 2


def test_a_bad_key_is_said_once_and_skipped_from_then_on(
    server: ModelServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_THINK_PROVIDERS", "gemini,openai")
    server.queue(error(401), openai("one"), openai("two"), openai("three"))
    with caplog.at_level(logging.DEBUG):
        first = chain.first_answer(settings_module.load(), say)
        second = chain.first_answer(settings_module.load(), say)
    assert outcomes(first) == outcomes(second) == [("gemini", "bad_key"), ("openai", "ok")]
    assert [r.path for r in server.chats].count("/gemini/chat/completions") == 1
    assert caplog.text.count("skipped from now on") == 1
    assert not any(key in caplog.text for key in KEYS.values())
    monkeypatch.setenv("GEMINI_API_KEY", "g-corrected")
    assert outcomes(chain.first_answer(settings_module.load(), say)) == [("gemini", "ok")]


def test_without_keys_nobody_is_asked(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name)
    monkeypatch.setenv("BRAIN_THINK_PROVIDERS", "gemini,deepseek,openai,compatible")
    answered = chain.first_answer(settings_module.load(), say)
    assert outcomes(answered) == [("gemini", "no_key"), ("deepseek", "no_key"), ("openai", "no_key")]
    assert not server.requests


def test_a_self_hosted_server_needs_no_key(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_THINK_PROVIDERS", "compatible")
    monkeypatch.setenv("BRAIN_OPENAI_COMPATIBLE_URL", server.url + "/v1/")
    monkeypatch.setenv("BRAIN_OPENAI_COMPATIBLE_MODEL", "local")
    server.queue(openai("Local."))
    assert chain.first_answer(settings_module.load(), say).model == "local"
    assert server.chats[0].path == "/v1/chat/completions"
    assert "authorization" not in server.chats[0].headers


def test_the_order_is_a_setting_and_cost_counts_every_call(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_THINK_PROVIDERS", "openai,gemini")
    server.queue(openai("x", finish="length", tokens=(1000, 512)), openai("Yes.", tokens=(1000, 100)))
    settings = settings_module.load()
    answered = chain.first_answer(settings, say)
    assert answered.provider == "gemini"
    expected = (1000 * 0.10 + 512 * 0.50 + 1000 * 0.30 + 100 * 2.50) / 1e6
    assert chain.cost(answered, settings) == pytest.approx(expected)


def test_the_budget_is_an_outcome(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_LLM_MAX_CALLS", "0")
    monkeypatch.setenv("BRAIN_THINK_PROVIDERS", "gemini")
    assert outcomes(chain.first_answer(settings_module.load(), say)) == [("gemini", "budget")]
    assert not server.chats


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ("GEMINI_API_KEY=abc\n", "abc"),
        ("# mine\nexport GEMINI_API_KEY = 'a b c'  # note\nOTHER=x\n", "a b c"),
        ('\ufeffGEMINI_API_KEY="abc"\r\n', "abc"),
        ("GEMINI_API_KEY=abc # note", "abc"),
        ("abc\n", "abc"),
        ("OTHER=abc\n", None),
        ("GEMINI_API_KEY=\n", None),
        ("", None),
    ],
)
def test_keys_are_read_from_their_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, key: str | None
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", " ")
    (tmp_path / "gemini.env").write_text(content, encoding="utf-8")
    assert api_key(settings_module.load(), "gemini") == key


def test_a_key_file_that_cannot_be_read_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "deepseek.env").write_bytes(b"\xff\xfe\x00key")
    settings = Settings(secrets_dir=tmp_path, deepseek_api_key=None)
    object.__setattr__(settings, "deepseek_api_key", None)
    assert api_key(settings, "deepseek") is None
    assert "deepseek.env cannot be read" in caplog.text


def test_default_model_names_stand_in_one_file_only() -> None:
    root = Path(brain_assets.__file__).parent
    fields = ("gemini_model", "deepseek_model", "openai_model", "llm_model")
    names = [str(Settings.model_fields[f].default) for f in fields]
    pattern = re.compile("|".join(map(re.escape, names)))
    holders = {str(p.relative_to(root)) for p in root.rglob("*.py") if pattern.search(p.read_text(encoding="utf-8"))}
    assert holders == {"settings.py"}


def test_html_from_a_proxy_everywhere_is_survived(server: ModelServer) -> None:
    server.respond = lambda _: Reply("<html>login</html>", headers={"Content-Type": "text/html"})
    answered = chain.first_answer(settings_module.load(), say)
    assert {o for _, o in outcomes(answered)} == {"server_error"}
