"""A server of the page for tests, and a browser."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from tests.python.browser import open_browser

from lasthop.ui import Session, UiServer
from lasthop.ui.server import TOKEN_HEADER

STUDY = """\
study: meters
duration: 1 min
fleet: {meters: {count: 3, path: radio}}
paths: {radio: {delay: 100 ms, loss: 10 %}}
traffic: {readings: {from: meters, report: 200 B, every: 5 s}}
stacks: [coap type=con, raw_udp]
sweep: [{name: loss, paths.radio.loss: [0 %, 20 %]}]
repeat: 3
decide: {require: ["delivery_ratio >= 90 %"], minimise: latency_p95}
"""


@dataclass(frozen=True, slots=True)
class Page:
    """A server with its study file."""

    server: UiServer
    file: Path

    def ask(
        self, path: str, body: bytes | None = None, *, token: str | None = None
    ) -> tuple[int, bytes]:
        """Send a request with the token, or another."""
        connection = HTTPConnection("127.0.0.1", self.server.server_address[1], timeout=60)
        headers = {TOKEN_HEADER: self.server.token if token is None else token}
        connection.request("GET" if body is None else "POST", path, body, headers)
        reply = connection.getresponse()
        found = (reply.status, reply.read())
        connection.close()
        return found

    def send(self, path: str, **asked: Any) -> Any:  # noqa: ANN401  (JSON)
        """Post JSON and return what comes back."""
        return json.loads(self.ask(path, json.dumps(asked).encode())[1])

    def state(self, seen: str = "") -> Any:  # noqa: ANN401  (JSON)
        """Return the state."""
        return json.loads(self.ask(f"/api/state?seen={seen}")[1])


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    """Return a running server."""
    file = tmp_path / "meters.yaml"
    file.write_text(STUDY, encoding="utf-8")
    session = Session(file, results=tmp_path / "results")
    with UiServer(session) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield Page(server, file)
        server.shutdown()
        session.close()
        thread.join()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Return a browser."""
    with open_browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened
