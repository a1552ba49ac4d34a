"""Protocols that only real software has, without a simulated implementation."""

from __future__ import annotations

from typing import Any

_SWITCH: dict[str, Any] = {
    "kind": "switch",
    "words": [],
    "follows": None,
    "needs": None,
    "minimum": None,
    "maximum": None,
    "credentials": {},
}

FOREIGN_APPLICATIONS: tuple[dict[str, Any], ...] = (
    {
        "name": "amqp",
        "summary": "AMQP 0-9-1: a topic exchange, and a queue for each subscriber",
        "over": [["tcp"]],
        "built": [],
        "ports": {"tcp": 5672},
        "has_topics": True,
        "options": [
            {
                **_SWITCH,
                "name": "confirm",
                "summary": "whether the broker confirms what is published",
                "default": "on",
            },
            {
                **_SWITCH,
                "name": "ack",
                "summary": "whether subscribers acknowledge what is delivered",
                "default": "on",
            },
        ],
    },
)
"""Catalogue entries of these protocols. Their stacks need both `impl` and `client`."""
