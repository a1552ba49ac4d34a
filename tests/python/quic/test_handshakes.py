"""What is long of the tests of QUIC."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.soak
def test_none_of_ten_thousand_handshakes_waits_for_ever() -> None:
    """At windows of 3 and 10 packets and 5 to 30 % loss, a thousand each."""
    command = ["cargo", "test", "--release", "--locked", "-p", "lasthop_quic"]
    arguments = ["--test", "behaviour", "--", "--ignored", "ten_thousand"]
    done = subprocess.run(
        [*command, *arguments], check=False, capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
