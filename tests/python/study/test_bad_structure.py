"""A study whose parts do not fit gets one line: stacks, sweep, traffic, path, expressions."""

from collections.abc import Callable

import pytest

BASE = "study: a\nduration: 1 min\ntraffic: {report: 40 B, every: 1 s}\n"
HEAD = BASE + "stacks: [raw_udp]\n"
NUMBERS = ",".join(map(str, range(1, 41)))
MANY = ",".join(map(str, range(1, 601)))

# Text of the study, then the message after "study.yaml:"; a star stands for anything.
CASES = {
    "a battery without a radio": (
        HEAD + "decide: {maximise: battery_years}\n",
        (
            "5:20: decide.maximise: battery_years cannot be calculated: no hop of the path is "
            "a radio with *"
        ),
    ),
    "an aim with a condition": (
        HEAD + "decide: {minimise: latency_p95 where group == 'm'}\n",
        (
            "5:20: decide.minimise: \"latency_p95 where group == 'm'\" contains more than the "
            "name of a *"
        ),
    ),
    "a requirement of energy without a radio": (
        HEAD + 'decide: {minimise: latency_p95, require: ["energy <= 5 J"]}\n',
        (
            "5:43: decide.require: energy cannot be calculated: no hop of the path is a radio "
            "with an *"
        ),
    ),
    "a battery of devices that come and go": (
        (
            "study: a\nduration: 1 min\ndevices: {arrive: 1 /s}\ntraffic: {report: 20 B}\n"
            "path: {nbiot: {base: larmo_2019}}\nstacks: [raw_udp]\n"
            "decide: {maximise: battery_years}\n"
        ),
        (
            "7:20: decide.maximise: battery_years cannot be calculated: devices that come and "
            "go are not *"
        ),
    ),
    "a moment behind the period": (
        (
            "study: a\nduration: 1 min\ntraffic: {report: 40 B, every: 1 s, at: 1 s}\n"
            "stacks: [raw_udp]\n"
        ),
        "3:41: traffic.at: 1 s is not within the period of 1 s; write less than 1 s",
    ),
    "a moment in no period": (
        (
            "study: a\nduration: 1 min\n"
            "traffic: {report: 40 B, every: 1 s, arrivals: poisson, at: 1 s}\nstacks: [raw_udp]\n"
        ),
        (
            '3:56: traffic.at: "at" is a time within a period, and this flow has no period; '
            "remove it, or *"
        ),
    ),
    "a session where devices send nothing": (
        BASE.replace("report: 40 B", "command: 40 B, session: per 10") + "stacks: [mqtt]\n",
        (
            "3:26: traffic.session: this flow cannot have a session, because the devices do "
            "not send its messages; remove it"
        ),
    ),
    "a session beforehand where devices come and go": (
        (
            "study: a\nduration: 1 h\ndevices: {arrive: 2 /min, give_up: 1 min}\n"
            "traffic: {report: 40 B, session: established}\nstacks: [mqtt/tls]\n"
            "path: {nbiot: {base: larmo_2019}}\n"
        ),
        (
            "4:34: traffic.session: devices that come and go cannot have a session before they "
            "come; write *"
        ),
    ),
    "a session beforehand on the clock of the machine": (
        BASE.replace("report: 40 B", "report: 40 B, session: established")
        + "engine: wall_clock\nstacks: [mqtt/tls]\n",
        (
            '3:34: traffic.session: "session: established" works only with "engine: virtual"; '
            'write "session: keep"'
        ),
    ),
    "a session that ends over TCP": (
        BASE.replace("report: 40 B", "report: 40 B, session: per_message") + "stacks: [raw_tcp]\n",
        (
            "3:25: traffic.session: session: per_message over TCP without MQTT is not built yet; "
            'write "session: keep"'
        ),
    ),
    "a session of DTLS that ends where messages come back": (
        BASE.replace("report: 40 B", "round_trip: 40 B, session: per_message")
        + "stacks: [coap/dtls]\n",
        (
            "3:29: traffic.session: session: per_message over DTLS for traffic other than "
            'reports is not built yet; write "session: keep"'
        ),
    ),
    "a stack twice": (
        BASE + "stacks: [raw_udp, raw_udp]\n",
        '4:19: stacks: the stack "raw_udp" is written twice; remove one of them',
    ),
    "two names of one stack": (
        BASE + "stacks: [raw_udp, raw_udp/udp]\n",
        (
            '4:19: stacks: "raw_udp/udp" and "raw_udp" are the same stack, "raw_udp/udp/ip '
            'ack=off ip.version=4"; remove one of them'
        ),
    ),
    "a default written out": (
        BASE + "stacks: [raw_udp ack=on, raw_udp ack=on ack_timeout=2000ms]\n",
        (
            '4:26: stacks: "raw_udp ack=on ack_timeout=2000ms" and "raw_udp ack=on" are the '
            "same stack, *"
        ),
    ),
    "an unknown stack": (
        BASE + "stacks: [zigbee]\n",
        '4:10: stacks: unknown stack "zigbee"; known stacks: json_udp, raw_udp, *',
    ),
    "a misspelt stack": (
        BASE + "stacks: [raw_upd]\n",
        (
            '4:10: stacks: unknown stack "raw_upd"; did you mean "raw_udp"? "lasthop stacks" '
            "lists all stacks"
        ),
    ),
    "a space before the unit of an option": (
        BASE + "stacks: [mqtt keep_alive=20 min]\n",
        '4:10: stacks: keep_alive: the value "20 min" has a space; write "keep_alive=20min"',
    ),
    "an option of a time without a unit": (
        BASE + "stacks: [mqtt keep_alive=20]\n",
        '4:10: stacks: keep_alive: "20" has no unit; write "20s"',
    ),
    "a word behind an option that has no unit": (
        BASE + "stacks: [mqtt qos=1 min]\n",
        '4:10: stacks: "min" is not an option; write options as "name=value", without spaces',
    ),
    "the hundredth percentile": (
        HEAD + "decide: {minimise: latency_p100}\n",
        '5:20: decide.minimise: unknown column "latency_p100"; did you mean latency_max, *',
    ),
    "another name of a column": (
        HEAD + "expect: [loss < 3 %]\n",
        '5:10: expect: unknown column "loss"; did you mean delivery_ratio, path.loss *lists all *',
    ),
    "an unknown option": (
        BASE + "stacks: [raw_udp akc=on]\n",
        (
            '4:10: stacks: unknown option "akc" of raw_udp/udp; did you mean "ack"? "lasthop '
            'stacks" lists all options'
        ),
    ),
    "an option of another stack": (
        BASE + "stacks: [raw_udp qos=1]\n",
        (
            '4:10: stacks: raw_udp/udp has no option "qos"; remove it, or use one of its '
            "options: ack, *"
        ),
    ),
    "an unknown value of an option": (
        BASE + "stacks: [raw_udp ack=maybe]\n",
        '4:10: stacks: ack: unknown value "maybe"; write off or on',
    ),
    "an option without effect": (
        BASE + "stacks: [raw_udp ack_timeout=2s]\n",
        (
            "4:10: stacks: ack_timeout has no effect without ack=on; add ack=on, or remove "
            "ack_timeout"
        ),
    ),
    "a flow without a name beside a fleet": (
        HEAD + "fleet: {meters: {count: 1}}\n",
        (
            '3:11: traffic.report: with a fleet, each flow needs a name; write "traffic: '
            "{index: {from: *"
        ),
    ),
    "named paths without a fleet": (
        HEAD + "paths: {cell: {loss: 1 %}}\n",
        '5:1: paths: unknown key "paths"; it can be used only with a fleet; add "fleet"',
    ),
    "a misspelt fleet beside named paths": (
        HEAD + "paths: {cell: {loss: 1 %}}\nflete: {meters: {count: 1, path: cell}}\n",
        '6:1: flete: unknown key "flete"; did you mean "fleet"?',
    ),
    "an open brace": (
        BASE + 'stacks: ["mqtt qos={0,1"]\n',
        (
            '4:10: stacks: a "{" has no matching "}"; write the values in one pair of braces, '
            'for example "qos={0,1,2}"'
        ),
    ),
    "a brace that was never opened": (
        BASE + 'stacks: ["mqtt qos=0,1}"]\n',
        (
            '4:10: stacks: a "}" has no matching "{"; write the values in one pair of braces, '
            'for example "qos={0,1,2}"'
        ),
    ),
    "braces within braces": (
        BASE + 'stacks: ["mqtt qos={0,{1,2}}"]\n',
        (
            '4:10: stacks: "{0,{1,2}" has braces inside of braces; write the values in one '
            "pair of braces, *"
        ),
    ),
    "an empty alternative": (
        BASE + 'stacks: ["mqtt qos={0,}"]\n',
        (
            '4:10: stacks: "{0,}" has an empty alternative; write the values in one pair of '
            "braces, for *"
        ),
    ),
    "an alternative twice": (
        BASE + 'stacks: ["mqtt qos={0,1,0}"]\n',
        '4:10: stacks: the alternative "0" is written twice in "{0,1,0}"; remove one of them',
    ),
    "an alternative that does not exist": (
        BASE + "stacks: [raw_udp, 'mqtt qos={2,3}']\n",
        '4:19: stacks: "mqtt qos=3": qos: unknown value "3"; write 0 or 1 or 2',
    ),
    "an alternative equal to another arm": (
        BASE + "stacks: [mqtt qos=1, 'mqtt qos={0,1}']\n",
        '4:22: stacks: the stack "mqtt qos=1" is written twice; remove one of them',
    ),
    "too many combinations": (
        BASE + f"stacks: ['coap nstart={{{NUMBERS}}} max_retransmit={{{NUMBERS}}}']\n",
        (
            "4:10: stacks: the stacks expand to 1600, and at most 1000 are possible; write "
            "fewer alternatives"
        ),
    ),
    "too many arms of several stacks": (
        BASE + f"stacks: ['coap nstart={{{MANY}}}', 'coap nstart={{{MANY}}} max_retransmit=3']\n",
        (
            "4:2319: stacks: the stacks expand to 1200, and at most 1000 are possible; write "
            "fewer alternatives"
        ),
    ),
    "no stack in a mapping": (
        BASE + "stacks: {}\n",
        "4:9: stacks: the mapping is empty; write at least one entry",
    ),
    "a name without a stack": (
        BASE + "stacks: {ours: , plain: coap}\n",
        "4:*: stacks.ours: nothing is not text; write one value here",
    ),
    "a name in a list of stacks": (
        BASE + "stacks: [mqtt, {ours: coap}]\n",
        '4:16: stacks: a list of stacks has no names; write "stacks: {ours: coap, ...}"',
    ),
    "a name for several stacks": (
        BASE + "stacks: {ours: [mqtt, coap]}\n",
        "4:16: stacks.ours: a list is not text; *",
    ),
    "a name for a stack that does not exist": (
        BASE + "stacks: {ours: mqt}\n",
        '4:16: stacks.ours: unknown stack "mqt"; did you mean "mqtt"? *',
    ),
    "a name for an alternative that does not exist": (
        BASE + "stacks: {ours: 'mqtt qos={0,3}'}\n",
        '4:16: stacks.ours: "mqtt qos=3": qos: unknown value "3"; write 0 or 1 or 2',
    ),
    "two names of stacks that are equal": (
        BASE + "stacks: {ours: coap, plain: coap/udp}\n",
        (
            '4:29: stacks.plain: "plain" and "ours" are the same stack, "coap/udp/ip type=con '
            "nstart=1 *"
        ),
    ),
    "one name of two stacks": (
        BASE + "stacks: {ours: mqtt, ours: coap}\n",
        '4:22: the key "ours" is written twice (first in line 4); remove one of them',
    ),
    "a name that alternatives have made": (
        BASE + "stacks: {ours: '{mqtt,coap}', ours coap: raw_udp}\n",
        '4:31: stacks.ours coap: two stacks have the name "ours coap"; rename one',
    ),
    "the name of another protocol": (
        BASE + "stacks: {mqtt: coap}\n",
        (
            '4:10: stacks.mqtt: the name "mqtt" is a protocol, and the stack is coap; choose a '
            "name that is *"
        ),
    ),
    "options in a name": (
        BASE + "stacks: {mqtt qos=1: mqtt qos=0}\n",
        '4:10: stacks.mqtt qos=1: "mqtt qos=1" is not a name; write letters, digits, *',
    ),
    "a quote in a name": (
        BASE + 'stacks: {"it\'s": coap}\n',
        "4:10: stacks.it's: \"it's\" is not a name; write letters, digits, *",
    ),
    "a line break in a name": (
        BASE + 'stacks: {"a\\nb": coap}\n',
        '4:10: stacks.a\\nb: "a\\nb" is not a name; write letters, digits, *',
    ),
    "a name of nothing": (
        BASE + 'stacks: {"": coap}\n',
        '4:10: stacks.: "" is not a name; write letters, digits, *',
    ),
    "a name that ends with a space": (
        BASE + 'stacks: {"ours ": coap}\n',
        '4:10: stacks.ours : "ours " is not a name; write letters, digits, *',
    ),
    "a name of 41 characters": (
        BASE + f"stacks: {{{'x' * 41}: coap}}\n",
        (
            "4:10: stacks.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: the name has 41 "
            "characters; write at *"
        ),
    ),
    "an amount for a name": (
        BASE + "stacks: {5 ms: coap}\n",
        (
            '4:10: stacks.5 ms: "5 ms" looks like an amount and cannot be a name; write '
            'another name, for example "bad"'
        ),
    ),
    "a flow by name": (
        HEAD.replace("{report: 40 B, every: 1 s}", "{index: {from: meters, report: 96 B}}"),
        (
            '3:11: traffic.index: a flow can have a name, such as "index", only with a fleet; '
            "write one *"
        ),
    ),
    "a NAT for TCP alone": (
        HEAD + "path: {nat: {tcp: 1 h}}\n",
        '5:13: path.nat: the key "udp" is missing; write "udp: 120 s"',
    ),
    "sweeping an unknown key": (
        HEAD + "sweep: [{name: x, path.los: [1 %]}]\n",
        '5:19: sweep.path.los: unknown key "path.los"; did you mean "path.loss"?',
    ),
    "sweeping stacks": (
        HEAD + "sweep: [{name: x, stacks: [raw_udp]}]\n",
        '5:19: sweep.stacks: "stacks" cannot be swept; list the arms in "stacks"',
    ),
    "a sweep that is no list": (
        HEAD + "sweep: {path.loss: [1 %, 2 %]}\n",
        '5:8: sweep: * list of grids, *; write "sweep: [{name: loss, path.loss: [..]}]"',
    ),
    "sweeping the clock": (
        HEAD + "sweep: [{name: x, engine: [virtual, wall_clock]}]\n",
        (
            '5:19: sweep.engine: "engine" cannot be swept; a study has one engine; write two '
            "studies, and *"
        ),
    ),
    "traffic that starts when the run has ended": (
        HEAD.replace("every: 1 s", "every: 1 s, start: 1 min"),
        (
            "3:44: traffic.start: it starts after the end of the run at 1 min; write an "
            "earlier start, or a *"
        ),
    ),
    "sweeping a key and one below it": (
        HEAD + "sweep: [{name: x, path.delay: [1 ms], path.delay.around: [1 ms]}]\n",
        (
            '5:39: sweep.path.delay.around: "path.delay.around" is a part of "path.delay", '
            "which is swept *"
        ),
    ),
    "a wrong value of a sweep": (
        HEAD + "sweep: [{name: x, path.loss: [1 %, 2]}]\n",
        '5:36: path.loss: "2" has no unit; write "2 %"',
    ),
    "a value swept twice": (
        HEAD + "sweep: [{name: x, path.loss: [1 %, 1.0 %]}]\n",
        (
            '5:9: sweep: two points of the part "x" have equal settings; remove the value that '
            "is written twice"
        ),
    ),
    "a sweep without a list": (
        HEAD + "sweep: [{name: x, path.loss: 1 %}]\n",
        (
            '5:30: sweep.path.loss: "1 %" is not a list; write the values in brackets, for '
            "example [1, 2], *"
        ),
    ),
    "a sweep of nothing": (
        HEAD + "sweep: [{name: x, path.loss: {}}]\n",
        "5:30: sweep.path.loss: the mapping is empty; write at least one value",
    ),
    "a swept mapping without brackets": (
        HEAD + "sweep: [{name: x, path.loss: {gilbert_elliott: {good: 1 min, bad: 3 s}}}]\n",
        (
            '5:31: sweep.path.loss.gilbert_elliott: "gilbert_elliott" is a key below "path.loss", '
            "not the name of a value; write the values in brackets, or choose another name"
        ),
    ),
    "a named value without a unit": (
        HEAD + "sweep: [{name: x, path.loss: {good: 1 %, bad: 2}}]\n",
        '5:47: path.loss: "2" has no unit; write "2 %"',
    ),
    "two names of one value": (
        HEAD + "sweep: [{name: x, path.loss: {good: 1 %, fine: 1.0 %}}]\n",
        (
            '5:9: sweep: two points of the part "x" have equal settings; remove the value that '
            "is written twice"
        ),
    ),
    "an amount for the name of a value": (
        HEAD + "sweep: [{name: x, path.delay: {10 ms: 100 ms}}]\n",
        (
            '5:32: sweep.path.delay.10 ms: "10 ms" looks like an amount and cannot be a name; '
            "write another *"
        ),
    ),
    "a percent sign in the name of a value": (
        HEAD + "sweep: [{name: x, path.loss: {10 %: 20 %}}]\n",
        '5:31: sweep.path.loss.10 %: "10 %" is not a name; write letters, digits, *',
    ),
    "the name of an amount in an expression": (
        HEAD + "sweep: [{name: x, path.loss: {good: 1 %, bad: 2 %}}]\n"
        "expect: [\"delivery_ratio >= 99 % where path.loss == 'good'\"]\n",
        (
            '6:10: expect: path.loss is a number in this study, and "good" is text; write '
            "a number with its unit, without quotes"
        ),
    ),
    "a sweep below a plain value": (
        HEAD + "path: {delay: 10 ms}\nsweep: [{name: x, path.delay.around: [10 ms]}]\n",
        (
            '6:39: path.delay.around: path.delay is "10 ms" in the study, so it has no key '
            'path.delay.around; write "path.delay: {around: 100 ms, spread: 20 %}" in the '
            "study"
        ),
    ),
    "two parts of one name": (
        HEAD + "sweep: [{name: x}, {name: x}]\n",
        '5:27: sweep.name: two parts have the name "x"; rename one',
    ),
    "a part without a name": (
        HEAD + "sweep: [{path.loss: [1 %]}]\n",
        '5:9: sweep: the key "name" is missing; write "name: loss"',
    ),
    "a grid above the limit": (
        HEAD
        + "repeat: 10000\nsweep: [{name: x, path.loss: [0%,1%,2%,3%,4%,5%,6%,7%,8%,9%,10%]}]\n",
        (
            "6:8: sweep: 11 points x 1 stacks x 10000 repetitions are 110000 runs, "
            "more than 100000; sweep fewer values or repeat less"
        ),
    ),
    "a huge integer": (HEAD + f"repeat: {'9' * 400}\n", "5:9: repeat: * is not a whole number; *"),
    "a large integer": (HEAD + "repeat: 999999999\n", "5:9: repeat: * is too large; write 10000*"),
    "a huge time": (
        HEAD.replace("1 min", "9" * 30 + " d"),
        '2:11: duration: * is more than 3650 d; write "3650 d" or less',
    ),
    "too many messages": (
        HEAD.replace("1 s}", "1 ns}"),
        "3:32: traffic.every: a device would send *",
    ),
    "a quoted count": (HEAD + "repeat: '3'\n", '5:9: repeat: "3" is not a whole number; *'),
    "a broken count": (HEAD + "repeat: 2.5\n", '5:9: repeat: "2.5" is not a whole number; *'),
    "a truth value for a count": (HEAD + "repeat: true\n", '5:9: repeat: "true" is not a whole*'),
    "no repetition": (HEAD + "repeat: 0\n", '5:9: repeat: "0" is too small; write 1 or more'),
    "no stacks": (
        BASE + "stacks: []\n",
        "4:9: stacks: the list is empty; write at least one entry",
    ),
    "a missing key": (
        BASE,
        '1:1: the key "stacks" is missing; write "stacks: [raw_udp, raw_udp ack=on]"',
    ),
    "a missing nested key": (
        HEAD.replace(", every: 1 s", ""),
        '3:10: traffic: the key "every" is missing; write "every: 250 ms"',
    ),
    "a key without a value": (
        HEAD + "path:\n",
        '5:1: path: the key has no value; write "path: {loss: 10 %, delay: 100 ms}"',
    ),
    "text for a mapping": (HEAD + "path: fast\n", '5:7: path: "fast" is not a mapping; write {*'),
    "nothing is sent": (
        HEAD.replace("report: 40 B, ", ""),
        (
            '3:10: traffic: the message is missing; write "round_trip: 409 B", "report: 409 B" '
            'or "command: 409 B"'
        ),
    ),
    "two ways at once": (
        HEAD.replace("40 B,", "40 B, command: 40 B,"),
        "3:25: traffic.command: both report and command are given; keep one of them",
    ),
    "a payload without room for its number": (
        HEAD.replace("40 B", "4 B"),
        '3:19: traffic.report: "4 B" is too small; write "8 B" or more',
    ),
    "a payload above a datagram": (
        HEAD.replace("40 B", "61 kB"),
        '3:19: traffic.report: a payload of 61000 B is more than 60000 B; write "60 kB" or less',
    ),
    "a list among JSON fields": (
        HEAD.replace("40 B", "{json: {a: [1]}}"),
        "3:30: traffic.report.json.a: a list is not a number, *",
    ),
    "JSON fields above their size": (
        HEAD.replace("40 B", "{json: {abcdef: 123456}, size: 10 B}"),
        (
            "3:50: traffic.report.size: the fields and the message id need 33 B, or 42 B and "
            "more with *"
        ),
    ),
    "a JSON field of the simulator": (
        HEAD.replace("40 B", "{json: {id: 1}}"),
        '3:27: traffic.report.json.id: the field name "id" is reserved by lasthop; rename it',
    ),
    "too many messages of all devices": (
        HEAD.replace("1 s}", "10 us}") + "devices: 1000\n",
        "3:32: traffic.every: a run would send 6000000000 messages, more than 1000000000; *",
    ),
    "a burst state that is over at once": (
        HEAD + "path: {loss: {gilbert_elliott: {good: 1 s, bad: 5 ns}}}\n",
        '5:49: path.loss.gilbert_elliott.bad: "5 ns" is too small; write "1 us" or more',
    ),
    "an interval of nothing": (
        HEAD.replace("1 s}", "0 s}"),
        '3:32: traffic.every: "0 s" is too small; write for example "250 ms"',
    ),
    "a delay without a spread": (
        HEAD + "path: {delay: {around: 5 ms}}\n",
        '5:15: path.delay: the key "spread" is missing; write "spread: 20 %"',
    ),
    "two kinds of delay": (
        HEAD + "path: {delay: {around: 5 ms, spread: 1 %, pareto: {minimum: 1 ms, shape: 2.5}}}\n",
        "5:15: path.delay: both around and pareto are given; write one of around, *",
    ),
    "half a burst process": (
        HEAD + "path: {loss: {gilbert_elliott: {good: 1 s}}}\n",
        '5:32: path.loss.gilbert_elliott: the key "bad" is missing; write "bad: 500 ms"',
    ),
    "both burst processes": (
        HEAD + "path: {loss: {gilbert_elliott: {good: 1 s, to_bad: 1 %}}}\n",
        (
            "5:32: path.loss.gilbert_elliott: mean times and probabilities per packet cannot "
            "be mixed; *"
        ),
    ),
    "a packet counted from 0": (
        HEAD + "path: {loss: {packets: [0]}}\n",
        '5:25: path.loss.packets: "0" is too small; write 1 or more',
    ),
    "a key of both ways in one": (
        HEAD + "path: {up: {shared: on}}\n",
        (
            '5:13: path.up.shared: unknown key "shared"; it is the same in both '
            'directions; write it as "path.shared"'
        ),
    ),
    "a fault in one direction": (
        HEAD + "path: {loss: 1 %, up: {loss: 2}}\n",
        '5:30: path.up.loss: "2" has no unit; write "2 %"',
    ),
    "a shared link without a rate": (
        HEAD + "path: {shared: on}\n",
        '5:16: path.shared: a shared link needs a rate; write "rate: 50 kbit/s"',
    ),
    "a shared link with two rates": (
        HEAD + "path: {shared: on, up: {rate: 1 kB/s}, down: {rate: 2 kB/s}}\n",
        (
            "5:25: path.up.rate: a shared link has the same rate in both directions; write "
            'it once, as "path.rate"'
        ),
    ),
    "a queue without a rate": (
        HEAD + "path: {queue: 3 kB}\n",
        (
            '5:8: path.queue: "queue" has no effect without a rate; add "rate: 50 kbit/s", or '
            "remove it"
        ),
    ),
    "a mean below the minimum": (
        HEAD + "path: {delay: {exponential: {minimum: 80 ms, mean: 50 ms}}}\n",
        '5:52: path.delay.exponential.mean: the mean is below the minimum; write "80 ms" or more',
    ),
    "other traffic without a rate": (
        HEAD + "path: {background: {share: 60 %, packet: 500 B}}\n",
        (
            '5:8: path.background: "background" has no effect without a rate; add "rate: 50 '
            'kbit/s", or remove it'
        ),
    ),
    "other traffic of no amount": (
        HEAD + "path: {rate: 1 MB/s, background: {packet: 500 B}}\n",
        (
            '5:34: path.background: the amount of background traffic is missing; write "share: '
            '60 %" or "rate: 30 kbit/s"'
        ),
    ),
    "other traffic of two amounts": (
        HEAD + "path: {rate: 1 MB/s, background: {share: 9 %, rate: 9 kB/s, packet: 500 B}}\n",
        "5:34: path.background: both share and rate are given; *",
    ),
    "other traffic of nothing": (
        HEAD + "path: {rate: 1 MB/s, background: {share: 0 %, packet: 500 B}}\n",
        (
            "5:42: path.background.share: a share of 0 % is no traffic; remove the background, "
            'or write "share: 60 %"'
        ),
    ),
    "other traffic in packets above the MTU": (
        HEAD + "path: {rate: 1 MB/s, background: {share: 9 %, packet: 2 kB}}\n",
        "5:55: path.background.packet: its packets are larger than the MTU of 1500 B; *",
    ),
    "other traffic without a moment between": (
        HEAD + "path: {rate: 8 Gbit/s, background: {share: 90 %, packet: 20 B}}\n",
        "5:36: path.background: a packet of 20 B every 22 ns; *",
    ),
    "an unknown impairment": (
        HEAD + "path: {order: [loss, rat]}\n",
        '5:22: path.order: unknown impairment "rat"; did you mean "rate"?',
    ),
    "an impairment twice": (
        HEAD + "path: {order: [loss, loss]}\n",
        '5:22: path.order: "loss" is written twice; remove one',
    ),
    "an unknown word": (
        HEAD + "path: {rate: 1 kB/s, rate_kind: leaky}\n",
        '5:33: path.rate_kind: unknown value "leaky"; write "token_bucket" or "serial"',
    ),
    "neither on nor off": (
        HEAD + "path: {reordering: maybe}\n",
        '5:20: path.reordering: "maybe" is neither on nor off; write "on" or "off"',
    ),
    "a trace that is not there": (
        HEAD + "path: {delay: {trace: none.csv}}\n",
        (
            '5:23: path.delay.trace: the file "none.csv" cannot be read; write the name of a '
            "CSV file in the folder of the study"
        ),
    ),
    "a trace of the machine": (
        HEAD + "path: {delay: {trace: /etc/passwd}}\n",
        (
            '5:23: path.delay.trace: the file "/etc/passwd" is outside the folder of the '
            "study; move it *"
        ),
    ),
    "an outage that never ends": (
        HEAD + "path: {outages: [{start: 1 s, for: 5 s, every: 5 s}]}\n",
        (
            "5:48: path.outages.every: the next outage begins before the last one has ended; "
            "write a longer *"
        ),
    ),
    "an unknown column to rank by": (
        HEAD + "decide: {minimise: latency_p5}\n",
        (
            '5:20: decide.minimise: unknown column "latency_p5"; did you mean latency_p95, '
            'latency_p50 or latency_p99? "lasthop columns" lists all columns'
        ),
    ),
    "an unknown part to decide by": (
        HEAD + "decide: {minimise: latency_p50, part: b}\n",
        '5:39: decide.part: there is no part "b"; known parts: base',
    ),
    "an expectation about no stack": (
        HEAD + "expect: [\"delivery_ratio == 1 where stack == 'mqtt'\"]\n",
        '5:10: expect: no stack of the study is "mqtt"; known stacks: raw_udp',
    ),
    "an expectation about a key that is not swept": (
        HEAD + "expect: ['delivery_ratio == 1 where path.loss < 2 %']\n",
        "5:10: expect: path.loss is not swept; write a key that the study sweeps: nothing",
    ),
    "an expectation without a unit": (
        HEAD + "expect: ['latency_p95 < 2']\n",
        '5:10: expect: "2" has no unit; write "2 ms"',
    ),
    "a warm-up as long as the study": (
        HEAD + "measure: {warm_up: 1 min}\n",
        "5:20: measure.warm_up: the warm-up is as long as the duration; *",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_study_that_does_not_fit_gets_one_line(
    name: str, refused: Callable[[str, str], None]
) -> None:
    refused(*CASES[name])
