"""The project's own files: locks that any registry can serve, two commands in the README, links that lead somewhere."""

from __future__ import annotations

import re

import pytest

from brain_assets_tests.conftest import ROOT

LOCKS = sorted(ROOT.glob("requirements*.lock"))


@pytest.mark.parametrize("path", LOCKS, ids=lambda p: p.name)
def test_a_lock_has_hashes_and_names_no_place(path: object) -> None:
    text = path.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    pins = re.findall(r"^[a-z0-9][\w.-]*==\S+", text, re.MULTILINE)
    assert len(pins) > 10
    assert text.count("--hash=sha256:") >= len(pins)
    assert not re.search(r"find-links|index-url|trusted-host|://|@ file|torch==", text)


def test_every_required_package_is_locked() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = project[project.index("dependencies = [") : project.index("[project.optional-dependencies]")]
    wanted = {re.split(r"[<>=;\s]", line, maxsplit=1)[0].lower() for line in re.findall(r'"([^"]+)"', block)}
    locked = set(re.findall(r"^([a-z0-9][\w.-]*)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    assert {w.replace("_", "-") for w in wanted} <= locked
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").lower()
    assert [w for w in wanted if w not in page] == []


def test_no_tool_block_overrules_the_workspace() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert "[tool.dagster]" not in project
    assert "[tool.dg]" not in project


def test_links_between_documents_lead_somewhere() -> None:
    broken = []
    for page in [ROOT / "README.md", ROOT / "data" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []
