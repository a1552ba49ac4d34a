//! What the programs of this package measure, and the host that measures it.
//!
//! `message_pairs` measures CPU time a message; `http_work` that of a request of each version of HTTP; `session_storm` packets a second; `nbiot_hour` what a device of a network
//! costs with all that is above it, `nbiot_city` what it costs without; `nbiot_fleet`
//! what a report of meters that stay for days does; `event_loop` how fast the machine is; `wlan` holds the WLAN cell against the literature; `memory`
//! bytes an object, and checks the limits that `benchmarks/memory.md` states.

mod bianchi;
mod figures;
mod http_requests;
mod message_pairs;
mod nbiot_city;
mod nbiot_fleet;
mod nbiot_hour;
mod session_storm;
mod usage;
mod wlan_figures;
mod wlan_saturation;

pub use bianchi::Bianchi;
pub use figures::{Figures, cpu_seconds_each, rounded};
pub use http_requests::{HttpRequests, RequestStack};
pub use message_pairs::{MessagePairs, PairStack, UnknownStack};
pub use nbiot_city::{NbIotCity, NbIotCityOutcome};
pub use nbiot_fleet::NbIotFleet;
pub use nbiot_hour::{HourContent, NbIotHour, UnknownContent};
pub use session_storm::SessionStorm;
pub use usage::{UsageError, cpu_time, peak_memory_mib};
pub use wlan_figures::{WLAN_STATIONS, WlanCase, heusse_2003};
pub use wlan_saturation::{Saturated, WlanSaturation};
