"""Our HTTP server against curl, and our client against nginx: HTTP/1.1 and HTTP/2."""

import time
from pathlib import Path
from typing import Any

import pytest

from lasthop.testbed import Namespace

from .conftest import KERNEL, OURS, FindProgram, LiveHost, StartHost
from .waiting import wait_for_port

pytestmark = pytest.mark.soak

MESSAGE = "AAAHAAAB of curl"
"""The first message of flow 7."""

LOSSY: dict[str, Any] = {"loss": 0.1, "delay_ms": 5}


TOLD = "%{http_code} %{http_version} %{num_connects}\n"

QUIET = ("--silent", "--show-error", "--max-time", "60", "--write-out", TOLD)


def _received(server: LiveHost) -> list[str]:
    """End our server, and return what it has told."""
    server.process.terminate()
    told, _ = server.process.communicate(timeout=60)
    return told.splitlines()


def test_curl_posts_several_messages_by_one_connection(
    namespace: Namespace, live_host: StartHost, find_program: FindProgram
) -> None:
    curl = find_program("curl", "curl")
    server = live_host("http-server", **LOSSY)
    url = f"http://{OURS}/device/7"
    said = namespace.run(
        *(curl, *QUIET, "--data-binary", MESSAGE, url, url, "--next"),
        *(*QUIET, "--header", "Transfer-Encoding: chunked", "--data-binary", MESSAGE, url),
        *("--next", *QUIET, f"http://{OURS}/nothing"),
    )
    assert said.splitlines() == ["204 1.1 1", "204 1.1 0", "204 1.1 0", "404 1.1 0"]
    assert _received(server) == [f'{{"received":"{MESSAGE}"}}'] * 3


def test_curl_posts_by_http_2(
    namespace: Namespace, live_host: StartHost, find_program: FindProgram
) -> None:
    curl = find_program("curl", "curl")
    server = live_host("http-server", **LOSSY)
    # Debian's 7.88 fails by itself in a second request by a connection of prior knowledge.
    asks = (curl, *QUIET, "--http2-prior-knowledge")
    for path, answer in [("device/7", "204 2 1"), ("device/7", "204 2 1"), ("nothing", "404 2 1")]:
        said = namespace.run(*asks, "--data-binary", MESSAGE, f"http://{OURS}/{path}")
        assert said.splitlines() == [answer]
    assert _received(server) == [f'{{"received":"{MESSAGE}"}}'] * 2


def _nginx(namespace: Namespace, folder: Path, nginx: str) -> Path:
    """Start nginx, and return its log of requests."""
    (folder / "nginx.conf").write_text(
        f"""
        daemon off; pid {folder}/pid; error_log stderr; worker_processes 1; user root;
        events {{}}
        http {{
            log_format told '$request_method $uri $server_protocol $connection_requests';
            access_log {folder}/requests told;
            client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
            fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
            scgi_temp_path {folder}/scgi;
            server {{ listen {KERNEL}:8011; location /device/ {{ return 204; }} }}
            server {{ listen {KERNEL}:8020 http2; location /device/ {{ return 204; }} }}
        }}
        """,
        encoding="utf-8",
    )
    namespace.start(nginx, "-p", folder, "-c", folder / "nginx.conf")
    wait_for_port(namespace, "tcp", 8011)
    wait_for_port(namespace, "tcp", 8020)
    return folder / "requests"


def test_nginx_acknowledges_each_message(
    namespace: Namespace, live_host: StartHost, find_program: FindProgram, tmp_path: Path
) -> None:
    requests = _nginx(namespace, tmp_path, find_program("nginx", "nginx-light"))
    for port, version, how in [
        (8011, "1.1", "keep"),
        (8011, "1.1", "per_message"),
        (8020, "2", "keep"),
    ]:
        requests.write_text("", encoding="utf-8")
        client = live_host("http-client", f"{KERNEL}:{port}", version, how, 5, **LOSSY)
        assert client.finish() == [{"acknowledged": number} for number in range(1, 6)]
        protocol = "HTTP/2.0" if version == "2" else "HTTP/1.1"
        places = range(1, 6) if how == "keep" else [1] * 5
        told = [f"POST /device/7 {protocol} {place}" for place in places]
        assert _lines(requests, len(told)) == told, how


def _lines(log: Path, count: int) -> list[str]:
    """Wait for so many lines: nginx writes one when it has closed the connection, too."""
    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        lines = log.read_text(encoding="utf-8").splitlines()
        if len(lines) >= count:
            return lines
        time.sleep(0.02)
    return log.read_text(encoding="utf-8").splitlines()
