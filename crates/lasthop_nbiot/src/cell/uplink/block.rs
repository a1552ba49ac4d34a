use lasthop_units::Instant;

use crate::cell::Settings;
use crate::cell::scheduler::is_down_in_order;
use crate::device::{Connection, Device};
use crate::layer2::{
    Bearer, ControlElement, Demand, Element, MacPdu, MacPduBuilder, buffer_size_index,
};

/// What the device puts into a block: a report if it owes one, STATUS PDUs, signalling, data.
pub(super) fn build(
    device: &mut Device,
    size_bytes: u16,
    now: Instant,
    settings: &Settings,
) -> MacPdu {
    let not_on_a_bearer: u32 = (device.up.iter())
        .map(|waiting| waiting.packet.length() as u32)
        .sum();
    let connection = device
        .connection
        .as_mut()
        .expect("a device with a grant is connected");
    let mut block = MacPduBuilder::new(size_bytes, settings.subheaders);
    let reports = (connection.report_due || ends_with(connection, size_bytes, settings))
        && block.control(ControlElement::BufferStatus(0));
    connection.report_due &= !reports;
    if is_down_in_order(connection, settings) {
        for (down, bearer) in connection.down.iter_mut().zip([Bearer::Srb1, Bearer::Drb]) {
            block.status(bearer, &mut down.receiver);
        }
    }
    for (up, bearer) in connection.up.iter_mut().zip([Bearer::Srb1, Bearer::Drb]) {
        block.data(bearer, &mut up.transmitter, now, &settings.rlc);
    }
    // Where there is padding, it carries a report (TS 36.321 section 5.4.5).
    let by_hand = settings.config.switches.hand_counted_blocks;
    if !reports && !by_hand {
        block.control(ControlElement::BufferStatus(0));
    }
    let mut block = block.finish();
    let left = not_on_a_bearer + connection.waiting_bytes();
    for element in &mut block.elements {
        if let Element::Control(ControlElement::BufferStatus(level)) = element {
            *level = buffer_size_index(left);
        }
    }
    block
}

/// Whether a block is to tell that no more follow: all that waits fits into it, and the report.
fn ends_with(connection: &Connection, size_bytes: u16, settings: &Settings) -> bool {
    if !connection.end_report_due {
        return false;
    }
    let mut demand = Demand::new(settings.subheaders).and_control(ControlElement::BufferStatus(0));
    for (up, down) in connection.up.iter().zip(&connection.down) {
        demand = demand.and_status(&down.receiver).and_data(&up.transmitter);
    }
    demand.bytes() <= size_bytes.into()
}
