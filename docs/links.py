"""Finds links that lead nowhere: in the built site, and in the repository's Markdown.

`python -m docs.links [SITE]` prints a line for each; `--external` lists the links to other hosts,
which are not followed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parents[1]
SITE = ROOT / "target/site"

_ADDRESSES = {"a": "href", "link": "href", "img": "src", "script": "src", "iframe": "src"}


@dataclass(slots=True)
class _Page(HTMLParser):
    """What a page links to, what it loads, and where in it a link may lead."""

    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of a tag."""
        given = dict(attrs)
        self.anchors |= {name for name in (given.get("id"), given.get("name")) if name}
        target = given.get(_ADDRESSES.get(tag, ""))
        if target:
            (self.links if tag == "a" else self.loads).append(target)

    def has(self, fragment: str) -> bool:
        """Whether the page has the place that the fragment of a link names."""
        return fragment in ("", "top") or unquote(fragment) in self.anchors


@cache
def _page(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def broken_in_site(site: Path) -> Iterator[str]:
    """Give each link of a built site to a file or an anchor that it does not have."""
    for path in sorted(site.rglob("*.html")):
        page = _page(path)
        for link in dict.fromkeys([*page.links, *page.loads]):
            target = urlsplit(link)
            if target.scheme or target.netloc:
                continue
            file = path if not target.path else path.parent / unquote(target.path)
            where = f"{path.relative_to(site)}: {link}"
            if not file.is_file():
                yield f"{where}: no such file"
            elif file.suffix == ".html" and not _page(file.resolve()).has(target.fragment):
                yield f"{where}: no such anchor"


def loaded_from_elsewhere(site: Path) -> Iterator[str]:
    """Give what pages and styles of a site would load from other hosts."""
    for path in sorted(site.rglob("*.html")):
        for address in _page(path).loads:
            if urlsplit(address).netloc:
                yield f"{path.relative_to(site)}: {address}"
    for path in sorted(site.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        for address in re.findall(r"(?:@import\s+|url\()[\"']?((?:https?:)?//[^\"')]+)", text):
            yield f"{path.relative_to(site)}: {address}"


def external(site: Path) -> list[str]:
    """Give the links of a site to other hosts, sorted."""
    found = {link for path in site.rglob("*.html") for link in _page(path).links}
    return sorted(link for link in found if urlsplit(link).netloc)


def broken_in_markdown(files: Iterable[Path], *, root: Path) -> Iterator[str]:
    """Give each relative link of Markdown files to a file or a heading that is not there."""
    for path in files:
        for link in _markdown_links(path):
            target = urlsplit(link)
            if target.scheme or target.netloc:
                continue
            file = path if not target.path else path.parent / unquote(target.path)
            where = f"{path.relative_to(root)}: {link}"
            if not file.exists():
                yield f"{where}: no such file"
            elif file.suffix == ".md" and target.fragment and target.fragment not in _anchors(file):
                yield f"{where}: no such heading"


def markdown_files(root: Path) -> list[Path]:
    """Give the Markdown files that git knows."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    done = subprocess.run(command, check=True, capture_output=True, cwd=root, text=True)
    paths = [root / name for name in done.stdout.split("\0") if name]
    return sorted(path for path in paths if path.is_file())


def _markdown_links(path: Path) -> list[str]:
    tokens = MarkdownIt().parse(path.read_text(encoding="utf-8"))
    below = [child for token in tokens for child in token.children or ()]
    targets = [token.attrGet("href") or token.attrGet("src") for token in below]
    return list(dict.fromkeys(str(target) for target in targets if target))


@cache
def _anchors(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    tokens = MarkdownIt().parse(text)
    headings = [
        token.content for before, token in pairwise(tokens) if before.type == "heading_open"
    ]
    named = re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)
    return {*named, *map(_slug, headings)}


def _slug(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", heading.lower())
    return kept.strip().replace(" ", "-")


def main() -> int:
    """Check the built site and the repository's Markdown.

    Returns
    -------
    int
        0, or 1 when a link is broken.
    """
    parser = argparse.ArgumentParser(prog="python -m docs.links", description=__doc__)
    parser.add_argument("--external", action="store_true", help="list links to other hosts")
    parser.add_argument("site", nargs="?", type=Path, default=SITE, help="the built site")
    options = parser.parse_args()
    if options.external:
        sys.stdout.writelines(f"{link}\n" for link in external(options.site))
        return 0
    broken = [
        *broken_in_site(options.site),
        *loaded_from_elsewhere(options.site),
        *broken_in_markdown(markdown_files(ROOT), root=ROOT),
    ]
    sys.stdout.writelines(f"{line}\n" for line in broken)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
