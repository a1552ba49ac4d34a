"""Settings that no run looks at are named, and runs without them are the same."""

import json
from collections.abc import Callable

import pytest

from lasthop import _native
from lasthop.results.arrow_stream import read_stream
from lasthop.study import Study
from lasthop.study.rules.unused_settings import RULES

STUDY = """study: moot
duration: 2 min
measure: {drain: 1 min, set_up: 1 min}
traffic: {TRAFFIC}
path: {delay: 20 ms, loss: 5 %}
stacks: ['STACK']
repeat: 1
"""
REPORTS = "report: 100 B, every: 5 s"

MOOT = {
    "keep_alive": ("mqtt", "keep_alive=20min", REPORTS, "a run takes 4 min at most"),
    "idle_timeout": ("http", "idle_timeout=10min", REPORTS, "a run takes 4 min at most"),
    "session_expiry": (
        "mqtt version=5",
        "session_expiry=1h",
        REPORTS,
        "a run takes 4 min at most",
    ),
    "clean_start": (
        "mqtt",
        "clean_start=on",
        f"{REPORTS}, session: per_message",
        "a connection for each message begins a new session anyway",
    ),
    "dtls.session_lifetime": (
        "coap/dtls dtls.resume=session_id",
        "dtls.session_lifetime=1h",
        f"{REPORTS}, session: per_message",
        "a run takes 4 min at most",
    ),
    "push": ("coap", "push=put", REPORTS, "no message goes to devices"),
    "hold": ("http", "hold=7s", REPORTS, "no message goes to devices"),
    "max_age": ("coap", "max_age=7s", REPORTS, "devices read nothing"),
    "changes": ("http", "changes=7s", REPORTS, "devices read nothing"),
    "block_size": ("coap", "block_size=128", REPORTS, "a message has 100 B at most"),
    "tcp.keep_alive": (
        "mqtt",
        "tcp.keep_alive=1h",
        REPORTS,
        "a run takes 4 min at most",
    ),
    "tcp.keep_alive_interval": (
        "mqtt",
        "tcp.keep_alive_interval=9s",
        REPORTS,
        "nothing is probed without tcp.keep_alive",
    ),
    "tcp.nodelay": (
        "mqtt tcp.nodelay_client=off tcp.nodelay_server=on",
        "tcp.nodelay=off",
        REPORTS,
        "both ends have their own",
    ),
    "index_authorization": (
        "http/quic",
        "index_authorization=off",
        REPORTS,
        "no token is shown without auth=jwt",
    ),
}
"""A stack, an option, what is said, and why the option does nothing there."""

Load = Callable[..., Study]


def _study(stack: str, traffic: str = REPORTS) -> str:
    return STUDY.replace("STACK", stack).replace("TRAFFIC", traffic)


def _moot(study: Study) -> list[str]:
    said = ("has no effect", "never comes due")
    return [note for note in study.notes if any(words in note for words in said)]


def _trace(study: Study) -> object:
    (run,) = study.planned_runs()
    tables = _native.simulate(json.dumps({**json.loads(run.spec_json), "seed": 7}), run_id="0")
    # A timer stands in a packet, whose bytes the hash of the trace holds.
    summary = read_stream(tables.summary).drop("trace_hash")
    return [summary.rows(), *(read_stream(one).rows() for one in (tables.messages, tables.ledger))]


@pytest.mark.parametrize("option", RULES)
def test_an_option_without_effect_is_named_and_has_none(option: str, load: Load) -> None:
    stack, word, traffic, why = MOOT[option]
    study = load(_study(f"{stack} {word}", traffic))
    is_timer = why.startswith("a run takes")
    what, remedy = "has no effect", "remove it"
    if is_timer:
        what, remedy = "never comes due", "write less, or a longer duration"
    assert _moot(study) == [f"stacks: {stack} {word}: {word} {what}, since {why}; {remedy}"]
    without = f"{stack} {option}=9h" if is_timer else stack
    assert _trace(study) == _trace(load(_study(without, traffic)))


EFFECTIVE = (
    ("mqtt keep_alive=20s", "report: 100 B, every: 50 s"),
    ("http idle_timeout=20s", "report: 100 B, every: 50 s"),
    ("coap push=observe", "command: 100 B, every: 5 s"),
    ("http hold=7s", "command: 100 B, every: 25 s"),
    ("coap block_size=64", REPORTS),
    ("http/quic auth=jwt index_authorization=off", REPORTS),
)


@pytest.mark.parametrize(("stack", "traffic"), EFFECTIVE)
def test_an_option_with_an_effect_is_not_named(stack: str, traffic: str, load: Load) -> None:
    study = load(_study(stack, traffic))
    assert _moot(study) == []
    *words, _ = stack.split()
    assert _trace(study) != _trace(load(_study(" ".join(words), traffic)))


@pytest.mark.parametrize("stack", ["coap", "raw_udp ack=on", "json_udp", "dds"])
def test_a_session_that_nothing_has_is_named(stack: str, load: Load) -> None:
    study = load(_study(stack, f"{REPORTS}, session: per_message"))
    (said,) = _moot(study)
    assert said == (
        f'traffic.session: "per_message" has no effect, since {stack} has no '
        'session; write "session: keep", or a stack with one: coap/dtls, mqtt'
    )
    assert _trace(study) == _trace(load(_study(stack)))


def test_a_session_that_one_stack_has_is_meant(load: Load) -> None:
    text = _study("coap", f"{REPORTS}, session: per_message").replace("['coap']", "[coap, mqtt]")
    assert _moot(load(text)) == []


def test_what_has_an_effect_at_one_point_of_a_sweep_is_meant(load: Load) -> None:
    sweep = "sweep: [{name: long, duration: [1 min, 1 h]}]\n"
    text = _study("mqtt keep_alive=20min", "report: 100 B, every: 30 s")
    assert _moot(load(text + sweep)) == []
    assert len(_moot(load(text + sweep.replace("1 h", "2 min")))) == 1
