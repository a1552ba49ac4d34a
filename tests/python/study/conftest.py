"""Ways to load text as a study, and to see it refused."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lasthop.errors import StudyError
from lasthop.study import Study, load_study

Load = Callable[..., Study]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Load text as ``study.yaml`` of an empty folder that is the working directory."""
    monkeypatch.chdir(tmp_path)

    def load_text(
        text: str,
        *,
        overrides: Sequence[tuple[str, str]] = (),
        quick: bool = False,
        seed: int | None = None,
    ) -> Study:
        Path("study.yaml").write_text(text, encoding="utf-8")
        return load_study("study.yaml", overrides=overrides, quick=quick, seed=seed)

    return load_text


@pytest.fixture
def refused(load: Load) -> Callable[[str, str], None]:
    """Check that text is refused with one line that begins with its place."""

    def check(text: str, expected: str) -> None:
        with pytest.raises(StudyError) as caught:
            load(text)
        message = str(caught.value)
        assert matches(message, f"study.yaml:{expected}"), message
        assert "\n" not in message
        assert caught.value.exit_code == 2
        assert caught.value.hint

    return check


def matches(message: str, expected: str) -> bool:
    """Whether a message is as expected; a star stands for anything."""
    first, *rest = expected.split("*")
    if not rest:
        return message == expected
    if not message.startswith(first) or not message.endswith(rest[-1]):
        return False
    position = len(first)
    for piece in rest:
        position = message.find(piece, position)
        if position < 0:
            return False
        position += len(piece)
    return True
