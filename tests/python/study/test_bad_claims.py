"""A file of claims that cannot be judged gets one line: where, what, and what to write."""

from pathlib import Path

import pytest

from lasthop.errors import StudyError

from .conftest import Load, matches

STUDY = """\
study: a
duration: 1 min
traffic: {report: 40 B, every: 1 s}
stacks: [raw_udp, json_udp]
claims: published.yaml
sweep:
  - {name: loss, path.loss: [0 %, 10 %]}
  - {name: still}
"""
CLAIM = """\
claims:
  - id: A1
    kind: threshold
    what: it is slow
    rules:
      - column: latency_mean
        stacks: [raw_udp]
        part: loss
        above: 1 s
"""


def claim(**changed: str | None) -> str:
    """Give the claim with lines of its rule replaced, added or left out."""
    rule = {"column": "latency_mean", "stacks": "[raw_udp]", "part": "loss", "above": "1 s"}
    lines = {**rule, **changed}
    written = [f"{key}: {value}" for key, value in lines.items() if value is not None]
    kind = "value" if "equals" in lines else "order" if "above" not in lines else "threshold"
    if lines["above"] is None and "equals" not in lines:
        kind = "order"
    head = f"claims:\n  - id: A1\n    kind: {kind}\n    what: it is slow\n    rules:\n      - "
    return head + "\n        ".join(written) + "\n"


# Text of the claims, then the message after "published.yaml:"; a star stands for anything.
CASES = {
    "an empty file": (
        "",
        (
            '1:1: this file has no list of claims; begin with "claims:" and a '
            "list of {id: CK1, kind: *"
        ),
    ),
    "a file of something else": (
        "password: secret\n",
        (
            '1:1: this file has no list of claims; begin with "claims:" and a list of {id: '
            "CK1, kind: *"
        ),
    ),
    "a list": (
        "- id: A1\n",
        (
            '1:1: this file has no list of claims; begin with "claims:" and a '
            "list of {id: CK1, kind: *"
        ),
    ),
    "a study in place of claims": (
        STUDY,
        '1:1: study: unknown key "study"; known keys: paper, claims',
    ),
    "claims that name claims": (
        "claims: published.yaml\n",
        '1:9: claims: "published.yaml" is not a list; write it in brackets, for example [a, b]',
    ),
    "no claim": ("claims: []\n", "1:9: claims: the list is empty; write at least one entry"),
    "a misspelt key": (
        CLAIM.replace("what:", "waht:"),
        '4:5: claims.waht: unknown key "waht"; did you mean "what"?',
    ),
    "a missing key": (
        CLAIM.replace("    what: it is slow\n", ""),
        '2:5: claims: the key "what" is missing; write "what: *"',
    ),
    "an unknown kind": (
        CLAIM.replace("threshold", "treshold"),
        (
            '3:11: claims.kind: unknown value "treshold"; write "value", "ratio", "order", '
            '"threshold" or "note"'
        ),
    ),
    "a name with spaces": (
        CLAIM.replace("A1", "the first"),
        (
            '2:9: claims.id: "the first" is not a valid short name; write letters and a '
            'number, for example "CK1"'
        ),
    ),
    "two claims of one name": (
        CLAIM + CLAIM.removeprefix("claims:\n"),
        '10:9: claims.id: two claims have the id "A1"; rename one',
    ),
    "a reason of a verdict that is none": (
        CLAIM + "    why: {reproduced: it is so}\n",
        '10:11: claims.why.reproduced: "reproduced" is not a verdict; did you mean *',
    ),
    "a reason without words": (
        CLAIM + "    why: {holds: }\n",
        "10:17: claims.why.holds: nothing is not text; write one value here",
    ),
    "a claim without rules": (
        "claims: [{id: A1, kind: value, what: x}]\n",
        '1:10: claims: the claim has no rules; write "rules: [...]", or "not_covered: WHY"',
    ),
    "fitted and derived": (
        CLAIM + "    fitted: by the delay\n    derived: from A2\n",
        '11:5: claims.derived: both "fitted" and "derived" are given; remove one of them',
    ),
    "fitted and not covered": (
        "claims: [{id: A1, kind: value, what: x, not_covered: why, fitted: by the delay}]\n",
        '1:*: claims.not_covered: both "fitted" and "not_covered" are given; remove one of them',
    ),
    "a note that was fitted": (
        "claims: [{id: A1, kind: note, what: x, fitted: by the delay}]\n",
        '1:*: claims.fitted: a claim of the kind "note" cannot have "fitted"; remove it, *',
    ),
    "rules of what is not covered": (
        CLAIM + "    not_covered: no radio\n",
        '10:5: claims.not_covered: both "rules" and "not_covered" are given; remove one of them',
    ),
    "not covered without a reason": (
        "claims: [{id: A1, kind: value, what: x, not_covered: }]\n",
        (
            '1:41: claims.not_covered: the key has no value; write "not_covered: needs a '
            'radio model"'
        ),
    ),
    "a note with rules": (
        CLAIM.replace("threshold", "note"),
        (
            '5:5: claims.rules: a claim of the kind "note" cannot have "rules"; remove it, or '
            "write another kind"
        ),
    ),
    "a rule of another kind": (
        CLAIM.replace("threshold", "value"),
        (
            '6:9: claims.rules: this rule does not fit a claim of the kind "value"; write '
            '"equals: 578 ms", *'
        ),
    ),
    "an unknown column": (
        claim(column="latency_maen"),
        (
            '6:17: claims.rules.column: unknown column "latency_maen"; did you mean '
            'latency_mean, latency_max or latency_p99? "lasthop columns" lists all columns'
        ),
    ),
    "a column with its unit": (
        claim(column="latency_mean_ms"),
        '6:17: claims.rules.column: unknown column "latency_mean_ms"; write "latency_mean"',
    ),
    "an unknown stack": (
        claim(stacks="[raw_udp, json_upd]"),
        '7:27: claims.rules.stacks: the study has no stack "json_upd"; did you mean "json_udp"?',
    ),
    "an unknown stack in an order": (
        claim(stacks=None, above=None, lowest_first="[raw_udp, mqtt]"),
        (
            '8:33: claims.rules.lowest_first: the study has no stack "mqtt"; known stacks: '
            "raw_udp, json_udp"
        ),
    ),
    "an unknown part": (
        claim(part="los"),
        '8:15: claims.rules.part: the study has no part "los"; did you mean "loss"?',
    ),
    "no stack": (
        claim(stacks=None),
        '6:9: claims.rules: the key "stacks" is missing; write "stacks: [mqtt qos=1]"',
    ),
    "one stack in the singular": (
        claim(stacks=None, stack="raw_udp"),
        '9:9: claims.rules.stack: unknown key "stack"; write "stacks: [mqtt qos=1]"',
    ),
    "an order of one": (
        claim(stacks=None, above=None, lowest_first="[raw_udp]"),
        (
            "8:23: claims.rules.lowest_first: an order needs at least two stacks; write two or "
            "more stacks"
        ),
    ),
    "an order of chosen stacks": (
        claim(above=None, lowest_first="[raw_udp, json_udp]"),
        '9:9: claims.rules.lowest_first: both "stacks" and "lowest_first" are given; remove *',
    ),
    "no requirement": (
        claim(above=None),
        (
            "6:9: claims.rules: the rule has no condition; write one of them, for example "
            '"equals: 578 ms"'
        ),
    ),
    "two requirements": (
        claim(below="2 s"),
        '10:9: claims.rules.below: both "above" and "below" are given; remove one of them',
    ),
    "a tolerance of a threshold": (
        claim(within="5 %"),
        '10:9: claims.rules.within: "within" has no effect without "equals"; remove it',
    ),
    "a bound without unit": (
        claim(above="1000"),
        '9:16: claims.rules.above: "1000" has no unit; write "1000 ms"',
    ),
    "a bound in another unit": (
        claim(above="1 kB"),
        '9:16: claims.rules.above: "1 kB" is a size, not a time; write "578 ms"',
    ),
    "a bound that is a list": (
        claim(above="[1 s]"),
        '9:16: claims.rules.above: a list is not a time; write "578 ms"',
    ),
    "a value that is no number": (
        claim(column="control_bytes_per_100", above="many"),
        '9:16: claims.rules.above: "many" is not a number; write "76"',
    ),
    "a tolerance without unit": (
        claim(above=None, equals="1 s", within="25"),
        '10:17: claims.rules.within: "25" has no unit; write *',
    ),
    "a negative tolerance": (
        claim(above=None, equals="1 s", within="-5 %"),
        '10:17: claims.rules.within: "-5 %" is negative; write "within: 25 %"',
    ),
    "percentage points of a time": (
        claim(above=None, equals="1 s", within="5 percentage points"),
        (
            '10:17: claims.rules.within: "5 percentage points" can be used for ratios only; '
            'write "within: 25 %"'
        ),
    ),
    "a key that is not swept": (
        claim(at="{path.delay: 5 ms}"),
        '10:14: claims.rules.at.path.delay: path.delay is not swept in the part "loss"; *',
    ),
    "a key of a part that sweeps nothing": (
        claim(part="still", at="{path.loss: 10 %}"),
        (
            '10:14: claims.rules.at.path.loss: path.loss is not swept in the part "still"; add '
            "the key to *"
        ),
    ),
    "a swept value without unit": (
        claim(at="{path.loss: 10}"),
        '10:25: claims.rules.at.path.loss: "10" has no unit; write "10 %"',
    ),
    "a swept value that is a mapping": (
        claim(at="{path.loss: {bernoulli: 1 %}}"),
        (
            "10:25: claims.rules.at.path.loss: path.loss is never a mapping; write one of its "
            "values, or a *"
        ),
    ),
    "no swept value": (
        claim(at="{path.loss: []}"),
        "10:25: claims.rules.at.path.loss: the list is empty; write at least one value",
    ),
    "a multiple of what is not swept": (
        claim(above=None, equals="2 * path.delay"),
        '9:17: claims.rules.equals: path.delay is not swept in the part "loss"; *',
    ),
    "a multiple in another unit": (
        claim(above=None, equals="2 * path.loss"),
        (
            "9:17: claims.rules.equals: path.loss and latency_mean have different units; write "
            '"equals: 578 ms"'
        ),
    ),
    "a change over what is not swept": (
        claim(change_over="path.delay"),
        "10:22: claims.rules.change_over: path.delay is not swept *",
    ),
    "a change and a peak": (
        claim(change_over="path.loss", peak_over="path.loss"),
        '11:9: claims.rules.peak_over: both "change_over" and "peak_over" are given; remove *',
    ),
    "a mean over what is not swept": (
        claim(mean_over="path.delay"),
        "10:20: claims.rules.mean_over: path.delay is not swept *",
    ),
    "a mean over words": (
        claim(mean_over="path.rate_kind"),
        "10:20: claims.rules.mean_over: path.rate_kind is not swept *",
    ),
    "a mean and a peak": (
        claim(mean_over="path.loss", peak_over="path.loss"),
        '10:9: claims.rules.mean_over: both "peak_over" and "mean_over" are given; remove *',
    ),
    "an order with a stack of an unknown part": (
        claim(stacks=None, above=None, lowest_first="[raw_udp, {stack: json_udp, part: lost}]"),
        (
            '8:57: claims.rules.lowest_first.part: the study has no part "lost"; did you '
            'mean "loss"?'
        ),
    ),
    "an order with a stack without a part": (
        claim(stacks=None, above=None, lowest_first="[raw_udp, {stack: json_udp}]"),
        '8:33: claims.rules.lowest_first: the key "part" is missing; write "part: loss"',
    ),
    "an order along what another part does not sweep": (
        claim(
            stacks=None,
            above=None,
            mean_over="path.loss",
            lowest_first="[raw_udp, {stack: json_udp, part: still}]",
        ),
        '8:20: claims.rules.mean_over: path.loss is not swept in the part "still"; *',
    ),
    "a ratio along a sweep": (
        claim(change_over="path.loss", relative_to="{stack: json_udp}"),
        '10:9: claims.rules.change_over: both "relative_to" and "change_over" are given; remove *',
    ),
    "a ratio to itself": (
        claim(above="1", relative_to="{}"),
        (
            "10:22: claims.rules.relative_to: the two cells of this comparison are the same; "
            'write "{stack: *'
        ),
    ),
    "a ratio to an unknown stack": (
        claim(above="1", relative_to="{stack: json_upd}"),
        (
            '10:30: claims.rules.relative_to.stack: the study has no stack "json_upd"; did '
            'you mean "json_udp"?'
        ),
    ),
    "a ratio to an unknown part": (
        claim(above="1", relative_to="{part: latency}"),
        (
            '10:29: claims.rules.relative_to.part: the study has no part "latency"; known '
            "parts: loss, still"
        ),
    ),
    "a ratio to an unknown column": (
        claim(above="1", relative_to="{column: bytes}"),
        '10:31: claims.rules.relative_to.column: unknown column "bytes"; *',
    ),
    "a ratio in a unit": (
        claim(above="1 s", relative_to="{stack: json_udp}"),
        '9:16: claims.rules.above: "1 s" is not a number; write "1"',
    ),
    "a condition that is none": (
        claim(where="delivered"),
        (
            '10:16: claims.rules.where: "delivered" is not a comparison; write for example '
            '"delivery_ratio >= 99 %"'
        ),
    ),
    "a condition on a group": (
        claim(where="group == 'devices'"),
        (
            "10:16: claims.rules.where: a claim describes whole runs, and group describes a "
            "part of one; *"
        ),
    ),
    "a condition on what is not swept": (
        claim(where="path.delay >= 5 ms"),
        '10:16: claims.rules.where: path.delay is not swept in the part "loss"; *',
    ),
    "a condition of a condition": (
        claim(where="delivery_ratio >= 99 % where stack == 'raw_udp'"),
        (
            "10:16: claims.rules.where: \"delivery_ratio >= 99 % where stack == 'raw_udp'\" must "
            "not contain *"
        ),
    ),
    "an anchor": (
        claim(part="&part loss"),
        "8:15: the YAML anchor &part is not allowed; remove it",
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_bad_claims_are_refused_at_their_place(load: Load, text: str, expected: str) -> None:
    Path("published.yaml").write_text(text, encoding="utf-8")
    message = refusal(load)
    assert matches(message, f"published.yaml:{expected}"), message


def test_the_good_claim_is_read(load: Load) -> None:
    Path("published.yaml").write_text(CLAIM, encoding="utf-8")
    (found,) = load(STUDY).claims
    assert (found.id, found.published) == ("A1", "> 1 s")


FILES = {
    "a file that is not there": (
        "claims: published.yaml",
        (
            'study.yaml:5:9: claims: the file "published.yaml" cannot be read; write the name '
            "of a claims *"
        ),
    ),
    "a folder": (
        "claims: .",
        (
            'study.yaml:5:9: claims: the file "." cannot be read; write the name of a claims '
            "file in the *"
        ),
    ),
    "a list of files": (
        "claims: [published.yaml]",
        "study.yaml:5:9: claims: a list is not text; *",
    ),
    "no name": (
        "claims:",
        'study.yaml:5:1: claims: the key has no value; write "claims: published.yaml"',
    ),
    "a misspelt key": (
        "claim: a.yaml",
        'study.yaml:5:1: claim: unknown key "claim"; did you mean *',
    ),
    "the study itself": (
        "claims: study.yaml",
        'study.yaml:1:1: study: unknown key "study"; known keys: paper, claims',
    ),
    "a chain that leads back": (
        "claims: loop.yaml",
        (
            'study.yaml:5:9: claims: the file "loop.yaml" cannot be read; move it into the '
            "folder of the *"
        ),
    ),
    "a device": (
        "claims: /dev/zero",
        (
            'study.yaml:5:9: claims: the file "/dev/zero" is outside the folder of the study; '
            "move it into *"
        ),
    ),
    "a file above": (
        "claims: ../secret.yaml",
        (
            'study.yaml:5:9: claims: the file "../secret.yaml" is outside the folder of the '
            "study; move it *"
        ),
    ),
    "a link that leads out": (
        "claims: out.yaml",
        (
            'study.yaml:5:9: claims: the file "out.yaml" is outside the folder of the study; '
            "move it into *"
        ),
    ),
    "a name with a NUL": (
        'claims: "a\\0b"',
        (
            'study.yaml:5:9: claims: the file "a\\x00b" cannot be read; move '
            "it into the folder of the *"
        ),
    ),
}


@pytest.mark.parametrize(("key", "expected"), FILES.values(), ids=FILES.keys())
def test_a_file_of_claims_that_cannot_be_read(load: Load, key: str, expected: str) -> None:
    links = {"loop.yaml": "back.yaml", "back.yaml": "loop.yaml", "out.yaml": "/etc/passwd"}
    for name, target in links.items():
        Path(name).symlink_to(target)
    message = refusal(load, STUDY.replace("claims: published.yaml", key))
    assert matches(message, expected), message


def test_a_huge_file_of_claims_is_refused(load: Load) -> None:
    Path("published.yaml").write_text("# " + "x" * 2_000_000, encoding="utf-8")
    message = refusal(load)
    assert message.startswith("published.yaml: the file is larger than 1024 KiB")


def test_claims_that_are_not_utf_8_are_refused(load: Load) -> None:
    Path("published.yaml").write_bytes(CLAIM.encode() + b"# caf\xe9\n")
    assert refusal(load).startswith("published.yaml:10:6: byte 0xe9 is not UTF-8")


def refusal(load: Load, text: str = STUDY) -> str:
    with pytest.raises(StudyError) as caught:
        load(text)
    message = str(caught.value)
    assert "\n" not in message
    assert caught.value.exit_code == 2
    assert caught.value.hint
    return message
