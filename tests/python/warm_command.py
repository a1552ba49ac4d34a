"""The command in a process of its own, without the second that a fresh Python takes to import it.

A server imports all of lasthop once and forks for each command: the child has the folder, the
environment and the standard streams that its caller gives. `run_warm` waits for its end,
`WarmProcess` does not. What is decided before the first line of lasthop
(hash seed, locale, the installed script) is not tested this way: start the real command for that.
"""

import atexit
import functools
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NoReturn

IMPORTED = (
    "lasthop.cli.application",
    "lasthop.cli.compare",
    "lasthop.cli.conclusion",
    "lasthop.cli.dry_run",
    "lasthop.cli.execution",
    "lasthop.cli.explain",
    "lasthop.cli.progress",
    "lasthop.cli.until_decided",
    "lasthop.compare",
    "lasthop.live.pushing",
    "lasthop.report.write",
    "lasthop.running.merging",
    "lasthop.running.run",
)
_LONGEST_REQUEST = 1 << 20


def run_warm(
    arguments: Sequence[str], *, folder: Path, timeout: float
) -> "subprocess.CompletedProcess[str]":
    """Run the command with these arguments in a folder; its standard input is empty."""
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as caller,
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out,
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as err,
    ):
        caller.settimeout(timeout)
        caller.connect(str(_address()))
        request = {"arguments": arguments, "folder": str(folder), "environment": dict(os.environ)}
        streams = [out.fileno(), err.fileno()]
        socket.send_fds(caller, [json.dumps(request).encode()], streams)
        _pid, code = caller.recv(16), caller.recv(16)
        assert code, "the server of warm commands has ended"
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(arguments, int(code), out.read(), err.read())


class WarmProcess:
    """A command that goes on until it ends or is ended, with what tests use of `Popen`.

    Raises
    ------
    TimeoutError
        From `wait` and `communicate`, where the command has not ended in time.
    """

    def __init__(self, arguments: Sequence[str], *, folder: Path) -> None:
        self.args = arguments
        self.returncode: int | None = None
        self._caller = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._caller.connect(str(_address()))
        pipes = [os.pipe(), os.pipe()]
        request = {"arguments": arguments, "folder": str(folder), "environment": dict(os.environ)}
        written = [write for _, write in pipes]
        socket.send_fds(self._caller, [json.dumps(request).encode()], written)
        for descriptor in written:
            os.close(descriptor)
        self.stdout, self.stderr = (
            os.fdopen(read, encoding="utf-8", errors="replace") for read, _ in pipes
        )
        self.pid = int(self._caller.recv(16))

    def poll(self) -> int | None:
        """Return its exit code, or nothing while it runs."""
        with suppress(TimeoutError):
            return self.wait(0.001)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended, and return its exit code."""
        if self.returncode is None:
            self._caller.settimeout(timeout)
            code = self._caller.recv(16)
            assert code, "the server of warm commands has ended"
            self.returncode = int(code)
            self._caller.close()
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait until it has ended, and return what it wrote since the last look."""
        written = ["", ""]

        def read(place: int, stream: IO[str]) -> None:
            written[place] = "" if stream.closed else stream.read()
            stream.close()

        reading = [
            threading.Thread(target=read, args=each, daemon=True)
            for each in enumerate((self.stdout, self.stderr))
        ]
        for thread in reading:
            thread.start()
        self.wait(timeout)
        for thread in reading:
            thread.join(timeout)
        return written[0], written[1]

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


_starting = threading.Lock()


def _address() -> Path:
    """Return where the server of this process listens."""
    with _starting:
        return _start()


@functools.cache
def _start() -> Path:
    address = Path(tempfile.mkdtemp(prefix="lasthop-warm-")) / "socket"
    server = subprocess.Popen(
        [sys.executable, "-P", __file__, str(address)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n", "the server of warm commands does not start"

    def stop() -> None:
        server.kill()
        server.communicate()
        address.unlink()
        address.parent.rmdir()

    atexit.register(stop)
    return address


def _serve(address: str) -> NoReturn:
    for module in IMPORTED:
        __import__(module)
    gc.freeze()  # else the first collection of each child copies all memory
    # Each child waits for its own; nobody waits for the children of the server.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen(64)
        os.write(1, b"ready\n")
        while True:
            caller, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _answer(caller)
            caller.close()


def _answer(caller: socket.socket) -> NoReturn:
    """Run the command that a caller asks for; send its process number, then its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    written, streams, _, _ = socket.recv_fds(caller, _LONGEST_REQUEST, 2)
    child = os.fork()
    if child == 0:
        caller.close()
        _become(json.loads(written), streams)
    for stream in streams:
        os.close(stream)
    with suppress(OSError):
        caller.send(str(child).encode())
    _, status = os.waitpid(child, 0)
    with suppress(OSError):  # a caller that no longer waits
        caller.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _become(request: Mapping[str, object], streams: Sequence[int]) -> NoReturn:
    """Be the command."""
    for descriptor, stream in enumerate(streams, start=1):
        os.dup2(stream, descriptor)
        os.close(stream)
    # New ones: those of the server remember whether they can seek.
    sys.stdout, sys.stderr = (
        os.fdopen(descriptor, "w", buffering, encoding="utf-8", closefd=False)
        for descriptor, buffering in ((1, -1), (2, 1))
    )
    arguments, folder, environment = (
        request[name] for name in ("arguments", "folder", "environment")
    )
    assert isinstance(arguments, list)
    assert isinstance(environment, dict)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(str(folder))
    sys.argv[:] = ["lasthop", *arguments]
    from lasthop.cli import main  # noqa: PLC0415

    code = main()
    for written in (sys.stdout, sys.stderr):
        with suppress(OSError):
            written.flush()
    os._exit(code)  # taking all of lasthop apart takes longer than most commands


if __name__ == "__main__":
    _serve(sys.argv[1])
