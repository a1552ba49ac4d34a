"""Chunks: portions of runs for workers that may die."""

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasthop.running.on_ray.chunks import LONGEST_S, MOST_DEATHS, Chunk, ChunkQueue

if TYPE_CHECKING:
    from lasthop.study import PlannedRun


def queue_of(seconds: Mapping[str, float], *cases: str, workers: int = 1) -> ChunkQueue:
    """Give a queue of runs of these cases, each with its place as its id."""
    runs = [
        SimpleNamespace(run_id=str(place), case_id=case_id) for place, case_id in enumerate(cases)
    ]
    return ChunkQueue(cast("list[PlannedRun]", runs), seconds, workers=lambda: workers)


def drain(queue: ChunkQueue) -> Iterator[Chunk]:
    while (chunk := queue.next()) is not None:
        yield chunk


def ids(chunk: Chunk | None) -> list[str]:
    return [] if chunk is None else [run.run_id for run in chunk.runs]


def die(queue: ChunkQueue, chunk: Chunk, *, finished: int) -> list[str]:
    """Let the worker of a chunk die after so many runs; return what is given up."""
    return ids(queue.take_after_death(chunk, chunk.runs[finished:]))


def test_chunks_take_thirty_to_sixty_seconds_while_there_is_enough_for_all() -> None:
    queue = queue_of({"a": 4.0, "b": 7.0}, *["a", "b"] * 200, workers=3)
    chunks = list(drain(queue))
    seconds = [sum({"a": 4.0, "b": 7.0}[run.case_id] for run in chunk.runs) for chunk in chunks]
    enough = [taken for place, taken in enumerate(seconds) if sum(seconds[place:]) >= 6 * 45.0]
    assert len(enough) > 30
    assert all(30.0 <= taken <= LONGEST_S for taken in enough)


def test_the_last_chunks_are_smaller_so_that_workers_end_together() -> None:
    sizes = [len(chunk.runs) for chunk in drain(queue_of({"a": 1.0}, *["a"] * 400, workers=2))]
    assert sizes[:4] == [45] * 4
    assert sizes[-1] == 1
    assert sizes == sorted(sizes, reverse=True)


def test_a_run_that_is_longer_than_a_chunk_is_one() -> None:
    chunks = [ids(chunk) for chunk in drain(queue_of({"a": 500.0, "b": 1.0}, "b", "a", "b"))]
    assert chunks == [["0"], ["1"], ["2"]]


@given(
    cases=st.lists(st.sampled_from("abc"), max_size=60),
    workers=st.integers(1, 9),
    seconds=st.lists(st.floats(0.0, 100.0), min_size=3, max_size=3),
)
def test_every_run_is_in_one_chunk_in_its_order(
    cases: list[str], workers: int, seconds: list[float]
) -> None:
    queue = queue_of(dict(zip("abc", seconds, strict=True)), *cases, workers=workers)
    found = [run_id for chunk in drain(queue) for run_id in ids(chunk)]
    assert found == [str(place) for place in range(len(cases))]


def test_a_queue_of_nothing_gives_nothing() -> None:
    assert queue_of({}).next() is None


def test_the_run_at_which_a_worker_died_is_tried_again_alone() -> None:
    queue = queue_of({"a": 1.0}, *"aaaaaaaa")
    chunk = queue.next()
    assert chunk is not None
    assert len(chunk.runs) == 4
    assert die(queue, chunk, finished=1) == []
    suspect, others = queue.next(), queue.next()
    assert ids(suspect) == ["1"]
    assert ids(others) == ["2", "3"]
    assert suspect is not None
    assert others is not None
    assert (suspect.deaths, others.deaths) == (1, 0)


def test_a_chunk_is_given_up_after_three_deaths_and_its_neighbours_are_not() -> None:
    queue = queue_of({"a": 1.0}, *"aaaaaaaa")
    chunk = queue.next()
    assert chunk is not None
    assert die(queue, chunk, finished=2) == []
    for _ in range(MOST_DEATHS - 2):
        suspect = queue.next()
        assert suspect is not None
        assert die(queue, suspect, finished=0) == []
    suspect = queue.next()
    assert suspect is not None
    assert die(queue, suspect, finished=0) == ["2"]
    assert [run_id for left in drain(queue) for run_id in ids(left)] == ["3", "4", "5", "6", "7"]


@pytest.mark.parametrize("count", [1, 2, 40, 1000])
def test_where_every_worker_dies_a_chunk_is_given_up_after_few_deaths(count: int) -> None:
    queue = queue_of({"a": 0.02}, *["a"] * count)
    lost: list[str] = []
    deaths = chunks = 0
    while (chunk := queue.next()) is not None:
        chunks += not chunk.deaths
        lost += die(queue, chunk, finished=0)
        deaths += 1
    assert sorted(lost, key=int) == [str(place) for place in range(count)]
    assert deaths <= 7 * chunks


def test_what_no_worker_has_begun_comes_first_and_unblamed() -> None:
    queue = queue_of({"a": 1.0}, *"aaaa")
    chunk = queue.next()
    assert chunk is not None
    queue.put_back(chunk)
    assert queue.next() == chunk
