"""A fleet whose parts do not fit gets one line, with the place and the nearest name."""

from collections.abc import Callable

import pytest

STUDY = """\
study: fleet
duration: 10 min
stacks: [coap, mqtt qos=1]
fleet:
  meters: {count: 6, path: cell, server: head_end}
  alarms: {count: 5, path: home, server: head_end, stack: mqtt qos=1}
paths:
  cell: [{nbiot: {coupling_loss: {144 dB: 80 %, 164 dB: 20 %}}}, {nat: {udp: 30 s}}]
  home: {loss: 1 %, rate: 1 Mbit/s}
servers: {head_end: {}, archive: {}}
traffic:
  index: {from: meters, report: 96 B, every: 1 min}
  ring: {from: alarms, round_trip: 20 B, every: 10 s}
"""

# What is replaced in the study, by what, and the message after "study.yaml:".
CASES = {
    "an unknown path": (
        "path: cell",
        "path: cel",
        '5:28: fleet.meters.path: there is no path "cel"; did you mean "cell"?',
    ),
    "an unknown server": (
        "path: cell, server: head_end",
        "path: cell, server: head_and",
        '5:42: fleet.meters.server: there is no server "head_and"; did you mean "head_end"?',
    ),
    "no path named where there are several": (
        "path: cell, ",
        "",
        (
            '5:11: fleet.meters: the key "path" is missing, and the study has 2 paths; write '
            '"path: cell"'
        ),
    ),
    "an unknown group in a flow": (
        "from: meters",
        "from: meter",
        '12:17: traffic.index.from: there is no group "meter"; did you mean "meters"?',
    ),
    "an unknown server in a flow": (
        "from: meters,",
        "from: meters, to: archives,",
        '12:29: traffic.index.to: there is no server "archives"; did you mean "archive"?',
    ),
    "a report from a server": (
        "from: meters",
        "from: archive",
        (
            '12:17: traffic.index.from: a report comes from devices, but "archive" is a '
            'server; write the name of a group, or "command: 40 B"'
        ),
    ),
    "an echo from a group": (
        "from: alarms,",
        "from: alarms, to: meters,",
        (
            "13:28: traffic.ring.to: both ends are groups, but one end of a round_trip is a "
            "server; write *"
        ),
    ),
    "a stack for a server that the group does not talk to": (
        "stack: mqtt qos=1",
        "stack: mqtt qos=1, stacks: {archive: coap}",
        (
            "6:80: fleet.alarms.stacks.archive: the devices of alarms do not use the "
            'server "archive"; *'
        ),
    ),
    "an unknown stack for a server": (
        "stack: mqtt qos=1",
        "stack: mqtt qos=1, stacks: {head_end: cop}",
        '6:*: fleet.alarms.stacks.head_end: unknown stack "cop"; did you mean "coap"? *',
    ),
    "two versions of IP at one server": (
        "stack: mqtt qos=1",
        "stack: mqtt ip.version=6",
        (
            "10:21: servers.head_end: head_end has one IP version, but coap and mqtt "
            "ip.version=6 need *"
        ),
    ),
    "a report to its own group": (
        "from: meters,",
        "from: meters, to: meters,",
        (
            "12:29: traffic.index.to: the group meters would send reports to itself; write a "
            "server or another group"
        ),
    ),
    "a report to a share of a group": (
        "from: meters,",
        "from: meters, to: 10 % of alarms,",
        (
            '12:29: traffic.index.to: a report cannot go to a share of a group; write "to: '
            'alarms" for one device in turn, or "to: all of alarms"'
        ),
    ),
    "a flow that names no server where the group has none": (
        "path: cell, server: head_end",
        "path: cell",
        (
            "5:11: fleet.meters: the server of meters is missing, and the study has 2 "
            'servers; write "server: head_end"'
        ),
    ),
    "a flow from a server to nobody": (
        "from: meters, report: 96 B",
        "from: head_end, command: 40 B",
        '12:10: traffic.index: the group that the command goes to is missing; write "to: meters"',
    ),
    "a report from nobody": (
        "from: meters, ",
        "",
        (
            "12:10: traffic.index: the group that the report comes from is missing; write "
            '"from: meters"'
        ),
    ),
    "a share of nobody": (
        "from: meters",
        "from: 0 % of meters",
        '12:17: traffic.index.from: "0 % of meters" is no device; write "1 % of meters" or more',
    ),
    "a share that is none": (
        "from: meters",
        "from: 10 of meters",
        '12:17: traffic.index.from: "10" has no unit; write "10 %"',
    ),
    "more than all": (
        "from: meters",
        "from: 110 % of meters",
        '12:17: traffic.index.from: "110 %" is more than 100 %; write "100 %" or less',
    ),
    "shares that do not sum to all": (
        "164 dB: 20 %",
        "164 dB: 15 %",
        (
            "8:34: paths.cell.nbiot.coupling_loss: the shares sum to 95 %, not to 100 %; "
            'write shares that sum to 100 %, for example "{144 dB: 80 %, ..: 20 %}"'
        ),
    ),
    "a stratum that stands twice": (
        "{144 dB: 80 %, 164 dB: 20 %}",
        "{144 dB: 80 %, 144.0 dB: 20 %}",
        (
            "8:49: paths.cell.nbiot.coupling_loss.144.0 dB: 144 dB is written twice; remove "
            "one of them"
        ),
    ),
    "a stratum with 0 % has no devices": (
        "{144 dB: 80 %, 164 dB: 20 %}",
        "{144 dB: 100 %, 164 dB: 0 %}",
        (
            "8:58: paths.cell.nbiot.coupling_loss.164 dB: a stratum with 0 % has no devices; "
            "remove it"
        ),
    ),
    "a stratum without a unit": (
        "{144 dB: 80 %",
        "{144: 80 %",
        '8:35: paths.cell.nbiot.coupling_loss.144: "144" has no unit; write "144 dB"',
    ),
    "more strata than devices": (
        "count: 6",
        "count: 6, minimum: 4",
        (
            "5:19: fleet.meters.count: 2 strata with at least 4 devices each need 8 "
            "devices, but only 6 are simulated; simulate 8 or more"
        ),
    ),
    "more simulated than there are": (
        "count: 6",
        "count: 6, simulate: 7",
        (
            "5:32: fleet.meters.simulate: 7 devices are more than the 6 of the group; write 6 "
            "or less"
        ),
    ),
    "more devices than can be simulated": (
        "count: 6",
        "count: 200000",
        (
            "5:19: fleet.meters.count: 200000 devices are more than the 100000 that can be "
            'simulated; simulate a part of them, for example "simulate: 600"'
        ),
    ),
    "a network behind another hop": (
        "cell: [{nbiot: {coupling_loss: {144 dB: 80 %, 164 dB: 20 %}}}, {nat: {udp: 30 s}}]",
        "cell: [{delay: 1 ms}, {nbiot: {coupling_loss: 144 dB}}]",
        (
            "8:26: paths.cell.nbiot: a radio network must be the first hop of a path, "
            "because the radio is in the device; move it to the front"
        ),
    ),
    "an own link behind a shared one": (
        "home: {loss: 1 %, rate: 1 Mbit/s}",
        "home: [{scope: all, rate: 1 Mbit/s}, {scope: own, delay: 5 ms}]",
        (
            '9:40: paths.home: a hop of scope "own" cannot follow a hop of scope all, '
            'which several devices share; write "scope: all", or move the hop before it'
        ),
    ),
    "an own link behind an address that all share": (
        "home: {loss: 1 %, rate: 1 Mbit/s}",
        "home: [{nat: {udp: 30 s}, scope: all}, {scope: own, delay: 5 ms}]",
        (
            '9:42: paths.home: a hop of scope "own" cannot follow a hop of scope all, '
            'which several devices share; write "scope: all", or move the hop before it'
        ),
    ),
    "an address of each device behind one that all share": (
        "{nat: {udp: 30 s}}]",
        "{nat: {udp: 30 s}, scope: all}, {nat: {udp: 30 s}, name: inner}]",
        (
            '8:104: paths.cell.nat: a hop of scope "own" cannot follow a hop of scope all, '
            "which several *"
        ),
    ),
    "a NAT without ports": (
        "{nat: {udp: 30 s}}]",
        "{nat: {udp: 30 s, ports: 0}}]",
        "8:*: paths.cell.nat.ports: *",
    ),
    "more ports than an address has": (
        "{nat: {udp: 30 s}}]",
        "{nat: {udp: 30 s, ports: 65536}}]",
        "8:*: paths.cell.nat.ports: *",
    ),
    "a hop that is none": (
        "{nat: {udp: 30 s}}]",
        "{name: nothing}]",
        (
            '8:66: paths.cell: the hop is empty; write "{delay: 20 ms}", "{nat: {udp: 120 s}}" '
            'or "{nbiot: ..}"'
        ),
    ),
    "two hops of one name": (
        "home: {loss: 1 %, rate: 1 Mbit/s}",
        "home: [{loss: 1 %, name: wan}, {delay: 5 ms, name: wan}]",
        (
            '9:34: paths.home: two hops have the name "wan"; give one of them another name, '
            'for example "name: wan"'
        ),
    ),
    "a hop with the name of a path": (
        "home: {loss: 1 %, rate: 1 Mbit/s}",
        "home: {loss: 1 %}\n  other: [{loss: 1 %, name: home}]",
        (
            '10:11: paths.other: two hops have the name "home"; give one of them another name, '
            'for example "name: wan"'
        ),
    ),
    "a fleet that is a number": (
        "servers: {head_end: {}, archive: {}}",
        "servers: 2",
        '10:10: servers: "2" is not a mapping of names; write "servers: {head_end: {}}"',
    ),
    "an empty list of hops": (
        "home: {loss: 1 %, rate: 1 Mbit/s}",
        "home: []",
        "9:9: paths.home: the list is empty; write at least one entry",
    ),
    "an unknown profile": (
        "home: {loss: 1 %",
        "home: {profile: lte_roamin",
        '9:19: paths.home.profile: there is no profile "lte_roamin"; did you mean "lte_roaming"?',
    ),
    "a port that is used twice": (
        "{head_end: {}",
        "{head_end: {services: {mqtt: 5683, coap/tcp: 5683}}",
        (
            "10:32: servers.head_end.services: port 5683 is used twice, by mqtt/tcp and "
            "coap/tcp; give one of them another port"
        ),
    ),
    "a port that another protocol has": (
        "servers: {head_end: {}",
        (
            "compare: {fleet.meters.stack: [raw_tcp]}\n"
            "servers: {head_end: {services: {raw_tcp: 1883}}"
        ),
        (
            "11:32: servers.head_end.services: port 1883 of head_end is used twice, by raw_tcp/tcp "
            "and mqtt/tcp; *"
        ),
    ),
    "an unknown protocol of a server": (
        "{head_end: {}",
        "{head_end: {services: {mqt: 1883}}",
        '10:33: servers.head_end.services.mqt: unknown stack "mqt"; did you mean "mqtt"? *',
    ),
    "a layer order that cannot be": (
        "stack: mqtt qos=1",
        "stack: mqtt/udp",
        (
            '6:59: fleet.alarms.stack: mqtt does not run over "udp"; write one of: mqtt/tcp, '
            "mqtt/tls/tcp, *"
        ),
    ),
    "several stacks for one group": (
        "stack: mqtt qos=1",
        'stack: "mqtt qos={0,1}"',
        (
            '6:59: fleet.alarms.stack: "mqtt qos={0,1}" expands to 2 stacks; write one stack, '
            "or list them *"
        ),
    ),
    "an event after the end": (
        "servers:",
        "events: [{start: 10 min, outage: head_end, for: 1 min}]\nservers:",
        (
            "10:18: events.start: the event is after the end of the run at 10 min; write an "
            "earlier start, or a longer duration"
        ),
    ),
    "an outage of nothing": (
        "servers:",
        "events: [{start: 5 min, outage: head_and, for: 1 min}]\nservers:",
        (
            '10:33: events.outage: there is no server, path, hop or group "head_and"; did you '
            'mean "head_end"?'
        ),
    ),
    "an event of nobody": (
        "servers:",
        "events: [{start: 5 min, power_cut: 20 % of meter, for: 1 min}]\nservers:",
        '10:36: events.power_cut: there is no group "meter"; did you mean "meters"?',
    ),
    "a change to no path": (
        "servers:",
        "events: [{start: 5 min, change_path: meters, to: hom}]\nservers:",
        '10:50: events.to: there is no path "hom"; did you mean "home"?',
    ),
    "a change to the path that they have": (
        "servers:",
        "events: [{start: 5 min, change_path: alarms, to: home}]\nservers:",
        '10:50: events.to: alarms are already on the path "home"; write another path',
    ),
    "a share that is less than a device": (
        "servers:",
        "events: [{start: 5 min, new_address: 5 % of meters}]\nservers:",
        (
            '10:38: events.new_address: 5 % of 6 devices is less than one device; write "17 % '
            'of meters" or more'
        ),
    ),
    "a restart of a share is not possible for a server": (
        "servers:",
        "events: [{start: 5 min, restart: 20 % of head_end}]\nservers:",
        '10:34: events.restart: a share is not possible for a server; write "head_end"',
    ),
    "an outage after which somebody comes back": (
        "servers:",
        "events: [{start: 5 min, outage: head_end, for: 1 s, spread: 1 s}]\nservers:",
        (
            '10:53: events.spread: "spread" needs an event that takes devices offline, and '
            "outage does not; remove it"
        ),
    ),
    "two events in one": (
        "servers:",
        "events: [{start: 5 min, outage: cell, restart: head_end, for: 1 s}]\nservers:",
        "10:10: events: both outage and restart are given; write one of outage, power_cut, *",
    ),
    "an outage without end": (
        "servers:",
        "events: [{start: 5 min, outage: cell}]\nservers:",
        '10:10: events: the key "for" is missing; write "for: 30 min"',
    ),
    "an event without a time": (
        "servers:",
        "events: [{restart: head_end}]\nservers:",
        (
            '10:10: events: the key "start" is missing; write "start: 5 d" for one event, or '
            '"every: 1 d" for many'
        ),
    ),
    "an event without an interval": (
        "servers:",
        "events: [{every: 0 s, restart: head_end}]\nservers:",
        '10:18: events.every: "0 s" is too small; *',
    ),
    "an event at random that happens once": (
        "servers:",
        "events: [{start: 5 min, restart: head_end, arrivals: poisson}]\nservers:",
        (
            '10:44: events.arrivals: "arrivals" has no effect on an event that happens '
            'once; add "every: 1 d", or remove it'
        ),
    ),
    "an event that comes too often": (
        "servers:",
        "events: [{every: 1 ms, restart: head_end, for: 0.1 ms}]\nservers:",
        (
            "10:18: events.every: the event would happen 599999 times in a run, and at "
            'most 10000 are possible; write "every: 1 s" or more'
        ),
    ),
    "an event that comes first after the end": (
        "servers:",
        "events: [{every: 1 h, restart: head_end}]\nservers:",
        (
            "10:18: events.every: the event is after the end of the run at 10 min; write a shorter "
            "every, or a longer duration"
        ),
    ),
    "an event that is never over": (
        "servers:",
        "events: [{every: 1 min, outage: cell, for: 2 min}]\nservers:",
        (
            "10:44: events.for: it would begin again after 1 min, before its 2 min are "
            'over; write less than 1 min, or a longer "every"'
        ),
    ),
    "handovers that overlap": (
        "servers:",
        "events: [{every: 1 s, handover: meters, gap: 1 s}]\nservers:",
        (
            "10:46: events.gap: it would begin again after 1 s, before its 1 s are over; "
            'write less than 1 s, or a longer "every"'
        ),
    ),
    "a handover without a gap": (
        "servers:",
        "events: [{start: 5 min, handover: meters}]\nservers:",
        '10:10: events: the key "gap" is missing; write "gap: 300 ms"',
    ),
    "a handover with a gap of nothing": (
        "servers:",
        "events: [{start: 5 min, handover: meters, gap: 0 s}]\nservers:",
        '10:48: events.gap: "0 s" is too small; write for example "250 ms"',
    ),
    "a handover that ends after the run": (
        "servers:",
        "events: [{start: 5 min, handover: meters, gap: 1 h}]\nservers:",
        (
            "10:48: events.gap: a gap of 1 h does not end within the run, which lasts for "
            'another 7 min; write less than 7 min, or use "outage" for devices that do not '
            "come back"
        ),
    ),
    "a handover that lasts": (
        "servers:",
        "events: [{start: 5 min, handover: meters, for: 1 s}]\nservers:",
        (
            '10:43: events.for: handover does not have the key "for"; write "gap" for the time '
            "without an address"
        ),
    ),
    "a handover of nobody": (
        "servers:",
        "events: [{start: 5 min, handover: meter, gap: 1 s}]\nservers:",
        '10:35: events.handover: there is no group "meter"; did you mean "meters"?',
    ),
    "a gap without a handover": (
        "servers:",
        "events: [{start: 5 min, new_address: meters, gap: 1 s}]\nservers:",
        '10:46: events.gap: new_address does not have the key "gap"; remove it',
    ),
    "an address of an outage": (
        "servers:",
        "events: [{start: 5 min, outage: cell, for: 1 s, address: kept}]\nservers:",
        '10:49: events.address: "address" has no effect with outage; remove it',
    ),
    "a notice of a restart": (
        "servers:",
        "events: [{start: 5 min, restart: meters, notify: application}]\nservers:",
        (
            '10:42: events.notify: "notify" has no effect, because restart does not change '
            "addresses; remove it"
        ),
    ),
    "a notice of the address from before": (
        "servers:",
        "events: [{start: 5 s, handover: meters, gap: 1 s, address: kept, notify: none}]\nservers:",
        '10:66: events.notify: "notify" has no effect, because the address is kept; remove it',
    ),
    "a notice to nobody that is known": (
        "servers:",
        "events: [{start: 5 min, new_address: meters, notify: server}]\nservers:",
        '10:54: events.notify: unknown value "server"; write "none" or "application"',
    ),
    "a download that the radio cannot carry": (
        "from: meters, report: 96 B, every: 1 min",
        "to: meters, download: 3 MB",
        (
            "12:33: traffic.index.download: a download of 3 MB takes longer than the run, "
            "because the rate of its path is 26.15 kbit/s shared by 6 devices; write less "
            "than 392 kB, or a longer duration"
        ),
    ),
    "a download that is no message": (
        "from: alarms, round_trip: 20 B, every: 10 s",
        "to: alarms, download: 7 B",
        '13:32: traffic.ring.download: "7 B" is too small; write "8 B" or more',
    ),
    "a download that is an archive": (
        "from: alarms, round_trip: 20 B, every: 10 s",
        "to: alarms, download: 65 MB",
        (
            "13:32: traffic.ring.download: a download of 65 MB is more than 64 MB; "
            'write "64 MB" or less'
        ),
    ),
    "downloads in a bundle": (
        "from: alarms, round_trip: 20 B, every: 10 s",
        "to: alarms, download: 64 kB, every: 1 min, batch: 2",
        "13:53: traffic.ring.batch: downloads cannot be sent in a batch; remove it",
    ),
    "a download that the link cannot carry": (
        "from: alarms, round_trip: 20 B, every: 10 s",
        "to: alarms, download: 64 MB, start: 9 min",
        (
            "13:32: traffic.ring.download: a download of 64 MB takes longer than the run, "
            "because the rate of its path is 1 Mbit/s; write less than 22500 kB, or a "
            "longer duration"
        ),
    ),
    "a download after the end": (
        "from: alarms, round_trip: 20 B, every: 10 s",
        "to: alarms, download: 64 kB, start: 10 min",
        (
            "13:46: traffic.ring.start: the download starts after the end of the run; write "
            'less than "10 min"'
        ),
    ),
    "a time of day that comes back at no day": (
        "every: 1 min}",
        'every: 36 h, at: "06:30"}',
        (
            '12:56: traffic.index.at: "06:30" is a time of the day, but the interval is 36 h; '
            'write "every: 1 d"'
        ),
    ),
    "a day of the week each day": (
        "every: 1 min}",
        "every: 1 d, at: tue 06:30}",
        (
            '12:55: traffic.index.at: "tue 06:30" is a time of the week, but the interval is 1 '
            'd; write "every: 7 d"'
        ),
    ),
    "a time that no day has": (
        "every: 1 min}",
        'every: 1 d, at: "24:00"}',
        '12:55: traffic.index.at: "24:00" is not a time of day; write "06:30" or "mon 06:30"',
    ),
    "a session of no length": (
        "every: 1 min}",
        "every: 1 min, session: per 0}",
        '12:62: traffic.index.session: "per 0" is not a session policy; write "keep", *',
    ),
    "a group and a server of one name": (
        "servers: {head_end: {}",
        "servers: {head_end: {}, meters: {}",
        (
            '10:25: servers.meters: "meters" is the name of a group and of a server; rename '
            "one of them"
        ),
    ),
    "a name with spaces": (
        "  alarms: {count",
        "  the alarms: {count",
        (
            '6:3: fleet.the alarms: "the alarms" is not a name; write only a-z 0-9 _ -, for '
            'example "low_quality"'
        ),
    ),
    "a key of the short form": (
        "paths:",
        "devices: 5\npaths:",
        '7:1: devices: unknown key "devices"; write "count: 100" in a group of the fleet',
    ),
    "a battery without a radio": (
        "stack: mqtt qos=1",
        "stack: mqtt qos=1, battery: 5 Wh",
        (
            "6:71: fleet.alarms.battery: no hop of the path is a radio with an energy model; "
            "remove it, or *"
        ),
    ),
    "a battery that is given twice": (
        "count: 6",
        "count: 6, battery: 5 Wh, energy: {battery: 6 Wh}",
        (
            '5:46: fleet.meters.energy.battery: the battery is given here and in "energy"; '
            "remove one of them"
        ),
    ),
    "devices that come and go in strata": (
        "{count: 6, path: cell",
        "{count: {arrive: 1 /s}, path: cell",
        (
            "12:39: traffic.index.every: a device that comes and goes sends one message, so "
            "every has no *"
        ),
    ),
    "a comparison of an unknown group": (
        "servers:",
        "compare: {fleet.meter.stack: [coap]}\nservers:",
        '10:11: compare.fleet.meter.stack: there is no group "meter"; did you mean "meters"?',
    ),
    "a comparison of something else": (
        "servers:",
        "compare: {paths.home.loss: [1 %]}\nservers:",
        (
            '10:11: compare.paths.home.loss: "paths.home.loss" cannot be compared; compare '
            "only stacks *"
        ),
    ),
    "a comparison with an unknown stack": (
        "servers:",
        "compare: {fleet.meters.stack: [cop]}\nservers:",
        '10:32: compare.fleet.meters.stack: unknown stack "cop"; did you mean "coap"? *',
    ),
    "a comparison with itself": (
        "servers:",
        "compare: {fleet.meters.stack: [coap, coap/udp]}\nservers:",
        (
            '10:38: compare.fleet.meters.stack: "coap/udp" is the same stack as "coap"; '
            "remove one of them"
        ),
    ),
    "a stack that is given and compared": (
        "servers:",
        "compare: {fleet.alarms.stack: [coap]}\nservers:",
        (
            '6:52: fleet.alarms.stack: the stack of "alarms" is also set under compare; remove '
            "it here, or *"
        ),
    ),
    "a sweep of stacks": (
        "servers:",
        "sweep: [{name: x, fleet.meters.stack: [coap]}]\nservers:",
        (
            '10:19: sweep.fleet.meters.stack: "fleet.meters.stack" cannot be swept; write '
            'stacks under compare: "compare: {fleet.meters.stack: [coap, mqtt]}"'
        ),
    ),
    "a sweep of the stack for one server": (
        "servers:",
        "sweep: [{name: x, fleet.alarms.stacks.archive: [coap]}]\nservers:",
        (
            '10:19: sweep.fleet.alarms.stacks.archive: "fleet.alarms.stacks.archive" '
            'cannot be swept; write stacks under compare: "compare: '
            '{fleet.alarms.stacks.archive: [coap, mqtt]}"'
        ),
    ),
    "a stack for the only server": (
        "server: head_end}",
        "server: head_end, stacks: {head_end: mqtt}}",
        (
            "5:61: fleet.meters.stacks.head_end: every server of meters (head_end) has its "
            "own stack, so *"
        ),
    ),
    "a comparison of the stack for the only server": (
        "servers:",
        "compare: {fleet.meters.stack: [coap], fleet.alarms.stacks.head_end: [coap]}\nservers:",
        (
            "10:39: compare.fleet.alarms.stacks.head_end: every server of alarms "
            "(head_end) has its own *"
        ),
    ),
    "a comparison of the stack for a server that the group does not talk to": (
        "servers:",
        "compare: {fleet.meters.stack: [coap], fleet.alarms.stacks.archive: [coap]}\nservers:",
        (
            "10:39: compare.fleet.alarms.stacks.archive: the devices of alarms do not use "
            'the server "archive"; known servers: head_end'
        ),
    ),
    "a flow that starts when the run has ended": (
        "every: 10 s}",
        "every: 10 s, start: 10 min}",
        (
            "13:62: traffic.ring.start: it starts after the end of the run at 10 min; write an "
            "earlier *"
        ),
    ),
    "a sweep of a key that no hop has": (
        "servers:",
        "sweep: [{name: x, paths.cell.delay: [1 ms]}]\nservers:",
        '10:*: paths.cell.delay: no hop of paths.cell has "delay" in the study; *',
    ),
    "a sweep of an unknown key of a group": (
        "servers:",
        "sweep: [{name: x, fleet.meters.cout: [1]}]\nservers:",
        (
            '10:19: sweep.fleet.meters.cout: unknown key "fleet.meters.cout"; did you mean '
            '"fleet.meters.count"?'
        ),
    ),
}


# The same, where something else is replaced, too.
CASES_OF_TWO = {
    "a report to a group whose stack has no topics": (
        "from: meters,",
        "from: meters, to: alarms,",
        (
            "12:29: traffic.index.to: a report to a group needs topics, and raw_udp of "
            "alarms has no topics; use one of the stacks json_udp, mqtt, coap"
        ),
        ("stack: mqtt qos=1", "stack: raw_udp"),
    ),
    "a report over a stack whose server passes on to its own alone": (
        "from: meters,",
        "from: meters, to: alarms,",
        (
            "12:29: traffic.index.to: a dds server forwards reports only to devices with "
            "the same stack; use the same stack for meters and alarms"
        ),
        ("stack: mqtt qos=1", "stack: dds"),
    ),
    "a report to a group of nobody": (
        "from: meters,",
        "from: meters, to: alarms,",
        (
            '12:29: traffic.index.to: the group "alarms" has no devices; write the name of a '
            "server or another group"
        ),
        ("count: 5", "count: 0"),
    ),
    "a report of too many to one": (
        "from: meters,",
        "from: meters, to: alarms,",
        (
            "12:29: traffic.index.to: a device of alarms would receive messages of 1200 "
            "devices; at most 1000 are possible; use at least 6 devices in the group"
        ),
        ("count: 6", "count: 6000"),
    ),
    "no port left for other options": (
        "servers: {head_end: {}",
        "servers: {head_end: {services: {mqtt: 65535}}",
        (
            "10:32: servers.head_end.services: no port is left for the further options of "
            "mqtt/tcp; write *"
        ),
        ("stack: mqtt qos=1", "stack: mqtt qos=0"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_fleet_that_does_not_fit_gets_one_line(
    case: str, refused: Callable[[str, str], None]
) -> None:
    old, new, expected = CASES[case]
    assert old in STUDY
    refused(STUDY.replace(old, new, 1), expected)


@pytest.mark.parametrize("case", CASES_OF_TWO)
def test_a_fleet_whose_parts_do_not_fit_gets_one_line(
    case: str, refused: Callable[[str, str], None]
) -> None:
    old, new, expected, also = CASES_OF_TWO[case]
    assert old in STUDY
    refused(STUDY.replace(old, new, 1).replace(*also, 1), expected)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (
            "delivery_ratio >= 99 % where group == 'meter'",
            'expect: no group of the study is "meter"; did you mean "meters"?',
        ),
        (
            "delivery_ratio >= 99 % where stratum == '164dB'",
            'expect: no stratum of the study is "164dB"; did you mean "164 dB"?',
        ),
        (
            "delivery_ratio >= 99 % where flow == 'rings'",
            'expect: no flow of the study is "rings"; did you mean "ring"?',
        ),
        (
            "control_bytes_per_100 < 80 where group == 'meters'",
            (
                "expect: control_bytes_per_100 is measured only for whole runs, not for "
                "groups; remove the *"
            ),
        ),
        (
            "group == 'meters'",
            (
                "expect: group names a part of the results, and is not a measure; "
                'write "delivery_ratio >= 99 % *'
            ),
        ),
    ],
)
def test_an_expectation_of_a_place_that_is_not_there_gets_one_line(
    expression: str, expected: str, refused: Callable[[str, str], None]
) -> None:
    refused(f'{STUDY}expect: ["{expression}"]\n', f"14:10: {expected}")


@pytest.mark.parametrize("key", ["expect", "decide.require"])
def test_a_flow_of_one_group_is_not_looked_for_in_another(
    key: str, refused: Callable[[str, str], None]
) -> None:
    text = "delivery_ratio >= 99 % where group == 'meters' and flow == 'ring'"
    asked = {
        "expect": f'expect: ["{text}"]\n',
        "decide.require": f'decide: {{require: ["{text}"], minimise: latency_p95}}\n',
    }
    refused(
        f"{STUDY}{asked[key]}",
        f"14:{10 if key == 'expect' else 20}: {key}: the study has no flow with group == "
        "'meters' and flow == 'ring'; write one of its flows: index of meters, ring of alarms",
    )


def test_a_way_into_the_strata_of_others_says_so(refused: Callable[[str, str], None]) -> None:
    events = "events: [{start: 5 min, change_path: alarms, to: cell}]\nservers:"
    refused(
        STUDY.replace("servers:", events, 1),
        (
            '10:50: events.to: "cell" has strata of coupling loss, and devices that move '
            "here would belong to none; use a path with one coupling loss, for example "
            '"coupling_loss: 144 dB"'
        ),
    )


FLOW = "  ring: {from: alarms, round_trip: 20 B, every: 10 s}\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "report: 96 B",
            "report: 96 B, batch: 1000",
            (
                "12:46: traffic.index.batch: a payload of 96000 B is more than 60000 B; "
                'write "batch: 625" or less'
            ),
        ),
        (
            "report: 96 B",
            "report: 96 B, batch: 11",
            (
                "12:46: traffic.index.batch: a run has 10 readings of a device, and none is sent "
                'before 11; write "batch: 10" or less'
            ),
        ),
        (
            "report: 96 B",
            "report: 96 B, batch: 2, burst: 2",
            "12:39: traffic.index.batch: bursts cannot be sent in a batch; remove one of the two",
        ),
        (
            "from: meters",
            "from: 10 % of meters",
            (
                "12:17: traffic.index.from: the share of 6 devices is less than one; "
                'write "17 % of meters" or more'
            ),
        ),
    ],
)
def test_bundles_and_shares_that_cannot_be_say_so(
    old: str, new: str, expected: str, refused: Callable[[str, str], None]
) -> None:
    refused(STUDY.replace(old, new, 1), expected)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (
            "  open: {from: alarms, report: 20 B, every: 10 s, session: per_message}\n",
            (
                "14:60: traffic.open.session: per_message differs from keep, which another "
                "flow of the group *"
            ),
        ),
        (
            "  o: {from: head_end, to: alarms, command: 9 B, session: per_message, every: 9 s}\n",
            (
                "14:58: traffic.o.session: per_message differs from keep, which another flow "
                "of the group has; *"
            ),
        ),
        (
            "  open: {from: alarms, report: 20 B, every: 10 s, session: established}\n",
            (
                "14:60: traffic.open.session: established differs from keep, which another "
                "flow of the group *"
            ),
        ),
        (
            "".join(FLOW.replace("ring", f"ring_{number}") for number in range(9)),
            "22:11: traffic.ring_8: alarms has more than 9 flows; divide it into two groups",
        ),
    ],
)
def test_flows_of_a_group_that_do_not_fit_say_so(
    more: str, expected: str, refused: Callable[[str, str], None]
) -> None:
    refused(STUDY.replace(FLOW, FLOW + more), expected)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "servers:",
            "events: [{start: 5 min, power_cut: alarms, for: 1 s}]\nservers:",
            (
                "10:36: events.power_cut: the group alarms has no devices; write a count of 1 "
                "or more, or *"
            ),
        ),
        (
            "from: alarms",
            "from: 50 % of alarms",
            "13:16: traffic.ring.from: there is nobody in alarms; write a count of 1 or more",
        ),
    ],
)
def test_a_share_of_nobody_says_so(
    old: str, new: str, expected: str, refused: Callable[[str, str], None]
) -> None:
    study = STUDY.replace("alarms: {count: 5", "alarms: {count: 0")
    refused(study.replace(old, new, 1), expected)


def test_what_is_not_built_says_so(refused: Callable[[str, str], None]) -> None:
    study = STUDY.replace("[coap, mqtt qos=1]", "[raw_tcp]")
    study = study.replace(", every: 1 min}", ", every: 1 min, session: per_message}")
    expected = (
        "12:53: traffic.index.session: session: per_message over TCP without MQTT is not built"
    )
    refused(study, expected + ' yet; write "session: keep"')


@pytest.mark.parametrize(
    ("stack", "session", "what"),
    [
        (
            "http",
            "per 1 h",
            'session: per 1 h over HTTP is not built yet; write "session: keep", or *',
        ),
        (
            "http connection=per_message",
            "per 10",
            (
                "session: per 10 beside connection=per_message is not built yet; remove one of "
                "the two"
            ),
        ),
    ],
)
def test_what_sessions_over_http_are_not(
    stack: str, session: str, what: str, refused: Callable[[str, str], None]
) -> None:
    study = STUDY.replace("[coap, mqtt qos=1]", f"[{stack}]")
    study = study.replace(", every: 1 min}", f", every: 1 min, session: {session}}}")
    refused(study, f"12:53: traffic.index.session: {what}")
