"""A broker with a planted fault: mosquitto behind a proxy that breaks a promise now and then.

    python faulty_broker.py PORT FAULT ONE_IN

The fault strikes once in so many of the packets that it is about, over all connections together.
"""

import asyncio
import itertools
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress

PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP = 3, 4, 5, 6, 7
LONGEST_LENGTH = 4
STALL_S = 3.0
OWN_IDENTIFIERS = range(60_000, 65_000)
"""Mosquitto counts its own from 1; those of the proxy are out of its way."""


async def read_packet(reader: asyncio.StreamReader) -> bytes:
    """Read an MQTT packet as it is (2.1)."""
    packet = await reader.readexactly(1)
    length = 0
    for place in range(LONGEST_LENGTH):
        byte = await reader.readexactly(1)
        packet += byte
        length |= (byte[0] & 0x7F) << (7 * place)
        if byte[0] < 0x80:
            break
    return packet + await reader.readexactly(length)


def kind_of(packet: bytes) -> int:
    """Give the type of a packet."""
    return packet[0] >> 4


def qos_of(publish: bytes) -> int:
    """Give the QoS of a PUBLISH."""
    return publish[0] >> 1 & 3


def identifier_at(packet: bytes) -> int:
    """Find the packet identifier: behind the topic of a PUBLISH, else first in the body."""
    body = 2
    while packet[body - 1] & 0x80:
        body += 1
    if kind_of(packet) != PUBLISH:
        return body
    return body + 2 + int.from_bytes(packet[body : body + 2])


def identifier_of(packet: bytes) -> bytes:
    """Give the packet identifier."""
    at = identifier_at(packet)
    return packet[at : at + 2]


def acknowledgement(kind: int, identifier: bytes) -> bytes:
    """Write an acknowledgement without properties, as both versions of MQTT read it."""
    flags = 2 if kind == PUBREL else 0
    return bytes([kind << 4 | flags, 2]) + identifier


class Session:
    """What is done to the packets of one connection."""

    def __init__(self, strikes: Iterator[bool]) -> None:
        self.strikes = strikes
        self.own: set[bytes] = set()
        """Identifiers of exchanges of the proxy's own."""

    async def up(self, packet: bytes) -> tuple[list[bytes], list[bytes]]:
        """Say what goes on to the broker for a packet of the device, and what goes back."""
        return [packet], []

    async def down(self, packet: bytes) -> tuple[list[bytes], list[bytes]]:
        """Say what goes on to the device for a packet of the broker, and what goes back."""
        return [packet], []


class DropsPuback(Session):
    """It forgets to acknowledge a message of QoS 1."""

    kind = PUBACK

    async def down(self, packet: bytes) -> tuple[list[bytes], list[bytes]]:
        """Drop the acknowledgement."""
        return ([] if kind_of(packet) == self.kind and next(self.strikes) else [packet]), []


class DropsPubrec(DropsPuback):
    """It forgets to acknowledge a message of QoS 2."""

    kind = PUBREC


class Swallows(Session):
    """It acknowledges a message and gives it to nobody."""

    async def up(self, packet: bytes) -> tuple[list[bytes], list[bytes]]:
        """Answer in the place of the broker."""
        kind = kind_of(packet)
        if kind == PUBLISH and qos_of(packet) and next(self.strikes):
            identifier = identifier_of(packet)
            if qos_of(packet) == 1:
                return [], [acknowledgement(PUBACK, identifier)]
            self.own.add(identifier)
            return [], [acknowledgement(PUBREC, identifier)]
        if kind == PUBREL and identifier_of(packet) in self.own:
            self.own.remove(identifier_of(packet))
            return [], [acknowledgement(PUBCOMP, identifier_of(packet))]
        return [packet], []


class Repeats(Session):
    """It gives a message to its receiver twice."""

    qos = 2

    def __init__(self, strikes: Iterator[bool]) -> None:
        super().__init__(strikes)
        self.identifiers = itertools.cycle(OWN_IDENTIFIERS)

    def again(self, publish: bytes) -> bytes:
        """Give the message under another identifier: a second exchange."""
        identifier = next(self.identifiers).to_bytes(2)
        at = identifier_at(publish)
        return publish[:at] + identifier + publish[at + 2 :]

    async def down(self, packet: bytes) -> tuple[list[bytes], list[bytes]]:
        """Send a message once more."""
        is_one = kind_of(packet) == PUBLISH and qos_of(packet) == self.qos
        if not is_one or not next(self.strikes):
            return [packet], []
        again = self.again(packet)
        self.own.add(identifier_of(again))
        return [packet, again], []

    async def up(self, packet: bytes) -> tuple[list[bytes], list[bytes]]:
        """Keep the second acknowledgement from the broker."""
        kind = kind_of(packet)
        if kind not in {PUBACK, PUBREC, PUBCOMP} or identifier_of(packet) not in self.own:
            return [packet], []
        identifier = identifier_of(packet)
        if kind == PUBREC:
            return [], [acknowledgement(PUBREL, identifier)]
        self.own.remove(identifier)
        return [], []


class RepeatsIdentifier(Repeats):
    """It sends a PUBLISH of QoS 1 twice under one identifier, without DUP."""

    qos = 1

    def again(self, publish: bytes) -> bytes:
        """Give the same bytes."""
        return publish


class Stalls(Session):
    """It does nothing for a while."""

    async def down(self, packet: bytes) -> tuple[list[bytes], list[bytes]]:
        """Wait, and everything of the connection behind it."""
        if kind_of(packet) == PUBLISH and next(self.strikes):
            await asyncio.sleep(STALL_S)
        return [packet], []


FAULTS: dict[str, type[Session]] = {
    "none": Session,
    "drop-puback": DropsPuback,
    "drop-pubrec": DropsPubrec,
    "swallow-publish": Swallows,
    "qos2-twice": Repeats,
    "publish-twice": RepeatsIdentifier,
    "stall": Stalls,
}

_Act = Callable[[bytes], Awaitable[tuple[list[bytes], list[bytes]]]]


async def pass_on(
    reader: asyncio.StreamReader,
    act: _Act,
    writer: asyncio.StreamWriter,
    back: asyncio.StreamWriter,
) -> None:
    """Pass on packets until one side ends."""
    try:
        while True:
            on, answers = await act(await read_packet(reader))
            for where, packets in ((writer, on), (back, answers)):
                where.writelines(packets)
                await where.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def serve(port: int, fault: str, one_in: int) -> None:
    """Serve at a port by mosquitto at another one."""
    behind = port + 1
    strikes = itertools.cycle([*([False] * (one_in - 1)), True])
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as written:
        written.write(f"listener {behind} 127.0.0.1\nallow_anonymous true\nuser root\n")
        written.flush()
        broker = await asyncio.create_subprocess_exec("/usr/sbin/mosquitto", "-c", written.name)

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", behind)
            session = FAULTS[fault](strikes)
            await asyncio.gather(
                pass_on(reader, session.up, far_writer, writer),
                pass_on(far_reader, session.down, writer, far_writer),
            )

        for _ in range(500):
            with suppress(OSError):
                (await asyncio.open_connection("127.0.0.1", behind))[1].close()
                break
            await asyncio.sleep(0.01)
        try:
            async with await asyncio.start_server(accept, "0.0.0.0", port):  # noqa: S104
                await broker.wait()
        finally:
            broker.terminate()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
