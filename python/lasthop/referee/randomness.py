"""Estimates whether random effects would make two runs differ."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from lasthop.referee.row import RunRow
from lasthop.study.run_spec import RunSpecReader

_MOST_LIKELY = 1e-6
"""Probability limit: a smaller chance of equal runs is treated as impossible."""

_DRAWN_DELAYS = frozenset({"uniform", "normal", "pareto"})


def chance_acted(run: RunRow, spec: RunSpecReader) -> bool:
    """Return whether random effects make equal runs practically impossible.

    Times that are drawn differ always, to the nanosecond, once a packet has one; a radio network
    draws places, fading and errors, which show in what arrives. Packets differ if there were enough
    of them: `n` packets, each lost with the probability `p`, are the same ones in two draws with
    the probability (p^2 + (1 - p)^2)^n.
    """
    up, down = run.packets_up_offered or 0, run.packets_down_offered or 0
    if not up + down:
        return False
    if spec.has_radio:
        arrived = (run.packets_up_delivered or 0) + (run.packets_down_delivered or 0)
        return arrived > 0 or spec.has_arrivals
    if _draws_times(spec):
        return True
    chances = (
        chance
        for direction in spec.directions()
        for chance in _chances(
            direction.settings, up if direction.is_up else down, spec.longest_flow_s
        )
    )
    return math.prod(chances) < _MOST_LIKELY


def _draws_times(spec: RunSpecReader) -> bool:
    # When in its period a device sends is drawn too, but moves its packets and changes none.
    delays = [direction.settings["delay"] for direction in spec.directions()]
    return spec.draws_send_times or any(
        delay and not _DRAWN_DELAYS.isdisjoint(delay["model"]) for delay in delays
    )


def _chances(direction: Mapping[str, Any], packets: int, seconds: float) -> Iterator[float]:
    """Yield for each random process the probability that two runs draw the same."""
    for what in ("duplicate", "corrupt"):
        if direction[what]:
            yield _same_draws(direction[what]["probability"], packets)
    loss = direction["loss"] or {}
    if "bernoulli" in loss:
        yield _same_draws(loss["bernoulli"]["probability"], packets)
    if "gilbert_elliott_packet" in loss:
        chain = loss["gilbert_elliott_packet"]
        # At the least both never leave the good state.
        yield _same_draws(chain["good_to_bad"], packets)
    if "gilbert_elliott_time" in loss:
        good_s = loss["gilbert_elliott_time"]["mean_good_ns"] / 1e9
        yield math.exp(-2 * seconds / good_s) if good_s else 0.0


def _same_draws(probability: float, draws: int) -> float:
    return float((probability**2 + (1 - probability) ** 2) ** draws)
