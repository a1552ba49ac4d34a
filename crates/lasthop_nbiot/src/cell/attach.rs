//! The registration of devices: cell search, system information, attempts and the waits between them.

use lasthop_contract::{RadioCause, RadioState};
use lasthop_units::Instant;

use super::events::Event;
use super::{Cell, Context, Settings};
use crate::config::{Attach, NetworkConfig};
use crate::device::{Device, DeviceKey};
use crate::phy::{Subframe, npbch_received, sib1_received, system_information_received};
use crate::radio_line::RadioLane;

/// T3411 (TS 24.301 section 10.2): the wait after a failed attempt to register.
pub(super) const T3411_MS: u64 = 10_000;
/// How many attempts fail before T3402 runs (TS 24.301 section 5.5.1.2.6).
const ATTEMPTS: u8 = 5;
/// SIB1-NB says the same for so many of its periods (TS 36.331 section 5.2.1.3: 40.96 s).
const SIB1_PERIODS: u64 = 16;

impl Cell {
    /// A device has joined that the network does not know.
    pub(crate) fn joins(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        self.connect(cx, key);
    }

    /// Whether a device may send a preamble as far as its registration goes: it waits for no timer, and there is a cell for it.
    pub(super) fn may_register(&mut self, cx: &mut Context<'_>, key: DeviceKey) -> bool {
        let settings = cx.settings;
        let Some(attach) = &settings.config.idle.attach else {
            return true;
        };
        let now = cx.now;
        let Some(device) = cx.devices.get_mut(key) else {
            return false;
        };
        if !device.is_registering {
            return true;
        }
        if device.registration.waits_until.is_some_and(|at| at > now) {
            return false;
        }
        device.registration.waits_until = None;
        if device.knows_system_information || has_suitable_cell(device, settings, attach) {
            return true;
        }
        self.finds_no_cell(cx, key, attach);
        false
    }

    /// A device searches all carriers, finds nothing, and sleeps until it searches again.
    fn finds_no_cell(&mut self, cx: &mut Context<'_>, key: DeviceKey, attach: &Attach) {
        let config = &cx.settings.config;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        device.account_idle(config, cx.instant);
        device.radio.begin_registration();
        let started = module_starts(device, config, cx.instant);
        let ended = started + attach.failed_search_ms;
        device
            .radio
            .spend(ended.start(), RadioState::Receive, RadioCause::CellSearch);
        let searched = (started.start(), ended.start());
        cx.watch.note(key, RadioLane::Module, searched, false, || {
            "searches all carriers and finds no cell".into()
        });
        let searches = device.registration.failed_searches;
        device.registration.failed_searches += 1;
        let wait_ms = attach.search_wait_ms(searches as usize);
        self.try_again_at(cx, key, ended + wait_ms);
    }

    /// An attempt to register has failed: the next one waits for T3411, and after five for T3402 (TS 24.301 section
    /// 5.5.1.2.6). A rejection with a wait of its own does not count.
    pub(super) fn registration_failed(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let now = cx.now;
        let t3402_ms = cx
            .settings
            .config
            .idle
            .attach
            .as_ref()
            .map(|it| it.t3402_ms);
        let (Some(device), Some(t3402_ms)) = (cx.devices.get_mut(key), t3402_ms) else {
            return;
        };
        let attempts = &mut device.registration.failed_attempts;
        let at = if device.turned_away_until > now {
            device.turned_away_until
        } else if *attempts + 1 < ATTEMPTS {
            *attempts += 1;
            now + T3411_MS
        } else {
            *attempts = 0;
            now + t3402_ms
        };
        self.report.of(device.level).registrations_failed += 1;
        let waits = (now.start(), at.start());
        cx.watch.note(key, RadioLane::Module, waits, false, || {
            "could not register; waits to try again".into()
        });
        self.try_again_at(cx, key, at);
    }

    fn try_again_at(&mut self, cx: &mut Context<'_>, key: DeviceKey, at: Subframe) {
        if let Some(device) = cx.devices.get_mut(key) {
            device.registration.waits_until = Some(at);
            device.idle.update_event = Some(at);
            self.events.push(at, Event::PeriodicUpdate(key));
        }
    }
}

/// What a device does before its first preamble that registers: it finds its cell and reads its broadcasts. Gives when it is
/// ready, which is at once where it has a cell.
pub(super) fn camps(cx: &mut Context<'_>, key: DeviceKey, attach: &Attach) -> Subframe {
    let settings = cx.settings;
    let config = &settings.config;
    let now = Subframe::at_or_after(cx.instant);
    let Some(device) = cx.devices.get_mut(key) else {
        return now;
    };
    device.radio.begin_registration();
    if core::mem::replace(&mut device.knows_system_information, true) {
        return now;
    }
    let started = module_starts(device, config, cx.instant);
    let level = &config.levels[usize::from(device.level)];
    let found = started + u64::from(config.idle.cell_search_ms + level.synchronisation_ms);
    device
        .radio
        .spend(found.start(), RadioState::Receive, RadioCause::CellSearch);
    let blocks = settings.npbch_blocks(device.level, &device.expected);
    let mib = npbch_received(found, blocks);
    let read = system_information_read(device, settings, attach.sib1_bits, mib);
    device
        .radio
        .spend(read.start(), RadioState::Receive, RadioCause::Attach);
    let searched = (started.start(), found.start());
    cx.watch.note(key, RadioLane::Module, searched, true, || {
        "finds its cell by NPSS and NSSS".into()
    });
    let listened = (found.start(), read.start());
    cx.watch.note(key, RadioLane::Module, listened, true, || {
        "reads MIB-NB, SIB1-NB and other system information".into()
    });
    read
}

/// Whether there is a cell on which a device can camp (TS 36.304 section 5.2.3.2a), and whose SIB1-NB it can read.
fn has_suitable_cell(device: &Device, settings: &Settings, attach: &Attach) -> bool {
    let config = &settings.config;
    let rsrp_dbm = config.carrier.rsrp_dbm(device.measured_loss_db);
    let there_are = SIB1_PERIODS * u64::from(config.subframes.sib1_repetitions);
    rsrp_dbm > attach.q_rx_lev_min_dbm
        && settings.broadcast_repetitions(attach.sib1_bits, &device.expected) <= there_are
}

/// When a device that knows the frame and its number has read SIB1-NB, which tells where the other messages are, and these.
pub(super) fn system_information_read(
    device: &Device,
    settings: &Settings,
    sib1_bits: u16,
    from: Subframe,
) -> Subframe {
    let config = &settings.config;
    let repetitions = |bits| settings.broadcast_repetitions(bits, &device.expected);
    let sib1 = sib1_received(from, &config.subframes, repetitions(sib1_bits));
    let messages = if config.switches.other_system_information {
        config.subframes.system_information.as_slice()
    } else {
        &[]
    };
    (messages.iter().enumerate())
        .map(|(number, message)| {
            let needed = repetitions(message.transport_block_bits);
            system_information_received(sib1, &config.subframes, (number, message), needed)
        })
        .fold(sib1, Subframe::max)
}

/// The module of a device that was off or slept deeply starts. Gives when it has.
fn module_starts(device: &mut Device, config: &NetworkConfig, now: Instant) -> Subframe {
    let starts_ms = u64::from(config.network.module.wake_up_ms);
    let started = Subframe::at_or_after(now) + starts_ms;
    if starts_ms > 0 {
        device
            .radio
            .spend(started.start(), RadioState::Receive, RadioCause::Module);
    }
    started
}
