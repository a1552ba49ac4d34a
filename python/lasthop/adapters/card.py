"""Credentials of a device that is registered at a server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """Identity, token and topic of a device that is registered at a server.

    Parameters
    ----------
    identity
        Name of the device at the server.
    token
        Token signed by the device's key (RFC 7519): the password over MQTT, a Bearer token (RFC
        6750) over HTTP.
    topic
        MQTT topic or HTTP path of the device's messages.
    wrapped_in
        Field of a JSON object that holds the payload as base64; empty for a bare payload.
    """

    identity: str
    token: str
    topic: str
    wrapped_in: str = ""
