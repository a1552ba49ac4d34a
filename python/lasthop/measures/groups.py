"""Measures by group, stratum and flow."""

PLACE = ("group", "stratum", "flow")
"""Columns that identify a row of ``groups.parquet`` within a run."""

WHOLE = "none"
"""Placeholder for the stratum of a group without strata."""

MEASURED_BY_GROUP = frozenset(
    {
        "messages_offered",
        "messages_delivered",
        "messages_failed",
        "messages_unfinished",
        "delivery_ratio",
        "latency_mean_ms",
        "latency_p50_ms",
        "latency_p95_ms",
        "latency_p99_ms",
        "latency_max_ms",
        "messages_with_deadline",
        "messages_in_time",
        "in_time_ratio",
        "age_of_information_mean_s",
        "age_of_information_max_s",
        "recoveries_due",
        "recoveries_completed",
        "recovery_ratio",
        "recovery_p50_ms",
        "recovery_p95_ms",
        "recovery_max_ms",
        "energy_j",
        "energy_set_up_j",
        "energy_steady_j",
        "energy_load_j",
        "battery_years",
        "lifetime_ratio",
        "bytes_per_month",
        "billed_bytes_per_month",
        "billed_bytes_set_up",
        "cost_per_year",
    }
)
"""Columns of ``runs.parquet`` that ``groups.parquet`` has as well."""
