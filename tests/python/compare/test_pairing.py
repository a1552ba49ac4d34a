"""Which arm is held against which."""

import polars as pl
import pytest

from lasthop.answer.arms import AnswerArm
from lasthop.compare.pairing import Key, Pair, pair_up, read_pairs
from lasthop.compare.place import Place
from lasthop.errors import UsageError

HERE, THERE = Place("here", (("loss", "5 %"),)), Place("there", (("loss", "5 %"),))
FAR = Place("far", (("loss", "9 %"),))


def arms(*keys: Key) -> dict[Key, AnswerArm]:
    return {key: AnswerArm(key[1], pl.DataFrame(), ()) for key in keys}


def test_stacks_and_places_of_the_same_name_are_paired() -> None:
    base = arms((HERE, "coap"), (FAR, "coap"), (HERE, "mqtt"))
    new = arms((HERE, "mqtt"), (HERE, "coap"), (THERE, "coap"))
    assert pair_up(base, new) == [
        Pair((HERE, "mqtt"), (HERE, "mqtt")),
        Pair((HERE, "coap"), (HERE, "coap")),
    ]


def test_a_place_of_another_part_is_found_by_its_values_where_that_is_clear() -> None:
    base = arms((HERE, "coap"), (FAR, "coap"))
    assert pair_up(base, arms((THERE, "coap"), (FAR, "coap"))) == [
        Pair((HERE, "coap"), (THERE, "coap")),
        Pair((FAR, "coap"), (FAR, "coap")),
    ]
    twice = arms((HERE, "coap"), (Place("too", HERE.values), "coap"))
    assert pair_up(twice, arms((THERE, "coap"), (FAR, "coap"))) == []


def test_a_named_value_is_the_same_value_without_its_name() -> None:
    unnamed, far = Place("loss", (("path.loss", "5 %"),)), Place("loss", (("path.loss", "9 %"),))
    named = Place("loss", (("path.loss", "bad (5 %)"),), unnamed.values)
    otherwise = Place("loss", (("path.loss", "poor (5 %)"),), unnamed.values)
    elsewhere = Place("other", otherwise.values, unnamed.values)
    for one in (unnamed, named):
        for other in (otherwise, elsewhere):
            pairs = pair_up(
                arms((one, "coap"), (far, "coap")), arms((other, "coap"), (far, "coap"))
            )
            assert pairs == [
                Pair((one, "coap"), (other, "coap")),
                Pair((far, "coap"), (far, "coap")),
            ]


def test_the_only_place_of_one_belongs_to_the_only_place_of_the_other() -> None:
    (pair,) = pair_up(arms((HERE, "coap")), arms((FAR, "coap")))
    assert pair.where == "here: loss 5 % → far: loss 9 %"


def test_a_stack_may_be_held_against_several() -> None:
    base, new = arms((HERE, "coap"), (HERE, "mqtt")), arms((HERE, "udp"), (HERE, "mqtt"))
    chosen = [("coap", "udp"), ("mqtt", "udp")]
    assert [pair.stack for pair in pair_up(base, new, chosen)] == ["coap → udp", "mqtt → udp"]


def test_names_with_equals_signs_are_read() -> None:
    both = arms((HERE, "mqtt qos=0"), (HERE, "mqtt qos=1"))
    assert read_pairs(["mqtt qos=0=mqtt qos=1"], both, both) == [("mqtt qos=0", "mqtt qos=1")]


@pytest.mark.parametrize(
    ("written", "clue"),
    [
        ("a=b=c", "ambiguous"),
        ("a=bb", 'the NEW folder has no stack "bb"; did you mean "b"'),
        ("x=c", 'the BASE folder has no stack "x"; write one of a, a=b'),
        ("x", 'is not BASE_STACK=NEW_STACK; write for example "a=c"'),
    ],
)
def test_what_names_no_two_stacks_is_refused(written: str, clue: str) -> None:
    base, new = arms((HERE, "a"), (HERE, "a=b")), arms((HERE, "b=c"), (HERE, "b"), (HERE, "c"))
    with pytest.raises(UsageError, match=clue):
        read_pairs([written], base, new)
