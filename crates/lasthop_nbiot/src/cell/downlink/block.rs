use lasthop_units::Instant;

use super::{Assignment, Formats};
use crate::cell::Settings;
use crate::cell::scheduler::is_up_in_order;
use crate::channel::EsN0;
use crate::device::{Connection, Downlink};
use crate::layer2::{Bearer, ControlElement, MacPdu, MacPduBuilder};

/// The bearers, in the order of a connection's pipes.
const BEARERS: [Bearer; 2] = [Bearer::Srb1, Bearer::Drb];

/// A block of what waits for the device, for its first transmission.
pub(super) fn new_block(
    connection: &mut Connection,
    formats: &Formats,
    assignment: &Assignment,
    now: Instant,
    settings: &Settings,
) -> Downlink {
    Downlink {
        block: build(connection, formats.data.block.bits / 8, now, settings),
        format: formats.data,
        dci_repetitions: formats.dci_repetitions,
        ack_repetitions: formats.ack_repetitions,
        dci: assignment.dci,
        data: assignment.data,
        acknowledgement: assignment.acknowledgement,
        burst: None,
        attempts: 0,
        under_way: false,
        ended: false,
        received: EsN0::NOTHING,
        luck: 0.0,
        decoded: false,
        heard: false,
    }
}

fn build(
    connection: &mut Connection,
    size_bytes: u16,
    now: Instant,
    settings: &Settings,
) -> MacPdu {
    let mut block = MacPduBuilder::new(size_bytes, settings.subheaders);
    if connection.contention_due && block.control(ControlElement::ContentionResolutionIdentity) {
        connection.contention_due = false;
    }
    if let Some(message) = connection.srb0
        && block.transparent(message)
    {
        connection.srb0 = None;
    }
    if is_up_in_order(connection, settings) {
        for (up, bearer) in connection.up.iter_mut().zip(BEARERS) {
            block.status(bearer, &mut up.receiver);
        }
    }
    for (down, bearer) in connection.down.iter_mut().zip(BEARERS) {
        block.data(bearer, &mut down.transmitter, now, &settings.rlc);
    }
    block.finish()
}
