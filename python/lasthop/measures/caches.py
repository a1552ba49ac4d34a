"""Measures of caching proxies."""

from lasthop.measures.entries import count
from lasthop.measures.measure import Direction, Kind, Measure, Ratio

CACHES = (
    count(
        name="cache_hits",
        called="requests answered from a cache",
        direction=Direction.MORE,
        meaning="Requests that a caching proxy (`forwards.cache`) answered with what it had, which "
        "was fresh, over the whole run; empty where there is none, as all columns of caches.",
    ),
    count(
        name="cache_misses",
        called="requests fetched for themselves",
        direction=Direction.LESS,
        meaning="Requests for which it fetched the resource.",
    ),
    count(
        name="cache_validated",
        called="requests answered after a look at the server",
        meaning="Requests that it answered with what it had, because the server said that it had "
        "not changed: 2.03 by CoAP, 304 by HTTP.",
    ),
    count(
        name="cache_collapsed",
        called="requests that waited for another's",
        meaning="Requests that waited for what it was fetching, or looking after, for another.",
    ),
    count(
        name="cache_stale",
        called="requests answered with what was stale",
        direction=Direction.LESS,
        meaning="Requests that it answered with what was fresh no longer, because the server gave "
        "no answer (`stale_if_error`).",
    ),
    count(
        name="cache_failed",
        called="requests that a cache could not answer",
        direction=Direction.LESS,
        meaning="Requests that it refused because the server gave no answer: 5.04 by CoAP, 504 by "
        "HTTP.",
    ),
    count(
        name="cache_writes",
        called="writes by way of a cache",
        meaning="Messages for a resource that it passed on, and that the server took.",
    ),
    Measure(
        name="cache_age_mean_ms",
        ratio=Ratio("sum of the ages", "answers that a cache gave"),
        kind=Kind.POSITIVE,
        unit="ms",
        called="age of what a cache gave",
        direction=Direction.LESS,
        missing="nothing was given by a cache",
        meaning="How old what readers were given was on average when it left the proxy, as far as "
        "that knows; what was fetched for the request counts with the age that it came with.",
    ),
)
