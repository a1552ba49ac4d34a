"""Requests to a server of HTTP on this machine."""

import base64
import http.client
import json
from contextlib import closing

from .conftest import PATIENCE_S, Server
from .test_gateway import Device


def ask(  # noqa: PLR0913  each is a part of a request
    server: Server,
    scheme: str,
    path: str,
    *,
    method: str = "GET",
    body: str | None = None,
    token: str | None = None,
) -> tuple[int, str, str]:
    """Return the status of the answer, its type and its body."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    place = server.place(scheme)
    with closing(http.client.HTTPConnection(*place, timeout=PATIENCE_S)) as connection:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Content-Type", ""), answer.read().decode()


def publish(server: Server, device: Device, token: str, payload: bytes) -> int:
    """Publish by the bridge of a gateway, and return the status of the answer."""
    body = json.dumps({"binaryData": base64.b64encode(payload).decode()})
    path = f"/v1/{device.path}:publishEvent"
    return ask(server, "http", path, method="POST", body=body, token=token)[0]
