"""Helpers to define the entries of measures."""

from functools import partial

from lasthop.measures.measure import FleetRule, Kind, Measure

count = partial(Measure, kind=Kind.COUNT, arrow_type="int64", unit="count", fleet=FleetRule.SUM)
share = partial(Measure, kind=Kind.SHARE, unit="fraction")
text = partial(Measure, arrow_type="string")
