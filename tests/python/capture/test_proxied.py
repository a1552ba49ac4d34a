"""A caching proxy for CoAP, as Wireshark reads its packets: who is asked, and what is answered."""

import subprocess
import sys
from collections import Counter
from itertools import pairwise

import pytest

from lasthop.outcome.results import Results

from .tshark import PROGRAM

GET, CONTENT, VALID = "1", "69", "67"
MAX_AGE_S = 3
BEHIND = f"coap max_age={MAX_AGE_S}s changes=5s"
STUDY = f"""
study: proxied
duration: 12 s
measure: {{warm_up: 0 s, drain: 5 s}}
paths: {{near: {{delay: 1 ms}}, far: {{delay: 20 ms}}}}
servers:
  origin: {{}}
  proxy: {{forwards: {{to: origin, path: far, stack: {BEHIND}, cache: 1 MB}}}}
fleet: {{readers: {{count: 3, path: near, server: proxy, stack: coap}}}}
traffic: {{reading: {{to: readers, download: 45 B, every: 500 ms, spread: 0 s}}}}
repeat: 1
"""

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="tshark is missing")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Return the results of readers, a proxy and the server behind it, with their packets."""
    folder = tmp_path_factory.mktemp("proxied")
    (folder / "study.yaml").write_text(STUDY)
    command = [sys.executable, "-m", "lasthop", "run", "study.yaml", "--capture", "--no-report"]
    subprocess.run([*command, "--out", "out", "--quiet"], cwd=folder, check=True)
    return Results(folder / "out")


def _messages(results: Results, host: str) -> list[tuple[str, str, str, str]]:
    """Read the messages of CoAP that a host saw: code, Max-Age, entity tag and who sent it."""
    (file,) = (results.path / "captures").glob(f"*.{host}.pcapng")
    fields = ("coap.code", "coap.opt.max_age", "coap.opt.etag", "ip.src")
    command = [str(PROGRAM), "-n", "-r", str(file), "-Y", "coap", "-T", "fields"]
    command += [part for field in fields for part in ("-e", field)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    rows = (line.split("\t") for line in done.stdout.splitlines())
    return [(code, max_age, tag, source) for code, max_age, tag, source in rows]


def test_the_server_behind_is_asked_for_what_is_not_fresh_alone(results: Results) -> None:
    (run,) = results.runs.to_dicts()
    codes = Counter(code for code, *_ in _messages(results, "origin-0"))
    assert codes[GET] == run["cache_misses"] + run["cache_validated"]
    assert (codes[CONTENT], codes[VALID]) == (run["cache_misses"], run["cache_validated"])
    assert run["cache_misses"] > 0
    assert run["cache_validated"] > 0


def test_what_was_validated_was_asked_for_by_its_entity_tag(results: Results) -> None:
    messages = _messages(results, "origin-0")
    asked = Counter(bool(tag) for code, _, tag, _ in messages if code == GET)
    # Nothing was there before the first request.
    assert asked[False] == 1
    assert asked[True] == len([code for code, *_ in messages if code == GET]) - 1
    given = [tag for code, _, tag, _ in messages if code in {CONTENT, VALID}]
    asked_by = [tag for code, _, tag, _ in messages if code == GET and tag]
    assert set(asked_by) <= set(given)


def test_each_reader_is_answered_with_what_is_left_of_its_freshness(results: Results) -> None:
    (run,) = results.runs.to_dicts()
    answers = 0
    for number in range(3):
        messages = _messages(results, f"readers-{number}")
        codes = Counter(code for code, *_ in messages)
        assert codes[GET] == codes[CONTENT] == run["messages_offered"] / 3
        left = [int(max_age) for code, max_age, *_ in messages if code == CONTENT]
        assert set(left) <= set(range(MAX_AGE_S + 1))
        # It grows where the proxy has asked again, and falls by seconds in between.
        grown = sum(later > before for before, later in pairwise(left))
        assert grown == run["cache_misses"] + run["cache_validated"] - 1
        answers += codes[CONTENT]
    given = ("cache_hits", "cache_misses", "cache_validated", "cache_collapsed")
    assert answers == sum(run[name] for name in given)
