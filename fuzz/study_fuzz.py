#!/usr/bin/env python3
"""Fuzzes the reader of study files: any bytes are a study, or an error of one line.

``pip install atheris`` and ``python fuzz/study_fuzz.py fuzz/corpus/study`` look for bytes that are
neither; ``tests/python/study/test_fuzz_corpus.py`` replays the corpus without it.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from pathlib import Path

from lasthop.errors import EXIT_BAD_INPUT, LasthopError
from lasthop.study import load_study

MOST_RUNS = 50


def replay(data: bytes) -> None:
    """Load bytes as a study file, and plan the first of its runs.

    Raises
    ------
    AssertionError
        If the study is refused with more or less than one line, or plans what is no run spec.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "study.yaml")
        file.write_bytes(data)
        try:
            study = load_study(file)
        except LasthopError as error:
            message = str(error)
            if not message or "\n" in message or error.exit_code != EXIT_BAD_INPUT:
                raise AssertionError(message) from error
            return
    for run in itertools.islice(study.planned_runs(), MOST_RUNS):
        if run.supported and not isinstance(json.loads(run.spec_json), dict):
            raise AssertionError(run)


def main() -> None:
    """Fuzz, with the arguments of libFuzzer."""
    # Only who fuzzes has it: see the head of this file.
    import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415

    atheris.instrument_all()
    atheris.Setup(sys.argv, replay)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
