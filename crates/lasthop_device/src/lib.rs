//! Models of limited resources: energy and battery life of radios, processing times of hosts, and devices with small
//! buffers, one task, little memory and a watchdog.
//!
//! ```
//! use lasthop_contract::{RadioCause, RadioState};
//! use lasthop_device::{Battery, EnergyAccount, PowerProfile};
//! use lasthop_units::{DecibelMilliwatts, Duration, Energy};
//!
//! // A report a day: 2 s of sending, otherwise deep sleep.
//! let mut account = EnergyAccount::new(PowerProfile::TR_45_820);
//! let send = RadioState::Transmit(DecibelMilliwatts::new(23.0));
//! account.record(send, RadioCause::Payload, Duration::from_secs(2));
//! account.record(RadioState::DeepSleep, RadioCause::Sleep, Duration::from_secs(86_398));
//!
//! let battery = Battery::new(Energy::from_watt_hours(5.0), 0.0)?;
//! let years = account.mean_power().map(|power| battery.life_years(power));
//! assert_eq!(years.map(|years| years.round()), Some(21.0));
//! # Ok::<(), lasthop_device::BatteryError>(())
//! ```

mod arrival;
mod battery;
mod busy_host;
mod connection_count;
mod constraints;
mod device_host;
mod device_state;
mod device_transport;
mod energy_account;
mod load;
mod message_boundary;
mod message_count;
mod power_profile;
mod reader;
mod secured_transport;
mod service_time;

pub use battery::{Battery, BatteryError};
pub use busy_host::BusyHost;
pub use connection_count::ConnectionCount;
pub use constraints::{Constraints, Heap, Reading, Secures};
pub use device_host::DeviceHost;
pub use device_state::Device;
pub use device_transport::DeviceTransport;
pub use energy_account::EnergyAccount;
pub use load::Load;
pub use message_boundary::{FirstMessage, MessageBoundary};
pub use power_profile::{PowerProfile, TransmitPower};
pub use secured_transport::SecuredTransport;
pub use service_time::ServiceTime;
