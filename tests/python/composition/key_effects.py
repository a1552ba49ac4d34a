"""R5: each key of a run spec changes what a run gives, somewhere."""

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from lasthop.errors import LasthopError

from .composition import Outcome, Refusal, planned, simulated

Spec = dict[str, Any]
Place = tuple[str | int, ...]

_WIRED = """study: wired
duration: 4 min
measure: {warm_up: 20 s, drain: 2 min, overload: allow}
paths:
  p:
    up: {loss: 5 %, delay: {normal: {mean: 40 ms, sd: 10 ms}}, rate: 100 kbit/s, queue: 20 kB,
      corrupt: 2 %, duplicate: 2 %, outages: [{start: 50 s, for: 5 s}]}
    down: {loss: {gilbert_elliott: {good: 4 s, bad: 500 ms}}, rate: 40 kbit/s,
      queue: 30 packets, delay: {uniform: {from: 10 ms, to: 30 ms}}}
  n: [{delay: 10 ms, mtu: 600 B}, {nat: {udp: 20 s, tcp: 40 s, rebind_every: 60 s}}]
servers:
  s: {service_time: {mqtt: {connection: 20 ms, message: 5 ms, packet: 2 ms, byte: 10 us}},
    workers: 2, queue: 10 kB}
fleet:
  d: {count: 3, path: p, server: s}
  m: {count: 20, simulate: 3, path: n, server: s}
traffic:
  a: {from: d, report: 100 B, every: 3 s, spread: 2 s, start: 1 s, burst: 2}
  b: {to: d, command: 40 B, every: 6 s, batch: 2, within: 2 s}
  c: {from: m, report: {json: {heart_rate: 72}, size: 90 B}, every: 25 s, arrivals: poisson}
  e: {from: 40 % of m, round_trip: 40 B, every: 20 s}
events:
  - {start: 100 s, restart: s, for: 5 s}
  - {start: 120 s, power_cut: 50 % of d, for: 10 s, spread: 3 s}
  - {start: 150 s, outage: n, for: 10 s}
  - {start: 170 s, new_address: d}
  - {start: 190 s, change_path: d, to: n}
  - {every: 70 s, times: own, outage: m, for: 3 s}
  - {every: 90 s, arrivals: poisson, times: own, new_address: 40 % of m}
faults:
  - {drop: mqtt.PUBACK, nth: 7}
stacks: [mqtt]
repeat: 1
"""

_DATAGRAMS = """study: datagrams
duration: 6 min
measure: {drain: 5 min, overload: allow}
paths:
  p:
    up: {rate: 20 kbit/s, queue: 2 kB, loss: 1 %,
      outages: [{start: 50 s, for: 5 s, every: 100 s}]}
    down: {rate: 3 kbit/s, queue: 3 packets, duplicate: 1 %, corrupt: 1 %}
  n: [{delay: 10 ms}, {nat: {udp: 20 s, tcp: 40 s}}]
fleet: {d: {count: 3, path: p}, m: {count: 6, path: n}}
traffic:
  a: {from: d, report: 400 B, every: 3 s, spread: 2 s, burst: 12}
  b: {to: m, command: 40 B, every: 30 s, burst: 9}
  c: {to: d, pull: 400 B, every: 9 s, burst: 9}
  e: {from: m, report: 40 B, every: 45 s}
events:
  - {start: 150 s, restart: d, for: 10 s, spread: 30 s, survives: sessions}
  - {start: 200 s, outage: n.link, for: 10 s}
stacks: [coap/dtls dtls.resume=session_id nstart=20]
servers:
  s: {service_time: {coap/dtls: {connection: 90 ms, resumption: 20 ms, message: 1 ms}}}
repeat: 1
"""

_RADIO = """study: radio
duration: 3 h
measure: {drain: 10 min, overload: allow}
paths: {p: {nbiot: {coupling_loss: {130 dB: 50 %, 150 dB: 50 %}}}}
fleet: {d: {count: 400, simulate: 4, path: p, energy: {battery: 5 Wh, self_discharge: 1 %}}}
traffic: {a: {from: d, report: 50 B, every: 20 min}, b: {to: d, command: 20 B, every: 30 min}}
stacks: [coap]
repeat: 1
"""

_DEVICES = """study: devices
duration: 2 min
measure: {drain: 1 min, overload: allow}
paths: {p: {delay: 20 ms, rate: 200 kbit/s, loss: 5 %}, q: {delay: 30 ms}}
servers: {s: {}, g: {forwards: {to: s, path: q, stack: mqtt, batch: 3, wait: 9 s}}}
fleet: {d: {count: 3, path: p, server: g, device: esp8266}}
traffic: {a: {from: d, report: 200 B, every: 3 s, burst: 4}}
events: [{start: 40 s, outage: q, for: 20 s}]
compare: {fleet.d.stack: [mqtt/tls tls.resume=ticket]}
repeat: 1
"""

_CONSTRAINED = """study: constrained
duration: 1 min
measure: {drain: 1 min, overload: allow}
paths: {p: {delay: 20 ms, rate: 200 kbit/s, loss: 2 %}}
servers: {s: {device: {profile: esp8266, reading: all, message: 5 ms, byte: 20 us, watchdog: off}}}
fleet: {d: {count: 7, path: p, device: {profile: esp8266, message: 30 ms}}}
traffic:
  a: {to: d, download: 3 kB, every: 10 s, resource: state, burst: 2}
  b: {from: d, report: 2 kB, every: 9 s, burst: 2}
events: [{start: 30 s, restart: d, for: 10 s}]
stacks: [http connection=per_message]
repeat: 1
"""

_SECURED = """study: secured
duration: 2 min
measure: {drain: 1 min, overload: allow}
paths: {p: {delay: 20 ms, rate: 200 kbit/s, loss: 2 %}}
servers: {s: {device: {profile: esp8266, watchdog: off}}}
fleet: {d: {count: 3, path: p, device: esp8266}}
traffic: {a: {from: d, report: 100 B, every: 25 s, spread: 25 s}}
events:
  - {start: 60 s, restart: d, for: 2 s, survives: sessions}
  - {start: 90 s, restart: s, for: 2 s, survives: sessions}
stacks: [http/tls connection=per_message tls.resume=ticket]
repeat: 1
"""

_CACHED = """study: cached
duration: 4 min
measure: {drain: 1 min, overload: allow}
paths: {p: {delay: 5 ms}, q: {delay: 20 ms}}
servers:
  valve: {device: {profile: esp8266, reading: all, message: 5 ms, watchdog: off}}
  proxy: {forwards: {to: valve, path: q, stack: coap max_age=10s changes=20s, cache: 64 kB}}
fleet: {d: {count: 3, path: p, server: proxy, stack: http}}
traffic:
  a: {to: d, download: 45 B, every: 4 s, resource: valve}
  b: {from: d, report: 20 B, every: 200 s, resource: valve}
events: [{start: 50 s, outage: q, for: 100 s}]
repeat: 1
"""

_COMMANDED = """study: commanded
duration: 1 min
measure: {drain: 1 min, overload: allow}
paths: {p: {delay: 20 ms, rate: 200 kbit/s, loss: 5 %}}
servers: {s: {device: {profile: esp8266, watchdog: off}}}
fleet: {d: {count: 3, path: p, device: {profile: esp8266, reading: all}}}
traffic:
  a: {to: d, command: 40 B, every: 4 s, burst: 9}
  b: {from: d, report: 40 B, every: 4 s, burst: 9}
stacks: [mqtt]
repeat: 1
"""

_EXHAUSTED = _SECURED.replace("100 B, every: 25 s, spread: 25 s", "2 kB, every: 9 s, burst: 4")

STUDIES: Mapping[str, str] = {
    "wired": _WIRED,
    "datagrams": _DATAGRAMS,
    "radio": _RADIO,
    "devices": _DEVICES,
    "constrained": _CONSTRAINED,
    "secured": _SECURED,
    "exhausted": _EXHAUSTED,
    "cached": _CACHED,
    "commanded": _COMMANDED,
}
"""In these all keys stand that are held."""


def leaves(value: object, place: Place = ()) -> Iterator[tuple[Place, object]]:
    """Give the values of a document with their places."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, (*place, key))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from leaves(one, (*place, number))
    else:
        yield place, value


WITHOUT_EFFECT: Mapping[str, str] = {
    "groups[].device.connections": "a device of a group has one connection to each server",
}
"""Keys that change nothing in these studies, and why."""

NOT_VARIED: Mapping[str, Callable[[str], bool]] = {
    "options of stacks, which `option_effects` varies": lambda key: key.startswith("stacks."),
    "settings of the radio, which the tests of lasthop_nbiot hold": lambda key: ".nbiot." in key,
}
"""Keys that are left out here, by the reason."""

WORDS: Mapping[str, tuple[str, ...]] = {
    "resource": ("other",),
    "survives": ("sessions",),
    "kind": ("report", "round_trip", "drop", "duplicate", "delay"),
    "session": ("per_message", "established"),
    "message": ("mqtt.PUBLISH", "coap.NON", "coap.CON"),
    "messages": ("summed",),
    "direction": ("down", "up"),
    "scope": ("group", "all"),
    "reading": ("all", "first_message_only"),
    "profile": ("bg96", "sara_n2"),
    "like": ("linux", "lwip"),
    "layout": ("per_device",),
    "fields": ('{"heart_rate":72,"steps":9}',),
}
"""Other values of words, by the last name of their key."""


def mutations(key: str, value: object, spec: Spec) -> list[object]:
    """Give other values of a kind, the nearest first."""
    match value:
        case None | str():
            last = key.rpartition(".")[2].removesuffix("[]")
            names = [*spec["paths"], *(it["name"] for it in (*spec["groups"], *spec["servers"]))]
            hops = [hop["name"] for path in spec["paths"].values() for hop in path["hops"]]
            orders = ["mtu", "outage", "loss", "rate", "delay", "corrupt", "duplicate"]
            return [*WORDS.get(last, ()), *names, *hops, *(orders if last == "order" else ())]
        case bool():
            return [not value]
        case int():
            later = [3600 * 10**9] if key.endswith("_ns") else [value // 1_000]
            return [value * 2 + 1, value // 2, value + 1, 0, 1, value * 50 + 1, *later]
        case float():
            return [value * 1.5 + 0.01, value / 2, 0.0, value * 50 + 1, value - 20, value + 20]
        case _:
            return []


def with_value(spec: Spec, place: Place, value: object) -> Spec:
    """Give a run spec with another value at a place."""
    found = deepcopy(spec)
    at: Any = found
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = value
    return found


def name_of(place: Place) -> str:
    """Give the name of a key: places in lists and names of the user stand for each other."""
    names: list[str] = []
    for number, step in enumerate(place):
        is_of_user = number == 1 and place[0] in ("paths", "stacks")
        if isinstance(step, int):
            names[-1] += "[]"
        else:
            names.append("*" if is_of_user else step)
    return ".".join(names)


def keys_without_effect(folder: Path) -> set[str]:
    """Vary each key until a run gives something else, and give those for which none does.

    A value that the run refuses is read as well.
    """
    moved, silent = set[str](), set[str]()
    for text in STUDIES.values():
        run = planned(text, folder)
        assert not isinstance(run, Refusal), run.reason
        spec, usual = json.loads(run.spec_json), simulated(run.spec_json)
        for place, value in leaves(spec):
            key = name_of(place)
            if key in moved or any(holds(key) for holds in NOT_VARIED.values()):
                continue
            others = [one for one in mutations(key, value, spec) if one != value]
            effects = (effect_of(with_value(spec, place, other), usual) for other in others)
            found = set[bool | None]()
            for effect in effects:
                found.add(effect)
                if effect:
                    moved.add(key)
                    break
            if False in found:
                silent.add(key)
    return silent - moved


def effect_of(spec: Spec, usual: Outcome) -> bool | None:
    """Whether a run spec gives other tables than usual; None where it is refused."""
    try:
        outcome = simulated(json.dumps(spec))
    except LasthopError:
        return None
    return bool(outcome.tables) and differs(usual, outcome)


def differs(one: Outcome, other: Outcome) -> bool:
    """Whether two runs give other tables."""
    if one.tables.keys() != other.tables.keys():
        return True
    return any(not table.equals(other.tables[name]) for name, table in one.tables.items())
