use lasthop_contract::{Direction, DropReason, LinkOutput, RadioCause, RadioState};
use lasthop_units::Duration;

use super::procedure::put_back;
use super::radio_use::connected_listening_share;
use super::{Cell, Context, core_port, radio_port};
use crate::device::{DeviceKey, Waiting};

impl Cell {
    /// Blocks have arrived, or HARQ has given them up: once none is under way, it goes on, by RLC if need be, or the radio
    /// link has failed.
    pub(super) fn exchange_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let most = cx.settings.config.connection.rlc.maximum_retransmissions;
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) else {
            return;
        };
        if connection.is_busy() {
            return;
        }
        if connection.lost_blocks > 0 && !connection.resolved {
            // The timer of the device ends it.
            return;
        }
        if connection.lost_blocks > most {
            self.radio_link_fails(cx, key);
            return;
        }
        Self::goes_to_its_carrier(cx, key);
        self.after_exchange(cx, key);
    }

    /// The radio link has failed (TS 36.331 section 5.3.11.3): the connection is established again, or what RLC held is lost, and the
    /// device is idle.
    pub(super) fn radio_link_fails(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_ref()) else {
            return;
        };
        self.report.of(connection.level).radio_link_failures += 1;
        if self.reestablishes(cx, key) {
            return;
        }
        if self.packets_wait_for_registration(cx, key) {
            self.abandon_connection(cx, key);
        } else {
            self.end_connection(cx, key, DropReason::RadioLinkFailure);
        }
        self.becomes_idle(cx, key);
    }

    /// A random access has ended without success.
    pub(super) fn access_fails(&mut self, cx: &mut Context<'_>, key: DeviceKey, timed_out: bool) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(access) = device.access.take() else {
            return;
        };
        if let Some(burst) = access.burst {
            cx.channel.uplink_withdrawn(burst);
        }
        let counted = self.report.of(access.level);
        counted.accesses_failed += 1;
        counted.set_ups_timed_out += u64::from(timed_out);
        let reason =
            if device.is_reestablishing || device.connection.as_ref().is_some_and(|c| c.resolved) {
                DropReason::RadioLinkFailure
            } else {
                DropReason::AccessFailed
            };
        if self.packets_wait_for_registration(cx, key) {
            self.abandon_connection(cx, key);
        } else if self.end_connection(cx, key, reason).is_none() {
            self.drop_packets(cx, key, reason);
        }
        self.becomes_idle(cx, key);
    }

    /// Whether the packets of a device wait for the next attempt to register after one that failed.
    fn packets_wait_for_registration(&self, cx: &Context<'_>, key: DeviceKey) -> bool {
        let registers = cx.settings.config.idle.attach.is_some();
        registers && (cx.devices.get(key)).is_some_and(|device| device.is_registering)
    }

    /// The base station forgets a connection whose contention was not resolved; packets wait for the next.
    pub(super) fn forget_connection(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        if let Some(mut connection) = device.connection.take() {
            put_back(&mut connection, device);
            withdraw(cx, &connection);
            self.leave_queue(cx, key, &connection);
        }
    }

    /// A connection is not there any more at either end; its packets wait for the next.
    pub(super) fn abandon_connection(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let settings = cx.settings;
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_deref()) else {
            return;
        };
        let (level, began) = (connection.level, connection.began);
        let share = connected_listening_share(connection, settings);
        self.report.of(level).connected_ms += cx.now - began;
        if let Some(device) = cx.devices.get_mut(key) {
            device.radio.cut(cx.instant);
            device.radio.listen(cx.instant, share, RadioCause::Waiting);
        }
        self.forget_connection(cx, key);
    }

    /// Ends a connection at once, with all packets; gives its level.
    pub(super) fn end_connection(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        reason: DropReason,
    ) -> Option<u8> {
        let device = cx.devices.get_mut(key)?;
        let mut connection = device.connection.take()?;
        withdraw(cx, &connection);
        self.leave_queue(cx, key, &connection);
        let counted = self.report.of(connection.level);
        counted.connected_ms += cx.now - connection.began;
        let share = connected_listening_share(&connection, cx.settings);
        if let Some(device) = cx.devices.get_mut(key) {
            device.radio.cut(cx.instant);
            device.radio.listen(cx.instant, share, RadioCause::Waiting);
        }
        let (up, down) = connection.take_packets();
        for (port, packets) in [(radio_port(key.slot), up), (core_port(key.slot), down)] {
            for Waiting { packet } in packets {
                count_drop(self.report.of(connection.level), reason);
                cx.outputs.push_back(LinkOutput::Drop {
                    port,
                    packet,
                    reason,
                });
            }
        }
        self.drop_packets(cx, key, reason);
        Some(connection.level)
    }

    /// Drops the packets of a device that no bearer has taken.
    pub(super) fn drop_packets(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        reason: DropReason,
    ) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let level = device.level;
        for direction in Direction::ALL {
            let (queue, port) = match direction {
                Direction::Up => (&mut device.up, radio_port(key.slot)),
                Direction::Down => (&mut device.down, core_port(key.slot)),
            };
            for waiting in queue.drain(..) {
                count_drop(self.report.of(level), reason);
                cx.outputs.push_back(LinkOutput::Drop {
                    port,
                    packet: waiting.packet,
                    reason,
                });
            }
        }
        device
            .since
            .iter_mut()
            .for_each(std::collections::VecDeque::clear);
    }

    /// Drops the packets of a device without a bearer that have waited too long, in these directions.
    pub(super) fn drop_overdue(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        directions: &[Direction],
    ) {
        let wait = Duration::from_millis(cx.settings.config.give_up_ms);
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let counted = self.report.of(device.level);
        for direction in directions {
            let (queue, since, port) = match direction {
                Direction::Up => (&mut device.up, &mut device.since[0], radio_port(key.slot)),
                Direction::Down => (&mut device.down, &mut device.since[1], core_port(key.slot)),
            };
            while since.front().is_some_and(|it| *it + wait <= cx.instant)
                && let Some(Waiting { packet }) = queue.pop_front()
            {
                since.pop_front();
                count_drop(counted, DropReason::GaveUp);
                cx.outputs.push_back(LinkOutput::Drop {
                    port,
                    packet,
                    reason: DropReason::GaveUp,
                });
            }
        }
        device.paged &= !device.down.is_empty();
        self.arm_give_up(cx, key);
    }

    /// A device is taken away: everything that it held is dropped.
    pub(crate) fn detach(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        self.interrupt(cx, key, DropReason::Detached);
        if let Some(device) = cx.devices.get_mut(key) {
            device.radio.end(cx.outputs);
            self.report.half_duplex_conflicts += u64::from(device.radio.conflicts());
        }
    }

    /// All that is under way for a device ends, and everything that waits is dropped.
    pub(crate) fn interrupt(&mut self, cx: &mut Context<'_>, key: DeviceKey, reason: DropReason) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        if device.is_off {
            let radio = &mut device.radio;
            radio.spend(cx.instant, RadioState::DeepSleep, RadioCause::Sleep);
        } else if device.is_idle() {
            device.account_idle(&cx.settings.config, cx.instant);
        } else {
            device.idle.begin(cx.now);
        }
        let access = device.access.take();
        if let Some(burst) = access.and_then(|access| access.burst) {
            cx.channel.uplink_withdrawn(burst);
        }
        if self.end_connection(cx, key, reason).is_none() {
            self.drop_packets(cx, key, reason);
        }
        if let Some(device) = cx.devices.get_mut(key) {
            device.radio.cut(cx.instant);
            device
                .radio
                .spend(cx.instant, RadioState::LightSleep, RadioCause::RandomAccess);
        }
    }
}

fn withdraw(cx: &mut Context<'_>, connection: &crate::device::Connection) {
    let up = connection.uplinks.iter().map(|uplink| uplink.burst);
    let bursts = up.chain(connection.downlinks.iter().map(|downlink| downlink.burst));
    for burst in bursts.flatten() {
        cx.channel.uplink_withdrawn(burst);
    }
}

fn count_drop(report: &mut super::LevelReport, reason: DropReason) {
    match reason {
        DropReason::AccessFailed => report.packets_access_failed += 1,
        DropReason::RadioLinkFailure => report.packets_radio_link_failure += 1,
        DropReason::GaveUp => report.packets_given_up += 1,
        _ => {}
    }
}
