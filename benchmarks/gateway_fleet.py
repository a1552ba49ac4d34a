"""Load `lasthop serve gateway` with devices that have a key each, and tell what it takes.

Each device connects with a token of its own and publishes 64 B with QoS 1 by MQTT, or by HTTP/1.1
on a connection that is kept. What was offered is compared with what the gateway's log has, and its
own counters say how many it refused. Latency is from when a message is due to its acknowledgement,
which comes once it is on the disk; both ends share the machine.

    .venv/bin/python -m benchmarks.gateway_fleet
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from benchmarks.gateway_work import LASTHOP, REGISTRY
from benchmarks.serve_beside_mosquitto import await_port, cpu_ns, resident_bytes, say

from lasthop import Results

PORTS = {"mqtt": 21883, "http": 28080, "metrics": 29464}
WARM_UP_S = 20
EXIT_INVALID = 3

STUDY = """
study: gateway-fleet
duration: {duration} s
measure: {{warm_up: {warm_up} s, drain: 30 s}}
devices: {devices}
traffic: {{report: 64 B, every: {every} ms}}
stacks: [{stack}]
repeat: 1
"""


def main() -> int:
    """Load it by each protocol, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--devices", type=int, default=5_000)
    parser.add_argument("--rate", type=int, default=4_000, help="messages a second, of all")
    parser.add_argument("--seconds", type=int, default=30)
    options = parser.parse_args()
    say("| | offered | in the log | refused | P50 | P99 | processor | memory |")
    say("|---|---|---|---|---|---|---|---|")
    for stack in ("mqtt qos=1", "http"):
        say(_row(stack, options.devices, options.rate, options.seconds))
    return 0


def _row(stack: str, devices: int, rate: int, seconds: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        keys, data, out = (Path(folder) / name for name in ("fleet.keys", "data", "out"))
        add = [LASTHOP, "gateway", "device", "add", f"{REGISTRY}/devices/d"]
        add += ["--count", str(devices), f"--new-key={keys}", f"--data={data}"]
        subprocess.run(add, check=True, stdout=subprocess.DEVNULL)
        places = [f"--listen={scheme}://127.0.0.1:{port}" for scheme, port in PORTS.items()]
        serve = [LASTHOP, "serve", "gateway", "--http", "--metrics", f"--data={data}", *places]
        serve.append("--limit=connections_per_address=100000")
        server = subprocess.Popen(serve, stdout=subprocess.DEVNULL)
        try:
            for port in PORTS.values():
                await_port(port)
            study = Path(folder) / "study.yaml"
            study.write_text(
                STUDY.format(
                    duration=WARM_UP_S + seconds,
                    warm_up=WARM_UP_S,
                    devices=devices,
                    every=1000 * devices // rate,
                    stack=stack,
                ),
                encoding="utf-8",
            )
            scheme = "http" if stack == "http" else "mqtt"
            load = [LASTHOP, "load", str(study), f"--against={scheme}://127.0.0.1:{PORTS[scheme]}"]
            load += [f"--devices={keys}", f"--out={out}", "--no-report", "--json"]
            before, begun = cpu_ns(server), time.monotonic()
            done = subprocess.run(load, check=False, capture_output=True, text=True)
            lasted = time.monotonic() - begun
            spent, memory = (cpu_ns(server) - before) / 1e9, resident_bytes(server) >> 20
            # A generator that was late is no judgement of the server: its latency is left out.
            if done.returncode not in {0, EXIT_INVALID}:
                raise RuntimeError(f"{stack}: {done.stderr or done.stdout}")
            counted = _counters()
        finally:
            server.terminate()
            server.wait()
        (run,) = Results(out).runs.to_dicts()
        offered, delivered = run["messages_offered"], run["messages_delivered"]
        refused = counted["refusals"] + counted["denied_messages"] + counted["failed_messages"]
        if delivered != offered:
            sys.stderr.write(f"{stack}: {delivered} of {offered} were acknowledged\n")
        logged = _logged(data)
        # What is offered is counted behind the warm-up, what is logged from the beginning on.
        if logged != counted["kept_messages"]:
            sys.stderr.write(f"{stack}: {counted['kept_messages']} were told to be kept\n")
        latency = [f"{run[f'latency_{name}_ms']:.1f} ms" for name in ("p50", "p99")]
        if run["status"] != "completed":
            late_ms = run["lateness_p99_ms"]
            sys.stderr.write(f"{stack}: {run['status']}, the generator was {late_ms:.0f} ms late\n")
            latency = ["not judged", "not judged"]
        return (
            f"| {stack}, {devices:,} devices | {offered:,} | {logged:,} with the warm-up's "
            f"| {refused} | {' | '.join(latency)} | {100 * spent / lasted:.0f} % of one "
            f"| {memory} MiB |"
        )


def _counters() -> dict[str, int]:
    with urllib.request.urlopen(f"http://127.0.0.1:{PORTS['metrics']}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    samples = (line.split() for line in lines if line and not line.startswith("#"))
    prefix = "lasthop_gateway_"
    return {
        name.removeprefix(prefix).removesuffix("_total"): int(float(value))
        for name, value in samples
    }


def _logged(data: Path) -> int:
    """Return how many messages the log has, which are numbered without a gap."""
    command = [LASTHOP, "gateway", "log", f"--data={data}", "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    offsets = [json.loads(line)["offset"] for line in done.stdout.splitlines()]
    if offsets != list(range(1, len(offsets) + 1)):
        raise RuntimeError("an offset is missing")
    return len(offsets)


if __name__ == "__main__":
    sys.exit(main())
