"""A DDS device with Cyclone DDS, which executes an errand (`lasthop.adapters.client`).

It writes its messages to ``reports`` and reads the topics that it hears, with the policies of the
stack. It is ready when it has found who reads and who writes there.
"""

import os
import threading
from typing import Any

from cyclonedds.core import InstanceState, ReadCondition, SampleState, ViewState, WaitSet
from cyclonedds.domain import DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

from lasthop.adapters.programs.cyclonedds_server import Message, qos
from lasthop.adapters.programs.dds_device import await_match, key_of, own_address
from lasthop.adapters.programs.device import payload_of, read_errand, send_when_due, tell_heard

_CONFIGURATION = """\
<CycloneDDS><Domain id="any">
  <General>
    <Interfaces><NetworkInterface address="{address}"/></Interfaces>
    <AllowMulticast>false</AllowMulticast>
  </General>
  <Discovery><Peers><Peer address="{server}"/></Peers></Discovery>
</Domain></CycloneDDS>
"""

_ANY = ViewState.Any | InstanceState.Any | SampleState.Any
_MOST_AT_ONCE = 1000


def main() -> None:
    """Write the messages of the errand and read its topics."""
    errand = read_errand()
    options, own, here = errand["options"], key_of(errand), own_address(errand)
    os.environ["CYCLONEDDS_URI"] = _CONFIGURATION.format(address=here, server=errand["address"])
    participant = DomainParticipant(0)
    policies = qos(options["reliability"], options["durability"], int(options["history_depth"]))
    readers = [
        DataReader(participant, Topic(participant, topic, Message), qos=policies)
        for topic in errand["hears"]
    ]
    writers = (
        [DataWriter(participant, Topic(participant, "reports", Message), qos=policies)]
        if errand["messages"]
        else []
    )
    threading.Thread(target=hear, args=(participant, readers), daemon=True).start()
    await_match(
        lambda: (
            all(writer.get_matched_subscriptions() for writer in writers)
            and all(reader.get_matched_publications() for reader in readers)
        )
    )

    def send(message: Any) -> None:  # noqa: ANN401  plain values
        payload = payload_of(errand, message)
        writers[0].write(Message(own, list(payload)))  # type: ignore[arg-type]

    send_when_due(errand, send)


def hear(participant: DomainParticipant, readers: "list[DataReader[Message]]") -> None:
    """Print every received message until the process ends."""
    waitset = WaitSet(participant)
    for reader in readers:
        waitset.attach(ReadCondition(reader, _ANY))
    while readers:
        waitset.wait(duration(infinite=True))
        for reader in readers:
            taken: list[Any] = reader.take(_MOST_AT_ONCE)
            for message in taken:
                # Of an end of a device only the key is told.
                if hasattr(message, "payload"):
                    tell_heard(bytes(message.payload))


if __name__ == "__main__":
    main()
