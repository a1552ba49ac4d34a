"""Every command that the tutorial and the guides show prints what they say."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from docs.transcript import Command, Difference, commands_of, replay
from tests.python.at_once import at_once

from lasthop.testbed import missing_requirement

from .conftest import DOCS, ROOT

# All pages are replayed in one set-up, beside other tests.
pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

PAGES = [
    path
    for path in [
        ROOT / "README.md",
        DOCS / "tutorial.md",
        *sorted((DOCS / "guides").glob("*.md")),
    ]
    if "```console\n" in path.read_text(encoding="utf-8")
]


def test_the_pages_show_commands() -> None:
    assert {"tutorial.md", "use-in-ci.md", "read-the-ledger.md"} <= {page.name for page in PAGES}


@pytest.fixture(scope="module")
def differences_of(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Path], list[Difference]]:
    """Replay the pages."""

    def differences(page: Path) -> list[Difference]:
        _, found = replay(page.read_text(encoding="utf-8"), tmp_path_factory.mktemp("page"))
        return found

    return at_once(request, "page", differences)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page,
            id=page.stem,
            marks=pytest.mark.skipif(
                "tshark" in page.read_text(encoding="utf-8") and shutil.which("tshark") is None,
                reason="tshark is not installed",
            )
            if "--engine live" not in page.read_text(encoding="utf-8")
            else pytest.mark.skipif(
                missing_requirement() is not None or shutil.which("mosquitto") is None,
                reason="real software cannot run here",
            ),
        )
        for page in PAGES
    ],
)
def test_a_page_says_what_its_commands_print(
    page: Path, differences_of: Callable[[Path], list[Difference]]
) -> None:
    differences = differences_of(page)
    told = "\n\n".join(map(str, differences))
    assert not differences, f"{told}\n\nif that is right: python -m docs.transcript --write {page}"


PAGE = """\
```{code-block} text
:caption: word.txt

hello
```

```console
$ cat word.txt
hello
$ echo a; \\
    pwd
a
/path/to
$ seq 5
1
...
5
```

```yaml
- run: false
```
"""


def test_a_session_has_files_commands_and_lines_left_out(tmp_path: Path) -> None:
    assert replay(PAGE, tmp_path) == (PAGE, [])


SLEEPS = """\
```console
$ sleep 600 > /dev/null 2>&1 & echo $! > pid
$ echo 127.0.0.1:8000 | tee place
127.0.0.1:8000
```
"""


def test_a_port_is_free_and_what_a_page_starts_ends_with_it(tmp_path: Path) -> None:
    assert replay(SLEEPS, tmp_path) == (SLEEPS, [])
    assert (tmp_path / "place").read_text(encoding="utf-8") != "127.0.0.1:8000\n"
    process = int((tmp_path / "pid").read_text(encoding="utf-8"))
    status = Path(f"/proc/{process}/status")
    end = time.monotonic() + 60
    while status.exists() and "State:\tZ" not in status.read_text(encoding="utf-8"):
        assert time.monotonic() < end, "it goes on"
        time.sleep(0.01)


def test_what_a_page_says_wrongly_is_found_and_can_be_written(tmp_path: Path) -> None:
    wrong = PAGE.replace("$ cat word.txt\nhello", "$ cat word.txt\ngood bye")
    written, (difference,) = replay(wrong, tmp_path)
    assert written == PAGE
    assert difference.command == Command("cat word.txt", ("good bye",))
    assert difference.actual == ("hello",)


def test_a_block_that_starts_with_output_is_refused() -> None:
    with pytest.raises(ValueError, match='starts with "\\$ "'):
        list(commands_of("output\n$ command\n"))
