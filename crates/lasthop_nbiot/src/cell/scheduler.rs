use super::data_carriers::LEVELS;
use super::events::Event;
use super::{Cell, Context};
use crate::device::{Connection, DeviceKey, EarlyData};
use crate::layer2::{ControlElement, Demand};
use crate::phy::{SearchSpace, Subframe};
use crate::rrc::DataPath;

/// What came of looking for resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Booking {
    /// The resources are allocated.
    Done,
    /// Nothing is to be sent.
    Idle,
    /// No resources are free within the planning horizon.
    NoRoom,
}

/// A plan reaches this many NPDCCH periods ahead of when a device listens.
const PERIODS_AHEAD: u64 = 2;
/// A queue is planned again after a period of its search space, at the latest after so many subframes.
const LONGEST_PLAN: u64 = 40;
/// Once so many devices have found no room, the others are not asked.
const FAILURES_IN_A_PLAN: usize = 4;

impl Cell {
    /// Takes resources for what is to be sent to or from a device, in its turn.
    pub(super) fn serve(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let has_access = device.access.is_some();
        let Some(connection) = &mut device.connection else {
            return;
        };
        if connection.queued || connection.is_busy() || (has_access && connection.resolved) {
            return;
        }
        let queue = Self::queue_of(connection);
        let booking = if self.queues[queue].is_empty() {
            self.book(cx, key)
        } else {
            self.wants(cx, key)
        };
        if booking == Booking::NoRoom {
            self.queues[queue].push_back(key);
            if let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) {
                connection.queued = true;
            }
            self.note_queues(cx.now);
            self.plan_later(cx, queue);
        }
    }

    /// Serves the devices of a queue that wait, in turn.
    pub(super) fn plan(&mut self, cx: &mut Context<'_>, queue: u8) {
        let queue = usize::from(queue);
        self.planned[queue] = false;
        self.advance(cx.now);
        let mut failures = 0;
        let mut at = 0;
        while failures < FAILURES_IN_A_PLAN {
            let Some(&key) = self.queues[queue].get(at) else {
                break;
            };
            let booking = match cx.device(key).and_then(|d| d.connection.as_mut()) {
                Some(connection) if connection.queued => self.book(cx, key),
                _ => Booking::Idle,
            };
            if booking == Booking::NoRoom {
                failures += 1;
                at += 1;
                continue;
            }
            self.queues[queue].remove(at);
            if let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) {
                connection.queued = false;
            }
        }
        self.note_queues(cx.now);
        if !self.queues[queue].is_empty() {
            self.plan_later(cx, queue);
        }
    }

    /// A device whose connection has ended leaves its queue, and is on the anchor.
    pub(super) fn leave_queue(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        connection: &Connection,
    ) {
        Self::goes_to_the_anchor(cx, key, connection);
        if connection.queued {
            self.queues[Self::queue_of(connection)].retain(|other| *other != key);
            self.note_queues(cx.now);
        }
    }

    fn plan_later(&mut self, cx: &Context<'_>, queue: usize) {
        if !core::mem::replace(&mut self.planned[queue], true) {
            let period = cx
                .settings
                .level((queue % LEVELS) as u8)
                .user_space
                .period();
            self.events
                .push(cx.now + period.min(LONGEST_PLAN), Event::Plan(queue as u8));
        }
    }

    fn note_queues(&mut self, now: Subframe) {
        let queued = self
            .queues
            .iter()
            .map(std::collections::VecDeque::len)
            .sum();
        self.report.note_queue(now, queued);
    }

    fn wants(&self, cx: &mut Context<'_>, key: DeviceKey) -> Booking {
        let settings = cx.settings;
        let wants = cx
            .device(key)
            .and_then(|device| device.connection.as_deref())
            .is_some_and(|connection| {
                !connection.downlinks.is_empty()
                    || !connection.uplinks.is_empty()
                    || downlink_bytes(connection, settings) > 0
                    || uplink_bytes(connection, settings) > 0
            });
        if wants {
            Booking::NoRoom
        } else {
            Booking::Idle
        }
    }

    fn book(&mut self, cx: &mut Context<'_>, key: DeviceKey) -> Booking {
        let settings = cx.settings;
        self.advance(cx.now);
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_deref()) else {
            return Booking::Idle;
        };
        let Some(connection) = (!connection.is_busy()).then_some(connection) else {
            return Booking::Idle;
        };
        let carrier = connection.carrier;
        if !connection.downlinks.is_empty() || downlink_bytes(connection, settings) > 0 {
            return self.on_carrier(carrier, |cell| cell.book_downlink(cx, key));
        }
        if !connection.uplinks.is_empty() || uplink_bytes(connection, settings) > 0 {
            return self.on_carrier(carrier, |cell| cell.book_uplink(cx, key));
        }
        Booking::Idle
    }
}

/// The search space in which a device listens: that of the random access until it has its own.
pub(super) fn search_space<'a>(
    connection: &Connection,
    settings: &'a super::Settings,
) -> &'a SearchSpace {
    let level = settings.level(connection.level);
    if connection.resolved {
        &level.user_space
    } else {
        &level.access_space
    }
}

/// Where to look for a DCI: from which subframe, and before which.
pub(super) fn planned_ahead(
    connection: &Connection,
    space: &SearchSpace,
    settings: &super::Settings,
    now: Subframe,
) -> (Subframe, Subframe) {
    let decided = now + settings.waits.scheduler;
    let mut from = (connection.listens_from)
        .max(connection.ready_from)
        .max(decided);
    if let Some(drx) = &settings.level(connection.level).drx
        && connection.resolved
        && connection.is_set_up()
        && from - connection.active > drx.inactivity
        && from.0 % drx.cycle >= drx.on
    {
        from = Subframe(from.0.next_multiple_of(drx.cycle));
    }
    (from, from + PERIODS_AHEAD * space.period())
}

/// The size of a block that holds all that waits for a device; 0 for nothing.
pub(super) fn downlink_bytes(connection: &Connection, settings: &super::Settings) -> u32 {
    if connection.early == EarlyData::Held {
        return 0;
    }
    let mut demand = Demand::new(settings.subheaders);
    if connection.contention_due {
        demand = demand.and_control(ControlElement::ContentionResolutionIdentity);
    }
    if let Some(message) = connection.srb0 {
        demand = demand.and_transparent(message);
    }
    let reports = is_up_in_order(connection, settings);
    for (up, down) in connection.up.iter().zip(&connection.down) {
        if reports {
            demand = demand.and_status(&up.receiver);
        }
        demand = demand.and_data(&down.transmitter);
    }
    demand.bytes()
}

/// The size of a block that holds what the base station knows or expects to wait at a device; 0 for nothing.
pub(super) fn uplink_bytes(connection: &Connection, settings: &super::Settings) -> u32 {
    const REPORT: ControlElement = ControlElement::BufferStatus(0);
    // The headers of RLC and MAC around what a report tells.
    const HEADERS: u32 = 5;
    if !connection.resolved {
        return 0;
    }
    let by_hand = settings.config.switches.hand_counted_blocks;
    let in_nas = matches!(connection.sequence.data, DataPath::Nas { .. });
    let mut demand = Demand::new(settings.subheaders);
    if connection.report_due || connection.end_report_due {
        demand = demand.and_control(REPORT);
    }
    // A STATUS PDU answers a poll of the base station, and a message of the set-up one of its messages.
    let mut expected = Demand::new(settings.subheaders);
    if is_down_in_order(connection, settings) {
        for down in &connection.down {
            expected = expected.and_status(&down.receiver);
        }
    }
    if !connection.is_set_up() || !in_nas || by_hand {
        expected = expected.and_data(&connection.up[0].transmitter);
    }
    let data = if by_hand {
        Demand::new(settings.subheaders)
            .and_data(&connection.up[1].transmitter)
            .bytes()
    } else if connection.known_bytes > 0 && has_bearer(connection) {
        connection.known_bytes + HEADERS
    } else {
        0
    };
    let expected = if connection.grant_due || by_hand {
        expected.bytes()
    } else {
        0
    };
    match expected + data {
        0 if connection.grant_due => demand.and_control(REPORT).bytes(),
        0 => 0,
        bytes => demand.bytes() + bytes,
    }
}

/// Whether what has come up is all that was sent before it: with two HARQ processes others may have overtaken a block that
/// is to be repeated, and until it is there no STATUS PDU goes (t-Reordering, TS 36.322 section 5.1.3.2.3), nor a release.
pub(super) fn is_up_in_order(connection: &Connection, settings: &super::Settings) -> bool {
    settings.config.connection.harq_processes == 1 || connection.uplinks.is_empty()
}

/// The same of the downlink.
pub(super) fn is_down_in_order(connection: &Connection, settings: &super::Settings) -> bool {
    settings.config.connection.harq_processes == 1 || connection.downlinks.is_empty()
}

/// Whether data can go.
pub(super) fn has_bearer(connection: &Connection) -> bool {
    use crate::rrc::With;
    connection.is_set_up()
        || (connection.resolved
            && connection.sequence.set_up[usize::from(connection.step)].with == With::UserData)
}
