"""Work as a user without any rights, in a process of its own."""

import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

NOBODY = 65_534


@dataclass(frozen=True, slots=True)
class Told:
    """What a process said and how it ended."""

    status: int
    said: str


def as_nobody(work: Callable[[], object], *, before: Callable[[], None] = lambda: None) -> Told:
    """Do something as nobody, and give what it printed; 1 is the status of an exception.

    Python itself may stand where nobody may read, so all that is needed must be imported.

    Parameters
    ----------
    before
        Done as root in that process, first.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _become_nobody(work, before, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8", errors="replace") as answer:
        said = answer.read()
    return Told(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said)


def _become_nobody(work: Callable[[], object], before: Callable[[], None], out: int) -> NoReturn:
    status = 1
    try:
        os.dup2(out, 1)
        os.dup2(out, 2)
        # Those of pytest keep what is written.
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
        before()
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        os.chdir("/")
        done = work()
        status = done if isinstance(done, int) else 0
    except BaseException:  # noqa: BLE001  whatever it was, its caller is to read it
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
