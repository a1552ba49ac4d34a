"""A load of constrained devices on sockets of the kernel: their tasks take time, and crash."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.python.load.test_load import TO_ALL, _load

from lasthop.outcome.results import Results

Mosquitto = Callable[..., int]
BUSY = "{profile: esp8266, reading: all, message: 60 ms, byte: 0 s, watchdog: 1 s, boot: 200 ms}"


def test_a_device_of_a_load_that_never_pauses_is_reset_and_hears_again(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    text = TO_ALL.replace("count: 3, server: broker", f"count: 1, server: broker, device: {BUSY}")
    text = text.replace("messages: each", "messages: each, overload: allow")
    done = _load(tmp_path, text, "--against", f"mqtt://127.0.0.1:{mosquitto()}")
    (run,) = Results(tmp_path / "out").runs.to_dicts()
    # 20 messages a second of 60 ms each.
    assert run["device_crashes_watchdog"] >= 1, done
    # What is late to see the crash is not late to boot.
    assert run["device_offline_s"] >= 0.1
    assert run["messages_delivered"] > 0
    assert run["latency_mean_ms"] >= 60


@pytest.mark.soak
def test_the_command_makes_constrained_devices_of_all(mosquitto: Mosquitto, tmp_path: Path) -> None:
    arguments = ("--against", f"mqtt://127.0.0.1:{mosquitto()}", "--hardware")
    done = _load(tmp_path, TO_ALL, *arguments, "esp32")
    assert done.returncode in {0, 3}, done.stderr
    (run,) = Results(tmp_path / "out").runs.to_dicts()
    groups = json.loads(run["run_spec"])["groups"]
    assert [group["device"]["message_ns"] for group in groups] == [6_500_000] * 2
    assert run["device_crashes_watchdog"] == 0
    assert run["delivery_ratio"] == 1
    refused = _load(tmp_path, TO_ALL, *arguments, "esp23")
    assert refused.returncode == 2
    assert "--hardware: there is no profile" in refused.stderr
    assert "esp32" in refused.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--device", "esp23"), "--device: this option is now --hardware; "),
        (("--device", "esp32", "--hardware", "esp32"), "--device: this is the old name of "),
    ],
)
def test_the_old_name_of_the_option_works_with_a_note(
    tmp_path: Path, words: tuple[str, ...], complaint: str
) -> None:
    refused = _load(tmp_path, TO_ALL, "--against", "mqtt://127.0.0.1:1", *words)
    assert refused.returncode == 2
    assert complaint in refused.stderr
    assert ("--hardware: there is no profile" in refused.stderr) == (words[1] == "esp23")
