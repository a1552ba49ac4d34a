"""An honest client is served beside each hostile one, on each listener, and memory comes back.

`python -m benchmarks.hostile` prints the waits and the memory of the same pairs.
"""

from collections.abc import Iterator

import pytest
from benchmarks.hostile.pairs import ATTACKS, KEPT, SMALL_BYTES, Outcome, run
from benchmarks.hostile.servers import listeners
from benchmarks.hostile.streams import Listener

SHORT_S = 0.2
LONG_S = 5.0

MOST_BYTES = 256 << 20
"""What a server may hold beyond what it did before, of an attack within its limits."""

PAIRS = [(scheme, name) for scheme, attacks in ATTACKS.items() for name in attacks]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Listener]]:
    with listeners(tmp_path_factory.mktemp("servers")) as found:
        yield {listener.scheme: listener for listener in found}


def judge(listener: Listener, name: str, seconds: float) -> None:
    outcome = served(listener, name, seconds)
    assert outcome.grown_bytes <= MOST_BYTES, outcome
    if outcome.grown_bytes > SMALL_BYTES and name not in KEPT:
        # The allocator may keep what the server gave back. Then the same attack takes no more.
        again = served(listener, name, seconds)
        assert again.grown_bytes <= SMALL_BYTES, (outcome, again)


def served(listener: Listener, name: str, seconds: float) -> Outcome:
    outcome = run(listener, name, ATTACKS[listener.scheme][name], seconds)
    assert outcome.failures == []
    assert outcome.waits_s, "the honest client is not answered"
    return outcome


@pytest.mark.parametrize(("scheme", "name"), PAIRS)
def test_an_honest_client_is_served_beside_a_hostile_one(
    servers: dict[str, Listener], scheme: str, name: str
) -> None:
    judge(servers[scheme], name, SHORT_S)


@pytest.mark.soak
@pytest.mark.parametrize(("scheme", "name"), PAIRS)
def test_an_honest_client_is_served_for_long_beside_a_hostile_one(
    servers: dict[str, Listener], scheme: str, name: str
) -> None:
    judge(servers[scheme], name, LONG_S)
