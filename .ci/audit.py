"""Audit of what the product depends on: `make audit`.

    python .ci/audit.py [--strict] [requirements.lock ...]

Looked at, each with its own line: every requirement is pinned with hashes; what is installed is what is locked; the
installed files are those of the packages (their own RECORD); licences; and known advisories through `pip-audit`. What
cannot be looked at here (no pip-audit, no advisory source within reach) is said as `not measured`, never as passed.
Leaves with 1 when something is wrong, with 3 under --strict when something was not measured.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[1]
_REQUIREMENT = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==([^\s;\\]+)(.*)$")
_HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
_REFUSED = re.compile(r"\b(AGPL|GPL|SSPL|BUSL|proprietary|non-?commercial|commons clause)\b", re.IGNORECASE)
_LESSER = re.compile(r"\b(LGPL|Lesser)\b|LGPL-|Lesser General Public", re.IGNORECASE)
_AUDIT_SECONDS = 300


@dataclass(frozen=True)
class Finding:
    """One line of the audit."""

    what: str
    state: Literal["passed", "failed", "not measured"]
    told: str


@dataclass(frozen=True)
class Locked:
    """A locked requirement; `marked` if it holds on some machines only."""

    name: str
    version: str
    hashes: int
    marked: bool


def locked(path: Path) -> list[Locked]:
    """The requirements of a lock file, in its order. A line that is no pinned requirement counts as one without version."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    found = []
    for line in (line.strip() for line in text.splitlines()):
        if not line or line.startswith(("#", "--")):
            continue
        match = _REQUIREMENT.match(line)
        name, version, rest = match.groups() if match else (re.split(r"[^\w.-]", line)[0], "", line)
        found.append(Locked(_plain(name), version, len(_HASH.findall(rest)), ";" in rest.split("--hash")[0]))
    return found


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _installed(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def _said(what: str, wrong: list[str], good: str) -> Finding:
    return Finding(what, "failed", "; ".join(wrong)) if wrong else Finding(what, "passed", good)


def pins(requirements: list[Locked]) -> Finding:
    """Every requirement has one version and the hashes of its files."""
    wrong = [f"{r.name} has no version" for r in requirements if not r.version]
    wrong += [f"{r.name} has no hash" for r in requirements if r.version and not r.hashes]
    return _said("pins and hashes", wrong, f"{len(requirements)} requirements, each pinned with hashes")


def versions(requirements: list[Locked]) -> Finding:
    """What is installed is what is locked."""
    wrong, found = [], 0
    for requirement in requirements:
        here = _installed(requirement.name)
        if here is None and not requirement.marked:
            wrong.append(f"{requirement.name} is not installed")
        elif here is not None and here.version != requirement.version:
            wrong.append(f"{requirement.name} is {here.version}, locked is {requirement.version}")
        found += here is not None
    return _said("versions", wrong, f"{found} packages are installed as locked")


def installed_files(requirements: list[Locked]) -> Finding:
    """The installed files still have the hashes that their packages were installed with."""
    wrong, number = [], 0
    for requirement in requirements:
        here = _installed(requirement.name)
        for file in (here.files or []) if here else []:
            if file.hash is None or file.hash.mode != "sha256" or file.suffix == ".pyc":
                continue
            number += 1
            path = Path(str(file.locate()))
            try:
                digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
            except OSError:
                wrong.append(f"{requirement.name}: {file} is gone")
                continue
            if digest != file.hash.value:
                wrong.append(f"{requirement.name}: {file} was changed")
    return _said("installed files", wrong, f"{number} files are as they were installed")


def licences(requirements: list[Locked]) -> Iterator[Finding]:
    """No licence that would bind the product; a package that states none is told apart."""
    wrong, unknown = [], []
    for requirement in requirements:
        here = _installed(requirement.name)
        if here is None:
            continue
        stated = _licence(here)
        if not stated:
            unknown.append(requirement.name)
        elif all(_REFUSED.search(each) and not _LESSER.search(each) for each in stated):
            wrong.append(f"{requirement.name}: {', '.join(stated)}")
    yield _said("licences", wrong, "no licence that would bind the product")
    if unknown:
        yield Finding("licences", "not measured", f"these packages state none: {', '.join(unknown)}")


def _licence(here: metadata.Distribution) -> list[str]:
    stated = [
        v.rsplit("::", 1)[-1].strip() for v in here.metadata.get_all("Classifier") or [] if v.startswith("License")
    ]
    expression = here.metadata.get("License-Expression") or ""
    stated += re.split(r"\s+OR\s+", expression) if expression else []
    if not stated and (free := (here.metadata.get("License") or "").strip()):
        stated.append(free.splitlines()[0][:80])
    return [each for each in stated if each and each.lower() not in ("unknown", "osi approved")]


def advisories(lock: Path) -> Finding:
    """Known advisories and yanked releases, as pip-audit finds them."""
    program = shutil.which("pip-audit", path=str(Path(sys.executable).parent)) or shutil.which("pip-audit")
    what = f"advisories ({lock.name})"
    if program is None:
        return Finding(what, "not measured", "pip-audit is not installed (pip install pip-audit)")
    command = [program, "--format", "json", "--progress-spinner", "off", "--disable-pip", "--no-deps", "-r", str(lock)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_AUDIT_SECONDS, check=False)
        packages = json.loads(done.stdout)["dependencies"]
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as error:
        return Finding(what, "not measured", f"no advisory source is within reach ({type(error).__name__})")
    skipped = [p["name"] for p in packages if p.get("skip_reason")]
    wrong = [
        f"{p['name']} {p['version']}: {', '.join(v['id'] for v in p['vulns'])}" for p in packages if p.get("vulns")
    ]
    if skipped and not wrong:
        return Finding(what, "not measured", f"pip-audit could not look at {', '.join(skipped)}")
    return _said(what, wrong, f"none for {len(packages)} packages")


def audit(locks: list[Path]) -> list[Finding]:
    """Everything about the locks, and about what is installed of the first."""
    requirements = locked(locks[0])
    looks: list[Callable[[list[Locked]], Finding]] = [versions, installed_files]
    found = [pins([r for lock in locks for r in locked(lock)])]
    found += [look(requirements) for look in looks]
    return [*found, *licences(requirements), *(advisories(lock) for lock in locks)]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strict", action="store_true", help="leave with 3 when something was not measured")
    parser.add_argument("locks", nargs="*", type=Path)
    given = parser.parse_args(arguments)
    found = audit(given.locks or [ROOT / "requirements.lock", ROOT / "requirements-dev.lock"])
    for finding in found:
        print(f"{finding.state:<13} {finding.what}: {finding.told}")  # noqa: T201
    states = {finding.state for finding in found}
    return 1 if "failed" in states else 3 if given.strict and "not measured" in states else 0


if __name__ == "__main__":
    sys.exit(main())
