"""No link of the repository's Markdown leads nowhere, and links that do are found."""

from pathlib import Path

import pytest
from docs.links import (
    broken_in_markdown,
    broken_in_site,
    external,
    loaded_from_elsewhere,
    markdown_files,
)

from .conftest import ROOT


def test_every_link_of_the_repository_leads_somewhere() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git repository")
    files = markdown_files(ROOT)
    assert {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"} <= {path.name for path in files}
    assert list(broken_in_markdown(files, root=ROOT)) == []


def test_a_broken_link_of_a_site_is_found(tmp_path: Path) -> None:
    (tmp_path / "one.html").write_text(
        '<h1 id="here"></h1><a href="#here"></a><a href="#there"></a><a href="two.html#x"></a>'
        '<a href="three.html"></a><a href="https://example.org/"></a><img src="no.png">'
    )
    (tmp_path / "two.html").write_text('<p id="x"><script src="https://example.org/a.js"></script>')
    (tmp_path / "a.css").write_text("@import '//fonts.example.org/f.css';")
    assert list(broken_in_site(tmp_path)) == [
        "one.html: #there: no such anchor",
        "one.html: three.html: no such file",
        "one.html: no.png: no such file",
    ]
    assert list(loaded_from_elsewhere(tmp_path)) == [
        "two.html: https://example.org/a.js",
        "a.css: //fonts.example.org/f.css",
    ]
    assert external(tmp_path) == ["https://example.org/"]


def test_a_broken_link_of_markdown_is_found(tmp_path: Path) -> None:
    page = tmp_path / "one.md"
    page.write_text(
        "# A `word`, and more\n\n[a](#a-word-and-more) [b](#b) [c](two.md) [d](none/) ![e](e.png)\n"
        "`[f](f.md)` [g](https://example.org)\n"
    )
    (tmp_path / "two.md").write_text("")
    assert list(broken_in_markdown([page], root=tmp_path)) == [
        "one.md: #b: no such heading",
        "one.md: none/: no such file",
        "one.md: e.png: no such file",
    ]
