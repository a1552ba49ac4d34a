"""Values of the WLAN standards: rates, slots, preambles and basic rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_MICROSECOND_NS = 1_000
_MEGABIT = 1_000_000
_SYMBOL_US = 4
_SERVICE_AND_TAIL_BITS = 16 + 6
_LONG_PREAMBLE_US = 192
_SHORT_PREAMBLE_US = 96
_LEGACY_PREAMBLE_US = 20
_HT_MIXED_PREAMBLE_US = 36

Modulation = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standard:
    """A physical layer (PHY) of IEEE 802.11.

    Parameters
    ----------
    rates
        Data rates in bit/s with the data bits of a symbol; None for DSSS.
    basic
        Basic rates, which acknowledgements use.
    preamble_us
        Preamble of data frames.
    extension_us
        Signal extension after each OFDM frame at 2.4 GHz.
    cw_min
        Minimum contention window, in slots.
    aifsn
        Slots after SIFS before the backoff continues: 2 is DIFS.
    qos_bytes
        Size of the QoS control field.
    """

    rates: Mapping[int, int | None]
    basic: Mapping[int, int | None]
    preamble_us: int
    extension_us: int
    slot_us: int
    sifs_us: int
    cw_min: int
    aifsn: int
    qos_bytes: int

    @property
    def is_dsss(self) -> bool:
        """Return whether the standard uses DSSS, which has no symbols of several bits."""
        return None in self.rates.values()

    def data(self, rate: int, *, short: bool) -> Modulation:
        """Return the modulation of data frames at a rate, with a short preamble if it exists."""
        return self._modulation(rate, self.rates[rate], self.preamble_us, short=short)

    def reply(self, rate: int, *, short: bool) -> Modulation:
        """Return the modulation of an acknowledgement, which has no HT preamble."""
        legacy_us = self.preamble_us if self.is_dsss else _LEGACY_PREAMBLE_US
        return self._modulation(rate, self.basic[rate], legacy_us, short=short)

    def slowest_ack_ns(self, size: int) -> int:
        """Return the airtime of an acknowledgement of this size at the lowest rate."""
        rate = min(self.basic)
        symbol = self.basic[rate]
        if symbol is None:
            return _LONG_PREAMBLE_US * _MICROSECOND_NS + 8 * size * 10**9 // rate
        symbols = -(-(_SERVICE_AND_TAIL_BITS + 8 * size) // symbol)
        us = _LEGACY_PREAMBLE_US + symbols * _SYMBOL_US + self.extension_us
        return us * _MICROSECOND_NS

    def _modulation(
        self, rate: int, symbol: int | None, preamble_us: int, *, short: bool
    ) -> Modulation:
        if symbol is None:
            # At 1 Mbit/s there is the long preamble alone.
            us = _SHORT_PREAMBLE_US if short and rate > _MEGABIT else preamble_us
            return {"dsss": {"preamble_ns": us * _MICROSECOND_NS, "bits_per_second": rate}}
        return {
            "ofdm": {
                "preamble_ns": preamble_us * _MICROSECOND_NS,
                "data_bits_per_symbol": symbol,
                "extension_ns": self.extension_us * _MICROSECOND_NS,
            }
        }


_DSSS = {1_000_000: None, 2_000_000: None, 5_500_000: None, 11_000_000: None}
_SYMBOLS_PER_SECOND = 250_000
_OFDM = {
    rate * _MEGABIT: rate * _MEGABIT // _SYMBOLS_PER_SECOND
    for rate in (6, 9, 12, 18, 24, 36, 48, 54)
}
_HT20 = {bits * _SYMBOLS_PER_SECOND: bits for bits in (26, 52, 78, 104, 156, 208, 234, 260)}
_OFDM_BASIC = {rate: _OFDM[rate] for rate in (6_000_000, 12_000_000, 24_000_000)}

STANDARDS: Mapping[str, Standard] = {
    "a": Standard(
        rates=_OFDM,
        basic=_OFDM_BASIC,
        preamble_us=_LEGACY_PREAMBLE_US,
        extension_us=0,
        slot_us=9,
        sifs_us=16,
        cw_min=15,
        aifsn=2,
        qos_bytes=0,
    ),
    "b": Standard(
        rates=_DSSS,
        # hostapd's basic rates of 802.11b.
        basic={1_000_000: None, 2_000_000: None},
        preamble_us=_LONG_PREAMBLE_US,
        extension_us=0,
        slot_us=20,
        sifs_us=10,
        cw_min=31,
        aifsn=2,
        qos_bytes=0,
    ),
    "g": Standard(
        rates=_OFDM,
        basic=_OFDM_BASIC,
        preamble_us=_LEGACY_PREAMBLE_US,
        extension_us=6,
        slot_us=9,
        sifs_us=10,
        cw_min=15,
        aifsn=2,
        qos_bytes=0,
    ),
    "n": Standard(
        rates=_HT20,
        basic=_OFDM_BASIC,
        preamble_us=_HT_MIXED_PREAMBLE_US,
        extension_us=6,
        slot_us=9,
        sifs_us=10,
        cw_min=15,
        aifsn=3,
        qos_bytes=2,
    ),
}
"""WLAN standards by letter: IEEE 802.11-2016, clauses 16 (b), 17 (a), 18 (g) and 19 (n: 20 MHz, one
stream, the long guard interval)."""
