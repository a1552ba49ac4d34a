"""A broker with a planted fault: mosquitto, of whose acknowledgements one in so many is dropped."""

import asyncio
import itertools
import sys
import tempfile

PUBACK = 4
LONGEST_LENGTH = 4


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


async def pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, drops: "itertools.cycle[bool]"
) -> None:
    """Pass on packets until one side ends; drop those PUBACK that are to be dropped."""
    try:
        while True:
            packet = await read_packet(reader)
            if packet[0] >> 4 == PUBACK and next(drops):
                continue
            writer.write(packet)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def serve(port: int, one_in: int) -> None:
    """Serve at a port by mosquitto at another one."""
    behind = port + 1
    drops = itertools.cycle([*([False] * (one_in - 1)), True])
    never = itertools.cycle([False])
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as written:
        written.write(f"listener {behind} 127.0.0.1\nallow_anonymous true\nuser root\n")
        written.flush()
        broker = await asyncio.create_subprocess_exec("/usr/sbin/mosquitto", "-c", written.name)

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", behind)
            await asyncio.gather(
                pass_on(reader, far_writer, never), pass_on(far_reader, writer, drops)
            )

        for _ in range(500):
            try:
                (await asyncio.open_connection("127.0.0.1", behind))[1].close()
                break
            except OSError:
                await asyncio.sleep(0.01)
        try:
            async with await asyncio.start_server(accept, "0.0.0.0", port):  # noqa: S104
                await broker.wait()
        finally:
            broker.terminate()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2])))
