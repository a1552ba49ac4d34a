use lasthop_contract::FlowId;
use lasthop_units::Instant;

use crate::arrow_stream::Column;
use crate::tables::{Table, millis};
use crate::{Directory, MessageRecord, MessageStatus};

/// Returns a table with one row for each message. Those due from `measured_from` on are marked as measured.
pub(crate) fn message_table<'a, R: Iterator<Item = (FlowId, &'a MessageRecord)>>(
    run_id: &str,
    directory: &Directory,
    measured_from: Instant,
    of_flows: impl Fn() -> R,
) -> Table {
    let records = || of_flows().map(|(_, record)| record);
    let nanos = |at: Option<Instant>| at.map(Instant::as_nanos);
    let mut table = Table::default();
    table.text("run_id", records().map(|_| Some(run_id)));
    let places = || of_flows().map(|(flow, _)| directory.place(flow));
    table.text("group", places().map(|place| Some(&*place?.group.name)));
    table.text("flow", places().map(|place| Some(&*place?.flows.name)));
    let devices = places().map(|place| Some(place?.device as i32));
    table.add("device", None, Column::int32(devices));
    // Records of a message for several devices stand one behind the other.
    let numbers = || of_flows().map(|(flow, it)| (it.number - 1, directory.audience(flow).get()));
    let messages = numbers().map(|(number, audience)| Some((number / audience + 1) as i32));
    table.add("message", None, Column::int32(messages));
    let receivers =
        numbers().map(|(number, audience)| (audience > 1).then_some((number % audience) as i32));
    table.add("receiver", None, Column::int32(receivers));
    let measured = records().map(|record| Some(record.intended >= measured_from));
    table.add("measured", None, Column::booleans(measured));
    let intended = records().map(|record| Some(record.intended.as_nanos()));
    table.integers("intended_ns", Some("ns"), intended);
    let sent = records().map(|record| nanos(record.sent));
    table.integers("sent_ns", Some("ns"), sent);
    let delivered = records().map(|record| nanos(record.delivered));
    table.integers("delivered_ns", Some("ns"), delivered);
    let acknowledged = records().map(|record| nanos(record.acknowledged));
    table.integers("acknowledged_ns", Some("ns"), acknowledged);
    let attempts = records().map(|r| Some(i32::from(r.attempts)));
    table.add("attempts", None, Column::int32(attempts));
    let deliveries = records().map(|r| Some(i32::from(r.deliveries)));
    table.add("deliveries", None, Column::int32(deliveries));
    table.text("status", records().map(|r| Some(r.status().name())));
    table.text(
        "failure",
        records().map(|record| match record.status() {
            MessageStatus::Failed(reason) => Some(reason),
            MessageStatus::Delivered | MessageStatus::Unfinished => None,
        }),
    );
    let latency = records().map(|r| r.latency().map(millis));
    table.add("latency_ms", Some("ms"), Column::float64(latency));
    let in_time = of_flows().map(|(flow, record)| {
        let within = directory.place(flow)?.flows.within?;
        Some(record.latency().is_some_and(|latency| latency <= within))
    });
    table.add("in_time", None, Column::booleans(in_time));
    table
}
