"""Our caching proxy beside nginx: the same requests, and how often the server behind is asked."""

import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

import lasthop

from .conftest import FindProgram

MAX_AGE_S, CHANGES_S = 2, 5
READERS, EVERY_S = 3, 0.25
LASTS_S, SHORT_S = 9.0, 5.0
_HERE = "127.0.0.1"


class Origin(ThreadingHTTPServer):
    """A server that says for how long its answer is fresh, and counts how it was asked."""

    daemon_threads = True

    def __init__(self, *, tagged: bool) -> None:
        super().__init__((_HERE, 0), Handler)
        self.tagged, self.started = tagged, time.monotonic()
        self.asked: Counter[int] = Counter()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def state(self) -> str:
        """Give the entity tag of now."""
        return f'"{int((time.monotonic() - self.started) / CHANGES_S)}"'


class Handler(BaseHTTPRequestHandler):
    """Answers with 45 B, or says that they have not changed."""

    server: Origin

    def do_GET(self) -> None:
        """Answer a request."""
        tag = self.server.state() if self.server.tagged else None
        status = 304 if tag is not None and self.headers["If-None-Match"] == tag else 200
        body = b"x" * 45 if status == 200 else b""
        self.server.asked[status] += 1
        self.send_response(status)
        self.send_header("Cache-Control", f"max-age={MAX_AGE_S}")
        if tag is not None:
            self.send_header("ETag", tag)
        if status == 200:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def origins() -> Iterator[list[Origin]]:
    """Those that a test starts."""
    started: list[Origin] = []
    yield started
    for origin in started:
        origin.shutdown()
        origin.server_close()


@pytest.fixture
def started() -> Iterator[list["subprocess.Popen[bytes]"]]:
    """The programs that a test starts."""
    running: list[subprocess.Popen[bytes]] = []
    yield running
    for process in running:
        process.terminate()
        process.wait(timeout=20)


def free_port() -> int:
    """Give a port at which nobody listens."""
    with socket.socket() as probe:
        probe.bind((_HERE, 0))
        port: int = probe.getsockname()[1]
    return port


def nginx(folder: Path, program: str, origin: int, started: list["subprocess.Popen[bytes]"]) -> int:
    """Start nginx as a caching proxy, and give its port."""
    port = free_port()
    (folder / "nginx.conf").write_text(
        f"""
        daemon off; master_process off; pid {folder}/pid; error_log stderr;
        events {{}}
        http {{
            access_log off;
            client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
            fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
            scgi_temp_path {folder}/scgi;
            proxy_cache_path {folder}/cache keys_zone=kept:1m;
            server {{
                listen {_HERE}:{port};
                location / {{
                    proxy_pass http://{_HERE}:{origin};
                    proxy_cache kept; proxy_cache_lock on; proxy_cache_revalidate on;
                    proxy_cache_use_stale error timeout;
                    add_header X-Cache $upstream_cache_status;
                }}
            }}
        }}
        """,
        encoding="utf-8",
    )
    started.append(subprocess.Popen([program, "-p", folder, "-c", folder / "nginx.conf"]))
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((_HERE, port)) == 0:
                return port
        time.sleep(0.05)
    raise AssertionError("nginx does not listen")


def read(
    port: int, lasts_s: float, outcomes: "Counter[str]", at_half: Callable[[], None] | None = None
) -> None:
    """Let readers ask for so long, each four times a second and all at once."""
    began = time.monotonic()
    locked = threading.Lock()

    def reader() -> None:
        for number in range(int(lasts_s / EVERY_S)):
            time.sleep(max(0.0, began + number * EVERY_S - time.monotonic()))
            try:
                with urlopen(f"http://{_HERE}:{port}/file/0", timeout=5) as answer:
                    outcome = answer.headers["X-Cache"]
            except HTTPError as error:
                outcome = str(error.code)
            with locked:
                outcomes[outcome] += 1

    readers = [threading.Thread(target=reader) for _ in range(READERS)]
    for one in readers:
        one.start()
    if at_half is not None:
        time.sleep(lasts_s / 2)
        at_half()
    for one in readers:
        one.join()


STUDY = f"""
study: beside-nginx
duration: LASTS
measure: {{warm_up: 0 s, drain: 5 s}}
paths: {{loopback: {{delay: 50 us}}}}
servers:
  origin: {{}}
  proxy: {{forwards: {{to: origin, path: loopback, stack: STACK, cache: 1 MB, STALE}}}}
fleet: {{readers: {{count: {READERS}, path: loopback, server: proxy, stack: http}}}}
traffic: {{reading: {{to: readers, download: 45 B, every: {EVERY_S * 1000:g} ms, spread: 0 s}}}}
events: EVENTS
repeat: 1
"""


def ours(folder: Path, *, max_age_s: int, tagged: bool, is_off: bool = False) -> dict[str, int]:
    """Run the same in virtual time, and give what the cache counted."""
    stack = f"http max_age={max_age_s}s timeout=1s" + (f" changes={CHANGES_S}s" if tagged else "")
    lasts_s = SHORT_S if is_off else LASTS_S
    off = f"[{{start: {lasts_s / 2:g} s, outage: origin, for: 1 h}}]" if is_off else "[]"
    text = STUDY.replace("STACK", stack).replace("EVENTS", off).replace("LASTS", f"{lasts_s:g} s")
    file = folder / f"{max_age_s}.yaml"
    file.write_text(text.replace("STALE", f"stale_if_error: {60 if is_off else 0} s"))
    runs = lasthop.run(file, out=folder / f"results-{max_age_s}").runs
    names = ("hits", "misses", "validated", "collapsed", "stale", "failed")
    return {name: runs[f"cache_{name}"][0] for name in names}


@pytest.mark.soak
def test_the_server_is_asked_as_often_as_by_nginx(
    tmp_path: Path,
    find_program: FindProgram,
    origins: list[Origin],
    started: list["subprocess.Popen[bytes]"],
) -> None:
    origins.append(Origin(tagged=True))
    program = find_program("nginx", "nginx-light")
    port = nginx(tmp_path, program, origins[0].server_port, started)
    told: Counter[str] = Counter()
    read(port, LASTS_S, told)
    assert sum(told.values()) == READERS * LASTS_S / EVERY_S, told
    # nginx keeps time in whole seconds: what is fresh for 2 s is given for 2 to 3.
    sooner = ours(tmp_path, max_age_s=MAX_AGE_S, tagged=True)
    later = ours(tmp_path, max_age_s=MAX_AGE_S + 1, tagged=True)
    fetched, validated = origins[0].asked[200], origins[0].asked[304]
    asked = fetched + validated
    least, most = (it["misses"] + it["validated"] for it in (later, sooner))
    assert least <= asked <= most, (origins[0].asked, sooner, later)
    assert min(validated, sooner["validated"], later["validated"]) > 0
    # A state lasts 5 s: of 9 s there are two, and each is fetched once.
    assert fetched == sooner["misses"] == later["misses"] == 2, (fetched, sooner, later)


@pytest.mark.soak
def test_what_is_stale_is_given_as_by_nginx_while_the_server_is_off(
    tmp_path: Path,
    find_program: FindProgram,
    origins: list[Origin],
    started: list["subprocess.Popen[bytes]"],
) -> None:
    origins.append(Origin(tagged=False))
    program = find_program("nginx", "nginx-light")
    port = nginx(tmp_path, program, origins[0].server_port, started)

    def off() -> None:
        origins[0].shutdown()
        origins[0].server_close()

    told: Counter[str] = Counter()
    read(port, SHORT_S, told, at_half=off)
    found = ours(tmp_path, max_age_s=MAX_AGE_S, tagged=False, is_off=True)
    assert told["STALE"] > 0, told
    assert found["stale"] > 0, found
    assert not any(outcome.startswith("5") for outcome in told), told
    assert found["failed"] == 0
