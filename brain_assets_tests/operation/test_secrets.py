"""Keys and tokens are planted everywhere they may be given, everything is run, and all that was written is looked through."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from brain_assets.settings import Settings
from brain_assets_tests.model_server import ModelServer, error
from brain_assets_tests.operation import brains

SECRETS = {
    "GEMINI_API_KEY": "planted-gemini-7f3a91c2", "OPENAI_API_KEY": "planted-openai-55d0e8b1",
    "BRAIN_OPENAI_COMPATIBLE_KEY": "planted-compat-0b77aa19", "GLPI_APP_TOKEN": "planted-app-91c3d2e4",
    "GLPI_USER_TOKEN": "planted-user-4e8d7c6b",
}  # fmt: skip
IN_A_FILE = "planted-deepseek-file-c4d5e6f7"
IN_URLS = "planted-url-password-9a8b7c6d"
ALL = (*SECRETS.values(), IN_A_FILE, IN_URLS)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Settings, str]]:
    """A brain on which everything was run with servers that refuse, and all that was printed meanwhile."""
    place = tmp_path_factory.mktemp("secrets")
    settings = brains.small(place)
    secrets = place / "secrets"
    brains.write(secrets, {"deepseek.env": f"DEEPSEEK_API_KEY={IN_A_FILE}\n"})
    said = []
    with ModelServer(
        respond=lambda request: error(401, f"bad key {request.headers.get('authorization', '')}")
    ) as server:
        with_password = server.url.replace("http://", f"http://user:{IN_URLS}@")
        environment = {
            **os.environ, **SECRETS, "BRAIN_SECRETS_DIR": str(secrets), "BRAIN_NOW": "2026-12-01",
            "BRAIN_VECTOR_SETS": "none", "BRAIN_GEMINI_URL": f"{server.url}/v1", "BRAIN_DEEPSEEK_URL": f"{server.url}/v1",
            "BRAIN_OPENAI_URL": f"{server.url}/v1", "BRAIN_OPENAI_COMPATIBLE_URL": f"{server.url}/v1",
            "BRAIN_OPENAI_COMPATIBLE_MODEL": "m", "OLLAMA_HOST": server.url, "SEARXNG_URL": with_password,
            "GLPI_URL": with_password, "BRAIN_FAILURE_WEBHOOK": f"{server.url}/hook/{IN_URLS}",
            "PYTHONFAULTHANDLER": "1",
        }  # fmt: skip
        places = [
            "--data-dir",
            str(settings.data_dir),
            "--vault",
            str(settings.vault_dir),
            "--kb",
            str(settings.kb_dir),
        ]
        question = "Wie heißt der Druckserver?"
        for command in (
            ["sync"], ["build"], ["think", question, "--json", "--save"], ["think", question], ["status", "--json"],
            ["doctor"], ["doctor", "--json"], ["search", question, "--explain", "--json"], ["gaps", "--json"],
            ["backup", str(place / "backup.tar.gz"), "--json"], ["export", str(place / "out")],
            ["research", "show"], ["articles", "list", "--json"],
        ):  # fmt: skip
            done = subprocess.run(
                [sys.executable, "-m", "brain_assets", *command, *places], env=environment, capture_output=True,
                text=True, timeout=280, check=False,
            )  # fmt: skip
            said.append(f"{command[0]} {done.returncode}\n{done.stdout}\n{done.stderr}")
        assert any("authorization" in request.headers for request in server.chats), (
            "no model was asked: this proves nothing"
        )
    yield settings, "\n".join(said)


def _forms(secret: str) -> set[bytes]:
    return {secret.encode(), quote(secret, safe="").encode(), base64.b64encode(secret.encode()), secret[::-1].encode()}


def test_no_secret_is_printed(told: tuple[Settings, str]) -> None:
    printed = told[1]
    assert "Druckserver" in printed and "doctor" in printed
    assert "Traceback" not in printed, printed[printed.index("Traceback") :][:3000]
    assert [secret for secret in ALL if secret in printed] == []


def test_no_secret_is_written(told: tuple[Settings, str]) -> None:
    place = told[0].data_dir.parent
    looked = [path for path in sorted(place.rglob("*")) if path.is_file() and path.parent.name != "secrets"]
    names = {path.name for path in looked}
    assert {"brain.db", "runs.db", "index.db", "backup.tar.gz", "entries.jsonl"} <= names
    found = []
    for path in looked:
        data = path.read_bytes()
        if path.name.endswith(".gz"):
            import gzip

            data = gzip.decompress(data)
        found += [f"{path.relative_to(place)}: {secret}" for secret in ALL for form in _forms(secret) if form in data]
    assert found == []


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "KB-AI-THINK-ARTICLE-../../x", "..", "a\x00b", "staging/../../x", "%2e%2e/x"],
)
def test_no_article_id_leads_out_of_the_data_directory(name: str, tmp_path: Path) -> None:
    from brain_assets.errors import BrainError
    from brain_assets.operation import pipeline
    from brain_assets.synthesis import review

    settings = brains.synced(tmp_path)
    before = {
        path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.suffix in (".md", ".json")
    }
    with pipeline.writing(settings) as run:
        for action in (review.approve, review.reject):
            with pytest.raises(BrainError):
                action(run.cat, settings, name, who="Eve", why="x")
        with pytest.raises(BrainError):
            review.show(run.cat, settings, name)
    after = {
        path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.suffix in (".md", ".json")
    }
    assert after == before


def test_links_and_symbolic_links_lead_nowhere_outside_the_vault(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    brains.write(outside, {"secret.md": "Das geheime Passwort steht hier: zyxw-4711.\n"})
    settings = brains.small(tmp_path)
    brains.write(
        settings.vault_dir,
        {"Links.md": "[[../outside/secret]] ![[../../outside/secret.md]] [x](../outside/secret.md) [y](/etc/passwd) "
                     "[z](file:///etc/passwd) [[..\\..\\outside\\secret]]\n"},
    )  # fmt: skip
    (settings.vault_dir / "link.md").symlink_to(outside / "secret.md")
    (settings.vault_dir / "folder").symlink_to(outside)
    from brain_assets.operation import pipeline
    from brain_assets.store import entries

    with pipeline.writing(settings) as run:
        pipeline.run_stages(pipeline.STAGES, run)
        with run.cat.read() as connection:
            loaded = list(entries.load(connection))
    known = {entry.id for entry in loaded}
    links = next(entry.links for entry in loaded if entry.id == "note:Links.md")
    assert all(link.entry_id is None or link.entry_id in known for link in links)
    assert not any("zyxw-4711" in entry.body for entry in loaded), "what lies outside the vault is not read"
