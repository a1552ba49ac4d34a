"""Networks without root: a user namespace in which this process may make them."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import struct
import sys
from pathlib import Path

from lasthop.errors import EnvironmentFailure

_CLONE_NEWUSER = 0x10000000  # linux/sched.h
_CAPABILITY_VERSION = 0x20080522  # linux/capability.h
_PR_SET_DUMPABLE = 4  # linux/prctl.h
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE = 47, 2
_HEADER, _SETS = "=Ii", "=6I"  # struct __user_cap_header_struct, two __user_cap_data_struct

WITH_SUDO = "or run the command with sudo"

_SWITCHES = (
    ("user.max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=10000"),
    ("kernel.unprivileged_userns_clone", "0", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
    (
        "kernel.apparmor_restrict_unprivileged_userns",
        "1",
        "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)
"""What forbids user namespaces, at which value, and what allows them."""


def enter_user_namespace() -> None:
    """Enter a user namespace for good. Child processes can make networks in it.

    Its user and its files stay the same. Only a process of one thread can.

    Raises
    ------
    EnvironmentFailure
        If the system forbids it: which switch does, and what to do.
    """
    user, group = os.geteuid(), os.getegid()
    try:
        _check(_libc().unshare(_CLONE_NEWUSER))
        _open_proc()
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
        _hand_on_capabilities()
    except OSError as error:
        raise EnvironmentFailure(_why_not(error)) from error


def why_no_networks() -> str | None:
    """Explain why networks are not possible here, with a remedy; None if they are."""
    if sys.platform != "linux":
        return "Linux is needed"
    for program, package in (("ip", "iproute2"), ("nsenter", "util-linux")):
        if shutil.which(program) is None:
            return f"{program} is missing; run apt-get install {package}"
    return None if os.geteuid() == 0 else _try_in_a_child()


def _try_in_a_child() -> str | None:
    """Enter a user namespace in a process of its own, as nobody comes back from one."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            enter_user_namespace()
        except EnvironmentFailure as failure:
            os.write(writing, str(failure).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return said or None


def _hand_on_capabilities() -> None:
    """Let the programs that this process starts have its capabilities, as they have no root."""
    libc = _libc()
    header = ctypes.create_string_buffer(struct.pack(_HEADER, _CAPABILITY_VERSION, 0))
    sets = ctypes.create_string_buffer(struct.calcsize(_SETS))
    _check(libc.capget(header, sets))
    low_effective, low, _, high_effective, high, _ = struct.unpack(_SETS, sets.raw[:24])
    raised = struct.pack(_SETS, low_effective, low, low, high_effective, high, high)
    _check(libc.capset(header, ctypes.create_string_buffer(raised, len(raised))))
    # All of them, or what they start as may not open the descriptors of this process in /proc.
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text(encoding="ascii"))
    for capability in range(last + 1):
        _check(libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, capability, 0, 0))
    # The kernel took it back with each change of what this process may.
    _open_proc()


def _open_proc() -> None:
    """Let this process's files in /proc be its user's, and its descriptors be opened by them."""
    _check(_libc().prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0))


def _why_not(error: OSError) -> str:
    for name, forbids, remedy in _SWITCHES:
        with contextlib.suppress(OSError):
            if Path("/proc/sys", *name.split(".")).read_text(encoding="ascii").strip() == forbids:
                return (
                    f"this machine forbids user namespaces ({name} is {forbids}); "
                    f"run {remedy}, {WITH_SUDO}"
                )
    if error.errno == errno.ENOSPC:
        return (
            "the limit user.max_user_namespaces is reached; run sudo sysctl -w "
            f"user.max_user_namespaces=10000, {WITH_SUDO}"
        )
    return (
        f"this machine forbids user namespaces ({error.strerror}), as many "
        f"containers do; allow them, {WITH_SUDO}"
    )


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
