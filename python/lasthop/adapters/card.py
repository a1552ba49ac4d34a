"""Credentials of a device that is registered at a server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """Identity, token and topic of a device that is registered at a server.

    Parameters
    ----------
    identity
        Its name there.
    token
        Signed by its key (RFC 7519); over MQTT its password, over HTTP a Bearer (RFC 6750).
    topic
        Of what it sends: a topic of MQTT, or the path of a request.
    wrapped_in
        The field of a JSON object in which a payload stands as base64; empty where it stands alone.
    """

    identity: str
    token: str
    topic: str
    wrapped_in: str = ""
