"""How much room on the disk the messages of a study's runs take, and whether it is there."""

import shutil
from pathlib import Path

from lasthop.errors import UsageError
from lasthop.running.memory import RunLoad, written

BYTES_A_MESSAGE = 240
"""While its run goes on and is stored: 65 B that wait, a row of 130 B, and a fifth more."""


def check_disk(load: RunLoad, *, out: Path, available_bytes: int | None = None) -> None:
    """Refuse a run that has more messages than the disk has room for.

    Parameters
    ----------
    load
        What is in the largest run.
    out
        The result folder, which need not exist.
    available_bytes
        What is free there.

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
    """Say how many bytes are free where a folder is to be made; `None` where nobody can say."""
    try:
        folder = next(one for one in (out, *out.absolute().parents) if one.is_dir())
    except OSError:  # Whoever makes the folder says what is wrong with its name.
        return None
    usage = shutil.disk_usage(folder)
    return usage.free if usage.total else None  # a file system that is not on a disk
