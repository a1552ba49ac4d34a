use core::num::NonZeroU32;
use core::ops::Range;

use lasthop_contract::{Direction, FlowId, PathId};
use lasthop_units::Duration;

/// The groups, devices and flows of a run, with their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Directory {
    groups: Vec<NamedGroup>,
    flows: Vec<NamedFlows>,
    /// By their numbers.
    paths: Vec<Box<str>>,
}

/// A group of devices.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedGroup {
    /// The name in the study.
    pub name: Box<str>,
    /// The strata in order. A group without strata has one without a name.
    pub strata: Vec<NamedStratum>,
}

/// A stratum of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedStratum {
    /// The name in the study; `None` for the whole group.
    pub name: Option<Box<str>>,
    /// The number of devices. For arriving devices, the number that arrives.
    pub devices: u32,
    /// The number of real devices that each one represents.
    pub weight: f64,
}

/// A flow of a group, for all its devices.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedFlows {
    /// The flow numbers of the devices, in the order of devices.
    pub numbers: Range<u32>,
    /// The index of the group.
    pub group: usize,
    /// The name in the study.
    pub name: Box<str>,
    /// The sender: `Up` for devices, `Down` for the server.
    pub origin: Direction,
    /// The number of devices with this flow in each stratum.
    pub devices: Box<[u32]>,
    /// The number of devices that each message is for.
    pub audience: NonZeroU32,
    /// The time within which a message should be delivered, if the study sets one.
    pub within: Option<Duration>,
}

/// The group, stratum and flow of a message.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The group.
    pub group: &'a NamedGroup,
    /// The index of the stratum in its group.
    pub stratum: usize,
    /// The named flow of all devices of the group.
    pub flows: &'a NamedFlows,
    /// The index of the named flow in the directory.
    pub flows_number: usize,
    /// The number of the device in its group, from 0.
    pub device: u32,
}

impl Directory {
    /// Creates a directory of these groups, with flows in the order of their numbers.
    #[must_use]
    pub fn new(groups: Vec<NamedGroup>, flows: Vec<NamedFlows>) -> Self {
        debug_assert!(flows.is_sorted_by_key(|flows| flows.numbers.start));
        Self {
            groups,
            flows,
            paths: Vec::new(),
        }
    }

    /// Sets the names of the paths, by number.
    #[must_use]
    pub fn with_paths(self, paths: Vec<Box<str>>) -> Self {
        Self { paths, ..self }
    }

    /// Returns the name of a path, or `None` for an unknown one.
    #[must_use]
    pub fn path(&self, PathId(number): PathId) -> Option<&str> {
        self.paths.get(usize::from(number)).map(|name| &**name)
    }

    /// Returns the groups.
    #[must_use]
    pub fn groups(&self) -> &[NamedGroup] {
        &self.groups
    }

    /// Returns the named flows, in the order of their numbers.
    #[must_use]
    pub fn flows(&self) -> &[NamedFlows] {
        &self.flows
    }

    /// Returns the group, stratum and name of a flow, or `None` for an unknown one.
    #[must_use]
    pub fn place(&self, flow: FlowId) -> Option<Place<'_>> {
        let flows_number = self.flows_number(flow)?;
        let flows = &self.flows[flows_number];
        let (group, device) = (&self.groups[flows.group], flow.0 - flows.numbers.start);
        Some(Place {
            flows_number,
            stratum: group.stratum_of(device),
            group,
            flows,
            device,
        })
    }

    /// Returns the sender of a flow's messages.
    #[must_use]
    pub fn origin(&self, flow: FlowId) -> Direction {
        let flows = self.flows_number(flow);
        flows.map_or(Direction::Up, |place| self.flows[place].origin)
    }

    /// Returns the number of devices that each message of a flow is for.
    #[must_use]
    pub fn audience(&self, flow: FlowId) -> NonZeroU32 {
        let flows = self.flows_number(flow);
        flows.map_or(NonZeroU32::MIN, |place| self.flows[place].audience)
    }

    /// Returns the index of a device's stratum among the strata of all groups.
    #[must_use]
    pub fn class_of(&self, group: usize, device: u32) -> u32 {
        let before = self.groups[..group].iter();
        let classes: usize = before.map(|group| group.strata.len()).sum();
        (classes + self.groups[group].stratum_of(device)) as u32
    }

    /// Returns the weight of each stratum of all groups, in order.
    pub(crate) fn class_weights(&self) -> impl Iterator<Item = f64> + '_ {
        let strata = self.groups.iter().flat_map(|group| &group.strata);
        strata.map(|stratum| stratum.weight)
    }

    /// Whether a device, by its number in its group, has flows.
    #[must_use]
    pub fn has_flows(&self, group: usize, device: u32) -> bool {
        let mut flows = self.flows.iter();
        flows.any(|flows| flows.group == group && device < flows.numbers.len() as u32)
    }

    /// Whether simulated devices represent different numbers of real devices.
    pub(crate) fn has_different_weights(&self) -> bool {
        let of_flows = self.flows.iter().map(|flows| &self.groups[flows.group]);
        let strata = of_flows.flat_map(|group| &group.strata);
        let mut weights = strata.map(|stratum| stratum.weight);
        let Some(first) = weights.next() else {
            return false;
        };
        weights.any(|weight| (weight - first).abs() > f64::EPSILON * first)
    }

    fn flows_number(&self, flow: FlowId) -> Option<usize> {
        if let [only] = &self.flows[..] {
            return only.numbers.contains(&flow.0).then_some(0);
        }
        let after = self
            .flows
            .partition_point(|flows| flows.numbers.start <= flow.0);
        let place = after.checked_sub(1)?;
        self.flows[place].numbers.contains(&flow.0).then_some(place)
    }
}

impl NamedGroup {
    /// Returns the stratum of a device. Devices beyond the last stratum belong to the last.
    #[must_use]
    pub fn stratum_of(&self, device: u32) -> usize {
        let mut before = 0;
        let place = self.strata.iter().position(|stratum| {
            before += stratum.devices;
            device < before
        });
        place.unwrap_or(self.strata.len().saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stratum(name: &str, devices: u32) -> NamedStratum {
        NamedStratum {
            name: Some(name.into()),
            devices,
            weight: 1.0,
        }
    }

    fn flows(numbers: Range<u32>, group: usize, origin: Direction) -> NamedFlows {
        NamedFlows {
            numbers,
            group,
            name: "traffic".into(),
            origin,
            devices: Box::default(),
            audience: NonZeroU32::MIN,
            within: None,
        }
    }

    #[test]
    fn a_flow_is_found_by_its_number_and_no_other() {
        let group = |name: &str, strata| NamedGroup {
            name: name.into(),
            strata,
        };
        let groups = vec![
            group("meters", vec![stratum("near", 2), stratum("far", 1)]),
            group("nobody", vec![stratum("all", 0)]),
            group("valves", vec![stratum("all", 2)]),
        ];
        let directory = Directory::new(
            groups,
            vec![
                flows(0..3, 0, Direction::Up),
                flows(3..3, 1, Direction::Up),
                flows(3..5, 2, Direction::Down),
            ],
        );
        let place = |flow: u32| {
            let place = directory.place(FlowId(flow))?;
            Some((&*place.group.name, place.stratum, place.device))
        };
        assert_eq!(place(1), Some(("meters", 0, 1)));
        assert_eq!(place(2), Some(("meters", 1, 2)));
        assert_eq!(place(3), Some(("valves", 0, 0)));
        assert_eq!(place(4), Some(("valves", 0, 1)));
        assert_eq!(place(5), None);
        assert_eq!(directory.origin(FlowId(4)), Direction::Down);
        assert!(Directory::default().place(FlowId(0)).is_none());
    }
}
