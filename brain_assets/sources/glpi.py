"""GLPI's knowledge base over HTTP, read only: the legacy REST API, or the high-level API when the URL pins a version of it.

`GLPI_URL` ending in `/api.php/v2.2` (or another pinned version) means the high-level API, whose `GLPI_APP_TOKEN` is
`client_id:client_secret` and whose `GLPI_USER_TOKEN` is `user:password` or an access token; anything else is the
legacy API (`apirest.php`) with an application token and a user token. What the account may not see is not there.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

from brain_assets.errors import BrainError, ConfigurationError
from brain_assets.settings import Settings

log = logging.getLogger(__name__)

PAGE = 100
_MAX_PAGES = 10_000
_ATTEMPTS = 3
_LONGEST_WAIT = 30.0
_TIMEOUT = httpx.Timeout(60.0, connect=5.0)
_PINNED = re.compile(r"/api\.php/v(\d+)(?:\.\d+)*/?$")
_UNPINNED = re.compile(r"/api\.php/?$")


class GlpiError(BrainError):
    """GLPI gave no usable answer. Never holds a token or the body of a reply."""

    def __init__(self, message: str, remedy: str = "", *, status: int = 0, code: str = "") -> None:
        super().__init__(message, remedy)
        self.status = status
        self.code = code


@dataclass(frozen=True, slots=True)
class Article:
    """One knowledge base article as GLPI tells it; `html` may be entity-encoded once. Dates are as written."""

    id: int
    name: str
    html: str
    categories: tuple[str, ...] = ()
    is_faq: bool = False
    date_mod: str | None = None
    begins: str | None = None
    ends: str | None = None


class Client(Protocol):
    """Either API. `changed` stops at the first article not newer than `since` where the API can sort, else gives all."""

    def articles(self, since: str | None = None) -> Iterator[Article]: ...

    def article(self, article_id: int) -> Article | None: ...

    def create(self, name: str, html: str) -> int: ...

    def targets(self, article_id: int) -> int: ...


@contextmanager
def connect(settings: Settings) -> Iterator[Client]:
    """An open session. Raises ConfigurationError (URL or tokens missing), GlpiError (refused or unreachable)."""
    url = (settings.glpi_url or "").rstrip("/")
    if not url or settings.glpi_app_token is None or settings.glpi_user_token is None:
        raise ConfigurationError("GLPI is not configured.", "Set GLPI_URL, GLPI_APP_TOKEN and GLPI_USER_TOKEN.")
    if _UNPINNED.search(url):
        raise ConfigurationError(
            f"GLPI_URL {_plain(url)} names no version of the API.",
            "Pin it, for example: https://glpi.example.org/api.php/v2.2",
        )
    app, user = settings.glpi_app_token.get_secret_value(), settings.glpi_user_token.get_secret_value()
    with httpx.Client(timeout=_TIMEOUT, follow_redirects=False) as http:
        if _PINNED.search(url):
            yield HighLevel(Wire(http, url), app, user)
            return
        base = url if url.endswith("apirest.php") else f"{url}/apirest.php"
        legacy = Legacy(Wire(http, base), app, user)
        try:
            yield legacy
        finally:
            legacy.close()


class Wire:
    """Requests that wait when GLPI is busy, read JSON behind PHP notices, and name what went wrong."""

    def __init__(self, http: httpx.Client, base: str) -> None:
        self.http = http
        self.base = base

    def json(
        self, method: str, path: str, *, headers: Mapping[str, str], params: Mapping[str, Any] | None = None,
        body: Any = None, form: Mapping[str, str] | None = None, good: tuple[int, ...] = (200, 201, 206),
    ) -> tuple[int, Any]:  # fmt: skip
        """(status, decoded JSON). Raises GlpiError with GLPI's own error code where it gives one."""
        url = f"{self.base}/{path.lstrip('/')}" if "://" not in path else path
        sent = dict(headers)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                # A GET with a body is refused by GLPI, so nothing is sent unless there is something.
                content = {"json": body} if body is not None else {"data": dict(form)} if form is not None else {}
                reply = self.http.request(method, url, headers=sent, params=dict(params or {}), **content)
                text = reply.text
            except httpx.DecodingError as error:
                if "Accept-Encoding" in sent:
                    raise GlpiError(f"GLPI at {_plain(self.base)} sends a body that cannot be unpacked.") from error
                sent["Accept-Encoding"] = "identity"
                continue
            except httpx.HTTPError as error:
                if attempt < _ATTEMPTS and method == "GET":
                    time.sleep(0.2 * attempt)
                    continue
                raise GlpiError(
                    f"GLPI at {_plain(self.base)} cannot be reached or broke off ({type(error).__name__}).",
                    "Nothing was changed; run it again when GLPI answers.",
                ) from error
            if (reply.status_code == 429 or reply.status_code >= 500) and attempt < _ATTEMPTS:
                time.sleep(_wait(reply, attempt))
                continue
            return self._read(reply.status_code, text, reply.headers.get("content-type", ""), good)
        raise GlpiError(f"GLPI at {_plain(self.base)} gave no usable answer.")

    def _read(self, status: int, text: str, kind: str, good: tuple[int, ...]) -> tuple[int, Any]:
        value, found = _json_behind_notices(text)
        if status in good and found:
            return status, value
        if status in good and not text.strip():
            return status, None
        code, said = _error_of(value) if found else ("", "")
        where = _plain(self.base)
        if status in (401, 403):
            raise GlpiError(f"GLPI at {where} refuses the tokens ({status}).", "Correct GLPI_APP_TOKEN and GLPI_USER_TOKEN.",
                            status=status, code=code)  # fmt: skip
        if not found:
            what = "HTML" if "html" in kind or text.lstrip()[:1] == "<" else "something that is not JSON"
            raise GlpiError(f"GLPI at {where} answers with {what} ({status}).", "Check GLPI_URL and whether the API is enabled.",
                            status=status)  # fmt: skip
        raise GlpiError(f"GLPI at {where} refuses the request ({status}{f', {code}' if code else ''}).", said, status=status,
                        code=code)  # fmt: skip


class Legacy:
    """`apirest.php`. Pages of rows; the last one is 206 too, and the total counts joined rows."""

    def __init__(self, wire: Wire, app_token: str, user_token: str) -> None:
        self.wire = wire
        self._headers = {"App-Token": app_token, "Accept": "application/json"}
        _, session = wire.json(
            "GET", "initSession", headers={**self._headers, "Authorization": f"user_token {user_token}"}
        )
        if not isinstance(session, dict) or not isinstance(session.get("session_token"), str):
            raise GlpiError(f"GLPI at {_plain(wire.base)} opened no session.", "Check GLPI_USER_TOKEN.")
        self._headers |= {"Session-Token": session["session_token"], "X-GLPI-Sanitized-Content": "false"}
        self._names: dict[int, tuple[str, ...]] | None = None

    def close(self) -> None:
        try:
            self.wire.json("GET", "killSession", headers=self._headers)
        except GlpiError as error:
            log.info("The GLPI session was not closed: %s", error.message)

    def articles(self, since: str | None = None) -> Iterator[Article]:
        sort = {"sort": "date_mod", "order": "DESC"} if since else {}
        before = "9999"
        for row in self._rows("KnowbaseItem", sort):
            article = self._article(row)
            changed = article.date_mod or ""
            if since and changed > before:
                log.info("GLPI does not sort by date_mod; every article is read.")
                since = None
            before = changed
            if since and changed and changed < since:
                return
            yield article

    def article(self, article_id: int) -> Article | None:
        try:
            _, row = self.wire.json("GET", f"KnowbaseItem/{article_id}", headers=self._headers)
        except GlpiError as error:
            if error.status == 404:
                return None
            raise
        return self._article(row)

    def create(self, name: str, html: str) -> int:
        body = {"input": {"name": name, "answer": html, "is_faq": 0}}
        _, made = self.wire.json("POST", "KnowbaseItem", headers=self._headers, body=body)
        if not isinstance(made, dict) or not str(made.get("id", "")).isdigit():
            raise GlpiError("GLPI did not say which article it created.", "Look for it in GLPI before trying again.")
        return int(made["id"])

    def targets(self, article_id: int) -> int:
        found = 0
        for link in ("KnowbaseItem_User", "Group_KnowbaseItem", "KnowbaseItem_Profile", "Entity_KnowbaseItem"):
            try:
                found += sum(1 for _ in self._rows(f"KnowbaseItem/{article_id}/{link}", {}))
            except GlpiError as error:
                if error.status not in (400, 404):
                    raise
        return found

    def _article(self, row: Mapping[str, Any]) -> Article:
        return Article(
            id=int(row["id"]),
            name=str(row.get("name") or ""),
            html=str(row.get("answer") or ""),
            categories=self._categories().get(int(row["id"]), ()),
            is_faq=str(row.get("is_faq", 0)) in ("1", "True", "true"),
            date_mod=_text(row.get("date_mod")) or _text(row.get("date_creation")),
            begins=_text(row.get("begin_date")),
            ends=_text(row.get("end_date")),
        )

    def _categories(self) -> dict[int, tuple[str, ...]]:
        """Article id → full names of its categories; empty when the account may not read them."""
        if self._names is None:
            try:
                full = {int(r["id"]): str(r.get("completename") or r.get("name") or "")
                        for r in self._rows("KnowbaseItemCategory", {})}  # fmt: skip
                links = [(int(r["knowbaseitems_id"]), int(r["knowbaseitemcategories_id"]))
                         for r in self._rows("KnowbaseItem_KnowbaseItemCategory", {})]  # fmt: skip
            except GlpiError as error:
                if error.status not in (400, 403, 404):
                    raise
                log.info("GLPI categories cannot be read: %s", error.message)
                full, links = {}, []
            self._names = {}
            for item, category in links:
                if full.get(category):
                    self._names[item] = (*self._names.get(item, ()), full[category])
        return self._names

    def _rows(self, path: str, params: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        seen: set[int] = set()
        for page in range(_MAX_PAGES):
            query = {**params, "range": f"{page * PAGE}-{(page + 1) * PAGE - 1}"}
            try:
                _, rows = self.wire.json("GET", path, headers=self._headers, params=query)
            except GlpiError as error:
                if error.code == "ERROR_RANGE_EXCEED_TOTAL":
                    return
                raise
            if not isinstance(rows, list) or not rows:
                return
            for row in rows:
                if isinstance(row, dict) and str(row.get("id", "")).isdigit() and int(row["id"]) not in seen:
                    seen.add(int(row["id"]))
                    yield row


class HighLevel:
    """`api.php/v2.x`: an OAuth token, pages by start and limit, errors as objects."""

    def __init__(self, wire: Wire, app: str, user: str) -> None:
        self.wire = wire
        token = user if ":" not in user else self._token(app, user)
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}

    def _token(self, app: str, user: str) -> str:
        client, _, secret = app.partition(":")
        name, _, password = user.partition(":")
        form = {"grant_type": "password", "client_id": client, "client_secret": secret, "username": name,
                "password": password, "scope": "api"}  # fmt: skip
        _, made = self.wire.json("POST", f"{self.wire.base.rsplit('/', 1)[0]}/token", headers={}, form=form)
        if not isinstance(made, dict) or not isinstance(made.get("access_token"), str):
            raise GlpiError(
                f"GLPI at {_plain(self.wire.base)} gave no access token.", "Check GLPI_APP_TOKEN and GLPI_USER_TOKEN."
            )
        return str(made["access_token"])

    def articles(self, since: str | None = None) -> Iterator[Article]:
        seen: set[int] = set()
        for page in range(_MAX_PAGES):
            status, rows = self.wire.json(
                "GET", "Knowledgebase/Article", headers=self._headers, params={"start": page * PAGE, "limit": PAGE}
            )
            if not isinstance(rows, list) or not rows:
                return
            for row in rows:
                if isinstance(row, dict) and str(row.get("id", "")).isdigit() and int(row["id"]) not in seen:
                    seen.add(int(row["id"]))
                    yield self._article(row)
            if status != 206 and len(rows) < PAGE:
                return

    def article(self, article_id: int) -> Article | None:
        try:
            _, row = self.wire.json("GET", f"Knowledgebase/Article/{article_id}", headers=self._headers)
        except GlpiError as error:
            if error.status == 404:
                return None
            raise
        return self._article(row)

    def create(self, name: str, html: str) -> int:
        body = {"name": name, "content": html, "is_faq": False}
        _, made = self.wire.json("POST", "Knowledgebase/Article", headers=self._headers, body=body)
        if not isinstance(made, dict) or not str(made.get("id", "")).isdigit():
            raise GlpiError("GLPI did not say which article it created.", "Look for it in GLPI before trying again.")
        return int(made["id"])

    def targets(self, article_id: int) -> int:
        """The high-level API shows no visibility targets; an article made through it has none."""
        return 0

    def _article(self, row: Mapping[str, Any]) -> Article:
        named = [c.get("name") for c in row.get("categories") or [] if isinstance(c, dict)]
        return Article(
            id=int(row["id"]),
            name=str(row.get("name") or ""),
            html=str(row.get("content") or ""),
            categories=tuple(str(n) for n in named if n),
            is_faq=bool(row.get("is_faq")),
            date_mod=_text(row.get("date_mod")),
            begins=_text(row.get("date_begin")),
            ends=_text(row.get("date_end")),
        )


def _json_behind_notices(text: str) -> tuple[Any, bool]:
    """The JSON of a reply, also behind PHP notices; (None, False) if there is none."""
    try:
        return json.loads(text), True
    except ValueError:
        pass
    for match in list(re.finditer(r"[\[{]", text))[:400]:
        try:
            return json.loads(text[match.start() :]), True
        except ValueError:
            continue
    return None, False


def _error_of(value: Any) -> tuple[str, str]:
    """(code, what GLPI says), of either API's way of telling an error."""
    if isinstance(value, list) and value and isinstance(value[0], str):
        return value[0][:80], str(value[1])[:200] if len(value) > 1 else ""
    if isinstance(value, dict):
        return str(value.get("status") or "")[:80], str(value.get("title") or value.get("detail") or "")[:200]
    return "", ""


def _wait(reply: httpx.Response, attempt: int) -> float:
    asked = reply.headers.get("retry-after", "")
    return min(float(asked), _LONGEST_WAIT) if asked.isdigit() else min(0.5 * 2**attempt, _LONGEST_WAIT)


def _plain(url: str) -> str:
    """A URL without credentials and query."""
    return re.sub(r"//[^/@]*@", "//", url.split("?")[0])


def _text(value: Any) -> str | None:
    return str(value) if value not in (None, "", "NULL") else None
