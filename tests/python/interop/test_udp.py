"""Our UDP against the kernel's."""

import pytest

from lasthop.testbed import Namespace

from .conftest import OURS, StartHost
from .sockets import udp_socket


@pytest.mark.smoke("Linux UDP")
def test_datagrams_come_back_whole(namespace: Namespace, live_host: StartHost) -> None:
    live_host("udp-echo", 7)
    with udp_socket(namespace) as socket:
        socket.settimeout(60)
        for size in (0, 1, 2, 3, 399, 1400, 1472):
            datagram = bytes(at % 251 for at in range(size))
            socket.sendto(datagram, (OURS, 7))
            assert socket.recvfrom(2000) == (datagram, (OURS, 7)), size


@pytest.mark.soak
def test_a_link_of_ours_delays_and_loses_as_it_says(
    namespace: Namespace, live_host: StartHost
) -> None:
    live_host("udp-echo", 7, loss=0.3, delay_ms=20)
    with udp_socket(namespace) as socket:
        # The loss is that of the seed; 0.7 * 0.7 of 200 come back, give or take 5 deviations.
        for number in range(200):
            socket.sendto(number.to_bytes(2), (OURS, 7))
        socket.settimeout(3)
        came_back: list[bytes] = []
        while len(came_back) < 200:
            try:
                came_back.append(socket.recv(10))
            except TimeoutError:
                break
        assert 63 <= len(came_back) <= 133
        assert came_back == sorted(came_back)
