"""Writes the files of a version with this build: ``python -m tests.python.compatibility VERSION``.

The studies must be there as `versions/VERSION/NAME.yaml`. After the tag of a version its files
never change.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.python.warm_command import run_warm

from lasthop.study import load_study

from .kept import ROOT, STUDIES, Kept, names_of_today


def write(kept: Kept) -> None:
    """Run the studies of a version with this build, and keep what it wrote."""
    shutil.rmtree(kept.folder / "run-specs", ignore_errors=True)
    (kept.folder / "run-specs").mkdir()
    for name in STUDIES:
        _write_results(kept, name)
        for run in load_study(kept.study(name)).planned_runs():
            if run.repetition == 1:
                spec = json.dumps(json.loads(run.spec_json), indent=1) + "\n"
                file = kept.folder / "run-specs" / f"{name}-{run.stack}.json"
                file.write_text(spec, encoding="utf-8")
    names = json.dumps(names_of_today(), indent=1) + "\n"
    (kept.folder / "names.json").write_text(names, encoding="utf-8")


def _write_results(kept: Kept, name: str) -> None:
    """Run a study in a folder without a long name, which the manifest keeps."""
    with TemporaryDirectory() as scratch:
        for file in kept.folder.glob("*.yaml"):
            shutil.copy(file, scratch)
        command = ("run", f"{name}.yaml", "--out", "results", "--no-report")
        done = run_warm(command, folder=Path(scratch), timeout=600)
        if done.returncode:
            sys.exit(done.stderr)
        shutil.rmtree(kept.results(name), ignore_errors=True)
        shutil.copytree(Path(scratch) / "results", kept.results(name))


if __name__ == "__main__":
    write(Kept(ROOT / sys.argv[1]))
