use lasthop_contract::{RadioCause, RadioState};

use super::attach::{camps, system_information_read};
use super::{Cell, Context};
use crate::config::{Attach, NetworkConfig};
use crate::device::DeviceKey;
use crate::phy::Subframe;
use crate::radio_line::RadioLane;

/// A clock that is wrong by less than half a radio frame still tells which frame it is.
const HALF_A_FRAME_MS: f64 = 5.0;
/// Stored system information is valid for so long (TS 36.331 section 5.2.1.3).
const SYSTEM_INFORMATION_VALID_MS: u64 = 24 * 3_600_000;
/// How long NPBCH says the same, and SIB1-NB (TS 36.211 section 10.2.4, TS 36.331 section 5.2.1.2a).
const NPBCH_MS: u64 = 640;
const SIB1_MS: u64 = 2560;

impl Cell {
    /// What a device does that wants to send, before its first preamble: its module starts, it gets in step with the
    /// cell, and reads the broadcasts that it does not know. Gives when it is ready.
    pub(super) fn wake_up(&mut self, cx: &mut Context<'_>, key: DeviceKey) -> Subframe {
        let settings = cx.settings;
        let config = &settings.config;
        let mut ready = Subframe::at_or_after(cx.instant);
        if let Some(attach) = &config.idle.attach
            && cx.device(key).is_some_and(|device| device.is_registering)
        {
            return camps(cx, key, attach);
        }
        let Some(device) = cx.devices.get_mut(key) else {
            return ready;
        };
        let mut awake = ready;
        if let Some(slept_ms) = device.idle.deep_sleep_ms(&config.idle, ready) {
            let starts_ms = u64::from(config.network.module.wake_up_ms);
            if starts_ms > 0 {
                ready += starts_ms;
                device
                    .radio
                    .spend(ready.start(), RadioState::Receive, RadioCause::Module);
                awake = ready;
            }
            let wrong_ms = slept_ms as f64 * config.idle.clock_ppm * 1e-6;
            if wrong_ms > 0.0 {
                ready += device.idle.wake_up_ms();
            }
            if wrong_ms >= HALF_A_FRAME_MS {
                let level = &config.levels[usize::from(device.level)];
                ready += u64::from(level.synchronisation_ms);
            }
            if wrong_ms > 0.0 && slept_ms >= SYSTEM_INFORMATION_VALID_MS {
                let sib1_bits = (config.idle.attach.as_ref())
                    .map_or(Attach::USUAL_SIB1_BITS, |attach| attach.sib1_bits);
                ready = system_information_read(device, settings, sib1_bits, ready);
            }
        }
        if config.random_access.access_barring.is_some() {
            // MIB-NB says whether anybody is barred, SIB14-NB who (TS 36.331 section 5.2.2.4).
            ready += device.idle.wake_up_ms() + u64::from(config.subframes.si_window_ms);
        }
        if !core::mem::replace(&mut device.knows_system_information, true) {
            if device.is_registering {
                ready += u64::from(config.idle.cell_search_ms);
            }
            ready += NPBCH_MS + system_information_ms(config);
        }
        let asleep = Subframe::at_or_after(cx.instant);
        if awake > asleep {
            let woke = (asleep.start(), awake.start());
            cx.watch
                .note(key, RadioLane::Module, woke, true, || "wakes up".into());
        }
        if ready > awake {
            let synchronised = (awake.start(), ready.start());
            cx.watch
                .note(key, RadioLane::Module, synchronised, true, || {
                    "gets in step with the cell and reads its broadcasts".into()
                });
            device.radio.spend(
                ready.start(),
                RadioState::Receive,
                RadioCause::Synchronisation,
            );
        }
        ready
    }
}

/// How long a device reads the first system information block, and one window of the second (TS 36.331 section 5.2.2).
fn system_information_ms(config: &NetworkConfig) -> u64 {
    SIB1_MS + u64::from(config.subframes.si_window_ms)
}
