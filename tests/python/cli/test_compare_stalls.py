"""A stall that few messages meet: no usual percentile shows it, and `lasthop compare` does."""

import json

from .conftest import Lasthop

STUDY = """\
study: stall
duration: 2 min
measure: {drain: 10 s}
devices: 5
traffic: {round_trip: 100 B, every: 200 ms}
path: {delay: {around: 10 ms, spread: 20 %}}
stacks: [mqtt qos=1]
repeat: 5
"""


def test_a_rare_stall_is_worse(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", STUDY)
    stall = "events=[{start: 60 s, outage: server, for: 400 ms}]"
    for name, options in {"base": (), "new": ("--set", stall)}.items():
        done = lasthop("run", "study.yaml", "--out", name, "--no-report", *options)
        assert done.returncode == 0, done.stderr
    done = lasthop("compare", "base", "new", "--json")
    assert done.returncode == 1, done.stderr
    verdicts = {
        change["column"]: change["verdict"] for change in json.loads(done.stdout)["changes"]
    }
    assert verdicts["latency_p99_ms"] != "worse"
    assert (verdicts["latency_p99_9_ms"], verdicts["latency_max_ms"]) == ("worse", "worse")
