"""What the packets of a probe cost at most by a tariff."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lasthop.study.fields.quantity import SIZE, format_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lasthop.probe.plan import ProbePlan
    from lasthop.study.fleet.tariff import TariffForm

_DAY_S = 86_400.0


def billed_bytes(packets: Mapping[int, int], tariff: TariffForm, *, sessions: int) -> int:
    """Give what a tariff counts at most of packets that are sent, and answered by as many.

    Parameters
    ----------
    packets
        How many packets of each size are sent.
    sessions
        Rounded amounts, if it rounds more than packets.
    """
    rounding = tariff.rounding
    per_packet = rounding is not None and rounding.per == "packet"
    volume = 0
    for size, count in packets.items():
        counted = max(size, tariff.packet.minimum) + tariff.packet.extra
        if rounding is not None and per_packet:
            counted = max(rounding.minimum, rounding.step * math.ceil(counted / rounding.step))
        volume += count * counted
    volume *= 1 if tariff.counts == "up" else 2
    if rounding is not None and not per_packet:
        volume += sessions * max(rounding.step, rounding.minimum)
    return volume


def most_cost(plan: ProbePlan, overhead: int, tariff: TariffForm) -> float:
    """Give the price of a plan at most, where no included volume is left."""
    sessions = 1
    if tariff.rounding is not None and tariff.rounding.per == "session":
        sessions = plan.most_pauses()
    elif tariff.rounding is not None and tariff.rounding.per == "day":
        sessions = 1 + math.ceil(plan.most_seconds() / _DAY_S)
    billed = billed_bytes(plan.packets(overhead), tariff, sessions=sessions)
    cost = 0.0
    if tariff.price is not None:
        cost += tariff.price.amount * billed
    if tariff.prepaid is not None:
        cost += tariff.prepaid.fee.amount * billed / tariff.prepaid.volume
    if tariff.minute is not None:
        cost += tariff.minute.amount * (math.ceil(plan.most_seconds() / 60) + plan.most_pauses())
    return cost


def cost_words(plan: ProbePlan, overhead: int, tariff: TariffForm) -> str:
    """Say what a plan costs at most."""
    words = f"at most {_money(most_cost(plan, overhead, tariff))} {tariff.currency}"
    words += f" by {tariff.words()}"
    if tariff.included is not None:
        size = format_quantity(round(tariff.included / 12), SIZE)
        words += f"; nothing while the {size} of the month last"
    return words


def _money(amount: float) -> str:
    """Write an amount with two digits that count.

    Examples
    --------
    >>> _money(0.0123), _money(12.345), _money(0)
    ('0.012', '12.35', '0.00')
    """
    if amount <= 0 or amount >= 1:
        return f"{amount:.2f}"
    return f"{amount:.{1 - math.floor(math.log10(amount))}f}"
