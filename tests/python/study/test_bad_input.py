"""A study with bad syntax, keys or values gets one line: place, fault and remedy."""

from collections.abc import Callable

import pytest

BASE = "study: a\nduration: 1 min\ntraffic: {report: 40 B, every: 1 s}\n"
HEAD = BASE + "stacks: [raw_udp]\n"

# Text of the study, then the message after "study.yaml:"; a star stands for anything.
CASES = {
    "an empty file": ("", ' the file is empty; begin with "study: NAME", or run "lasthop init"'),
    "only comments": ("# x\n", ' the file is empty; begin with "study: NAME"*'),
    "a list": ("[1]", '1:1: a list is not a study; begin with "study: NAME"'),
    "an open bracket": ("study: a\npath: {loss: [1\n", "3:1: not valid YAML: expected ',' or ']'*"),
    "a tab": ("a:\n\tb: 1\n", "2:1: not valid YAML: *; indent with spaces"),
    "a colon in text": ("study: a\ntitle: b: c\n", "2:9: not valid YAML: *quotes*"),
    "a misspelt key": (
        HEAD + "path: {los: 3 %}\n",
        '5:8: path.los: unknown key "los"; did you mean "loss"?',
    ),
    "a key of another level": (
        HEAD + "dealy: 3 ms\n",
        '5:1: dealy: unknown key "dealy"; did you mean "path.delay"?',
    ),
    "an aim beside decide": (
        HEAD + "minimise: latency_p95\n",
        '5:1: minimise: unknown key "minimise"; did you mean "decide.minimise"?',
    ),
    "another word for the name": (
        HEAD + "name: cars\n",
        '5:1: name: unknown key "name"; write "study: NAME"',
    ),
    "a key like no other": (HEAD + "qqqqq: 3\n", '5:1: qqqqq: unknown key "qqqqq"; known keys: *'),
    "a number without a unit": (
        HEAD + "path:\n  loss: 10\n",
        '6:9: path.loss: "10" has no unit; write "10 %"',
    ),
    "a time without a unit": (
        BASE.replace("1 min", "60") + "stacks: [raw_udp]\n",
        '2:11: duration: "60" has no unit; write "60 min"',
    ),
    "a unit of something else": (
        HEAD + "path: {delay: 10 B}\n",
        '5:15: path.delay: "10 B" is a size, not a time; write "250 ms"',
    ),
    "a unit in the wrong case": (
        HEAD + "path: {rate: 1 kB/s, queue: 10 KB}\n",
        '5:29: path.queue: "10 KB": unknown unit "KB"; write "10 kB"',
    ),
    "an unknown unit": (
        HEAD + "path: {delay: 10 parsec}\n",
        '5:15: path.delay: "10 parsec": unknown unit "parsec"; *',
    ),
    "kbps": (
        HEAD + "path: {rate: 50 kbps}\n",
        '5:14: path.rate: "50 kbps" may mean bits or bytes; write "50 kbit/s" or "50 kB/s"',
    ),
    "a loss above 100 %": (
        HEAD + "path: {loss: 101 %}\n",
        '5:14: path.loss: "101 %" is more than 100 %; write "100 %" or less',
    ),
    "a negative loss": (
        HEAD + "path: {loss: -1 %}\n",
        '5:14: path.loss: "-1 %" is negative; write "0 %" or more',
    ),
    "a loss that is not a number": (
        HEAD + "path: {loss: nan %}\n",
        '5:14: path.loss: "nan %" is not a number; write "10 %"',
    ),
    "the YAML for not a number": (
        HEAD + "path: {loss: .nan}\n",
        '5:14: path.loss: ".nan" is not a number; write "10 %"',
    ),
    "an infinite rate": (
        HEAD + "path: {rate: inf kbit/s}\n",
        '5:14: path.rate: "inf kbit/s" is not a number; write "50 kbit/s"',
    ),
    "an exponent": (HEAD + "path: {delay: 1e999999 s}\n", "5:15: path.delay: *exponent*"),
    "a negative delay": (
        HEAD + "path: {delay: -5 ms}\n",
        '5:15: path.delay: "-5 ms" is negative; write "0 ms" or more',
    ),
    "energy without a radio": (
        HEAD + "energy: {battery: 5 Wh}\n",
        (
            "5:1: energy: no hop of the path is a radio with an energy model; remove it, or "
            'write "path: *'
        ),
    ),
    "an unknown power profile": (
        HEAD + "energy: {profile: cr2032}\n",
        '5:19: energy.profile: there is no power profile "cr2032"; known profiles: tr_45_820, *',
    ),
    "a battery in milliampere-hours": (
        HEAD + "energy: {battery: 1500 mAh}\n",
        '5:19: energy.battery: "1500 mAh" is a charge, *; write *',
    ),
    "an empty battery": (
        HEAD + "energy: {battery: 0 Wh}\n",
        '5:19: energy.battery: "0 Wh" is too small; write for example "5 Wh"',
    ),
    "a battery that empties itself": (
        HEAD + "energy: {self_discharge: 100 %}\n",
        (
            "5:26: energy.self_discharge: a battery with this self-discharge is empty after a "
            "year; write *"
        ),
    ),
    "a key twice": (
        HEAD + "duration: 2 s\n",
        '5:1: the key "duration" is written twice (first in line 2); remove one of them',
    ),
    "a nested key twice": (
        HEAD + "path: {loss: 1 %, loss: 2 %}\n",
        '5:19: the key "loss" is written twice (first in line 5); remove one of them',
    ),
    "a name with dots": (
        HEAD.replace("study: a", "study: ../x"),
        '1:8: study: "../x" is not a name; write only a-z 0-9 -, for example "low-quality-link"',
    ),
    "an escaped NUL in a name": (
        HEAD.replace("study: a", 'study: "a\\0b"'),
        '1:8: study: "a\\x00b" is not a name; *',
    ),
    "a NUL in the file": (
        HEAD.replace("study: a", "study: a\0b"),
        "1:9: the character U+0000 is not allowed; remove it",
    ),
    "a name of 300 characters": (
        HEAD.replace("study: a", "study: " + "a" * 300),
        "1:8: study: the name has 300 characters; write at most 64 characters",
    ),
    "a part that leaves the folder": (
        HEAD + "sweep: [{name: ../x}]\n",
        (
            '5:16: sweep.name: "../x" is not a name; write only a-z 0-9 _ -, for example '
            '"low_quality"'
        ),
    ),
    "an alias bomb": (
        "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
        "1:4: the YAML anchor &a is not allowed; remove it",
    ),
    "an alias": ("a: *x\n", "1:4: the YAML alias *x is not allowed; write its value"),
    "a merge key": ("a: {<<: *x}\n", "1:9: the YAML alias *x is not allowed; write its value"),
    "a tag": ("study: !!python/object:os.system x\n", "1:8: the YAML tag * is not allowed; *"),
    "a tagged key": ("!!str study: x\n", "1:1: the YAML tag * is not allowed; *"),
    "two documents": (
        HEAD + "---\na: 1\n",
        '5:1: the file contains a second YAML document; remove the line "---"',
    ),
    "a newer format": (
        "format: 2\nstudy: a\nnew_key: 1\n",
        (
            "1:9: format: this study has format 2, and this lasthop reads formats up to 1; "
            "update lasthop"
        ),
    ),
    "deep lists": (
        "study: " + "[" * 50_000,
        "1:24: lists and mappings are nested deeper than 16 levels; use fewer levels",
    ),
    "deep mappings": (
        "study: " + "{a: " * 500,
        "1:72: lists and mappings are nested deeper than 16 levels; use fewer levels",
    ),
    "many values": (
        "a: [" + "b," * 30_000 + "]",
        "1:40001: the file has more than 20000 values; split it into several studies",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_bad_key_or_value_gets_one_line(name: str, refused: Callable[[str, str], None]) -> None:
    refused(*CASES[name])
