"""Is this machine set up right? Configuration, folders, space, services, versions; each finding with its remedy.

Looks only: nothing is written (but a probe file in the data directory), and no secret is ever shown.
"""

from __future__ import annotations

import difflib
import os
import platform
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from brain_assets.errors import BrainError
from brain_assets.settings import Settings, variable

Level = Literal["ok", "notice", "warning", "error"]
TIMEOUT = 3.0
_LOW_SPACE = 1 << 30
_PACKAGES = (
    "brain-assets", "dagster", "dagster-webserver", "pandas", "numpy", "rank-bm25", "ollama", "httpx", "networkx",
    "readability-lxml", "trafilatura", "pydantic", "tantivy", "SQLAlchemy", "click", "mcp",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `notice` is for optional things that are not there: nothing is broken."""

    topic: str
    level: Level
    message: str
    remedy: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"topic": self.topic, "level": self.level, "message": self.message, "remedy": self.remedy}


def examine(settings: Settings, environment: Mapping[str, str] | None = None) -> list[Finding]:
    """Look at everything and return what was found, in a fixed order."""
    environment = os.environ if environment is None else environment
    looks: tuple[Callable[[], list[Finding]], ...] = (
        lambda: configuration(environment),
        lambda: folders(settings),
        lambda: brain(settings),
        lambda: services(settings),
        lambda: keys(settings),
        versions,
    )
    return [finding for look in looks for finding in look()]


def known_variables() -> set[str]:
    """Every environment variable that the settings read."""
    return {variable(name) for name in Settings.model_fields}


def configuration(environment: Mapping[str, str]) -> list[Finding]:
    """BRAIN_ variables that no setting reads: usually a slip of the pen."""
    known = known_variables()
    upper = {name.upper(): name for name in known}
    found = []
    for name in sorted(environment):
        if name.upper().startswith("BRAIN_") and name not in known:
            # The settings ignore case, so this spelling works; any other does nothing.
            if name.upper() in upper:
                continue
            near = difflib.get_close_matches(name.upper(), sorted(known), n=1, cutoff=0.75)
            remedy = f"Did you mean {near[0]}?" if near else "Unset it; docs/configuration.md lists every variable."
            found.append(Finding("configuration", "warning", f"{name} is set, and no setting has that name.", remedy))
    return found or [Finding("configuration", "ok", "Every BRAIN_ variable that is set is a known one.")]


def folders(settings: Settings) -> list[Finding]:
    """The vault, the KB and the data directory: there, readable, writable, with space."""
    found = []
    for name, folder in (("vault", settings.vault_dir), ("kb", settings.kb_dir)):
        flag = f"--{name} or {variable(name + '_dir')}"
        if not folder.is_dir():
            found.append(Finding("folders", "error", f"The {name} {folder} is no folder.", f"Name it with {flag}."))
        elif not os.access(folder, os.R_OK | os.X_OK):
            found.append(
                Finding("folders", "error", f"The {name} {folder} cannot be read.", "Correct its permissions.")
            )
        else:
            found.append(Finding("folders", "ok", f"The {name} is {folder}."))
    return [*found, *_data_folder(settings.data_dir)]


def _data_folder(folder: Path) -> list[Finding]:
    place = folder
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK | os.X_OK) or not place.is_dir():
        remedy = "Choose another with --data-dir or BRAIN_DATA_DIR, or correct its permissions."
        return [Finding("folders", "error", f"The data directory {folder} cannot be written.", remedy)]
    free = shutil.disk_usage(place).free
    gigabytes = f"{free / (1 << 30):.1f} GiB free"
    if free < _LOW_SPACE:
        remedy = "Make space: a full disk stops every run."
        return [Finding("folders", "warning", f"The data directory {folder} has only {gigabytes}.", remedy)]
    return [Finding("folders", "ok", f"The data directory is {folder}, {gigabytes}.")]


def brain(settings: Settings) -> list[Finding]:
    """The catalogue: there, readable, of this version."""
    from brain_assets.errors import NotFoundError
    from brain_assets.operation import status
    from brain_assets.store import catalogue

    try:
        with catalogue.open(settings, read_only=True) as cat, cat.read() as connection:
            found = [Finding("brain", "warning", notice) for notice in status.notices(connection, settings)]
            return [Finding("brain", "ok", "The catalogue opens; `brain status` says how it stands."), *found]
    except NotFoundError as error:
        return [Finding("brain", "notice", error.message, error.remedy)]
    except BrainError as error:
        return [Finding("brain", "error", error.message, error.remedy)]


def services(settings: Settings) -> list[Finding]:
    """Ollama, SearXNG and GLPI, asked once each, read only, with a short timeout. All of them are optional."""
    return [_ollama(settings), _searxng(settings), _glpi(settings)]


def _get(url: str, **options: Any) -> Any:
    import httpx

    with httpx.Client(timeout=TIMEOUT, trust_env=False, follow_redirects=False) as client:
        return client.get(url, **options)


def _reach(name: str, url: str, without: str, look: Callable[[], Finding]) -> Finding:
    import httpx

    try:
        return look()
    except (
        httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError, AttributeError, RecursionError,
    ) as error:  # fmt: skip
        message = f"{name} at {_plain(url)} does not answer as expected ({type(error).__name__}). {without}"
        return Finding("services", "notice", message, f"Start it, or correct its address, if you want {name}.")


def _plain(url: str) -> str:
    """A URL without user, password, query or fragment: those may be secrets."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url if "//" in url else f"//{url}")
        place = parts.hostname or ""
        return f"{parts.scheme or 'http'}://{place}{f':{parts.port}' if parts.port else ''}"
    except ValueError:
        return "(not a URL)"


def _ollama(settings: Settings) -> Finding:
    url = settings.ollama_host if "//" in settings.ollama_host else f"http://{settings.ollama_host}"

    def look() -> Finding:
        models = {str(m["name"]) for m in _get(f"{url.rstrip('/')}/api/tags").json()["models"]}
        bare = {name.removesuffix(":latest") for name in models}
        missing = [m for m in (settings.llm_model, settings.embed_model) if m.removesuffix(":latest") not in bare]
        if missing:
            remedy = "; ".join(f"ollama pull {name}" for name in missing)
            message = f"Ollama answers at {_plain(url)} and lacks {', '.join(missing)}; rules stand in for them."
            return Finding("services", "notice", message, remedy)
        return Finding(
            "services", "ok", f"Ollama at {_plain(url)} has {settings.llm_model} and {settings.embed_model}."
        )

    return _reach("Ollama", url, "Relations and articles are made by rules, vectors by embedded models.", look)


def _searxng(settings: Settings) -> Finding:
    if not settings.research_enabled:
        return Finding("services", "notice", "Research is switched off (BRAIN_RESEARCH_ENABLED=false).")
    if not settings.searxng_url.strip().lower().startswith(("http://", "https://")):
        remedy = "Set it like http://searxng:8080."
        return Finding("services", "warning", "SEARXNG_URL is no http(s) address.", remedy)

    def look() -> Finding:
        reply = _get(f"{settings.searxng_url.rstrip('/')}/search", params={"q": "test", "format": "json"})
        if reply.status_code == 403:
            message = f"SearXNG at {_plain(settings.searxng_url)} refuses JSON (403)."
            return Finding("services", "notice", message, "Add `json` to search.formats in its settings.yml.")
        results = len(reply.json()["results"])
        return Finding("services", "ok", f"SearXNG at {_plain(settings.searxng_url)} answers ({results} results).")

    return _reach("SearXNG", settings.searxng_url, "Research is recorded as unavailable.", look)


def _glpi(settings: Settings) -> Finding:
    url = settings.glpi_url
    if url is None:
        return Finding("services", "ok", "GLPI is not configured; the KB is the folder alone.")
    if settings.glpi_app_token is None or settings.glpi_user_token is None:
        remedy = "Set GLPI_APP_TOKEN and GLPI_USER_TOKEN."
        return Finding("services", "warning", "GLPI_URL is set without both tokens.", remedy)

    def look() -> Finding:
        reply = _get(url)
        level: Level = "ok" if reply.status_code < 400 else "notice"
        remedy = "" if level == "ok" else "Check the address and whether its API is enabled."
        return Finding("services", level, f"GLPI at {_plain(url)} answers with status {reply.status_code}.", remedy)

    return _reach("GLPI", url, "The KB is the folder alone.", look)


def keys(settings: Settings) -> list[Finding]:
    """Which cloud models could be asked: whether there is a key, never the key."""
    from brain_assets.llm import secrets

    have = [name for name in ("gemini", "deepseek", "openai") if secrets.api_key(settings, name) is not None]
    if have:
        return [Finding("models", "ok", f"There is a key for {', '.join(have)}.")]
    remedy = "Set GEMINI_API_KEY, DEEPSEEK_API_KEY or OPENAI_API_KEY if you want one asked."
    return [Finding("models", "notice", "There is no key for a cloud model; `brain think` extracts sentences.", remedy)]


def versions() -> list[Finding]:
    """Python, SQLite and the packages the product stands on."""
    import sqlite3

    found = [f"Python {platform.python_version()}", f"SQLite {sqlite3.sqlite_version}"]
    missing = []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    level: Level = "error" if missing else "ok"
    message = ", ".join(found) + (f"; not installed: {', '.join(missing)}" if missing else "")
    return [Finding("versions", level, message, "Install with: make run" if missing else "")]
