"""The corpus of the study's fuzz target replays: whatever the file, a study or one line."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

FUZZ = Path(__file__).parents[3] / "fuzz"
CORPUS = sorted((FUZZ / "corpus" / "study").iterdir())


@pytest.fixture(scope="module")
def target() -> ModuleType:
    spec = importlib.util.spec_from_file_location("study_fuzz", FUZZ / "study_fuzz.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.name)
def test_a_file_of_the_corpus_is_a_study_or_gets_one_line(file: Path, target: ModuleType) -> None:
    target.replay(file.read_bytes())


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.name)
def test_its_beginnings_are_answered_too(file: Path, target: ModuleType) -> None:
    data = file.read_bytes()
    for parts in range(1, 16):
        target.replay(data[: len(data) * parts // 16])
