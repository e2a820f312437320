"""robots.txt as RFC 9309 wants it: groups by product token, the longest matching rule wins, `*` and `$` understood."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

MAX_BYTES = 524_288
MAX_RULES = 5_000


@dataclass(frozen=True, slots=True)
class Rules:
    """What one robots.txt says to one agent: (allowed?, pattern) pairs and the delay it asks for, in seconds."""

    rules: tuple[tuple[bool, str], ...] = ()
    delay: float = 0.0

    def allows(self, path: str) -> bool:
        """Whether a path (with its query) may be fetched. Of equally long matches the allowing one wins."""
        best, allowed = -1, True
        for allow, pattern in self.rules:
            if len(pattern) < best or not _matches(pattern, _plain(path)):
                continue
            if len(pattern) > best or allow:
                best, allowed = len(pattern), allow
        return allowed


EVERYTHING = Rules()
NOTHING = Rules(rules=((False, "/"),))


def parse(text: str, agent: str) -> Rules:
    """The rules for a product token (`agent`, compared without case), else those for `*`, else none."""
    groups: dict[str, list[tuple[bool, str]]] = {}
    delays: dict[str, float] = {}
    current: list[str] = []
    in_rules = False
    for line in text.lstrip("\ufeff").splitlines():
        name, separator, value = line.split("#", 1)[0].partition(":")
        name, value = name.strip().lower(), value.strip()
        if not separator:
            continue
        if name == "user-agent":
            if in_rules:
                current, in_rules = [], False
            current.append(_token(value))
            groups.setdefault(current[-1], [])
        elif name in ("allow", "disallow"):
            in_rules = True
            if value:
                for token in current:
                    if len(groups[token]) < MAX_RULES:
                        groups[token].append((name == "allow", _plain(value)))
        elif name == "crawl-delay":
            in_rules = True
            if re.fullmatch(r"\d{1,4}(?:\.\d{1,3})?", value):
                for token in current:
                    delays[token] = float(value)
    token = agent.lower() if agent.lower() in groups else "*"
    return Rules(tuple(groups.get(token, ())), delays.get(token, 0.0))


def _token(value: str) -> str:
    if value == "*":
        return value
    match = re.match(r"[A-Za-z_-]+", value)
    return match[0].lower() if match else value.lower()


def _plain(path: str) -> str:
    return unquote(path, errors="replace")


def _matches(pattern: str, path: str) -> bool:
    """Greedy match of literal parts between stars: linear, whatever the pattern."""
    anchored = pattern.endswith("$")
    parts = (pattern[:-1] if anchored else pattern).split("*")
    if not path.startswith(parts[0]):
        return False
    position = len(parts[0])
    for number, part in enumerate(parts[1:], 1):
        if anchored and number == len(parts) - 1:
            return len(path) - len(part) >= position and path.endswith(part)
        found = path.find(part, position)
        if found < 0:
            return False
        position = found + len(part)
    return not anchored or position == len(path)
