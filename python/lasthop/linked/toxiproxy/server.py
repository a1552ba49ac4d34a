"""The control port: HTTP with JSON, one method for each resource of Toxiproxy's API."""

from __future__ import annotations

# ruff: noqa: N815  (the methods of http.server)
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import unquote

from lasthop.errors import EnvironmentFailure, LasthopError
from lasthop.linked.toxiproxy.proxies import Proxies
from lasthop.linked.toxiproxy.toxics import ApiError
from lasthop.version import __version__

if TYPE_CHECKING:
    from types import TracebackType

    from lasthop.linked.ends import Address

_MOST_BYTES = 1 << 20
_API_VERSION = "2.9.0"
"""The version of Toxiproxy whose API it is; clients look at the first numbers."""

_Answer = tuple[int, Any]


class ControlPort:
    """A server of Toxiproxy's API, whose proxies are links; it works while it is entered.

    Parameters
    ----------
    listen
        Address and port; Toxiproxy's is 8474.
    seed
        Seed of the links.

    Attributes
    ----------
    address
        Where clients find it, once it is entered.
    """

    def __init__(self, listen: Address = ("127.0.0.1", 8474), *, seed: int = 1) -> None:
        self.address = listen
        self._proxies = Proxies(seed)
        self._server: ThreadingHTTPServer | None = None

    def __enter__(self) -> Self:
        """Listen.

        Raises
        ------
        EnvironmentFailure
            If the port is taken.
        """
        proxies = self._proxies
        handler = type("_Handler", (_Handler,), {"proxies": proxies})
        try:
            self._server = ThreadingHTTPServer(self.address, handler)
        except OSError as error:
            host, port = self.address
            raise EnvironmentFailure(
                f"{host}:{port}: {error.strerror}; stop the program that has it, or choose "
                "another port"
            ) from error
        self.address = (str(self._server.server_address[0]), self._server.server_port)
        threading.Thread(target=self._server.serve_forever, daemon=True, name="control").start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it and its links."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        with self._proxies.lock:
            self._proxies.close()


class _Handler(BaseHTTPRequestHandler):
    proxies: Proxies
    protocol_version = "HTTP/1.1"
    server_version = f"lasthop/{__version__}"

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_PATCH = do_DELETE = do_GET

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def _serve(self) -> None:
        try:
            self._refuse_browsers()
            body = self._body()
            with self.proxies.lock:
                status, answer = self._answer(body)
        except ApiError as error:
            status, answer = error.status, {"error": error.what, "status": error.status}
        except LasthopError as error:
            status, answer = 400, {"error": str(error), "status": 400}
        content = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _refuse_browsers(self) -> None:
        """Refuse a page in a browser, which could reach this port by a name that leads here."""
        if self.headers.get("User-Agent", "").startswith("Mozilla/"):
            raise ApiError(403, "User agent not allowed")

    def _body(self) -> Any:  # noqa: ANN401  JSON
        written = self.headers.get("Content-Length", "0")
        if not written.isdecimal() or int(written) > _MOST_BYTES:
            self.close_connection = True
            raise ApiError(400, "bad request body: its length is missing or too large")
        read = self.rfile.read(int(written))
        try:
            return json.loads(read) if read else {}
        except ValueError:
            raise ApiError(400, "bad request body: it is not JSON") from None

    def _answer(self, body: Any) -> _Answer:  # noqa: ANN401  JSON
        path = self.path.partition("?")[0]
        words = [unquote(word) for word in path.split("/") if word]
        found = [route for route in _ROUTES if _is_of(route, words)]
        if not found:
            raise ApiError(404, "not found")
        for method, pattern, status, answer in found:
            if method == self.command:
                if not isinstance(body, dict) and pattern != ["populate"]:
                    raise ApiError(400, "bad request body: an object is expected")
                names = [word for word, part in zip(words, pattern, strict=True) if part == "*"]
                return status, answer(self.proxies, body, *names)
        raise ApiError(405, "method not allowed")


def _populate(proxies: Proxies, body: object) -> dict[str, Any]:
    return {"proxies": [proxy.json() for proxy in proxies.populate(body)]}


_Route = tuple[str, list[str], int, Callable[..., Any]]

_PROXY = ["proxies", "*"]
_TOXICS = [*_PROXY, "toxics"]
_TOXIC = [*_TOXICS, "*"]

_ROUTES: list[_Route] = [
    ("GET", ["version"], 200, lambda _, __: {"version": _API_VERSION}),
    ("POST", ["reset"], 204, lambda proxies, _: proxies.reset()),
    ("POST", ["populate"], 201, _populate),
    ("GET", ["proxies"], 200, lambda proxies, _: proxies.json()),
    ("POST", ["proxies"], 201, lambda proxies, body: proxies.create(body).json()),
    ("GET", _PROXY, 200, lambda proxies, _, name: proxies.get(name).json()),
    ("POST", _PROXY, 200, lambda proxies, body, name: proxies.update(name, body).json()),
    ("PATCH", _PROXY, 200, lambda proxies, body, name: proxies.update(name, body).json()),
    ("DELETE", _PROXY, 204, lambda proxies, _, name: proxies.delete(name)),
    ("GET", _TOXICS, 200, lambda proxies, _, name: proxies.get(name).json()["toxics"]),
    ("POST", _TOXICS, 200, lambda proxies, body, name: proxies.add_toxic(name, body).json()),
    ("GET", _TOXIC, 200, lambda proxies, _, *names: proxies.toxic(*names).json()),
    ("POST", _TOXIC, 200, lambda proxies, body, *names: proxies.update_toxic(*names, body).json()),
    ("PATCH", _TOXIC, 200, lambda proxies, body, *names: proxies.update_toxic(*names, body).json()),
    ("DELETE", _TOXIC, 204, lambda proxies, _, *names: proxies.remove_toxic(*names)),
]
"""Method, resource, status of success, and what it does; a star stands for a name."""


def _is_of(route: _Route, words: list[str]) -> bool:
    pattern = route[1]
    same_length = len(pattern) == len(words)
    return same_length and all(
        part in {"*", word} for part, word in zip(pattern, words, strict=True)
    )
