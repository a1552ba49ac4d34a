"""Points and answers speak of swept values by the names that the study gives them."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from lasthop.answer.decision import decide
from lasthop.answer.meanings import meanings
from lasthop.answer.points import points_of
from lasthop.answer.settings import settings_that_matter
from lasthop.answer.sweep_words import flips, stretches
from lasthop.answer.sweeps import decide_along_sweeps

_ = "\N{NO-BREAK SPACE}"
BURSTS = "{gilbert_elliott: {good: 1 min, bad: 3 s}}"


def named(unit: str, **values: tuple[object, str]) -> dict[str, Any]:
    """Describe a study that sweeps the loss over named values: the cell, and what is written."""
    names = [
        {"name": name, "value": cell, "written": written}
        for name, (cell, written) in values.items()
    ]
    swept = {"key": "path.loss", "column": "path_loss", "unit": unit, "names": names}
    return {
        "name": "made-up",
        "decide": {
            "require": [],
            "minimise": "latency_p50",
            "maximise": None,
            "smallest_effect": 0.05,
            "part": None,
        },
        "parts": [{"name": "air", "swept": [swept]}],
        "stacks": [
            {"name": "ours", "written": "mqtt qos=1", "resolved": "mqtt/tcp/ip qos=1"},
            {"name": "coap", "written": "coap", "resolved": "coap/udp/ip type=con"},
        ],
    }


AMOUNTS = named("fraction", bad=(0.2, "20 %"), good=(0.01, "1 %"))
KINDS = named("text", wifi=("wifi", BURSTS), clean=("clean", "0 %"))


def runs(cells: Sequence[object], latency: Mapping[str, Sequence[float]]) -> pl.DataFrame:
    """Lay out five repetitions of each stack at each point."""
    return pl.DataFrame(
        [
            {
                "part": "air",
                "run_id": f"{stack}-{place}-{seed}",
                "stack": stack,
                "seed": seed,
                "status": "completed",
                "reason": None,
                "latency_p50_ms": values[place] + seed / 100,
                "path_loss": cell,
            }
            for place, cell in enumerate(cells)
            for stack, values in latency.items()
            for seed in range(5)
        ]
    )


LATENCY = {"ours": (100.0, 300.0), "coap": (200.0, 100.0)}


def test_an_amount_stands_behind_its_name_and_keeps_its_order() -> None:
    points = points_of(runs((0.2, 0.01), LATENCY), AMOUNTS["parts"][0])
    assert [point.label for point in points] == [
        f"path loss good (1{_}%)",
        f"path loss bad (20{_}%)",
    ]
    assert [point.values for point in points] == [(0.01,), (0.2,)]


def test_what_is_no_amount_is_called_by_its_name_in_the_order_of_the_study() -> None:
    points = points_of(runs(("wifi", "clean"), LATENCY), KINDS["parts"][0])
    assert [point.label for point in points] == ["path loss wifi", "path loss clean"]


def test_a_flip_lies_between_two_names() -> None:
    (sweep,) = decide_along_sweeps(runs((0.2, 0.01), LATENCY), AMOUNTS)
    assert f"coap leads at good (1{_}%)" in stretches(sweep).text
    (flip,) = flips(sweep)
    between = f"ours takes over from coap between good (1{_}%) and bad (20{_}%)"
    assert flip.text.startswith(between)


def test_a_setting_moves_from_name_to_name() -> None:
    table = runs(("wifi", "clean"), {"ours": (300.0, 100.0), "coap": (300.0, 100.0)})
    found = settings_that_matter(table, KINDS, decide(table, KINDS).objective)
    assert [it.stack for it in found] == ["ours", "coap"]
    assert {(it.best, it.worst) for it in found} == {("clean", "wifi")}


def test_a_name_is_explained_once_and_an_amount_explains_itself() -> None:
    assert list(meanings(AMOUNTS)) == ["ours is mqtt qos=1"]
    assert list(meanings(KINDS)) == [
        "ours is mqtt qos=1",
        f"path.loss wifi is {BURSTS}",
        "path.loss clean is 0 %",
    ]


def test_results_from_before_there_were_names_need_no_explanation() -> None:
    swept = {"key": "path.loss", "column": "path_loss", "unit": "fraction"}
    part = {"name": "air", "swept": [swept]}
    assert list(meanings({"stacks": [{"name": "coap"}], "parts": [part]})) == []
    points = points_of(runs((0.01, 0.2), LATENCY), part)
    assert [point.label for point in points] == [f"path loss 1{_}%", f"path loss 20{_}%"]
