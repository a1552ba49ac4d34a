"""Templates are compiled once, and never believed to be what they are not."""

import sys
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import jinja2
import pytest

from lasthop.report.compiled_templates import CompiledTemplates

TEMPLATE = "{% for name in names %}<b>{{ name }}</b>{% endfor %}"
SHOWN = "<b>one</b><b>&lt;two&gt;</b>"


class Counting(jinja2.Environment):
    """An environment that counts what it compiles."""

    compiled = 0

    def compile(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401  (as it has them)
        """Compile, and count."""
        self.compiled += 1
        return super().compile(*arguments, **options)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    folder = tmp_path / "templates"
    folder.mkdir()
    (folder / "names.html").write_text(TEMPLATE, encoding="utf-8")
    return folder


def kept(folder: Path) -> Path:
    return Path(cache_from_source(str(folder / "names.html.py")))


def shown(folder: Path) -> tuple[str, int]:
    """Fill the template in as a new process does; give the text and how much was compiled."""
    environment = Counting(
        loader=jinja2.FileSystemLoader(folder),
        bytecode_cache=CompiledTemplates(folder),
        autoescape=True,
    )
    text = environment.get_template("names.html").render(names=["one", "<two>"])
    return text, environment.compiled


def test_a_template_is_compiled_once(folder: Path) -> None:
    assert shown(folder) == (SHOWN, 1)
    assert list(kept(folder).parent.iterdir()) == [kept(folder)]
    assert shown(folder) == (SHOWN, 0)


def test_another_text_is_compiled_again(folder: Path) -> None:
    shown(folder)
    (folder / "names.html").write_text(TEMPLATE.replace("b>", "i>"), encoding="utf-8")
    assert shown(folder) == (SHOWN.replace("b>", "i>"), 1)
    assert shown(folder)[1] == 0


def test_what_is_damaged_is_compiled_again(folder: Path) -> None:
    shown(folder)
    whole = kept(folder).read_bytes()
    beginning = len(whole) - len(whole) // 2
    for damaged in (b"", b"nothing", *(whole[:length] for length in range(0, beginning, 7))):
        kept(folder).write_bytes(damaged)
        assert shown(folder) == (SHOWN, 1), damaged
    assert shown(folder) == (SHOWN, 0)


def test_where_nothing_can_be_kept_templates_are_filled_in(folder: Path) -> None:
    kept(folder).parent.write_text("no folder", encoding="utf-8")
    assert [shown(folder), shown(folder)] == [(SHOWN, 1)] * 2


def test_nothing_is_kept_where_python_keeps_no_bytecode(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert shown(folder) == (SHOWN, 1)
    assert not kept(folder).parent.exists()
