use core::ops::Range;

use serde::{Deserialize, Serialize};

use super::check::demand;
use super::{DeviceSpec, EnergySpec, EngineSpec, RunSpec, SpecError, TariffSpec};

/// A group of devices with the same path, clients and battery.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupSpec {
    /// The name, used as the prefix of its devices' random streams.
    pub name: String,
    /// The number of devices, or how they arrive.
    pub population: PopulationSpec,
    /// The number of real devices that each simulated one represents.
    pub weight: f64,
    /// The strata; empty if the network model determines the coverage.
    pub strata: Vec<StratumSpec>,
    /// The name of the group's path.
    pub path: String,
    /// The clients of each device, one for each stack.
    pub clients: Vec<ClientSpec>,
    /// The energy settings; null if energy is not measured.
    pub energy: Option<EnergySpec>,
    /// The tariff of each device; absent if costs are not computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tariff: Option<TariffSpec>,
    /// The resource limits; absent for unconstrained devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceSpec>,
    /// The number of the only device to simulate; absent for all devices.
    ///
    /// It keeps the names, addresses and random streams that it has among the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<u32>,
}

/// The number of devices in a group, or how they arrive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PopulationSpec {
    /// Devices that are present from start to end.
    Staying {
        /// The number of devices.
        devices: u32,
    },
    /// Devices that arrive with one message and leave after its delivery.
    Arriving(ArrivingSpec),
}

/// Poisson arrivals of devices with one message each, which leave after its delivery.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivingSpec {
    /// The mean arrival rate for each cell and second.
    pub per_second_per_cell: f64,
    /// The time during which devices arrive, in nanoseconds.
    pub until_ns: u64,
    /// The time that a device stays after its message was delivered and, if the stack does so, acknowledged, in
    /// nanoseconds.
    pub linger_ns: u64,
    /// The time after which a device leaves even without delivery, in nanoseconds.
    pub give_up_ns: u64,
}

/// A stratum: devices of a group with the same coupling loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StratumSpec {
    /// The name of the stratum in results.
    pub name: String,
    /// The number of devices.
    pub devices: u32,
    /// The number of real devices that each simulated one represents.
    pub weight: f64,
    /// The coupling loss between device and base station, in dB.
    pub coupling_loss_db: f64,
}

/// A client of a device, with one stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientSpec {
    /// The name of the client's stack.
    pub stack: String,
    /// The name of the client's server.
    pub server: String,
}

impl GroupSpec {
    /// Which of the devices that stay are there, by their numbers in the group.
    pub(crate) fn present(&self) -> Range<u32> {
        self.only.map_or(0..self.staying(), |it| it..it + 1)
    }
}

impl RunSpec {
    /// A device that is there without its group is one of it. What would happen to the others is not said.
    pub(super) fn check_only(&self) -> Result<(), SpecError> {
        let stay = self.groups.iter().all(|it| it.arriving().is_none());
        let relays = self.flows.iter().any(|flow| flow.kind.is_relayed());
        let is_virtual = self.engine == EngineSpec::Virtual;
        for (place, group) in self.groups.iter().enumerate() {
            let Some(number) = group.only else {
                continue;
            };
            let field = format!("groups[{place}].only");
            demand(&[
                (
                    number < group.staying(),
                    &field,
                    "the group has no such device",
                ),
                (
                    is_virtual && stay && !relays && self.events.is_empty(),
                    &field,
                    "needs virtual time and devices that stay, and neither events nor relays",
                ),
            ])?;
        }
        Ok(())
    }
}
