"""`make audit`: says what is wrong, and what it could not look at."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from brain_assets_tests.conftest import ROOT

LOCK = ROOT / "requirements.lock"


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dependency_audit", ROOT / ".ci" / "audit.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def _no_pip_audit(audit: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_options: None)


def test_this_project_passes_but_for_what_is_not_measured(
    audit: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit.main([str(LOCK)]) == 0
    told = capsys.readouterr().out
    assert "failed" not in told
    assert told.count("passed") >= 4
    assert "not measured  advisories (requirements.lock): pip-audit is not installed" in told
    assert audit.main(["--strict", str(LOCK)]) == 3


def test_a_requirement_without_version_or_hash_or_of_another_version_is_told(
    audit: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text(
        "click==0.0.1 \\\n    --hash=sha256:" + "0" * 64 + "\nhttpx>=1\npydantic==2.12.0\nnowhere-to-be-found==1.0 \\\n"
        "    --hash=sha256:"
        + "1" * 64
        + '\nwindows-only==1.0 ; sys_platform == "win32" \\\n    --hash=sha256:'
        + "2" * 64,
        encoding="utf-8",
    )
    assert audit.main([str(lock)]) == 1
    told = capsys.readouterr().out
    assert "httpx has no version" in told
    assert "pydantic has no hash" in told
    assert "locked is 0.0.1" in told
    assert "nowhere-to-be-found is not installed" in told
    assert "windows-only" not in told


@pytest.mark.parametrize(
    ("reply", "code", "told"),
    [
        ({"dependencies": [{"name": "a", "version": "1", "vulns": []}]}, 0, "passed        advisories"),
        ({"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "GHSA-x"}]}]}, 1, "a 1: GHSA-x"),
        ({"dependencies": [{"name": "a", "skip_reason": "not found"}]}, 0, "could not look at a"),
        (None, 0, "no advisory source is within reach"),
    ],
)
def test_advisories_are_those_of_pip_audit(
    audit: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    reply: object, code: int, told: str,
) -> None:  # fmt: skip
    program = tmp_path / "pip-audit"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(reply)}\nEND\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_options: str(program))
    assert audit.main([str(LOCK)]) == code
    assert told in capsys.readouterr().out
