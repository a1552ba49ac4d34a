"""Judgements of older versions, which called every claim that holds "reproduced"."""

import json
from pathlib import Path

from lasthop.results.judgements import CLAIMS, MULTIVERSE, read_claims, read_multiverse


def test_what_was_reproduced_is_predicted_or_holds(tmp_path: Path) -> None:
    kinds = ("value", "order", "note")
    verdicts = ("reproduced", "reproduced", None)
    old = [
        {"id": kind, "kind": kind, "verdict": verdict}
        for kind, verdict in zip(kinds, verdicts, strict=True)
    ]
    (tmp_path / CLAIMS).write_text(json.dumps(old), encoding="utf-8")
    found = [claim["verdict"] for claim in read_claims(tmp_path)]
    assert found == ["predicted", "holds", None]


def test_a_multiverse_of_an_older_version_has_the_counts_of_today(tmp_path: Path) -> None:
    first = {"verdict": "reproduced", "ours": 1.0}
    claim = {"id": "A1", "universes": 4, "reproduced": 3, "first": first, "one_change": [first]}
    (tmp_path / MULTIVERSE).write_text(json.dumps({"claims": [claim]}), encoding="utf-8")
    document = read_multiverse(tmp_path)
    assert document is not None
    (found,) = document["claims"]
    assert found["holding"] == 3
    assert [each["verdict"] for each in (found["first"], *found["one_change"])] == ["predicted"] * 2
