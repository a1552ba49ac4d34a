"""The answer's table shows of each stack the figure that decides."""

from lasthop.outcome.results import Results
from lasthop.outcome.short_answer import ShortAnswer, short_answer

from .conftest import WriteResults
from .synthetic import SyntheticStack, SyntheticStudy
from .test_overload import aim, overloaded

CASES = {"loss": {"path.loss": [0.0]}}


def _answer(write_results: WriteResults, column: str, *requirements: str) -> ShortAnswer:
    decide = aim(column, *requirements)
    return short_answer(Results(write_results(SyntheticStudy(parts=CASES, decide=decide))))


def _cells(answer: ShortAnswer, point: int = 0) -> dict[str, list[str]]:
    return {
        column.heading: [column.write(row) for row in answer.points[point].rows]
        for column in answer.columns
    }


def test_what_is_minimised_stands_beside_each_stack_as_the_headline_has_it(
    write_results: WriteResults,
) -> None:
    answer = _answer(write_results, "control_bytes_per_100")
    cells = _cells(answer)
    figures = cells["control_bytes_per_100"]
    assert list(cells)[:3] == ["", "stack", "control_bytes_per_100"]
    assert figures[0] in " ".join((answer.headline, *answer.support))
    assert len(set(figures[:3])) == 3
    assert figures[3] == "", "nothing ran"
    assert answer.as_json()["aim"] == "control_bytes_per_100"


def test_who_is_excluded_has_it_too(write_results: WriteResults) -> None:
    everybody = _cells(_answer(write_results, "control_bytes_per_100"))
    without = SyntheticStudy(
        parts=CASES, decide=aim("control_bytes_per_100", "latency_p50 <= 210 ms")
    )
    cells = _cells(short_answer(Results(write_results(without, name="without"))))
    assert cells["verdict"][2] == "excluded"
    assert cells["(a)"][2].startswith("not met")
    by_stack = [
        dict(zip(found["stack"], found["control_bytes_per_100"], strict=True))
        for found in (everybody, cells)
    ]
    assert by_stack[0] == by_stack[1]


def test_what_another_column_shows_is_not_told_twice(write_results: WriteResults) -> None:
    answer = _answer(write_results, "latency_p95")
    assert answer.aim is None
    assert [heading for heading in _cells(answer) if "p95" in heading] == ["p95"]


def test_a_latency_that_an_overload_has_not_is_told_as_one(write_results: WriteResults) -> None:
    stacks = (SyntheticStack("raw_udp"), SyntheticStack("raw_udp ack=on", attempts=5))
    study = SyntheticStudy(stacks=stacks, decide=aim("latency_mean"))
    answer = short_answer(Results(overloaded(write_results(study))))
    assert _cells(answer, point=1)["latency_mean"][1] == "overload"
