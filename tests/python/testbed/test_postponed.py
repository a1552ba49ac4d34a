"""Signals that wait until what was begun is written down."""

import signal
import subprocess
import threading
from collections.abc import Iterator

import pytest

from lasthop.testbed import postponed_signals


class AskedToEnd(Exception):  # noqa: N818  no error
    """What a handler raises."""


@pytest.fixture(autouse=True)
def asked_to_end() -> Iterator[None]:
    def raise_it(*_: object) -> None:
        raise AskedToEnd

    before = signal.signal(signal.SIGTERM, raise_it)
    yield
    signal.signal(signal.SIGTERM, before)


def test_a_signal_is_handled_when_the_block_has_ended() -> None:
    done = []

    def work() -> None:
        with postponed_signals():
            signal.raise_signal(signal.SIGTERM)
            with postponed_signals():
                signal.raise_signal(signal.SIGTERM)
                done.append("inner")
            done.append("outer")

    with pytest.raises(AskedToEnd):
        work()
    assert done == ["inner", "outer"]


def test_handlers_are_as_before_and_an_error_is_not_hidden() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyError), postponed_signals():
        raise KeyError
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with postponed_signals():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_child_does_not_inherit_it() -> None:
    with postponed_signals():
        child = subprocess.Popen(["sleep", "60"])
        child.terminate()
        assert child.wait(10) == -signal.SIGTERM


def test_in_another_thread_nothing_changes() -> None:
    seen: list[object] = []

    def look() -> None:
        with postponed_signals():
            seen.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [before]
