"""Temporary folders of programs, identifiable by name after a crash."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from lasthop.testbed.tag import Tag

_NAME = re.compile(r"(lasthop-[0-9]+-[0-9]+)-\w+")


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Make a temporary folder, named after its process, as a context."""
    return tempfile.TemporaryDirectory(prefix=f"{Tag.own()}-")


def left_folders() -> list[Path]:
    """Give this user's folders whose process has ended without removing them."""
    found = []
    for entry in os.scandir(tempfile.gettempdir()):
        written = _NAME.fullmatch(entry.name)
        maker = Tag.read(written[1]) if written else None
        # What a link leads to is nobody's of ours.
        if maker is None or maker.is_alive or not entry.is_dir(follow_symlinks=False):
            continue
        if entry.stat(follow_symlinks=False).st_uid == os.geteuid():
            found.append(Path(entry.path))
    return sorted(found)
