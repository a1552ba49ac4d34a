"""R5: each option of a stack changes what a run does, somewhere."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lasthop.study.stacks.catalogue import LAYERS, Option, catalogue

from .composition import Refusal, planned, simulated

_HEAD = "study: effect\nmeasure: {drain: 10 min, overload: allow}\nrepeat: 1\nservers: {s: {}}\n"

_LOSSY = "[{delay: 40 ms, loss: 15 %, rate: 200 kbit/s}]"

SITUATIONS: Mapping[str, str] = {
    "losses": f"duration: 5 min\npaths: {{p: {_LOSSY}}}\nfleet: {{d: {{count: 2, path: p}}}}\n"
    "traffic: {a: {from: d, round_trip: 100 B, every: 5 s, burst: 3}, "
    "b: {from: d, report: 900 B, every: 7 s}, c: {to: d, command: 40 B, every: 9 s}}\n",
    "large": f"duration: 5 min\npaths: {{p: {_LOSSY}}}\nfleet: {{d: {{count: 2, path: p}}}}\n"
    "traffic: {a: {from: d, report: 30 kB, every: 20 s}, c: {to: d, command: 5 kB, every: 9 s}}\n",
    "restarts": "duration: 3 h\npaths: {p: {delay: 40 ms}}\nfleet: {d: {count: 3, path: p}}\n"
    "traffic: {a: {from: d, report: 100 B, every: 5 min}, c: {to: d, command: 9 B, every: 8 min}}\n"
    "events: [{start: 20 min, restart: d, for: 30 s}, {start: 60 min, outage: p, for: 15 min}, "
    "{start: 100 min, restart: s, for: 4 min, survives: sessions}, {start: 2 h, restart: s}]\n",
    "power cuts": "duration: 2 h\npaths: {p: {delay: 40 ms}}\nfleet: {d: {count: 3, path: p}}\n"
    "traffic: {a: {from: d, report: 100 B, every: 5 min}}\n"
    "events: [{start: 20 min, power_cut: d, for: 30 s, survives: sessions}, "
    "{start: 1 h, new_address: d}]\n",
    "sessions": "duration: 10 min\npaths: {p: {delay: 40 ms, rate: 1 Mbit/s}}\n"
    "fleet: {d: {count: 3, path: p}}\n"
    "traffic: {a: {from: d, report: 100 B, every: 40 s, session: per_message}}\n",
    "a translator": "duration: 2 h\npaths: {p: {delay: 40 ms, nat: {udp: 1 min, tcp: 10 min}}}\n"
    "fleet: {d: {count: 2, path: p}}\ntraffic: {a: {from: d, round_trip: 100 B, every: 20 min}}\n",
    "a narrow hop": "duration: 2 min\npaths: {p: [{delay: 5 ms}, {delay: 30 ms, mtu: 1280 B}]}\n"
    "fleet: {d: {count: 2, path: p}}\ntraffic: {a: {from: d, report: 9 kB, every: 10 s}}\n",
    "reads": "duration: 20 min\npaths: {p: {delay: 40 ms}}\nfleet: {d: {count: 2, path: p}}\n"
    "traffic: {a: {to: d, pull: 100 B, every: 10 s}}\n",
    "readers": "duration: 5 min\nfleet: {d: {count: 3, path: p}}\n"
    "paths: {p: {delay: 40 ms, loss: 5 %}}\n"
    "traffic: {a: {to: d, download: 100 B, every: 10 s, resource: state}}\n",
    "files": "duration: 2 min\npaths: {p: {delay: 300 ms}}\nfleet: {d: {count: 2, path: p}}\n"
    "traffic: {a: {to: d, download: 2 MB, start: 5 s}}\n",
    "no way for QUIC": "duration: 5 min\npaths: {p: {delay: 40 ms, block: udp}}\n"
    "fleet: {d: {count: 2, path: p}}\n"
    "traffic: {a: {from: d, report: 100 B, every: 20 s, session: per_message}}\n",
    "a crowd": "duration: 1 min\npaths: {p: {delay: 40 ms}}\nfleet: {d: {count: 20, path: p}}\n"
    "traffic: {a: {from: d, report: 100 B, every: 1 s, burst: 30}}\n",
}
"""What hosts meet; in one of these each option does something."""

_VALID = "each chain of ours is valid; the answer names an arm that believes anybody"

WITHOUT_EFFECT: Mapping[str, str] = {
    "tls.verify": _VALID,
    "dtls.verify": _VALID,
    "quic.verify": _VALID,
}
"""Options that change nothing in virtual time, and why."""

FIRST: Mapping[str, str] = {
    "back_off": "restarts",
    "changes": "readers",
    "max_age": "reads",
    "ping_after": "restarts",
    "quic.fallback": "no way for QUIC",
    "quic.fallback_after": "no way for QUIC",
    "quic.fallback_memory": "no way for QUIC",
    "quic.initial_rtt": "restarts",
    "tcp.keep_alive_interval": "restarts",
}
"""Where an option is tried first; others are tried everywhere in turn."""

STACKS_EACH = 12
"""In so many stacks, with two values each, an option is tried in a situation."""


@dataclass(frozen=True)
class Setting:
    """An option with two values of it, in a stack where it means something."""

    option: str
    stack: str
    values: tuple[str, str]


BESIDE: Mapping[str, str] = {
    "datagrams": "qos=0",
    "index_authorization": "auth=jwt",
    "changes": "max_age=2s",
    "tcp.keep_alive_interval": "tcp.keep_alive=30s",
}
"""What an option means something with, beside what it needs."""


def settings() -> Iterator[Setting]:
    """Give each option of what can be run with some of its values, and each once."""
    known = catalogue()
    for name in (*known.applications, *known.layers):
        for option in known.options_of(name):
            stacks = list(_stacks_with(name, option))
            pairs = [(one, other) for one, other in _pairs(option) if one != other]
            for stack in stacks:
                for pair in pairs:
                    yield Setting(option.name, stack, pair)


def _stacks_with(name: str, option: Option) -> Iterator[str]:
    """Give stacks with what the option needs, each the usual one of its application."""
    known = catalogue()
    for application in known.applications.values():
        for layers in application.built:
            if name not in (application.name, *known.completed(layers), "ip"):
                continue
            below = known.completed(layers)
            needed = _needed(option, name, below)
            if needed is not None:
                beside = BESIDE.get(option.name, "").split()
                yield " ".join(("/".join((application.name, *layers)), *needed, *beside))


def _needed(option: Option, name: str, layers: Sequence[str]) -> list[str] | None:
    """Give the options that another one needs; None where the layers are not those."""
    if not option.needs:
        return []
    needs, *values = option.needs
    if needs == LAYERS:
        return [] if set(values) & set(layers) else None
    (other,) = (one for one in catalogue().options_of(name) if one.name == needs)
    beneath = _needed(other, name, layers)
    return None if beneath is None else [*beneath, f"{needs}={values[-1]}"]


VALUES: Mapping[str, tuple[str, str]] = {"dtls.mtu": ("1200B", "200B")}
"""What is tried of an option whose larger values fit no path here."""


def _pairs(option: Option) -> list[tuple[str, str]]:
    if option.name in VALUES:
        return [VALUES[option.name]]
    if option.words:
        first = option.default or option.words[0]
        return [(first, word) for word in option.words]
    if option.kind == "time":
        return [("3s", "200ms"), ("3s", "50s"), ("3s", "1h")]
    if option.kind == "seconds":
        return [("600s", "7s"), ("600s", "60s"), ("10s", "60s")]
    if option.kind == "size":
        least = int(option.minimum)
        most = int(min(option.maximum, max(60_000, 100 * least)))
        return [(f"{most}B", f"{least}B"), (f"{most}B", f"{(least + most) // 8 + least}B")]
    lowest = option.minimum
    highest = max(lowest, min(option.maximum, 5_000))
    near = (f"{lowest + 1:g}", f"{min(lowest + 3, highest):g}")
    return [(f"{highest:g}", f"{lowest:g}"), near]


def where_effective(tried: Sequence[Setting], folder: Path) -> str | None:
    """Give the first situation in which an option changes something, None where there is none."""
    first = FIRST.get(tried[0].option)
    for situation in dict.fromkeys((first, *SITUATIONS) if first else SITUATIONS):
        if any(has_effect(setting, situation, folder) for setting in tried):
            return situation
    return None


def has_effect(setting: Setting, situation: str, folder: Path) -> bool:
    """Whether a run with one value differs from that with the other."""
    traces = []
    for value in setting.values:
        stack = f"{setting.stack} {setting.option}={value}"
        text = f"{_HEAD}{SITUATIONS[situation]}stacks: ['{stack}']\n"
        run = planned(text, folder)
        if isinstance(run, Refusal):
            return False
        outcome = simulated(run.spec_json)
        traces.append(outcome.summary.get("trace_hash", "cancelled"))
    return traces[0] != traces[1] and "cancelled" not in traces
