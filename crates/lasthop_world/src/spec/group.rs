use core::ops::Range;

use serde::{Deserialize, Serialize};

use super::check::demand;
use super::{DeviceSpec, EnergySpec, EngineSpec, RunSpec, SpecError, TariffSpec};

/// Devices that are alike: they have one path, one set of clients and one battery.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupSpec {
    /// The name, used as the prefix of its devices' random streams.
    pub name: String,
    /// The devices.
    pub population: PopulationSpec,
    /// The number of real devices that each one represents.
    pub weight: f64,
    /// The strata; empty if the network model decides the coverage.
    pub strata: Vec<StratumSpec>,
    /// The name of the path.
    pub path: String,
    /// The clients, one for each stack.
    pub clients: Vec<ClientSpec>,
    /// The energy settings; null if energy is not measured.
    pub energy: Option<EnergySpec>,
    /// What each of them pays; left out where that is not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tariff: Option<TariffSpec>,
    /// The resource limits; absent for unconstrained devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceSpec>,
    /// The number of the only device to simulate; absent for all.
    ///
    /// It keeps the names, addresses and random streams that it has among the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<u32>,
}

/// The devices of a group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PopulationSpec {
    /// Devices that are present from start to end.
    Staying {
        /// How many.
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
    /// The duration of arrivals.
    pub until_ns: u64,
    /// How long a device stays after its message was delivered and, if the stack does that, acknowledged.
    pub linger_ns: u64,
    /// The time after which a device leaves in any case.
    pub give_up_ns: u64,
}

/// Devices of a group at one coupling loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StratumSpec {
    /// The name in results.
    pub name: String,
    /// The number of devices.
    pub devices: u32,
    /// The number of real devices that each one represents.
    pub weight: f64,
    /// Between device and base station.
    pub coupling_loss_db: f64,
}

/// A client of a device, with one stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientSpec {
    /// The name of the stack.
    pub stack: String,
    /// The name of the server.
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
