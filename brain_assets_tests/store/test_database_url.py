"""Another database than the file: a URL that cannot be used is told in words, and nothing of it is quoted."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain_assets.errors import ConfigurationError
from brain_assets.settings import load
from brain_assets.store import catalogue


@pytest.mark.parametrize(
    "url",
    [
        "foo",
        "nosuchdb://u:planted-secret@h/x",
        "mssql+pyodbc://u:planted-secret@h/x",
        "http://x",
    ],
)
def test_a_database_that_cannot_be_used(tmp_path_factory: pytest.TempPathFactory, url: str) -> None:
    settings = load(data_dir=tmp_path_factory.mktemp("data"), database_url=url)
    for read_only in (False, True):
        with pytest.raises(ConfigurationError, match="BRAIN_DATABASE_URL") as caught:
            catalogue.open(settings, read_only=read_only)
        assert "planted-secret" not in str(caught.value)
        assert caught.value.remedy


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("kein Katalog\n" * 100, encoding="utf-8")
    settings = load(data_dir=tmp_path / "data", database_url=f"sqlite:///{tmp_path / 'text'}")
    with pytest.raises(ConfigurationError, match="What BRAIN_DATABASE_URL names is not a readable catalogue"):
        catalogue.open(settings)
