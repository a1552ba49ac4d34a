use lasthop_contract::{Direction, RadioCause, RadioState};
use lasthop_units::{Duration, Energy};

use crate::arrow_stream::{ArrowField, Column, StreamWriter};
use crate::message_table::message_table;
use crate::{
    Bill, BillRow, CacheSums, DeviceSums, GroupResult, Histogram, MessageLog, Meter,
    NetworkSummary, RecoverySums, RunStatus, SessionSums, SimBill, Summary, Weighted,
};

/// The tables of a run, each an Arrow IPC stream of one record batch. The message table can have more batches.
#[derive(Clone, Debug)]
pub struct RunTables {
    /// The summary table, one row, as an Arrow IPC stream.
    pub summary: Vec<u8>,
    /// One row for each message; empty if the rows were written elsewhere.
    pub messages: Vec<u8>,
    /// Bytes by direction, fate, layer and cause.
    pub ledger: Vec<u8>,
    /// Packets by direction and fate.
    pub packets: Vec<u8>,
    /// The latency histogram.
    pub latency: Vec<u8>,
    /// One row for each flow of each stratum of a group.
    pub groups: Vec<u8>,
    /// The cost for devices by purpose.
    pub bills: Vec<u8>,
    /// The bill of each device.
    pub sims: Vec<u8>,
}

impl RunTables {
    /// Creates the tables of a run with this ID.
    #[must_use]
    pub fn new(run_id: &str, status: RunStatus, summary: &Summary, meter: &Meter) -> Self {
        Self {
            summary: summary_table(status, summary).into_stream(),
            messages: match meter.message_report() {
                Some(stream) => stream.to_vec(),
                None => message_stream(run_id, meter),
            },
            ledger: ledger_table(run_id, meter).into_stream(),
            packets: packet_table(run_id, meter).into_stream(),
            latency: latency_table(run_id, &summary.latency).into_stream(),
            groups: group_table(run_id, &meter.group_results()).into_stream(),
            bills: bill_table(run_id, &meter.bill_rows()).into_stream(),
            sims: sim_table(run_id, &meter.sim_bills()).into_stream(),
        }
    }
}

/// Columns that are being filled for a record batch.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) fields: Vec<ArrowField>,
    pub(crate) columns: Vec<Column>,
}

impl Table {
    pub(crate) fn add(&mut self, name: &str, unit: Option<&str>, column: Column) {
        self.fields.push(ArrowField {
            name: name.to_owned(),
            kind: column.kind(),
            unit: unit.map(str::to_owned),
        });
        self.columns.push(column);
    }

    pub(crate) fn text(
        &mut self,
        name: &str,
        values: impl Iterator<Item = Option<impl AsRef<str>>>,
    ) {
        self.add(name, None, Column::text(values));
    }

    fn count(&mut self, name: &str, value: u64) {
        self.integers(name, None, core::iter::once(Some(value)));
    }

    pub(crate) fn integers(
        &mut self,
        name: &str,
        unit: Option<&str>,
        values: impl Iterator<Item = Option<u64>>,
    ) {
        let integers =
            values.map(|value| value.map(|value| i64::try_from(value).unwrap_or(i64::MAX)));
        self.add(name, unit, Column::int64(integers));
    }

    pub(crate) fn number(&mut self, name: &str, unit: &str, value: Option<f64>) {
        self.add(name, Some(unit), Column::float64(core::iter::once(value)));
    }

    fn into_stream(self) -> Vec<u8> {
        StreamWriter::new(Vec::new(), &self.fields)
            .and_then(|mut writer| {
                writer.write(&self.columns)?;
                writer.finish()
            })
            .expect("memory takes what is written")
    }
}

fn summary_table(status: RunStatus, summary: &Summary) -> Table {
    let (status, reason) = match status {
        RunStatus::Completed => ("completed", None),
        RunStatus::Failed(reason) => ("failed", Some(reason)),
        RunStatus::Invalid(reason) => ("invalid", Some(reason)),
    };
    let mut table = Table::default();
    table.text("status", core::iter::once(Some(status)));
    table.text("reason", core::iter::once(reason));
    table.count("messages_offered", summary.messages_offered);
    table.count("messages_delivered", summary.messages_delivered);
    table.count("messages_duplicated", summary.messages_duplicated);
    table.count("messages_failed", summary.messages_failed);
    table.count("messages_unfinished", summary.messages_unfinished);
    table.count("messages_unsent", summary.messages_unsent);
    let reasons = summary.failure_reasons();
    table.text("failure_reasons", core::iter::once(reasons));
    // Of a fleet, whose simulated devices stand for different numbers of real ones, these are those of the fleet.
    let fleet = summary.weighted.unwrap_or(Weighted {
        delivery_ratio: summary.delivery_ratio(),
        latency_mean: summary.latency_mean,
        response_mean: summary.response_mean,
        latency_percentiles: summary.latency_percentiles,
        in_time_ratio: summary.in_time_ratio(),
        age_mean: summary.age_mean,
        recovery_ratio: summary.recoveries.as_ref().and_then(RecoverySums::ratio),
        recovery_percentiles: recovery_percentiles(summary.recoveries.as_ref()),
    });
    table.number("delivery_ratio", "fraction", fleet.delivery_ratio);
    let [p50, p95, p99, p99_9] = fleet.latency_percentiles;
    for (name, value) in [
        ("latency_mean_ms", fleet.latency_mean),
        ("latency_p50_ms", p50),
        ("latency_p95_ms", p95),
        ("latency_p99_ms", p99),
        ("latency_p99_9_ms", p99_9),
        ("latency_max_ms", summary.latency_max),
        ("response_mean_ms", fleet.response_mean),
        ("response_max_ms", summary.response_max),
    ] {
        table.number(name, "ms", value.map(millis));
    }
    let timed = summary.messages_with_deadline;
    table.count("messages_with_deadline", timed);
    table.count("messages_in_time", summary.messages_in_time);
    table.number("in_time_ratio", "fraction", fleet.in_time_ratio);
    let [mean, longest] = [fleet.age_mean, summary.age_max].map(|it| it.map(Duration::as_secs_f64));
    table.number("age_of_information_mean_s", "s", mean);
    table.number("age_of_information_max_s", "s", longest);
    recovery_columns(&mut table, summary.recoveries.as_ref(), &fleet);
    let seen = !summary.hides_packets;
    let totals = [
        ("up", "offered", summary.offered[0]),
        ("up", "delivered", summary.delivered[0]),
        ("down", "offered", summary.offered[1]),
        ("down", "delivered", summary.delivered[1]),
    ];
    for (direction, fate, (_, bytes)) in totals {
        let name = format!("wire_bytes_{direction}_{fate}");
        table.integers(&name, Some("B"), core::iter::once(seen.then_some(bytes)));
    }
    for (direction, fate, (packets, _)) in totals {
        let name = format!("packets_{direction}_{fate}");
        table.integers(&name, None, core::iter::once(seen.then_some(packets)));
    }
    let bits = 8 * (summary.offered[0].1 + summary.offered[1].1);
    let seconds = summary.simulated.as_secs_f64();
    let rate = (seen && seconds > 0.0).then(|| bits as f64 / seconds);
    table.number("wire_rate_bit_s", "bit/s", rate);
    for (direction, background) in Direction::ALL.iter().zip(summary.background) {
        let mut count = |fate, packets| {
            let name = format!("background_packets_{}_{fate}", direction.name());
            table.count(&name, packets);
        };
        count("offered", background.packets_offered);
        count("dropped", background.packets_dropped);
    }
    let payload = Some(summary.payload_bytes_first_sent);
    table.integers(
        "payload_bytes_first_sent",
        Some("B"),
        core::iter::once(payload),
    );
    let control = summary.control_bytes_per_100();
    let per_message = summary.wire_bytes_per_message();
    table.number("wire_bytes_per_message", "B", per_message.map(|it| it.0));
    table.number(
        "wire_bytes_per_message_ethernet",
        "B",
        per_message.map(|it| it.1),
    );
    let per_100 = "B per 100 B";
    table.number("control_bytes_per_100", per_100, control.map(|c| c.0));
    table.number(
        "control_bytes_per_100_ethernet",
        per_100,
        control.map(|c| c.1),
    );
    table.count(
        "retransmissions_application",
        summary.retransmissions_application,
    );
    let of_transport = seen.then_some(summary.retransmissions_transport);
    table.integers(
        "retransmissions_transport",
        None,
        core::iter::once(of_transport),
    );
    let uncarried = summary.uncarried_share;
    table.number("uncarried_ratio", "fraction", uncarried);
    session_columns(&mut table, summary.sessions.as_ref());
    let evicted = seen.then_some(summary.peers_evicted);
    table.integers("peers_evicted", None, core::iter::once(evicted));
    device_columns(&mut table, summary.devices.as_ref());
    cache_columns(&mut table, summary.caches.as_ref());
    network_columns(&mut table, summary.network.as_ref());
    for column in &summary.media {
        column.add_to(&mut table);
    }
    energy_columns(&mut table, summary);
    let bill = summary.bill.as_ref().filter(|_| seen);
    bill_columns(&mut table, bill);
    let simulated = summary.simulated.as_secs_f64();
    table.number("simulated_s", "s", Some(simulated));
    for (name, percent) in [
        ("lateness_p50_ms", 50),
        ("lateness_p99_ms", 99),
        ("lateness_max_ms", 100),
    ] {
        let lateness = summary.lateness.percentile(percent);
        table.number(name, "ms", lateness.map(millis));
    }
    // A simulated server takes no processor; of real ones the kernel tells who started them.
    table.number("server_cpu_s", "s", None);
    table.integers(
        "server_memory_peak_bytes",
        Some("B"),
        core::iter::once(None),
    );
    let trace = summary.trace.digits();
    table.text("trace_hash", core::iter::once(Some(trace)));
    table
}

fn recovery_columns(table: &mut Table, recoveries: Option<&RecoverySums>, fleet: &Weighted) {
    type Count = fn(&RecoverySums) -> u64;
    let counts: [(&str, Count); 2] = [
        ("recoveries_due", RecoverySums::due),
        ("recoveries_completed", RecoverySums::completed),
    ];
    for (name, count) in counts {
        table.integers(name, None, core::iter::once(recoveries.map(count)));
    }
    table.number("recovery_ratio", "fraction", fleet.recovery_ratio);
    let [p50, p95] = fleet.recovery_percentiles;
    let longest = recoveries.and_then(RecoverySums::longest);
    for (name, took) in [
        ("recovery_p50_ms", p50),
        ("recovery_p95_ms", p95),
        ("recovery_max_ms", longest),
    ] {
        table.number(name, "ms", took.map(millis));
    }
}

fn recovery_percentiles(recoveries: Option<&RecoverySums>) -> [Option<Duration>; 2] {
    [50, 95].map(|part| recoveries?.percentile(part))
}

fn device_columns(table: &mut Table, devices: Option<&DeviceSums>) {
    type Count = fn(&DeviceSums) -> u64;
    let counts: [(&str, Count); 4] = [
        ("device_crashes_heap", |devices| devices.crashes_heap),
        ("device_crashes_watchdog", |devices| {
            devices.crashes_watchdog
        }),
        ("messages_thrown_away", |devices| devices.thrown_away),
        ("device_misreads", |devices| devices.misreads),
    ];
    for (name, count) in counts {
        table.integers(name, None, core::iter::once(devices.map(count)));
    }
    let offline = devices.map(|devices| devices.offline.as_secs_f64());
    table.number("device_offline_s", "s", offline);
    let events = devices.map(|devices| &*devices.events);
    let events = events.filter(|events| !events.is_empty());
    table.text("device_events", core::iter::once(events));
}

fn cache_columns(table: &mut Table, caches: Option<&CacheSums>) {
    type Count = fn(&CacheSums) -> u64;
    let counts: [(&str, Count); 7] = [
        ("cache_hits", |caches| caches.hits),
        ("cache_misses", |caches| caches.misses),
        ("cache_validated", |caches| caches.validated),
        ("cache_collapsed", |caches| caches.collapsed),
        ("cache_stale", |caches| caches.stale),
        ("cache_failed", |caches| caches.failed),
        ("cache_writes", |caches| caches.written),
    ];
    for (name, count) in counts {
        table.integers(name, None, core::iter::once(caches.map(count)));
    }
    let age = caches.and_then(CacheSums::mean_age_ms);
    table.number("cache_age_mean_ms", "ms", age);
}

fn session_columns(table: &mut Table, sessions: Option<&SessionSums>) {
    type Count = fn(&SessionSums) -> u64;
    let counts: [(&str, Count); 5] = [
        ("sessions_begun", SessionSums::begun),
        ("sessions_set_up", SessionSums::set_up),
        ("sessions_resumed", SessionSums::resumed),
        ("sessions_early", SessionSums::early),
        ("half_open_peak", SessionSums::half_open_peak),
    ];
    for (name, count) in counts {
        table.integers(name, None, core::iter::once(sessions.map(count)));
    }
    for (name, percent) in [
        ("session_set_up_p50_ms", 50),
        ("session_set_up_p95_ms", 95),
        ("session_set_up_p99_ms", 99),
        ("session_set_up_max_ms", 100),
    ] {
        let took = sessions.and_then(|sessions| sessions.took(percent));
        table.number(name, "ms", took.map(millis));
    }
    let half_open = sessions.map(SessionSums::half_open_seconds);
    table.number("half_open_s", "s", half_open);
}

fn network_columns(table: &mut Table, network: Option<&NetworkSummary>) {
    type Served = fn(&NetworkSummary) -> Option<f64>;
    let served: [(&str, &str, Served); 4] = [
        ("device_throughput_bit_s", "bit/s", |n| {
            n.device_throughput_bit_s
        }),
        ("availability_20s", "fraction", |n| n.availability_20s),
        ("cell_throughput_bit_s", "bit/s", |n| {
            n.cell_throughput_bit_s
        }),
        ("lowest_path_gain_served_db", "dB", |n| {
            n.lowest_path_gain_served_db
        }),
    ];
    for (name, unit, value) in served {
        table.number(name, unit, network.and_then(value));
    }
}

fn energy_columns(table: &mut Table, summary: &Summary) {
    let energy = summary.energy.as_ref();
    for (cause, name) in RadioCause::ALL.map(RadioCause::name).iter().enumerate() {
        let joules = energy.map(|energy| energy.by_cause[cause].as_joules());
        table.number(&format!("energy_{name}_j"), "J", joules);
    }
    let total = energy.map(|energy| energy.total.as_joules());
    table.number("energy_j", "J", total);
    let set_up = energy.map(|energy| energy.set_up.as_joules());
    table.number("energy_set_up_j", "J", set_up);
    let steady = energy.map(|energy| energy.steady.as_joules());
    table.number("energy_steady_j", "J", steady);
    let load = energy.and_then(|energy| energy.load);
    let load = load.map(Energy::as_joules);
    table.number("energy_load_j", "J", load);
    let per_message = summary.energy_per_message().map(Energy::as_joules);
    table.number("energy_per_message_j", "J", per_message);
    for (state, name) in RadioState::NAMES.iter().enumerate() {
        let seconds = energy.map(|energy| energy.by_state[state].as_secs_f64());
        table.number(&format!("radio_{name}_s"), "s", seconds);
    }
    let years = energy.and_then(|energy| energy.battery_years);
    table.number("battery_years", "years", years);
    let lasting = energy.and_then(|energy| energy.lifetime_ratio);
    table.number("lifetime_ratio", "fraction", lasting);
}

fn bill_columns(table: &mut Table, bill: Option<&Bill>) {
    for (name, unit, of) in BILL {
        table.number(name, unit, bill.map(of));
    }
}

type OfBill = fn(&Bill) -> f64;

/// The columns of a bill, with their units.
const BILL: [(&str, &str, OfBill); 4] = [
    ("bytes_per_month", "B", |bill| bill.bytes_per_month),
    ("billed_bytes_per_month", "B", |bill| {
        bill.billed_bytes_per_month
    }),
    ("billed_bytes_set_up", "B", |bill| bill.set_up_bytes),
    ("cost_per_year", "money", |bill| bill.cost_per_year),
];

fn message_stream(run_id: &str, meter: &Meter) -> Vec<u8> {
    // Where messages are forgotten one by one, records are left of those alone that did not end.
    let none = MessageLog::keeping_all();
    let log = if meter.log().keeps_open_messages() {
        &none
    } else {
        meter.log()
    };
    let records = || log.records().map(|(flow, _, record)| (flow, record));
    message_table(run_id, meter.directory(), meter.measured_from(), records).into_stream()
}

fn ledger_table(run_id: &str, meter: &Meter) -> Table {
    let rows = meter.ledger().rows();
    let mut table = Table::default();
    table.text("run_id", rows.iter().map(|_| Some(run_id)));
    let path = |path| meter.directory().path(path);
    table.text("path", rows.iter().map(|row| path(row.path)));
    table.text("direction", rows.iter().map(|r| Some(r.direction.name())));
    table.text("fate", rows.iter().map(|row| Some(row.fate.name())));
    table.text("reason", rows.iter().map(|row| row.fate.reason()));
    table.text("layer", rows.iter().map(|row| Some(row.layer.name())));
    table.text("cause", rows.iter().map(|row| Some(row.cause.name())));
    table.integers("bytes", Some("B"), rows.iter().map(|row| Some(row.bytes)));
    table
}

fn packet_table(run_id: &str, meter: &Meter) -> Table {
    let rows = meter.ledger().packet_rows();
    let mut table = Table::default();
    table.text("run_id", rows.iter().map(|_| Some(run_id)));
    let path = |path| meter.directory().path(path);
    table.text("path", rows.iter().map(|row| path(row.path)));
    table.text("direction", rows.iter().map(|r| Some(r.direction.name())));
    table.text("fate", rows.iter().map(|row| Some(row.fate.name())));
    table.text("reason", rows.iter().map(|row| row.fate.reason()));
    table.integers("packets", None, rows.iter().map(|row| Some(row.packets)));
    table.integers("bytes", Some("B"), rows.iter().map(|row| Some(row.bytes)));
    table
}

fn group_table(run_id: &str, rows: &[GroupResult]) -> Table {
    let mut table = Table::default();
    table.text("run_id", rows.iter().map(|_| Some(run_id)));
    table.text("group", rows.iter().map(|row| Some(&*row.group)));
    table.text("stratum", rows.iter().map(|row| row.stratum.as_deref()));
    table.text("flow", rows.iter().map(|row| Some(&*row.flow)));
    let devices = rows.iter().map(|row| Some(row.devices.into()));
    table.integers("devices", None, devices);
    let weights = Column::float64(rows.iter().map(|row| Some(row.weight)));
    table.add("weight", None, weights);
    let mut counts = |name: &str, of: fn(&GroupResult) -> u64| {
        table.integers(name, None, rows.iter().map(|row| Some(of(row))));
    };
    counts("messages_offered", |row| row.messages_offered);
    counts("messages_delivered", |row| row.messages_delivered);
    counts("messages_failed", |row| row.messages_failed);
    counts("messages_unfinished", |row| row.messages_unfinished);
    let mut numbers = |name: &str, unit: Option<&str>, of: fn(&GroupResult) -> Option<f64>| {
        table.add(name, unit, Column::float64(rows.iter().map(of)));
    };
    numbers("delivery_ratio", Some("fraction"), |row| {
        let (delivered, offered) = (row.messages_delivered as f64, row.messages_offered as f64);
        (row.messages_offered > 0).then(|| delivered / offered)
    });
    let ms = Some("ms");
    numbers("latency_mean_ms", ms, |row| row.latency_mean.map(millis));
    numbers("latency_p50_ms", ms, |row| {
        row.latency_percentiles[0].map(millis)
    });
    numbers("latency_p95_ms", ms, |row| {
        row.latency_percentiles[1].map(millis)
    });
    numbers("latency_p99_ms", ms, |row| {
        row.latency_percentiles[2].map(millis)
    });
    numbers("latency_max_ms", ms, |row| row.latency_max.map(millis));
    let mut counts = |name: &str, of: fn(&GroupResult) -> Option<u64>| {
        table.integers(name, None, rows.iter().map(of));
    };
    counts("messages_with_deadline", |row| {
        Some(row.messages_with_deadline)
    });
    counts("messages_in_time", |row| Some(row.messages_in_time));
    counts("recoveries_due", |row| {
        row.recoveries.as_ref().map(RecoverySums::due)
    });
    counts("recoveries_completed", |row| {
        row.recoveries.as_ref().map(RecoverySums::completed)
    });
    let mut numbers = |name: &str, unit: &str, of: fn(&GroupResult) -> Option<f64>| {
        table.add(name, Some(unit), Column::float64(rows.iter().map(of)));
    };
    numbers("in_time_ratio", "fraction", |row| {
        let (in_time, timed) = (row.messages_in_time, row.messages_with_deadline);
        (timed > 0).then(|| in_time as f64 / timed as f64)
    });
    numbers("age_of_information_mean_s", "s", |row| {
        row.age_mean.map(Duration::as_secs_f64)
    });
    numbers("age_of_information_max_s", "s", |row| {
        row.age_max.map(Duration::as_secs_f64)
    });
    numbers("recovery_ratio", "fraction", |row| {
        row.recoveries.as_ref()?.ratio()
    });
    numbers("recovery_p50_ms", "ms", |row| {
        row.recoveries.as_ref()?.percentile(50).map(millis)
    });
    numbers("recovery_p95_ms", "ms", |row| {
        row.recoveries.as_ref()?.percentile(95).map(millis)
    });
    numbers("recovery_max_ms", "ms", |row| {
        row.recoveries.as_ref()?.longest().map(millis)
    });
    let mut numbers = |name: &str, unit: Option<&str>, of: fn(&GroupResult) -> Option<f64>| {
        table.add(name, unit, Column::float64(rows.iter().map(of)));
    };
    numbers("energy_total_j", Some("J"), |row| {
        row.energy.as_ref().map(|energy| energy.total.as_joules())
    });
    numbers("energy_set_up_j", Some("J"), |row| {
        row.energy.as_ref().map(|energy| energy.set_up.as_joules())
    });
    numbers("energy_steady_j", Some("J"), |row| {
        row.energy.as_ref().map(|energy| energy.steady.as_joules())
    });
    numbers("energy_load_j", Some("J"), |row| {
        let load = row.energy.as_ref().and_then(|energy| energy.load);
        load.map(Energy::as_joules)
    });
    numbers("battery_years", Some("years"), |row| {
        row.energy.as_ref().and_then(|energy| energy.battery_years)
    });
    numbers("lifetime_ratio", Some("fraction"), |row| {
        row.energy.as_ref().and_then(|energy| energy.lifetime_ratio)
    });
    for (name, unit, of) in BILL {
        let values = rows.iter().map(|row| row.bill.as_ref().map(of));
        table.add(name, Some(unit), Column::float64(values));
    }
    table
}

fn bill_table(run_id: &str, rows: &[BillRow]) -> Table {
    let mut table = Table::default();
    table.text("run_id", rows.iter().map(|_| Some(run_id)));
    table.text("group", rows.iter().map(|row| Some(&*row.group)));
    table.text("stratum", rows.iter().map(|row| row.stratum.as_deref()));
    table.text("layer", rows.iter().map(|row| Some(row.layer)));
    table.text("cause", rows.iter().map(|row| Some(row.cause)));
    let bytes = rows.iter().map(|row| Some(row.billed_bytes_per_month));
    table.add("billed_bytes_per_month", Some("B"), Column::float64(bytes));
    let cost = rows.iter().map(|row| Some(row.cost_per_year));
    table.add("cost_per_year", Some("money"), Column::float64(cost));
    table
}

fn sim_table(run_id: &str, rows: &[SimBill]) -> Table {
    let mut table = Table::default();
    table.text("run_id", rows.iter().map(|_| Some(run_id)));
    table.text("group", rows.iter().map(|row| Some(&*row.group)));
    table.text("stratum", rows.iter().map(|row| row.stratum.as_deref()));
    let devices = rows.iter().map(|row| Some(row.device.into()));
    table.integers("device", None, devices);
    for (name, unit, of) in BILL {
        let values = rows.iter().map(|row| Some(of(&row.bill)));
        table.add(name, Some(unit), Column::float64(values));
    }
    table
}

/// Returns the buckets of the histogram. The bucket of undelivered messages has no bounds.
fn latency_table(run_id: &str, histogram: &Histogram) -> Table {
    let never = (histogram.never() > 0).then_some((None, None, histogram.never()));
    let rows: Vec<(Option<u64>, Option<u64>, u64)> = histogram
        .buckets()
        .map(|(from, to, count)| (Some(from.as_nanos()), Some(to.as_nanos()), count))
        .chain(never)
        .collect();
    let mut table = Table::default();
    table.text("run_id", rows.iter().map(|_| Some(run_id)));
    table.integers("lower_ns", Some("ns"), rows.iter().map(|row| row.0));
    table.integers("upper_ns", Some("ns"), rows.iter().map(|row| row.1));
    table.integers("messages", None, rows.iter().map(|row| Some(row.2)));
    table
}

pub(crate) fn millis(span: Duration) -> f64 {
    span.as_nanos() as f64 / 1e6
}
