"""Where the keys of the clouds come from: the environment, else `BRAIN_SECRETS_DIR/{gemini,deepseek,openai}.env`.

A key is returned to the one that sends it and goes nowhere else: no log, no event, no exception text.
"""

from __future__ import annotations

import hashlib
import logging
import re
from pathlib import Path

from brain_assets.settings import Settings

log = logging.getLogger(__name__)
_LINE = re.compile(r"\s*(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?P<value>.*?)\s*")


def api_key(settings: Settings, provider: str) -> str | None:
    """The key of `gemini`, `deepseek`, `openai` or `compatible`; None when there is none.

    A file that exists and cannot be read is said in the log (its path, never its content).
    """
    field = "openai_compatible_key" if provider == "compatible" else f"{provider}_api_key"
    secret = getattr(settings, field)
    if secret is not None and secret.get_secret_value().strip():
        return str(secret.get_secret_value().strip())
    if provider == "compatible":
        return None
    return _from_file(settings.secrets_dir / f"{provider}.env", f"{provider.upper()}_API_KEY")


def _from_file(path: Path, variable: str) -> str | None:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        log.warning("%s cannot be read (%s): its key is not used.", path, type(error).__name__)
        return None
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    for line in lines:
        if (match := _LINE.fullmatch(line)) and match["name"] == variable:
            return _unquote(match["value"]) or None
    # A file that holds nothing but the key.
    if len(lines) == 1 and "=" not in lines[0]:
        return lines[0].strip() or None
    return None


def _unquote(value: str) -> str:
    if value[:1] in ("'", '"'):
        end = value.find(value[0], 1)
        return value[1:end] if end != -1 else value[1:]
    return value.split(" #", 1)[0].strip()


def fingerprint(key: str) -> str:
    """Eight hex digits that tell one key from another and nothing about it."""
    return hashlib.sha256(b"brain_assets key\0" + key.encode("utf-8", "surrogatepass")).hexdigest()[:8]
