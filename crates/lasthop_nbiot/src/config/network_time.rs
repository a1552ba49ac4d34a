mod presets;

use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::allowed::integer_within;
use crate::config::NetworkConfig;
use crate::phy::SearchSpace;

/// The processing times of base station, core network and device, in milliseconds.
///
/// Only sums of them can be measured from outside. The range of each, and its source, is in `MODEL.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkTime {
    /// The processing time of the base station for a message (TR 36.912 annex B).
    pub base_station_ms: u32,
    /// The time from the scheduler's decision to the first subframe of its DCI.
    pub scheduler_ms: u32,
    /// The round trip between base station and MME (S1).
    pub s1_round_trip_ms: u32,
    /// The processing time of the MME for a message.
    pub mme_ms: u32,
    /// The time of the MME's request for subscriber data (HSS), at an attach only.
    pub subscriber_data_ms: u32,
    /// The time of a request to the serving gateway: for a session, a bearer or a page.
    pub gateway_ms: u32,
    /// The one-way delay between base station and packet gateway.
    pub user_plane_ms: u32,
    /// The processing time of the device for an RRC message, before it can use the grant for its answer (TS 36.331
    /// section 11.2).
    pub device_rrc_ms: u32,
    /// The processing times of the module firmware.
    pub module: ModuleTime,
}

/// The processing times of a module's firmware, in addition to the standards, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleTime {
    /// The time from deep sleep to a listening radio.
    pub wake_up_ms: u32,
    /// The time from the application's command to a packet queued at the radio.
    pub send_ms: u32,
    /// The time from a packet's reception by radio to its delivery to the application.
    pub receive_ms: u32,
}

/// T3417 and T3430 (TS 24.301 section 10.2, without what clause 4.7 adds): how long a device waits for a service request, and for
/// an update of its tracking area.
const T3417_MS: u64 = 5_000;
/// T3410: how long it waits for an attach.
const T3410_MS: u64 = 15_000;
/// NAS messages of the network that a device waits for in an attach.
const ATTACH_ANSWERS: u64 = 3;

impl NetworkTime {
    /// Returns the time that a device waits for the MME's answer to a NAS message, in ms.
    #[must_use]
    pub fn nas_answer_ms(&self) -> u64 {
        u64::from(self.base_station_ms) + u64::from(self.s1_round_trip_ms) + u64::from(self.mme_ms)
    }

    pub(super) fn check(&self, network: &NetworkConfig) -> Result<(), ConfigError> {
        self.check_each()?;
        self.check_nas_timers()?;
        self.check_access_timers(network)
    }

    fn check_each(&self) -> Result<(), ConfigError> {
        let ModuleTime {
            wake_up_ms,
            send_ms,
            receive_ms,
        } = self.module;
        for (field, value) in [
            ("base_station_ms", self.base_station_ms),
            ("scheduler_ms", self.scheduler_ms),
            ("s1_round_trip_ms", self.s1_round_trip_ms),
            ("mme_ms", self.mme_ms),
            ("subscriber_data_ms", self.subscriber_data_ms),
            ("gateway_ms", self.gateway_ms),
            ("user_plane_ms", self.user_plane_ms),
            ("device_rrc_ms", self.device_rrc_ms),
            ("module.wake_up_ms", wake_up_ms),
            ("module.send_ms", send_ms),
            ("module.receive_ms", receive_ms),
        ] {
            integer_within(field, value.into(), 0..=60_000, "lasthop", "ms")?;
        }
        Ok(())
    }

    /// A device waits for an answer to its NAS message no longer than a timer of TS 24.301. That of a service request runs
    /// until the data bearer is there, so that the device's own work on the security command is in it.
    fn check_nas_timers(&self) -> Result<(), ConfigError> {
        let device_rrc = u64::from(self.device_rrc_ms);
        let service_request = self.nas_answer_ms() + device_rrc + u64::from(self.base_station_ms);
        if service_request >= T3417_MS {
            return Err(self.too_slow("a service request", service_request, "T3417", T3417_MS));
        }
        let attach = ATTACH_ANSWERS * (self.nas_answer_ms() + device_rrc)
            + 2 * u64::from(self.subscriber_data_ms)
            + u64::from(self.gateway_ms);
        if attach >= T3410_MS {
            return Err(self.too_slow("an attach", attach, "T3410", T3410_MS));
        }
        Ok(())
    }

    fn too_slow(&self, what: &str, takes_ms: u64, timer: &str, timer_ms: u64) -> ConfigError {
        let parts = [
            ("base_station_ms", self.base_station_ms),
            ("s1_round_trip_ms", self.s1_round_trip_ms),
            ("mme_ms", self.mme_ms),
            ("subscriber_data_ms", self.subscriber_data_ms),
            ("gateway_ms", self.gateway_ms),
            ("device_rrc_ms", self.device_rrc_ms),
        ];
        let (field, _) = parts
            .into_iter()
            .max_by_key(|(_, value)| *value)
            .expect("there are parts");
        ConfigError::new(
            field,
            format!(
                "makes the answers to {what} take {takes_ms} ms; TS 24.301 section 10.2 {timer} waits {timer_ms} ms, choose less"
            ),
        )
    }

    /// A device waits for a response to its preamble, and for Msg4, no longer than timers of TS 36.321 and TS 36.331.
    fn check_access_timers(&self, network: &NetworkConfig) -> Result<(), ConfigError> {
        let scheduler = u64::from(self.scheduler_ms);
        let msg4 = scheduler + u64::from(self.base_station_ms);
        for level in &network.levels {
            let period = SearchSpace::new(&level.random_access_search_space).period();
            let window = u64::from(level.response_window_pp) * period;
            if scheduler >= window {
                return Err(ConfigError::new(
                    "scheduler_ms",
                    format!(
                        "is {scheduler} ms; TS 36.321 section 5.1.4 ra-ResponseWindowSize is {window} ms, so that no response \
                         would be in time; choose less"
                    ),
                ));
            }
            let contention = u64::from(level.contention_resolution_pp) * period;
            let t300 = u64::from(network.connection.t300_ms);
            let (timer, timer_ms) = if contention < t300 {
                (
                    "TS 36.321 section 5.1.5 mac-ContentionResolutionTimer",
                    contention.min(10_240),
                )
            } else {
                ("TS 36.331 section 7.3 t300", t300)
            };
            if msg4 >= timer_ms {
                return Err(ConfigError::new(
                    "base_station_ms",
                    format!(
                        "makes Msg4 come {msg4} ms after Msg3; {timer} is {timer_ms} ms, so that every access would \
                         fail; choose less"
                    ),
                ));
            }
            let early = (network.early_data_bits(level)).and(level.early_data.as_ref());
            let early_ms = early.map(|early| u64::from(early.contention_resolution_pp) * period);
            let resumed = scheduler + self.nas_answer_ms() + u64::from(self.gateway_ms);
            if let Some(early_ms) = early_ms.filter(|early_ms| resumed >= *early_ms) {
                return Err(ConfigError::new(
                    "mme_ms",
                    format!(
                        "makes Msg4 come {resumed} ms after early data; TS 36.331 mac-ContentionResolutionTimer-r15 is \
                         {early_ms} ms, so that every access would fail; choose less"
                    ),
                ));
            }
        }
        Ok(())
    }
}
