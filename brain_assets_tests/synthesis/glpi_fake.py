"""GLPI on loopback with the traps of both its APIs, as its source code has them (a live server is not to be had here).

Legacy: sessions, 206 for every page, `ERROR_RANGE_EXCEED_TOTAL` past the end, a total that counts joined rows,
entity-encoded HTML unless the client asks otherwise, errors as arrays, a GET with a body refused. High level: a token,
206 for more, a range header that is one off, errors as objects.
"""

from __future__ import annotations

import html
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

APP, USER, SESSION = "app-token-1", "user-token-1", "session-1"
CLIENT, SECRET, NAME, PASSWORD, ACCESS = "client-1", "secret-1", "reader", "pass-1", "access-1"


@dataclass
class Glpi:
    """State of the server and how it misbehaves."""

    items: dict[int, dict[str, Any]] = field(default_factory=dict)
    categories: dict[int, str] = field(default_factory=dict)
    links: list[tuple[int, int]] = field(default_factory=list)
    targets: dict[int, int] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    sessions_open: int = 0
    notices: bool = False
    html_login: bool = False
    busy: int = 0
    die_on_page: int | None = None
    forces_faq: bool = False
    ignores_sort: bool = False
    url: str = ""

    def add(self, number: int, name: str, answer: str, date_mod: str = "2026-11-01 08:00:00", **more: Any) -> None:
        self.items[number] = {
            "id": number, "name": name, "answer": answer, "is_faq": 0, "users_id": 2, "view": 3,
            "date_creation": "2026-01-01 08:00:00", "date_mod": date_mod, "begin_date": None, "end_date": None, "links": [],
            **more,
        }  # fmt: skip


@contextmanager
def serve(state: Glpi) -> Iterator[Glpi]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(state))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def _handler(state: Glpi) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self._serve("GET")

        def do_POST(self) -> None:
            self._serve("POST")

        def _serve(self, method: str) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length).decode() if length else ""
            parts = urlsplit(self.path)
            query = {k: v[0] for k, v in parse_qs(parts.query).items()}
            state.requests.append(f"{method} {parts.path}")
            if state.busy:
                state.busy -= 1
                self._send(429, {"status": "ERROR_TOO_MANY"}, {"Retry-After": "0"})
            elif state.html_login:
                self._raw(200, b"<!DOCTYPE html><html><body>Login</body></html>", "text/html")
            elif "/apirest.php" in parts.path:
                self._legacy(method, parts.path.split("/apirest.php/")[-1], query, body)
            else:
                self._high_level(method, parts.path, query, body)

        # the legacy API

        def _legacy(self, method: str, path: str, query: dict[str, str], body: str) -> None:
            if self.headers.get("App-Token") != APP:
                self._send(401, ["ERROR_WRONG_APP_TOKEN_PARAMETER", "bad app token"])
            elif method == "GET" and body:
                self._send(
                    400, ["ERROR_JSON_PAYLOAD_FORBIDDEN", "GET Request should not have json payload (http body)"]
                )
            elif path == "initSession":
                good = self.headers.get("Authorization") == f"user_token {USER}"
                state.sessions_open += good
                self._send(
                    200 if good else 401, {"session_token": SESSION} if good else ["ERROR_GLPI_LOGIN_USER_TOKEN", "no"]
                )
            elif self.headers.get("Session-Token") != SESSION:
                self._send(401, ["ERROR_SESSION_TOKEN_INVALID", "no session"])
            elif path == "killSession":
                state.sessions_open -= 1
                self._send(200, None)
            elif method == "POST" and path == "KnowbaseItem":
                self._create(json.loads(body)["input"], "answer")
            elif path == "KnowbaseItem":
                rows = list(state.items.values())
                if query.get("sort") == "date_mod" and not state.ignores_sort:
                    rows.sort(key=lambda r: r["date_mod"], reverse=query.get("order") == "DESC")
                joined = len(rows) + len(state.links)
                self._page([self._shown(r) for r in rows], query, joined)
            elif path == "KnowbaseItemCategory":
                rows = [{"id": i, "name": n.split(" > ")[-1], "completename": n} for i, n in state.categories.items()]
                self._page(rows, query, len(rows))
            elif path == "KnowbaseItem_KnowbaseItemCategory":
                rows = [{"id": n, "knowbaseitems_id": a, "knowbaseitemcategories_id": c}
                        for n, (a, c) in enumerate(state.links, 1)]  # fmt: skip
                self._page(rows, query, len(rows))
            elif path.startswith("KnowbaseItem/") and path.count("/") == 2:
                number = int(path.split("/")[1])
                count = state.targets.get(number, 0) if path.endswith("KnowbaseItem_User") else 0
                self._page([{"id": n} for n in range(1, count + 1)], query, count)
            elif path.startswith("KnowbaseItem/"):
                row = state.items.get(int(path.split("/")[1]))
                self._send(200 if row else 404, self._shown(row) if row else ["ERROR_ITEM_NOT_FOUND", "Item not found"])
            else:
                self._send(400, ["ERROR_RESOURCE_NOT_FOUND_NOR_COMMONDBTM", "no such resource"])

        def _shown(self, row: dict[str, Any]) -> dict[str, Any]:
            if self.headers.get("X-GLPI-Sanitized-Content") == "false":
                return row
            return {**row, "answer": html.escape(row["answer"], quote=False)}

        def _page(self, rows: list[dict[str, Any]], query: dict[str, str], total: int) -> None:
            first, _, last = query.get("range", "0-49").partition("-")
            start, end = int(first), int(last)
            if state.die_on_page is not None and start // max(1, end - start + 1) == state.die_on_page:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            if start > total:
                self._send(400, ["ERROR_RANGE_EXCEED_TOTAL", f"Provided range exceed total count of data: {total}"])
            elif total == 0:
                self._send(200, [])
            else:
                part = rows[start : end + 1]
                header = {
                    "Content-Range": f"{start}-{min(end, total - 1)}/{total}",
                    "Accept-Range": "KnowbaseItem 1000",
                }
                # The last page is 206 as well.
                self._send(206 if total > end - start + 1 or start else 200, part, header)

        # the high-level API

        def _high_level(self, method: str, path: str, query: dict[str, str], body: str) -> None:
            if path == "/api.php/token":
                form = {k: v[0] for k, v in parse_qs(body).items()}
                good = (form.get("client_id"), form.get("client_secret"), form.get("username"), form.get("password"),
                        form.get("scope")) == (CLIENT, SECRET, NAME, PASSWORD, "api")  # fmt: skip
                self._send(
                    200 if good else 401, {"access_token": ACCESS} if good else _problem("ERROR_UNAUTHENTICATED")
                )
            elif self.headers.get("Authorization") != f"Bearer {ACCESS}":
                self._send(401, _problem("ERROR_UNAUTHENTICATED"))
            elif not path.startswith("/api.php/v2.2/Knowledgebase/Article"):
                self._send(404, _problem("ERROR_ITEM_NOT_FOUND"))
            elif method == "POST":
                self._create(json.loads(body), "content")
            elif path.endswith("/Article"):
                rows = [self._as_high_level(r) for r in state.items.values()]
                start, limit = int(query.get("start", 0)), int(query.get("limit", 100))
                part = rows[start : start + limit]
                more = start + limit < len(rows)
                ends = start + len(part)  # one too many, as the server's code has it
                self._send(206 if more else 200, part, {"Content-Range": f"{start}-{ends if part else -1}/{len(rows)}"})
            else:
                row = state.items.get(int(path.rsplit("/", 1)[-1]))
                self._send(200 if row else 404, self._as_high_level(row) if row else _problem("ERROR_ITEM_NOT_FOUND"))

        def _as_high_level(self, row: dict[str, Any]) -> dict[str, Any]:
            named = [{"id": c, "name": state.categories[c]} for a, c in state.links if a == row["id"]]
            return {"id": row["id"], "name": row["name"], "content": row["answer"], "categories": named,
                    "is_faq": bool(row["is_faq"]), "date_begin": row["begin_date"], "date_end": row["end_date"]}  # fmt: skip

        def _create(self, sent: Any, field_name: str) -> None:
            """One item, or several when the input is a list: then the answer is a list too, as in GLPI."""
            made = []
            for item in sent if isinstance(sent, list) else [sent]:
                number = max(state.items, default=0) + 1
                faq = 1 if state.forces_faq else int(item.get("is_faq", 0))
                state.add(number, item["name"], item[field_name], is_faq=faq)
                made.append({"id": number, "message": "Item successfully added", "href": f"/{number}"})
            self._send(201, made if isinstance(sent, list) else made[0])

        def _send(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
            data = b"" if value is None else json.dumps(value).encode()
            if state.notices:
                data = (
                    b"<br />\n<b>Notice</b>: Undefined index: x in <b>/var/www/glpi/inc/db.php</b> [line {12}]<br />\n"
                    + data
                )
            self._raw(status, data, "application/json", headers)

        def _raw(self, status: int, data: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    return Handler


def _problem(status: str) -> dict[str, Any]:
    return {"status": status, "title": "The request was refused", "detail": None, "additional_messages": []}
