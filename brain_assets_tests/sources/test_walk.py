from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from brain_assets.errors import ConfigurationError
from brain_assets.sources.walk import settle_spellings, walk
from brain_assets_tests.sources.vaults import write

MD = (".md", ".markdown")


def paths(root: Path, **options: object) -> list[str]:
    return [found.path for found in walk(root, MD, **options).files]  # type: ignore[arg-type]


def test_what_is_found_and_what_is_counted(tmp_path: Path) -> None:
    names = [
        "a.md",
        "B/c.MARKDOWN",
        "B/d.Md",
        ".obsidian/x.md",
        ".git/x.md",
        ".trash/x.md",
        "B/.trash/x.md",
        ".h/e.md",
        "x.png",
        "B/y.PNG",
        "README",
        "z.md.txt",
    ]
    write(tmp_path, dict.fromkeys(names, "x"))
    seen = walk(tmp_path, MD)
    assert [f.path for f in seen.files] == [".h/e.md", "B/c.MARKDOWN", "B/d.Md", "a.md"]
    assert seen.ignored == 4 and dict(seen.skipped) == {".png": 2, "(none)": 1, ".txt": 1}
    assert not seen.problems and not seen.unread


@pytest.mark.parametrize(
    ("glob", "left"),
    [
        ("Archiv", ["a.md", "x/b.md", "x/y/c.md"]),
        ("Archiv/", ["a.md", "x/b.md", "x/y/c.md"]),
        ("Archiv/**", ["a.md", "x/Archiv/e.md", "x/b.md", "x/y/c.md"]),
        ("/x/Archiv/**", ["Archiv/d.md", "a.md", "x/b.md", "x/y/c.md"]),
        ("x/*.md", ["Archiv/d.md", "a.md", "x/Archiv/e.md", "x/y/c.md"]),
        ("x/**/*.md", ["Archiv/d.md", "a.md"]),
        ("**/c.md", ["Archiv/d.md", "a.md", "x/Archiv/e.md", "x/b.md"]),
        ("?.md", []),
        ("[a-c].md", ["Archiv/d.md", "x/Archiv/e.md"]),
        ("[!a].md", ["a.md"]),
        ("none.md", ["Archiv/d.md", "a.md", "x/Archiv/e.md", "x/b.md", "x/y/c.md"]),
        ("", ["Archiv/d.md", "a.md", "x/Archiv/e.md", "x/b.md", "x/y/c.md"]),
        ("a.md+(", ["Archiv/d.md", "a.md", "x/Archiv/e.md", "x/b.md", "x/y/c.md"]),
    ],
)
def test_ignore_globs(tmp_path: Path, glob: str, left: list[str]) -> None:
    write(tmp_path, dict.fromkeys(["a.md", "x/b.md", "x/y/c.md", "Archiv/d.md", "x/Archiv/e.md"], "x"))
    assert paths(tmp_path, ignore=(glob,)) == left


def test_a_glob_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="BRAIN_VAULT_IGNORE"):
        walk(tmp_path, MD, ignore=("[z-a].md",))


def test_globs_with_umlauts_match_whatever_the_spelling(tmp_path: Path) -> None:
    write(tmp_path, {unicodedata.normalize("NFD", "Übersicht/a.md"): "x", "b.md": "x"})
    assert paths(tmp_path, ignore=(unicodedata.normalize("NFD", "Übersicht/**"),)) == ["b.md"]


def test_folders_of_the_product_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "x", "brain/answers/b.md": "x"})
    assert paths(tmp_path, leave_out=[tmp_path / "brain"]) == ["a.md"]


def test_symbolic_links_stay_inside(tmp_path: Path) -> None:
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    write(vault, {"a.md": "x", "in/b.md": "x"})
    write(outside, {"secret.md": "x"})
    (vault / "good.md").symlink_to(vault / "a.md")
    (vault / "relative.md").symlink_to("in/b.md")
    (vault / "bad.md").symlink_to(outside / "secret.md")
    (vault / "broken.md").symlink_to("missing.md")
    (vault / "circle.md").symlink_to("circle.md")
    (vault / "folder.md").symlink_to(vault / "in")
    (vault / "linked").symlink_to(vault / "in")
    (vault / "loop").symlink_to(vault)
    (vault / "out").symlink_to(outside)
    (vault / "image.png").symlink_to(outside / "secret.md")
    seen = walk(vault, MD)
    refused = {found.path: found.refused for found in seen.files if found.refused}
    assert [f.path for f in seen.files if not f.refused] == ["a.md", "good.md", "in/b.md", "relative.md"]
    assert "leads out" in refused["bad.md"] and "nowhere" in refused["broken.md"] and "nowhere" in refused["circle.md"]
    assert "own place" in refused["folder.md"]
    reasons = {problem.path: problem.reason for problem in seen.problems}
    assert (
        set(reasons) == {"linked", "loop", "out"} and "leads out" in reasons["out"] and "own place" in reasons["loop"]
    )
    assert dict(seen.skipped) == {".png": 1}


def test_the_root_may_be_a_link(tmp_path: Path) -> None:
    write(tmp_path / "real", {"a.md": "x"})
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert paths(tmp_path / "link") == ["a.md"]


def test_things_that_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (found,) = walk(tmp_path, MD).files
    assert found.refused == "it is not a regular file"


def test_one_file_per_spelling(tmp_path: Path) -> None:
    composed, decomposed = "Übersicht.md", unicodedata.normalize("NFD", "Übersicht.md")
    write(tmp_path, {composed: "x", decomposed: "y", "b.md": "z"})
    found = settle_spellings(walk(tmp_path, MD).files, {})
    assert len({f.path for f in found}) == 3
    kept = [f for f in found if not f.refused]
    assert [(f.path, f.disk) for f in kept] == [("b.md", "b.md"), (composed, decomposed)]
    (refused,) = (f for f in found if f.refused)
    assert refused.disk == composed and refused.path == "\\xdcbersicht.md" and composed in refused.refused


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may list every folder")
def test_folders_that_cannot_be_listed_are_named(tmp_path: Path) -> None:
    write(tmp_path, {"zu/a.md": "x", "b.md": "x"})
    (tmp_path / "zu").chmod(0)
    try:
        seen = walk(tmp_path, MD)
    finally:
        (tmp_path / "zu").chmod(0o755)
    assert (
        [f.path for f in seen.files] == ["b.md"]
        and seen.unread == ["zu/"]
        and "cannot be listed" in seen.problems[0].reason
    )
