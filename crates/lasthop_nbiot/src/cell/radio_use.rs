use lasthop_contract::{RadioCause, RadioState};
use lasthop_units::{DecibelMilliwatts, Duration};

use super::scheduler::search_space;
use crate::device::{Connection, Device};
use crate::layer2::{Element, MacPdu};
use crate::phy::{DownlinkSpan, SearchSpace, Subframe, UplinkAllocation};
use crate::rrc::DataPath;

/// What a block is for: the device's packets, signalling, or acknowledgements alone.
pub(super) fn cause_of(device: &Device, block: &MacPdu) -> RadioCause {
    let composition = &block.composition;
    // What a message on SRB0 carries is told apart already.
    let is_transparent = block.elements.contains(&Element::Transparent);
    let carries_packets = !is_transparent
        && device.connection.as_ref().is_some_and(|connection| {
            matches!(connection.sequence.data, DataPath::Nas { .. }) && connection.is_set_up()
        });
    if composition.payload_bytes > 0 || (carries_packets && composition.signalling_bytes > 0) {
        RadioCause::Payload
    } else if composition.signalling_bytes + composition.control_element_bytes > 0 {
        RadioCause::Signalling
    } else {
        RadioCause::Acknowledgement
    }
}

/// The radio of a device from where its log ends until a DCI for it begins: it listens to its search space.
pub(super) fn spend_listening(
    device: &mut Device,
    settings: &super::Settings,
    dci: &DownlinkSpan,
    cause: RadioCause,
) {
    let Some(connection) = device.connection.as_deref() else {
        return;
    };
    let space = *search_space(connection, settings);
    let listens_from = connection.listens_from;
    device.radio.spend(
        listens_from.min(dci.start).start(),
        RadioState::ConnectedSleep,
        cause,
    );
    let waits_long = dci.start - listens_from > 2 * space.period();
    let waiting = if waits_long {
        RadioCause::Waiting
    } else {
        cause
    };
    device.radio.begin(dci.start.start());
    let share = if waits_long {
        connected_listening_share(connection, settings)
    } else {
        listening_share(&space, settings)
    };
    device.radio.listen(dci.start.start(), share, waiting);
    device
        .radio
        .spend(dci.end.start(), RadioState::Receive, cause);
}

/// The share of time in which a connected device listens that nothing is sent to: by connected DRX, where it has one, and
/// to its search space.
pub(super) fn connected_listening_share(
    connection: &Connection,
    settings: &super::Settings,
) -> f64 {
    let share = listening_share(search_space(connection, settings), settings);
    match &settings.level(connection.level).drx {
        Some(drx) => share * drx.on as f64 / drx.cycle as f64,
        None => share,
    }
}

/// The share of time in which a search space has candidates.
fn listening_share(space: &SearchSpace, settings: &super::Settings) -> f64 {
    let (subframes, usable) = settings.maps.all().period();
    f64::from(space.rmax()) * subframes as f64 / usable as f64 / space.period() as f64
}

/// The radio of a device that listens on after a DCI, until a subframe; to another DCI, if there is one.
pub(super) fn spend_more_listening(
    device: &mut Device,
    settings: &super::Settings,
    also: Option<DownlinkSpan>,
    until: Subframe,
    cause: RadioCause,
) {
    let Some(connection) = device.connection.as_deref() else {
        return;
    };
    let share = listening_share(search_space(connection, settings), settings);
    if let Some(dci) = also {
        device.radio.listen(dci.start.start(), share, cause);
        device
            .radio
            .spend(dci.end.start(), RadioState::Receive, cause);
    }
    device.radio.listen(until.start(), share, cause);
}

/// The radio of a device up to the end of an NPDSCH.
pub(super) fn spend_reception(device: &mut Device, data: &DownlinkSpan, cause: RadioCause) {
    let radio = &mut device.radio;
    radio.begin(data.start.start());
    radio.spend(data.start.start(), RadioState::ConnectedSleep, cause);
    radio.spend(data.end.start(), RadioState::Receive, cause);
}

/// The radio of a device during an NPUSCH: it sends, and gets in step again or waits for preambles in what is left.
pub(super) fn spend_transmission(
    device: &mut Device,
    allocation: &UplinkAllocation,
    power_dbm: f64,
    cause: RadioCause,
) {
    let span = &allocation.span;
    let start = span.start.start();
    let radio = &mut device.radio;
    radio.begin(start);
    radio.spend(start, RadioState::ConnectedSleep, cause);
    radio.spend(
        start + Duration::from_millis(span.sent_ms.into()),
        RadioState::Transmit(DecibelMilliwatts::new(power_dbm)),
        cause,
    );
    radio.spend(
        span.end.start(),
        RadioState::Receive,
        RadioCause::Synchronisation,
    );
}
