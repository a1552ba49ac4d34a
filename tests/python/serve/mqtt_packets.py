"""Packets of MQTT 3.1.1 that a device of a gateway says and hears, as bytes."""

from .test_gateway import Device

CONNACK = b"\x20\x02\x00\x00"
REFUSED = b"\x20\x02\x00\x04"
PUBACK = b"\x40\x02\x00\x01"


def text(said: str) -> bytes:
    """Write a string with its length."""
    return len(said).to_bytes(2) + said.encode()


def packet(kind: int, body: bytes) -> bytes:
    """Write a packet with its length."""
    size = len(body)
    lengths = bytearray()
    while size > 127:
        lengths.append(size % 128 | 128)
        size //= 128
    return bytes([kind, *lengths, size]) + body


def connect(device: Device, token: str) -> bytes:
    """Say who it is."""
    head = text("MQTT") + bytes([4, 0b1100_0010]) + (60).to_bytes(2)
    return packet(0x10, head + text(device.path) + text("unused") + text(token))


def say(device: Device, payload: str) -> bytes:
    """Publish an event with QoS 1."""
    topic = text(f"/devices/{device.name}/events")
    return packet(0x32, topic + (1).to_bytes(2) + payload.encode())
