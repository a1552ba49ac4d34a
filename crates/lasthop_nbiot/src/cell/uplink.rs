use lasthop_contract::{RadioCause, RadioState};
use lasthop_units::{DecibelMilliwatts, Duration, Instant};

use super::downlink::{cause_of, spend_listening};
use super::events::Event;
use super::random_access::downlink_burst;
use super::scheduler::{Booking, planned_ahead, search_space, uplink_bytes};
use super::{Cell, Context};
use crate::channel::{BurstKind, EsN0, Tones, UplinkBurst};
use crate::config::{NetworkConfig, SubcarrierSpacing};
use crate::device::{Connection, Device, DeviceKey, Uplink, pipe_index};
use crate::layer2::{
    Bearer, ControlElement, Element, Fate, MacPdu, MacPduBuilder, StatusReports, buffer_size_index,
};
use crate::link_tables::{self, BlockErrorRate, Combining};
use crate::phy::{
    DownlinkChannel, NpuschFormat, ResourceUnit, UplinkAllocation, UplinkChannel,
    monitoring_after_npusch, npusch_delays,
};

/// Bytes of the subheader and the body of a buffer status report.
const REPORT_BYTES: u32 = 2;

impl Cell {
    /// Takes the resources of a grant: NPDCCH and NPUSCH.
    pub(super) fn book_uplink(&mut self, cx: &mut Context<'_>, key: DeviceKey) -> Booking {
        let settings = cx.settings;
        let switches = &settings.config.switches;
        let Some(device) = cx.devices.get_mut(key) else {
            return Booking::Idle;
        };
        let expected = device.expected;
        let Some(connection) = &mut device.connection else {
            return Booking::Idle;
        };
        let formats = &settings.level(connection.level).formats;
        let space = search_space(connection, settings);
        let (format, dci_repetitions) = match &connection.uplink {
            Some(again) => (again.format, again.dci_repetitions),
            None => (
                formats.npusch(uplink_bytes(connection, settings) * 8, &expected),
                formats.dci_repetitions(&expected),
            ),
        };
        let (mut from, until) = planned_ahead(connection, space, settings, cx.now);
        let (dci, allocation) = loop {
            let Some(dci) = self.timeline.find_dci(
                space,
                dci_repetitions,
                from,
                until,
                switches.first_candidate_only,
            ) else {
                return Booking::NoRoom;
            };
            let found = self.grid.find_grant(
                dci.end,
                grant_delays(switches.minimum_k0_only),
                format.duration_ms(),
                format.unit.tones,
            );
            match found {
                Some((_, allocation)) => break (dci, allocation),
                None => from = dci.end,
            }
        };
        self.timeline.reserve(&dci, DownlinkChannel::Npdcch);
        self.grid.reserve(&allocation, UplinkChannel::Data);
        self.report.dcis += 1;
        let counted = self.report.of(connection.level);
        counted.npusch_granted += 1;
        match &mut connection.uplink {
            Some(again) => {
                again.dci = dci;
                again.allocation = allocation;
                again.attempts += 1;
                again.under_way = true;
                counted.npusch_repeated += 1;
            }
            None => {
                connection.grant_due = false;
                connection.uplink = Some(Uplink {
                    block: None,
                    format,
                    dci_repetitions,
                    dci,
                    allocation,
                    burst: None,
                    attempts: 1,
                    sent: 0,
                    under_way: true,
                    received: EsN0::NOTHING,
                    luck: device.stream.unit(),
                });
            }
        }
        cx.channel.downlink_starts(
            cx.instant,
            self.index,
            &downlink_burst(&dci, dci_repetitions),
        );
        self.events.push(dci.end, Event::GrantEnds(key));
        Booking::Done
    }

    /// The device has heard a grant and fills its block, or has not heard it.
    pub(super) fn grant_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let settings = cx.settings;
        let Some(mut uplink) = take_uplink(cx, key) else {
            return;
        };
        if self.hears_dci(cx, key, &uplink.dci, uplink.dci_repetitions) {
            let Some(device) = cx.devices.get_mut(key) else {
                return;
            };
            if uplink.block.is_none() {
                let size = uplink.format.block.bits / 8;
                uplink.block = Some(build(device, size, cx.instant, settings));
            }
            let cause = uplink
                .block
                .as_ref()
                .map_or(RadioCause::Signalling, |block| cause_of(device, block));
            spend_listening(device, settings, &uplink.dci, cause);
            let power_dbm = npusch_power_dbm(
                &settings.config,
                device.coupling_loss_db,
                uplink.format.unit,
                uplink.format.repetitions,
            );
            uplink.burst = Some(cx.channel.uplink_starts(
                cx.instant,
                key.slot,
                &npusch_burst(
                    &uplink.allocation,
                    uplink.format.unit.spacing,
                    power_dbm,
                    BurstKind::Data,
                    uplink.format.repetitions,
                ),
            ));
            uplink.sent += 1;
            spend_transmission(device, &uplink.allocation, power_dbm, cause);
        }
        self.events
            .push(uplink.allocation.span.end, Event::UplinkEnds(key));
        put_uplink(cx, key, uplink);
    }

    /// The base station has received an NPUSCH, or nothing.
    pub(super) fn uplink_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        self.advance(cx.now);
        let settings = cx.settings;
        let Some(mut uplink) = take_uplink(cx, key) else {
            return;
        };
        uplink.under_way = false;
        let mut decoded = false;
        if let Some(burst) = uplink.burst.take() {
            uplink.received += cx.channel.uplink_ends(key.slot, burst);
            decoded = !settings.config.switches.block_errors || is_decoded(&uplink);
        }
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        if uplink.attempts == 1
            && uplink.sent == 1
            && let Some(target) = settings.target_block_error(device.level)
        {
            device.expected.learn(1, !decoded, target);
        }
        let Some(connection) = &mut device.connection else {
            return;
        };
        connection.listens_from = monitoring_after_npusch(cx.now);
        connection.active = cx.now;
        let level = connection.level;
        if decoded {
            connection.lost_blocks = 0;
            if let Some(block) = uplink.block {
                // A report tells what waits behind the data of its own block.
                let is_report = |element: &&Element| matches!(element, Element::Control(_));
                for element in block.elements.iter().filter(|element| !is_report(element)) {
                    self.base_station_receives(cx, key, element);
                }
                for report in block.elements.iter().filter(is_report) {
                    self.base_station_receives(cx, key, report);
                }
            }
            self.after_exchange(cx, key);
            return;
        }
        if uplink.attempts < settings.config.connection.harq_transmissions {
            put_uplink(cx, key, uplink);
            self.serve(cx, key);
            return;
        }
        if let (Some(block), StatusReports::Free) = (&uplink.block, settings.rlc.status_reports) {
            for element in &block.elements {
                if let Element::Data(bearer, pdu) = element {
                    connection.up[pipe_index(*bearer)].transmitter.settle(
                        pdu,
                        Fate::Lost,
                        &settings.rlc,
                    );
                }
            }
        }
        self.report.of(level).blocks_lost += 1;
        self.block_lost(cx, key);
    }
}

/// What the device puts into a block: a report if it owes one, STATUS PDUs, signalling, data.
fn build(device: &mut Device, size_bytes: u16, now: Instant, settings: &super::Settings) -> MacPdu {
    let not_on_a_bearer: u32 = (device.up.iter())
        .map(|waiting| waiting.packet.length() as u32)
        .sum();
    let connection = device
        .connection
        .as_mut()
        .expect("a device with a grant is connected");
    let mut block = MacPduBuilder::new(size_bytes, settings.subheaders);
    let reports = connection.report_due && u32::from(size_bytes) >= REPORT_BYTES;
    if reports {
        block.control(ControlElement::BufferStatus(0));
        connection.report_due = false;
    }
    for (down, bearer) in connection.down.iter_mut().zip([Bearer::Srb1, Bearer::Drb]) {
        block.status(bearer, &mut down.receiver);
    }
    for (up, bearer) in connection.up.iter_mut().zip([Bearer::Srb1, Bearer::Drb]) {
        block.data(bearer, &mut up.transmitter, now, &settings.rlc);
    }
    // Where there is padding, it carries a report (TS 36.321 5.4.5).
    let by_hand = settings.config.switches.hand_counted_blocks;
    if !reports && !by_hand {
        block.control(ControlElement::BufferStatus(0));
    }
    let mut block = block.finish();
    let left = not_on_a_bearer + waiting_bytes(connection);
    for element in &mut block.elements {
        if let Element::Control(ControlElement::BufferStatus(level)) = element {
            *level = buffer_size_index(left);
        }
    }
    block
}

/// Bytes of SDUs that wait at a device, on its bearers.
fn waiting_bytes(connection: &Connection) -> u32 {
    connection
        .up
        .iter()
        .map(|pipe| pipe.transmitter.waiting_bytes())
        .sum()
}

fn is_decoded(uplink: &Uplink) -> bool {
    let combining = if uplink.sent > 1 || uplink.format.has_both_redundancy_versions() {
        Combining::RedundancyVersions0And2
    } else {
        Combining::Chase
    };
    npusch_error_rate(&uplink.format, combining).at(uplink.received.decibels()) <= uplink.luck
}

/// The curve of a format.
pub(super) fn npusch_error_rate(format: &NpuschFormat, combining: Combining) -> BlockErrorRate {
    let tones = if format.unit.tones == 1 {
        link_tables::Tones::Single
    } else {
        link_tables::Tones::Multi
    };
    let (row, column) = (format.block.i_tbs, format.block.column);
    BlockErrorRate::npusch(tones, row, column, combining)
        .or_else(|| BlockErrorRate::npusch(tones, row, column, Combining::Chase))
        .expect("a block of the table has a curve")
}

/// The delays that a grant may have.
pub(super) fn grant_delays(minimum_k0_only: bool) -> &'static [u16] {
    let delays = npusch_delays();
    if minimum_k0_only {
        &delays[..1]
    } else {
        delays
    }
}

/// The power of an NPUSCH (TS 36.213 16.2.1.1).
pub(super) fn npusch_power_dbm(
    config: &NetworkConfig,
    path_loss_db: f64,
    unit: ResourceUnit,
    repetitions: u16,
) -> f64 {
    let power = &config.device_power;
    if repetitions > 2 {
        return power.maximum_dbm;
    }
    // 10 log10(M): a quarter for a tone of 3.75 kHz.
    let bandwidth_db = match (unit.spacing, unit.tones) {
        (SubcarrierSpacing::Khz3_75, _) => -6.020_6,
        (SubcarrierSpacing::Khz15, 1) => 0.0,
        (SubcarrierSpacing::Khz15, 3) => 4.771_2,
        (SubcarrierSpacing::Khz15, 6) => 7.781_5,
        (SubcarrierSpacing::Khz15, _) => 10.791_8,
    };
    (bandwidth_db + power.p0_nominal_npusch_dbm + power.alpha * path_loss_db).min(power.maximum_dbm)
}

/// What the channel is told of an NPUSCH.
pub(super) fn npusch_burst(
    allocation: &UplinkAllocation,
    spacing: SubcarrierSpacing,
    power_dbm: f64,
    kind: BurstKind,
    repetitions: u16,
) -> UplinkBurst {
    UplinkBurst {
        from: allocation.span.start.start(),
        until: allocation.span.end.start(),
        tones: Tones::new(spacing, allocation.first_tone, allocation.tones),
        power: DecibelMilliwatts::new(power_dbm),
        kind,
        repetitions,
    }
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

fn take_uplink(cx: &mut Context<'_>, key: DeviceKey) -> Option<Uplink> {
    let connection = cx.device(key)?.connection.as_mut()?;
    if !connection.uplink.as_ref()?.under_way {
        return None;
    }
    connection.uplink.take()
}

fn put_uplink(cx: &mut Context<'_>, key: DeviceKey, uplink: Uplink) {
    if let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) {
        connection.uplink = Some(uplink);
    }
}
