"""The server of the page: on the loopback interface, for who has its token."""

import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from lasthop.errors import EnvironmentFailure, LasthopError, UsageError
from lasthop.ui.page import page_policy, ui_page
from lasthop.ui.session import Session

ADDRESS = "127.0.0.1"
TOKEN_HEADER = "X-Lasthop-Token"  # noqa: S105  (its name)
_MOST_JSON = 4 << 20
_MOST_CAPTURE = 256 << 20
_NOT_ADMITTED = (
    "The token is missing or wrong. Open the address that lasthop ui printed when it started."
)

Json = Mapping[str, Any]


class UiServer(ThreadingHTTPServer):
    """Serves the page of one session until `shutdown`.

    Parameters
    ----------
    session : Session
        What the page shows and changes.
    port : int
        0 for any free one.

    Raises
    ------
    EnvironmentFailure
        The port is in use, or may not be used.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, session: Session, *, port: int = 0) -> None:
        self.session = session
        self.token = secrets.token_urlsafe(18)
        try:
            super().__init__((ADDRESS, port), _Handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            message = f"{ADDRESS}:{port}: {why.lower()}"
            todo = "choose another --port, or leave it out to get a free one"
            raise EnvironmentFailure(f"{message}; {todo}") from error

    @property
    def url(self) -> str:
        """The address of the page, with its token."""
        return f"http://{ADDRESS}:{self.server_address[1]}/?token={self.token}"

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  (inherited)
        """Say nothing of a browser that went away."""


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection of a browser."""

    protocol_version = "HTTP/1.1"
    server_version = "lasthop"
    sys_version = ""
    timeout = 60
    server: UiServer

    def do_GET(self) -> None:
        """Answer with the page, its state, or the report."""
        asked = urlsplit(self.path)
        query = {key: values[-1] for key, values in parse_qs(asked.query).items()}
        session = self.server.session
        pages: dict[str, Callable[[], tuple[bytes, str]]] = {
            "/": lambda: (ui_page().encode(), "text/html; charset=utf-8"),
            "/api/state": lambda: _json(session.state(query.get("seen", ""))),
            "/api/study": lambda: _json(session.study()),
            "/report": lambda: (session.report(), "text/html; charset=utf-8"),
        }
        is_page = asked.path in {"/", "/report"}
        self._answer(pages.get(asked.path), token=query.get("token", ""), is_page=is_page)

    def do_POST(self) -> None:
        """Change the session."""
        asked = urlsplit(self.path)
        session = self.server.session
        actions: dict[str, Callable[[Json], Json]] = {
            "/api/compare": session.compare,
            "/api/edit": session.edit,
            "/api/field": session.edit_field,
            "/api/open": session.open,
            "/api/price": session.price,
            "/api/reload": session.reload,
            "/api/run": session.run,
            "/api/save": session.save,
            "/api/stop": session.stop,
        }
        if asked.path == "/api/ledger":
            name = parse_qs(asked.query).get("name", ["the capture"])[-1]
            self._answer(lambda: _json(session.ledger(name, self._body(_MOST_CAPTURE))))
            return
        action = actions.get(asked.path)
        self._answer(None if action is None else lambda: _json(action(self._json_body())))

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  (inherited)
        """Print nothing: the terminal shows the address."""

    def _answer(
        self,
        made: Callable[[], tuple[bytes, str]] | None,
        *,
        token: str = "",
        is_page: bool = False,
    ) -> None:
        """Send what was asked for, or why not; with a wrong token nothing else."""
        if not self._has_token(token):
            self._refuse(HTTPStatus.FORBIDDEN, _NOT_ADMITTED, is_page=is_page)
        elif made is None:
            self._refuse(HTTPStatus.NOT_FOUND, "There is no such page.", is_page=is_page)
        else:
            try:
                body, kind = made()
            except (KeyError, json.JSONDecodeError, UnicodeDecodeError) as error:
                self._refuse(HTTPStatus.BAD_REQUEST, f"The request is incomplete: {error}.")
            except LasthopError as error:
                self._refuse(HTTPStatus.CONFLICT, str(error), is_page=is_page)
            else:
                self._send(HTTPStatus.OK, body, kind)

    def _has_token(self, token: str) -> bool:
        given = self.headers.get(TOKEN_HEADER) or token
        return hmac.compare_digest(given.encode(), self.server.token.encode())

    def _refuse(self, status: HTTPStatus, why: str, *, is_page: bool = False) -> None:
        self.close_connection = True
        if is_page:
            self._send(status, why.encode(), "text/plain; charset=utf-8")
        else:
            self._send(status, json.dumps({"error": why}).encode(), "application/json")

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        if urlsplit(self.path).path == "/":
            self.send_header("Content-Security-Policy", page_policy())
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _body(self, most: int) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > most:
            self.close_connection = True
            raise UsageError(f"the request is larger than {most >> 20} MiB, or has no length")
        return self.rfile.read(int(length))

    def _json_body(self) -> dict[str, Any]:
        read = json.loads(self._body(_MOST_JSON) or b"{}")
        if not isinstance(read, dict):
            raise KeyError("an object")
        return read


def _json(told: Json) -> tuple[bytes, str]:
    return json.dumps(told, allow_nan=False).encode(), "application/json"
