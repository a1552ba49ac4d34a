"""Starts a device on lwIP, and restarts it after a crash or a hang."""

import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from lasthop.adapters.lwip_firmware import Firmware
from lasthop.adapters.programs.device import read_errand, tell

CRASHES: Mapping[int, str] = {70: "heap", 71: "watchdog"}
"""Exit codes of a device that ran out of heap or was reset by its watchdog."""

HANGS_AFTER_S = 10.0
"""Seconds without a sign from the network task after which a device counts as hung."""

ESP8266: Mapping[str, Any] = {
    "tcp": {
        "max_segment_bytes": 1440,
        "window_bytes": 5744,
        "send_buffer_bytes": 2880,
        "keeps_out_of_order": False,
    },
    "frames": 10,
    "mailbox": 6,
    "connections": 5,
    "reading": "first_message_only",
    "read_bytes": 1024,
}
"""Default device settings: ESP8266_RTOS_SDK of 2019."""

_TIMES = ("message_ns", "byte_ns", "connection_ns", "frame_ns", "tick_ns", "watchdog_ns")
_SIZES = ("heap_bytes", "connection_bytes", "segment_bytes", "read_bytes")


def firmware_of(device: Mapping[str, Any] | None) -> Firmware:
    """Return the compile-time settings of a device."""
    device = device or ESP8266
    tcp = device["tcp"]
    return Firmware(
        max_segment_bytes=tcp["max_segment_bytes"],
        window_bytes=tcp["window_bytes"],
        send_buffer_bytes=tcp["send_buffer_bytes"],
        keeps_out_of_order=tcp["keeps_out_of_order"],
        frames=device["frames"],
        mailbox=device["mailbox"],
        connections=device["connections"],
    )


class Supervisor:
    """Runs a device program, and restarts it after crashes and hangs."""

    def __init__(self, errand: Mapping[str, Any]) -> None:
        self._errand = errand
        self._device: Mapping[str, Any] = errand.get("device") or ESP8266
        self._program = firmware_of(errand.get("device")).path()
        self._running: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._zero_ns = 0
        self._has_ended = False

    def run(self) -> int:
        """Run the device until it ends for good, and return its last exit code."""
        while True:
            with self._lock:
                if self._has_ended:
                    return 0
                process, alive = self._start()
            hangs = _hangs(alive)
            if hangs:
                process.kill()
            status = process.wait()
            os.close(alive)
            with self._lock:
                self._running = None
                if self._has_ended:
                    return 0
                if process.stdin is not None:
                    process.stdin.close()
            boot_ns = self._device.get("boot_ns")
            reason = "hang" if hangs else CRASHES.get(status)
            if reason is None or boot_ns is None:
                how = f"hangs: no sign of it for {HANGS_AFTER_S:g} s" if hangs else "died"
                sys.stderr.write(f"the device {how} ({_how(status)})\n")
                return 1
            tell("crashed", reason)
            time.sleep(boot_ns / 1e9)
            tell("booted")

    @property
    def running(self) -> int | None:
        """Return the process id of the device, or None if it does not run."""
        return None if self._running is None else self._running.pid

    def begin(self, zero_ns: int) -> None:
        """Send the start time of the run to the device."""
        with self._lock:
            self._zero_ns = zero_ns
            if self._running is not None:
                self._say(self._running, f"{zero_ns}\n")

    def end(self) -> None:
        """End the device by closing its input."""
        with self._lock:
            self._has_ended = True
            if self._running is not None and self._running.stdin is not None:
                self._running.stdin.close()

    def _start(self) -> tuple[subprocess.Popen[str], int]:
        """Start the program; return its process and the descriptor of its signs of life."""
        descriptor = self._errand["descriptor"]
        alive, shows = os.pipe()
        process = subprocess.Popen(
            [self._program], stdin=subprocess.PIPE, text=True, pass_fds=(descriptor, shows)
        )
        os.close(shows)
        self._running = process
        settings = {"alive": shows, **dict(self._settings())}
        told = "".join(f"{key} {value}\n" for key, value in settings.items())
        self._say(process, f"{told}{''.join(self._lines())}\n")
        if self._zero_ns:
            self._say(process, f"{self._zero_ns}\n")
        return process, alive

    def _say(self, process: subprocess.Popen[str], text: str) -> None:
        # Who is dead already says why by its exit.
        try:
            if process.stdin is not None:
                process.stdin.write(text)
                process.stdin.flush()
        except BrokenPipeError:
            pass

    def _settings(self) -> Iterator[tuple[str, object]]:
        errand, device = self._errand, self._device
        role = errand.get("role", "mqtt")
        yield from {
            "role": role,
            "descriptor": errand["descriptor"],
            "own": errand["own"],
            "port": errand["port"],
            "first_message_only": int(device["reading"] == "first_message_only"),
            "answers_first": int(bool(device.get("answers_first", False))),
        }.items()
        yield from (_of_client if role == "mqtt" else _of_server)(errand).items()
        yield from ((key, device.get(key) or 0) for key in (*_TIMES, *_SIZES))

    def _lines(self) -> Iterator[str]:
        """Yield the input lines that every start of the device needs, such as subscriptions."""
        yield from (f"hears {topic}\n" for topic in self._errand.get("hears", ()))
        passed_ns = time.monotonic_ns() - self._zero_ns if self._zero_ns else -1
        for message in self._errand.get("messages", ()):
            if message["due_ns"] > passed_ns:
                words = (message[key] for key in ("due_ns", "flow", "number", "size_bytes"))
                yield f"sends {' '.join(map(str, (*words, message['topic'])))}\n"


def _of_client(errand: Mapping[str, Any]) -> dict[str, object]:
    options = errand["options"]
    return {
        "server": errand["address"],
        "name": errand["name"],
        "qos": options["qos"],
        "keep_alive_s": options["keep_alive"],
    }


def _of_server(errand: Mapping[str, Any]) -> dict[str, object]:
    return {"confirms": int(errand["options"].get("type") != "non")}


def _hangs(alive: int) -> bool:
    """Wait for the end of a device, and return whether it hung before."""
    while select.select([alive], [], [], HANGS_AFTER_S)[0]:
        if not os.read(alive, 64):
            return False
    return True


def _how(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit {status}"


def main() -> None:
    """Run the device of the errand on standard input."""
    supervisor = Supervisor(read_errand())

    def listen() -> None:
        line = sys.stdin.readline()
        if line:
            supervisor.begin(int(line))
            sys.stdin.read()
        supervisor.end()

    threading.Thread(target=listen, daemon=True).start()
    sys.exit(supervisor.run())


if __name__ == "__main__":
    main()
