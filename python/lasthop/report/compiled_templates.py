"""Templates as Python compiled them, kept beside the bytecode of modules."""

import os
import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from pickle import UnpicklingError

import jinja2
from jinja2.bccache import Bucket


class CompiledTemplates(jinja2.BytecodeCache):
    """Keeps a compiled template where Python keeps a compiled module, and as long.

    Compiling takes a twentieth of a short run. What cannot be read or written is compiled again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get_cache_key(self, name: str, filename: str | None = None) -> str:  # noqa: ARG002
        """Name the file of a template by the template."""
        return name

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read a template that was compiled from the same text by the same versions."""
        with (
            suppress(OSError, EOFError, UnpicklingError),
            self._file(bucket).open("rb") as file,
        ):
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a compiled template, unless Python must not write bytecode."""
        if sys.dont_write_bytecode:
            return
        file = self._file(bucket)
        new = file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            with new.open("xb") as opened:
                bucket.write_bytecode(opened)
            new.replace(file)

    def _file(self, bucket: Bucket) -> Path:
        return Path(cache_from_source(str(self._folder / f"{bucket.key}.py")))
