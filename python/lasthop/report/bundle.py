"""Vega, Vega-Lite and Vega-Embed as one script, for a page that needs no network."""

import os
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import vl_convert

from lasthop.report.figures.vega_lite import VERSION

_ENTRY = "window.lasthopEmbed = vegaEmbed;"


@cache
def vega_bundle() -> str:
    """Return the script that defines ``lasthopEmbed``.

    Putting it together takes some seconds, so it is kept in the user's cache folder, with its
    checksum: a damaged copy is made again. Without a writable cache it is made each time.
    """
    vega_lite = ".".join(VERSION.split(".")[:2])
    path = _cache_folder() / f"vega-{version('vl-convert-python')}-{vega_lite}.js"
    return _cached(path) or _made(path, vega_lite)


def _cached(path: Path) -> str | None:
    try:
        checksum, _, script = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return script if checksum == _checksum(script) else None


def _made(path: Path, vega_lite: str) -> str:
    script = vl_convert.javascript_bundle(_ENTRY, vega_lite)
    if "</script" in script.lower():
        script = script.replace("</script", r"<\/script").replace("</SCRIPT", r"<\/SCRIPT")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        # Two processes may do this at once, so each writes a file of its own.
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            temporary.write_text(f"{_checksum(script)}\n{script}", encoding="utf-8")
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    return script


def _checksum(script: str) -> str:
    return "// " + sha256((_ENTRY + script).encode()).hexdigest()


def _cache_folder() -> Path:
    configured = os.environ.get("XDG_CACHE_HOME")
    return (Path(configured) if configured else Path("~/.cache").expanduser()) / "lasthop"
