"""Every setting can be set by its variable; what cannot be used is named with the reason."""

from __future__ import annotations

import pytest

from brain_assets import settings as module
from brain_assets.errors import ConfigurationError
from brain_assets.settings import Settings, load, variable
from brain_assets_tests.conftest import ROOT


@pytest.mark.parametrize(
    ("text", "seconds"), [("20s", 20), ("1m", 60), ("500ms", 0.5), ("7", 7), ("1.5 h", 5400), ("2d", 172800)]
)
def test_durations(monkeypatch: pytest.MonkeyPatch, text: str, seconds: float) -> None:
    monkeypatch.setenv("BRAIN_ARTICLE_RESEARCH_FETCH_TIMEOUT", text)
    assert load().article_research_fetch_timeout == pytest.approx(seconds)


@pytest.mark.parametrize(("text", "names"), [("none", ()), ("usem3", ("usem3",)), (" a, b ,", ("a", "b")), ("", ())])
def test_lists(monkeypatch: pytest.MonkeyPatch, text: str, names: tuple[str, ...]) -> None:
    monkeypatch.setenv("BRAIN_VECTOR_SETS", text)
    assert load().vector_sets == names


def test_maps_and_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_PATH_BOOSTS", '{"Archiv/": 0.5}')
    monkeypatch.setenv("BRAIN_ARTICLE_RESEARCH_PORTS", "8443,8080")
    assert load().path_boosts == {"Archiv/": 0.5}
    assert load().article_research_ports == (8443, 8080)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BRAIN_NOW", "yesterday"), ("BRAIN_NOW", "30.11.2026"), ("SEARXNG_URL", "ftp://searx"), ("OLLAMA_HOST", "::::"),
        ("GLPI_URL", "http://"), ("BRAIN_OPENAI_COMPATIBLE_URL", "http://host:port"), ("BRAIN_PATH_BOOSTS", "{"), ("BRAIN_PATH_BOOSTS", "[1]"),
        ("BRAIN_STALE_DAYS", "-1"), ("BRAIN_ARTICLE_MIN_CONFIDENCE", "74"),
        ("BRAIN_LLM_TIMEOUT", "soon"), ("BRAIN_LLM_TIMEOUT", "0s"),
        ("BRAIN_RESEARCH_ENABLED", "perhaps"), ("BRAIN_MAX_FILE_BYTES", "16MB"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match=name) as caught:
        load()
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "localhost:11434", "http://[::1]:8080/searxng", "https://user:pass@h"]
)
def test_addresses_of_servers(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("OLLAMA_HOST", address)
    assert load().ollama_host == address


def test_a_flag_beats_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_STALE_DAYS", "30")
    assert load().stale_days == 30
    assert load(stale_days=10).stale_days == 10
    assert load(stale_days=None).stale_days == 30


def test_secrets_never_show(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "DEEPSEEK_API_KEY", "OPENAI_API_KEY", "GLPI_APP_TOKEN", "GLPI_USER_TOKEN"):
        monkeypatch.setenv(name, f"planted-{name}")
    settings = load()
    assert "planted" not in repr(settings) + str(settings) + settings.model_dump_json()
    assert settings.gemini_api_key is not None
    assert settings.gemini_api_key.get_secret_value() == "planted-GEMINI_API_KEY"


def test_an_unusable_secret_is_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_NOW", "planted-secret")
    with pytest.raises(ConfigurationError) as caught:
        load()
    assert "planted-secret" not in str(caught.value)


def test_every_setting_is_described_and_has_its_own_variable() -> None:
    names = [variable(field) for field in Settings.model_fields]
    assert len(names) == len(set(names))
    assert all(info.description for info in Settings.model_fields.values())


def test_the_defaults_of_the_design() -> None:
    settings = load()
    assert (settings.article_min_sources, settings.article_max_sources) == (3, 8)
    assert settings.searxng_url != module.Settings.model_fields["searxng_url"].default  # the suite points it elsewhere
    assert module.Settings.model_fields["searxng_url"].default == "http://searxng:8080"
    assert (settings.article_research_min_relevance, settings.article_research_min_quality) == (0.65, 0.45)
    assert settings.article_research_fetch_timeout == 20


def test_the_configuration_page_is_true() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert page[page.index("| variable |") :] == module.reference(), "paste brain_assets.settings.reference() into it"
