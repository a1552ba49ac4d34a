"""Toxiproxy's HTTP API: what a link becomes by toxics, and what is refused."""

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from tests.python.linked.conftest import Echo, answered, exchange

from lasthop.errors import EnvironmentFailure
from lasthop.linked.toxiproxy import ControlPort
from lasthop.linked.toxiproxy.toxics import Toxic, link_settings

Address = tuple[str, int]


class Api:
    """Asks a control port."""

    def __init__(self, address: Address) -> None:
        self.address = address

    def ask(
        self, method: str, path: str, body: object = None, agent: str = "test"
    ) -> tuple[int, Any]:
        """Give the status and the answer."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body else None
        url = f"http://{self.address[0]}:{self.address[1]}{path}"
        asked = urllib.request.Request(url, data, {"User-Agent": agent}, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=10) as answer:  # noqa: S310
                read = answer.read()
                return answer.status, json.loads(read) if read else None
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def proxy(self, upstream: Address, name: str = "echo") -> Address:
        """Make a proxy, and give where it listens."""
        body = {"name": name, "listen": "127.0.0.1:0", "upstream": f"{upstream[0]}:{upstream[1]}"}
        status, made = self.ask("POST", "/proxies", body)
        assert (status, made["enabled"], made["toxics"]) == (201, True, [])
        host, port = made["listen"].split(":")
        return host, int(port)


@pytest.fixture
def api() -> Iterator[Api]:
    """Start a control port."""
    with ControlPort(("127.0.0.1", 0), seed=5) as control:
        yield Api(control.address)


def test_packet_loss_loses_packets_and_no_bytes_of_a_stream(api: Api, echo: Echo) -> None:
    address = api.proxy(echo.address)
    for stream in ("upstream", "downstream"):
        toxic = {"type": "packet_loss", "stream": stream, "attributes": {"percent": 5}}
        status, made = api.ask("POST", "/proxies/echo/toxics", toxic)
        assert (status, made["name"], made["toxicity"]) == (200, f"packet_loss_{stream}", 1.0)
    content = bytes(range(256)) * 400
    assert exchange(address, content) == content
    assert len(answered(address, range(200))) < 200


def test_toxics_add_up_by_direction() -> None:
    def read(kind: str, stream: str, **attributes: float) -> Toxic:
        return Toxic.read({"type": kind, "stream": stream, "attributes": attributes})

    assert link_settings([]) == {"up": None, "down": None}
    made = [
        read("latency", "upstream", latency=100),
        read("latency", "upstream", latency=20),
        read("bandwidth", "upstream", rate=50),
        read("bandwidth", "upstream", rate=10),
        read("packet_loss", "downstream", percent=50),
        read("packet_loss", "downstream", percent=50),
        read("latency", "downstream", latency=5, jitter=20),
    ]
    assert link_settings(made) == {
        "up": {"delay": "120 ms", "rate": "10 kB/s"},
        "down": {
            "loss": "75.000000 %",
            "delay": {"uniform": {"from": "0 ms", "to": "25 ms"}},
            "reordering": False,
        },
    }
    assert link_settings([read("timeout", "downstream")])["down"] == {"loss": "100.000000 %"}


def test_a_proxy_that_is_disabled_refuses_and_a_reset_brings_all_back(api: Api, echo: Echo) -> None:
    address = api.proxy(echo.address)
    api.ask("POST", "/proxies/echo/toxics", {"type": "timeout", "stream": "upstream"})
    assert answered(address, range(3), patience=0.3) == set()
    assert api.ask("POST", "/proxies/echo", {"enabled": False})[1]["enabled"] is False
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=1)
    assert api.ask("POST", "/reset") == (204, None)
    assert api.ask("GET", "/proxies")[1]["echo"]["toxics"] == []
    assert len(answered(address, range(3))) == 3
    assert api.ask("DELETE", "/proxies/echo") == (204, None)
    assert api.ask("GET", "/proxies") == (200, {})


def test_several_proxies_are_populated_at_once(api: Api, echo: Echo) -> None:
    upstream = f"{echo.address[0]}:{echo.address[1]}"
    body = [{"name": name, "listen": "127.0.0.1:0", "upstream": upstream} for name in "abc"]
    for _ in range(2):
        status, made = api.ask("POST", "/populate", body)
        assert (status, [proxy["name"] for proxy in made["proxies"]]) == (201, ["a", "b", "c"])


REFUSED = {
    "a proxy without a name": ("POST", "/proxies", {"upstream": "127.0.0.1:1"}, 400, "name"),
    "a proxy without a server": ("POST", "/proxies", {"name": "x"}, 400, "upstream"),
    "a name that is taken": (
        *("POST", "/proxies", {"name": "echo", "upstream": "127.0.0.1:1"}, 409),
        "proxy already exists",
    ),
    "an address that is none": (
        *("POST", "/proxies", {"name": "x", "upstream": "nowhere"}, 400),
        "write an address such as 127.0.0.1:1883",
    ),
    "an unknown proxy": ("GET", "/proxies/x", None, 404, "proxy not found"),
    "an unknown toxic": ("DELETE", "/proxies/echo/toxics/x", None, 404, "toxic not found"),
    "a toxic of streams": (
        *("POST", "/proxies/echo/toxics", {"type": "slicer"}, 400),
        "slicer works on the bytes of a stream",
    ),
    "a toxic that is none": (
        *("POST", "/proxies/echo/toxics", {"type": "gremlin"}, 400),
        "use one of latency, bandwidth, timeout, packet_loss",
    ),
    "a toxicity": (
        *("POST", "/proxies/echo/toxics", {"type": "latency", "toxicity": 0.5}, 400),
        "use the toxicity 1",
    ),
    "a timeout that closes": (
        *("POST", "/proxies/echo/toxics", {"type": "timeout", "attributes": {"timeout": 5}}, 400),
        "use the timeout 0",
    ),
    "an attribute of another": (
        *("POST", "/proxies/echo/toxics", {"type": "latency", "attributes": {"rate": 5}}, 400),
        "rate is not an attribute of latency; use latency, jitter",
    ),
    "a negative latency": (
        *("POST", "/proxies/echo/toxics", {"type": "latency", "attributes": {"latency": -1}}, 400),
        "is not a number from 0 on",
    ),
    "no JSON": ("POST", "/proxies", b"{", 400, "it is not JSON"),
    "a list": ("POST", "/proxies", b"[1]", 400, "an object is expected"),
    "another page": ("GET", "/metrics", None, 404, "not found"),
    "another method": ("DELETE", "/proxies", None, 405, "method not allowed"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_answered_with_an_error(case: str, api: Api, echo: Echo) -> None:
    address = api.proxy(echo.address)
    method, path, body, status, what = REFUSED[case]
    answer = api.ask(method, path, body)
    assert (answer[0], answer[1]["status"]) == (status, status)
    assert what in answer[1]["error"]
    assert len(answered(address, range(3))) == 3


def test_a_page_in_a_browser_is_refused(api: Api) -> None:
    assert api.ask("GET", "/proxies", agent="Mozilla/5.0")[0] == 403


def test_a_port_that_is_taken_is_named_with_a_remedy(echo: Echo) -> None:
    with pytest.raises(EnvironmentFailure, match="choose another port"), ControlPort(echo.address):
        pass
