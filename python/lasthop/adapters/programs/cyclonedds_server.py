"""A DDS server with Cyclone DDS, which returns every report to its device.

Started by its adapter: ADDRESS PORT RELIABILITY DURABILITY DEPTH. Discovery is unicast, as that of
lasthop's own participants. A socket at PORT, by which nothing goes, says that it is ready.
"""

import os
import re
import socket
import sys
from dataclasses import dataclass

from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsSubscription
from cyclonedds.core import (
    InstanceState,
    Policy,
    Qos,
    ReadCondition,
    SampleState,
    ViewState,
    WaitSet,
)
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import key
from cyclonedds.idl.types import sequence, uint8, uint32
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

_CONFIGURATION = """\
<CycloneDDS><Domain id="any">
  <General>
    <Interfaces><NetworkInterface address="{address}"/></Interfaces>
    <AllowMulticast>false</AllowMulticast>
  </General>
  <Discovery><ParticipantIndex>0</ParticipantIndex></Discovery>
</Domain></CycloneDDS>
"""

_FIRST_PORT = 7400
"""Discovery port of domain 0 (DDSI-RTPS 2.5 §9.6.2.3)."""

_ANY = ViewState.Any | InstanceState.Any | SampleState.Any
_MOST_AT_ONCE = 1000


@dataclass
class Message(IdlStruct, typename="Message"):
    """The DDS type of reports and answers."""

    device: uint32
    key("device")
    payload: sequence[uint8]  # type: ignore[type-arg]  # its types do not know that


def main() -> None:
    """Serve until the process ends."""
    address, port, reliability, durability, depth = sys.argv[1:]
    os.environ["CYCLONEDDS_URI"] = _CONFIGURATION.format(address=address)
    if int(port) != _FIRST_PORT:
        sys.exit(f"the first participant of domain 0 is at port {_FIRST_PORT}, not {port}")
    participant = DomainParticipant(0)
    policies = qos(reliability, durability, int(depth))
    reports = DataReader(participant, Topic(participant, "reports", Message), qos=policies)
    readers = BuiltinDataReader(participant, BuiltinTopicDcpsSubscription)
    waitset = WaitSet(participant)
    for reader in (reports, readers):
        waitset.attach(ReadCondition(reader, _ANY))
    writers: dict[int, DataWriter[Message]] = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sign:
        sign.bind((address, int(port)))
        while True:
            waitset.wait(duration(infinite=True))
            for reader in readers.take(_MOST_AT_ONCE):
                topic = re.fullmatch(r"device/(\d+)", getattr(reader, "topic_name", "") or "")
                if topic is not None and int(topic[1]) not in writers:
                    to_device = Topic(participant, topic[0], Message)
                    writers[int(topic[1])] = DataWriter(participant, to_device, qos=policies)
            for report in reports.take(_MOST_AT_ONCE):
                # Of an end of a device only the key is told.
                if hasattr(report, "payload") and report.device in writers:
                    writers[report.device].write(report)


def qos(reliability: str, durability: str, depth: int) -> Qos:
    """Return the QoS policies of readers and writers from a stack's options."""
    blocking = duration(milliseconds=100)
    return Qos(
        Policy.Reliability.Reliable(blocking)
        if reliability == "reliable"
        else Policy.Reliability.BestEffort,
        Policy.Durability.TransientLocal
        if durability == "transient_local"
        else Policy.Durability.Volatile,
        Policy.History.KeepLast(depth),
    )


if __name__ == "__main__":
    main()
