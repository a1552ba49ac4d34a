"""The tariffs of a study: a common currency and descriptions for the answer."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lasthop.measures.bills import BILLS
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lasthop.study.expressions import Expression
    from lasthop.study.fleet.assembly import Assembly
    from lasthop.study.fleet.tariff import TariffForm

_COST = "cost_per_year"
_OF_BILLS = frozenset(measure.short_name for measure in BILLS)


@dataclass(slots=True)
class Tariffs:
    """Collects the tariffs of all groups over the points of a study.

    Attributes
    ----------
    currency
        Common currency; None without a tariff.
    """

    currency: str | None = None
    _told: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _fees: float | None = None

    def see(self, assembly: Assembly) -> None:
        """Add the tariffs of a point.

        Raises
        ------
        Fault
            If two groups, or two points, have prices in different currencies.
        """
        for group in assembly.groups:
            if group.tariff is None:
                continue
            location = (*group.location, "tariff")
            if self.currency not in (None, group.tariff.currency):
                raise Fault(
                    f"the tariff is in {group.tariff.currency}, and another one of the study is in "
                    f"{self.currency}",
                    hint=f"write all prices in {self.currency}",
                    location=location,
                )
            self.currency = group.tariff.currency
            fees = group.tariff.fees_per_year
            self._fees = fees if self._fees is None else min(self._fees, fees)
            self._told.setdefault(group.tariff.words(), _plain(group.tariff))

    def check(self, expression: Expression) -> None:
        """Check that an expression on money has the study's currency and is not decided by fees.

        Raises
        ------
        Fault
            If there is no tariff, if it has another currency, or if fees alone are above a limit.
        """
        for comparison in expression.comparisons:
            self.check_measurable(comparison.column)
        claim = expression.comparison
        if claim.column == _COST and claim.operator in {"<", "<="} and self._fees is not None:
            limit = float(claim.value)
            if self._fees > limit or (claim.operator == "<" and self._fees == limit):
                fees = f"{self._fees:.2f} {self.currency}"
                raise Fault(
                    f"no stack can meet this: the fees of a SIM alone are {fees} a year",
                    hint=f"write a limit above {fees}, or a tariff with lower fees",
                )
        for currency in expression.currencies:
            if currency != self.currency:
                raise Fault(
                    f"the expression is in {currency}, and the tariff is in {self.currency}",
                    hint=f"write the amount in {self.currency}",
                )

    def check_measurable(self, name: str) -> None:
        """Check that a column of bills is measured: a group must have a tariff.

        Raises
        ------
        Fault
            If no group has one.
        """
        if name in _OF_BILLS and self.currency is None:
            hint = 'write for example "tariff: hologram", or rank by wire_bytes_per_message'
            raise Fault(f"{name} cannot be calculated: the study has no tariff", hint=hint)

    def plain(self) -> list[Mapping[str, Any]]:
        """Return the tariffs as plain values for the manifest."""
        return list(self._told.values())


def expired(tariff: Mapping[str, Any], today: dt.date) -> bool:
    """Return whether the prices of a tariff have expired.

    Examples
    --------
    >>> expired({"expires": "2026-06-30"}, dt.date(2026, 7, 1))
    True
    """
    until = tariff.get("expires")
    return until is not None and dt.date.fromisoformat(until) < today


def _plain(tariff: TariffForm) -> Mapping[str, Any]:
    return {
        "words": tariff.words(),
        "currency": tariff.currency,
        "source": tariff.source,
        "expires": tariff.expires,
        "session": "open" if isinstance(tariff.session, str) else tariff.session,
    }
