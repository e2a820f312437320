"""A browser for the tests: Chromium driven over the W3C WebDriver protocol, with nothing installed but Debian's
packages chromium and chromium-driver.

Source of the protocol: https://www.w3.org/TR/webdriver2/ ; `goog/cdp/execute` is ChromeDriver's own addition.
"""

from __future__ import annotations

import base64
import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

PROGRAMS = ("chromium", "chromedriver")
WIDTH, HEIGHT = 1500, 1100
ALT, CONTROL = "\ue00a", "\ue009"
"""Modifier keys as WebDriver writes them."""
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--lang=en-US",
    f"--window-size={WIDTH},{HEIGHT}",
)  # fmt: skip
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_PORT = re.compile(r"started successfully on port (\d+)")
_START_SECONDS = 30.0


def missing() -> list[str]:
    """The programs a browser test needs and this machine lacks."""
    return [name for name in PROGRAMS if shutil.which(name) is None]


class Browser:
    """One window. Every wait is bounded and fails with what was on the page."""

    def __init__(self, client: httpx.Client, session: str, shots: Path) -> None:
        self._client = client
        self._session = session
        self._shots = shots

    def _ask(self, method: str, command: str, **body: Any) -> Any:
        reply = self._client.request(
            method, f"/session/{self._session}{command}", json=body if method == "POST" else None
        ).json()
        value = reply["value"]
        if isinstance(value, dict) and "error" in value:
            raise AssertionError(f"{command}: {value['error']}: {value['message'][:500]}")
        return value

    def open(self, url: str) -> None:
        """Load a page."""
        self._ask("POST", "/url", url=url)

    def script(self, body: str, *arguments: Any) -> Any:
        """Run JavaScript in the page and give what it returns."""
        return self._ask("POST", "/execute/sync", script=body, args=list(arguments))

    def text(self) -> str:
        """What a person can read on the page."""
        return str(self.script("return document.body ? document.body.innerText : ''"))

    def elements(self, path: str) -> list[str]:
        """Handles of the elements an XPath finds, in the order of the page."""
        found = self._ask("POST", "/elements", using="xpath", value=path)
        return [element[_ELEMENT] for element in found]

    def wait(self, what: str, ready: Callable[[], Any], seconds: float = 30.0) -> Any:
        """Ask until the answer is true and return it; a page being redrawn is asked again."""
        deadline, trouble = time.monotonic() + seconds, ""
        while time.monotonic() < deadline:
            try:
                if answer := ready():
                    return answer
            except AssertionError as error:
                trouble = str(error)
            time.sleep(0.2)
        self.screenshot("not-found")
        raise AssertionError(f"{what}: not within {seconds:.0f} s. {trouble}\n{self.text()[:3000]}")

    def wait_text(self, *wanted: str, seconds: float = 30.0) -> str:
        """Wait until all these texts can be read, whatever their case; returns the page's text."""

        def ready() -> str | None:
            text = self.text()
            return text if all(w.casefold() in text.casefold() for w in wanted) else None

        return str(self.wait(f"the text {wanted}", ready, seconds))

    def click(self, path: str, seconds: float = 30.0) -> None:
        """Click the first element of an XPath as soon as it can be clicked."""

        def ready() -> bool:
            found = self.elements(path)
            if not found:
                return False
            self._ask("POST", f"/element/{found[0]}/click")
            return True

        self.wait(f"the element {path}", ready, seconds)

    def show(self, path: str) -> None:
        """Scroll to the first element of an XPath as soon as it is there."""
        find = "return document.evaluate(arguments[0], document, null, 9, null).singleNodeValue"
        scroll = f"const e = (() => {{ {find} }}).apply(null, arguments); if (e) e.scrollIntoView({{block: 'center'}}); return !!e"
        self.wait(f"the element {path}", lambda: self.script(scroll, path))

    def press(self, modifier: str, key: str) -> None:
        """Press a key while a modifier (ALT, CONTROL) is held."""
        keys = [("keyDown", modifier), ("keyDown", key), ("keyUp", key), ("keyUp", modifier)]
        actions = [{"type": kind, "value": value} for kind, value in keys]
        self._ask("POST", "/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def paste(self, text: str) -> None:
        """Insert a text where the cursor is, as pasting does."""
        self._ask("POST", "/goog/cdp/execute", cmd="Input.insertText", params={"text": text})

    def screenshot(self, name: str, settle: float = 0.5) -> Path:
        """Keep what is seen as `name.png` among the test's artefacts, after a moment for what still moves."""
        time.sleep(settle)
        target = self._shots / f"{name}.png"
        target.write_bytes(base64.b64decode(self._ask("GET", "/screenshot")))
        return target


@contextlib.contextmanager
def browser(profile: Path, shots: Path) -> Iterator[Browser]:
    """A new browser with an empty profile; screenshots go to `shots`. Nothing of it outlives the block."""
    shots.mkdir(parents=True, exist_ok=True)
    log = profile.parent / "chromedriver.log"
    with log.open("w") as out:
        driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        port = _port(driver, log)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120, trust_env=False) as client:
            options = {
                "binary": shutil.which("chromium"), "args": [*_FLAGS, f"--user-data-dir={profile}"],
            }  # fmt: skip
            wanted = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}
            made = client.post("/session", json={"capabilities": wanted}).json()["value"]
            assert "sessionId" in made, made
            try:
                yield Browser(client, made["sessionId"], shots)
            finally:
                client.delete(f"/session/{made['sessionId']}")
    finally:
        # The driver and the browser it started, in a session of their own only.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(driver.pid, signal.SIGKILL)
        driver.wait(10)


def _port(driver: subprocess.Popen[bytes], log: Path) -> int:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and driver.poll() is None:
        if found := _PORT.search(log.read_text("utf-8")):
            return int(found[1])
        time.sleep(0.1)
    raise AssertionError(f"chromedriver did not start: {log.read_text('utf-8')[-2000:]}")
