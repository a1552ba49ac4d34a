#!/usr/bin/env python3
"""Put Vega, Vega-Lite and Vega-Embed together as the script that every report carries.

``--write`` makes ``python/lasthop/report/vega.js`` anew, ``--check`` fails where it is not what
the locked release of vl-convert makes. Reports need no vl-convert then.
"""

import sys
from pathlib import Path

import vl_convert

from lasthop.report.figures.vega_lite import VERSION

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "python/lasthop/report/vega.js"
_ENTRY = "window.lasthopEmbed = vegaEmbed;"
_NOTICE = (
    "/* Vega, Vega-Lite and Vega-Embed. Copyright University of Washington Interactive Data Lab "
    "and contributors. BSD-3-Clause, see vega.LICENSE.txt. Made by scripts/bundle_vega.py. */\n"
)


def bundled() -> str:
    """Give the script, which a page can hold between two ``script`` tags."""
    vega_lite = ".".join(VERSION.split(".")[:2])
    script = vl_convert.javascript_bundle(_ENTRY, vega_lite)
    for tag in ("</script", "</SCRIPT"):
        script = script.replace(tag, tag.replace("/", r"\/"))
    return _NOTICE + script.rstrip() + "\n"


def main() -> int:
    """Write or check the script."""
    if sys.argv[1:] == ["--write"]:
        SCRIPT.write_text(bundled(), encoding="utf-8")
        return 0
    if sys.argv[1:] != ["--check"]:
        sys.stderr.write("bundle_vega: write --write or --check\n")
        return 2
    if SCRIPT.read_text(encoding="utf-8") != bundled():
        path = SCRIPT.relative_to(ROOT)
        sys.stderr.write(f"bundle_vega: {path} is out of date; run make generate\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
