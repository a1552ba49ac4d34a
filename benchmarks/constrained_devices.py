"""What a device that has little of everything costs beside one that has not.

    python -m benchmarks.constrained_devices hour [--stack STACK] [--devices 1000] [--rounds 1]
    python -m benchmarks.constrained_devices message [--stack STACK] [--profile PROFILE]

``hour`` runs so many devices that report once a second for an hour, constrained and not, and prints
the processor time of each run, and the median ratio of a round. ``message`` counts instructions
with valgrind: two runs of different length, whose difference has neither imports nor set-up in it,
divided by their messages; once with devices of the profile and once with none. Nothing is asserted.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Final

from lasthop.results.part import read_summary
from lasthop.running.engine import NativeEngine
from lasthop.study import load_study

STUDY: Final = """\
study: constrained-devices
duration: {seconds} s
measure: {{warm_up: 0 s, drain: 10 s, messages: summed}}
paths: {{lan: {{delay: 5 ms}}}}
servers: {{head: {{}}}}
fleet: {{devices: {{count: {devices}, path: lan{device}}}}}
traffic: {{reading: {{from: devices, report: 31 B, every: 1 s, spread: 1 s}}}}
stacks: [{stack}]
repeat: 1
"""
_SHORT_S, _LONG_S = 60, 180
_COUNTED: Final = re.compile(r"Collected : (\d+)")


def spec_of(stack: str, devices: int, seconds: int, profile: str | None) -> str:
    """Give the run spec of such devices, or of plain ones."""
    device = "" if profile is None else f", device: {{profile: {profile}, reading: all}}"
    text = STUDY.format(stack=stack, devices=devices, seconds=seconds, device=device)
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study.yaml"
        study.write_text(text, encoding="utf-8")
        (run,) = load_study(study).planned_runs()
    return run.spec_json


def simulate(spec: str) -> tuple[float, int, str]:
    """Run a spec on one core; give the processor time, the messages and how it ended."""
    engine = NativeEngine()
    before = time.process_time()
    streams = engine.simulate(spec, run_id="run", captures={}, switch=engine.switch())
    took = time.process_time() - before
    summary = read_summary(streams)
    return took, summary["messages_delivered"], summary["status"]


def hour(stack: str, devices: int, profile: str, rounds: int) -> None:
    """Print what an hour takes, with devices of the profile and with plain ones in turns."""
    took: dict[str | None, list[float]] = {profile: [], None: []}
    for _ in range(rounds):
        for named, each in took.items():
            cpu_s, delivered, status = simulate(spec_of(stack, devices, 3600, named))
            each.append(cpu_s)
            told = {
                "stack": stack,
                "device": named or "none",
                "devices": devices,
                "cpu_s": round(cpu_s, 2),
                "cpu_us_per_message": round(cpu_s * 1e6 / (devices * 3600), 2),
                "messages_delivered": delivered,
                "status": status,
            }
            print(json.dumps(told), flush=True)
    ratios = [of_it / plain for of_it, plain in zip(took[profile], took[None], strict=True)]
    spread = {"ratio": median(ratios), "least": min(ratios), "most": max(ratios)}
    print(json.dumps({key: round(value, 3) for key, value in spread.items()}), flush=True)


def message(stack: str, devices: int, profile: str) -> None:
    """Print how many instructions a message takes."""
    each = {named: instructions(stack, devices, named) for named in (profile, None)}
    told = {
        "stack": stack,
        "profile": profile,
        "constrained": round(each[profile]),
        "plain": round(each[None]),
        "ratio": round(each[profile] / each[None], 3),
    }
    print(json.dumps(told), flush=True)


def instructions(stack: str, devices: int, profile: str | None) -> float:
    """Count those of a message."""
    counted = []
    for seconds in (_SHORT_S, _LONG_S):
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        arguments = ["one", "--stack", stack, "--devices", str(devices), "--seconds", str(seconds)]
        arguments += [] if profile is None else ["--profile", profile]
        done = subprocess.run(
            [*command, sys.executable, "-m", "benchmarks.constrained_devices", *arguments],
            check=True,
            capture_output=True,
            text=True,
            # Imports take as many instructions in both runs.
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )
        found = _COUNTED.search(done.stderr)
        if found is None:
            raise SystemExit(f"valgrind told no count: {done.stderr[-500:]}")
        counted.append(int(found[1]))
    return (counted[1] - counted[0]) / (devices * (_LONG_S - _SHORT_S))


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["hour", "message", "one"])
    parser.add_argument("--stack", default="mqtt qos=0")
    parser.add_argument("--devices", type=int)
    parser.add_argument("--profile")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=_SHORT_S)
    asked = parser.parse_args()
    if asked.what == "one":
        simulate(spec_of(asked.stack, asked.devices, asked.seconds, asked.profile))
    elif asked.what == "hour":
        hour(asked.stack, asked.devices or 1000, asked.profile or "esp8266", asked.rounds)
    else:
        message(asked.stack, asked.devices or 200, asked.profile or "esp8266")


if __name__ == "__main__":
    main()
