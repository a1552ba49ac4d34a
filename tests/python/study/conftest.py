"""Ways to load text as a study, and to see it refused."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from lasthop.errors import StudyError
from lasthop.study import Study, load_study

Load = Callable[..., Study]

# How a remedy begins: an order, a question, or the words that can be written.
_REMEDY = re.compile(
    r"(^|[ ,;(])(add|allows?|begin|change|check|choose|close|compare|create|decide|did you mean"
    r"|divide|end|exchange|give|goes with|indent|join|keep"
    r"|known|let|list|make|move|must|name|put|rank|reduce|remove|rename|run|save|see|send|separate|set|similar|simulate|sort|split|sweep|take|units|update|use|write)\b"
    r"|^(flows|parts|groups|servers|units of .*): "
)
_QUOTED = re.compile(r'"([^"]+)"')


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


@pytest.fixture(autouse=True)
def _each_error_has_a_place_and_a_remedy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Look at every error of a study that a test raises, whatever the test asks of it."""
    raised: list[StudyError] = []
    usual = StudyError.__init__

    def remember(self: StudyError, what: str, **parts: Any) -> None:  # noqa: ANN401
        usual(self, what, **parts)
        raised.append(self)

    monkeypatch.setattr(StudyError, "__init__", remember)
    yield
    for error in raised:
        assert error.file, f"no place: {error}"
        assert error.hint, f"no remedy: {error}"
        assert _REMEDY.search(error.hint), f"no remedy: {error}"
        assert not _repeats(error), f"the remedy is what was written: {error}"


def _repeats(error: StudyError) -> bool:
    """Tell whether the one value that a remedy offers is the value that it refuses."""
    offered = _QUOTED.findall(error.hint or "")
    return (
        len(offered) == 1
        and error.hint == f'write "{offered[0]}"'
        and offered[0] in _QUOTED.findall(error.what)
    )


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
