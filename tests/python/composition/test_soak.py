"""The soak: what it finds is small, kept and replayed."""

import random
import time
from itertools import count
from pathlib import Path

import pytest

from .composition import Composition
from .every_relation import all_breaches
from .relations import Breach
from .soak import CORPUS, MINUTES, kept, read_kept, soak

KEPT = sorted(CORPUS.glob("*.json"))


def _large_over_quic(it: Composition) -> list[Breach]:
    """Have a fault: a second group over QUIC with 500 B and more."""
    is_wrong = it.stack == "mqtt/quic" and it.payload >= 500 and it.groups > 1
    return [Breach("R0 fault", it, "wrong")] if is_wrong else []


def test_a_breach_is_shrunk_to_what_it_takes() -> None:
    ticks = count()
    soaked = soak(7, _large_over_quic, until=12, clock=lambda: next(ticks))
    (found,) = soaked.found
    assert found.composition == Composition("mqtt/quic", "lan", 1, "report", 500, 1.0, groups=2)
    assert soaked.compositions > 400


def test_a_crash_is_made_small_as_well() -> None:
    def crashing(it: Composition) -> list[Breach]:
        if it.devices > 2:
            raise ValueError(it.stack)
        return []

    ticks = count()
    found = soak(7, crashing, until=2, clock=lambda: next(ticks)).found
    assert {one.relation for one in found} == {"crash"}
    assert found[0].composition == Composition("mqtt", "lan", 3, "report", 8, 1.0)


def test_a_seed_draws_the_same_again() -> None:
    first, second = _drawn(3), _drawn(3)
    assert first == second
    assert len(set(first)) > 50
    assert first != _drawn(4)


def _drawn(seed: int) -> list[Composition]:
    found: list[Composition] = []

    def note(it: Composition) -> list[Breach]:
        found.append(it)
        return []

    ticks = count()
    soak(seed, note, until=2, clock=lambda: next(ticks))
    return found


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    it = Composition("coap", "nat", 2, "command", 8, 40.0, event="outage")
    assert read_kept(kept(Breach("R0 fault", it, "wrong"), tmp_path)) == it


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_what_has_failed_holds(file: Path, tmp_path: Path) -> None:
    assert all_breaches(read_kept(file), tmp_path) == []


@pytest.mark.soak
@pytest.mark.timeout(60 * (MINUTES + 10))
def test_the_relations_hold_in_what_is_drawn(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(2**32)
    soaked = soak(
        seed,
        lambda it: all_breaches(it, tmp_path),
        until=time.monotonic() + 60 * MINUTES,
        clock=time.monotonic,
    )
    for breach in soaked.found:
        kept(breach, CORPUS)
    assert not soaked.found, f"seed {seed}:\n" + "\n".join(map(str, soaked.found))
