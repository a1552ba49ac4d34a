"""Say which numbers have moved; with --write, freeze those of now."""

import argparse
import sys
import tempfile
from pathlib import Path

from . import store
from .campaigns import ALL
from .columns import digests_of


def main() -> int:
    """Run every campaign, or those whose name holds a word."""
    arguments = argparse.ArgumentParser(prog="python -m tests.python.studies.frozen")
    arguments.add_argument("word", nargs="?", default="", help="only campaigns with it in the name")
    arguments.add_argument("--write", action="store_true", help="freeze what is found")
    asked = arguments.parse_args()
    chosen = [campaign for campaign in ALL if asked.word in campaign.name]
    if not chosen:
        arguments.error(f'no campaign has "{asked.word}" in its name')
    frozen = store.read()
    kept = {each.name: frozen[each.name] for each in ALL if each.name in frozen}
    moved = False
    for campaign in chosen:
        with tempfile.TemporaryDirectory() as folder:
            found = digests_of(campaign.run(Path(folder) / "results"))
        was = frozen.get(campaign.name)
        for said in ["not frozen yet"] if was is None else store.movements(was, found):
            moved = True
            sys.stdout.write(f"{campaign.name}: {said}\n")
        kept[campaign.name] = found
    if asked.write:
        store.write(kept)
        return 0
    return int(moved)


if __name__ == "__main__":
    sys.exit(main())
