"""Writes the generated parts of all pages, or says which pages have fallen behind."""

import argparse
import sys

from docs.generator import DOCS, fill, pages


def main() -> int:
    """Write or check the pages.

    Returns
    -------
    int
        0, or 1 when a page has fallen behind and was not written.
    """
    parser = argparse.ArgumentParser(prog="python -m docs.generator")
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--check", action="store_true", help="write nothing, exit 1 if stale")
    choice.add_argument("--write", action="store_true", help="write what the code makes now")
    options = parser.parse_args()
    stale = 0
    for page in pages():
        text = page.read_text(encoding="utf-8")
        filled = fill(text)
        if filled == text:
            continue
        if options.write:
            page.write_text(filled, encoding="utf-8")
        else:
            stale += 1
            name = page.relative_to(DOCS.parent)
            sys.stdout.write(f"{name}: not what the code makes; write it with make generate\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
