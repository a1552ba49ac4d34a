"""Servers and clients end when they are told to, whenever that is."""

import subprocess
import sys

import pytest

from .conftest import PATIENCE_S

AS_SOON_AS_IT_IS_HANDLED = """
import os, signal, sys

install = signal.signal

def install_and_send(number, handler):
    before = install(number, handler)
    if number == int(os.environ["SIGNAL"]) and getattr(handler, "__name__", "") == "<lambda>":
        os.kill(os.getpid(), number)
    return before

signal.signal = install_and_send
from lasthop.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize("number", [2, 15], ids=["SIGINT", "SIGTERM"])
def test_a_signal_that_comes_as_soon_as_it_is_handled_is_heard(number: int) -> None:
    server = subprocess.run(
        [sys.executable, "-c", AS_SOON_AS_IT_IS_HANDLED, "serve", "mqtt", "--listen=127.0.0.1:0"],
        env={"SIGNAL": str(number)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (server.returncode, server.stderr) == (0, "")
