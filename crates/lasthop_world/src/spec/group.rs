use core::ops::Range;

use serde::{Deserialize, Serialize};

use super::check::demand;
use super::{DeviceSpec, EnergySpec, EngineSpec, RunSpec, SpecError};

/// Devices that are alike: they have one path, one set of clients and one battery.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupSpec {
    /// What it is called; random streams of its devices begin with it.
    pub name: String,
    /// Which devices there are.
    pub population: PopulationSpec,
    /// How many real devices each of them stands for.
    pub weight: f64,
    /// In which parts of the network they are; empty where the network itself decides.
    pub strata: Vec<StratumSpec>,
    /// What their packets go through, by name.
    pub path: String,
    /// What they speak, and with whom.
    pub clients: Vec<ClientSpec>,
    /// What they live on; null where their energy is not asked for.
    pub energy: Option<EnergySpec>,
    /// What they have little of; left out where that is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceSpec>,
    /// The number of the one device that is there; left out where all are. It has the names, addresses and random streams
    /// that it has among the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<u32>,
}

/// Who is there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PopulationSpec {
    /// The same devices from the start to the end.
    Staying {
        /// How many.
        devices: u32,
    },
    /// Devices that come with one message and go when it is delivered.
    Arriving(ArrivingSpec),
}

/// Devices that come with one message, as a Poisson process, and go when it is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivingSpec {
    /// How many come a second and cell, on average.
    pub per_second_per_cell: f64,
    /// For how long they come.
    pub until_ns: u64,
    /// How long a device stays after its message is delivered and, where its stack acknowledges, acknowledged.
    pub linger_ns: u64,
    /// After which a device goes whatever became of its message.
    pub give_up_ns: u64,
}

/// Devices of a group at one coupling loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StratumSpec {
    /// What it is called in results.
    pub name: String,
    /// How many of the group's devices.
    pub devices: u32,
    /// How many real devices each of them stands for.
    pub weight: f64,
    /// Between device and base station.
    pub coupling_loss_db: f64,
}

/// One stack of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientSpec {
    /// By name.
    pub stack: String,
    /// Whom it talks to, by name.
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
