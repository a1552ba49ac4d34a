"""Requests to a server of HTTP on this machine."""

import base64
import http.client
import json
import ssl
from contextlib import closing
from pathlib import Path

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
    authority: Path | None = None,
) -> tuple[int, str, str]:
    """Return the status of the answer, its type and its body."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    place = server.place(scheme)
    if authority is None:
        opened = http.client.HTTPConnection(*place, timeout=PATIENCE_S)
    else:
        context = ssl.create_default_context(cafile=str(authority))
        opened = http.client.HTTPSConnection(*place, timeout=PATIENCE_S, context=context)
    with closing(opened) as connection:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Content-Type", ""), answer.read().decode()


def publish(
    server: Server, device: Device, token: str, payload: bytes, authority: Path | None = None
) -> int:
    """Publish by the bridge of a gateway, and return the status of the answer."""
    body = json.dumps({"binaryData": base64.b64encode(payload).decode()})
    path = f"/v1/{device.path}:publishEvent"
    scheme = "http" if authority is None else "https"
    return ask(server, scheme, path, method="POST", body=body, token=token, authority=authority)[0]
