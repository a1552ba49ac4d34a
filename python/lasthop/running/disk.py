"""Checks for enough disk space for the messages of the runs."""

import shutil
from pathlib import Path

from lasthop.errors import UsageError
from lasthop.running.memory import RunLoad, written

BYTES_A_MESSAGE = 240
"""Bytes of a message on disk: 65 B during the run, 130 B as a row, and 20 % reserve."""


def check_disk(load: RunLoad, *, out: Path, available_bytes: int | None = None) -> None:
    """Raise an error if the messages of a run do not fit on the disk.

    Parameters
    ----------
    load
        Load of the largest run.
    out
        The result folder, which need not exist.
    available_bytes
        Free bytes on the disk. Default: measured.

    Raises
    ------
    UsageError
        There is not enough.
    """
    messages = load.messages
    needed = messages * BYTES_A_MESSAGE
    available = _free(out) if available_bytes is None else available_bytes
    if available is None or needed <= available:
        return
    most = available // BYTES_A_MESSAGE
    raise UsageError(
        f"a run of {messages:,} messages needs about {written(needed)} on the disk, "
        f"and {out} has {written(available)} free; about {most:,} messages a run "
        'fit: write "measure: {messages: summed}", a longer traffic.every, a '
        "shorter duration or fewer devices"
    )


def _free(out: Path) -> int | None:
    """Return the free bytes where a folder will be created; None if unknown."""
    try:
        folder = next(one for one in (out, *out.absolute().parents) if one.is_dir())
    except OSError:  # Whoever makes the folder says what is wrong with its name.
        return None
    usage = shutil.disk_usage(folder)
    return usage.free if usage.total else None  # a file system that is not on a disk
