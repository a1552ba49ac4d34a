use core::num::NonZeroU32;
use core::ops::Range;

use lasthop_contract::{Direction, FlowId, PathId};

/// Who takes part in a run and what its flows are called, so that nothing is guessed from numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Directory {
    groups: Vec<NamedGroup>,
    flows: Vec<NamedFlows>,
    /// By their numbers.
    paths: Vec<Box<str>>,
}

/// Devices that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedGroup {
    /// As in the study.
    pub name: Box<str>,
    /// Its parts, one after the other; one without a name where there are none.
    pub strata: Vec<NamedStratum>,
}

/// A part of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedStratum {
    /// As in the study; `None` where it is the whole group.
    pub name: Option<Box<str>>,
    /// How many devices; of those that come and go, as many as come.
    pub devices: u32,
    /// How many real devices each of them stands for.
    pub weight: f64,
}

/// Flows that are alike, one for each device of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedFlows {
    /// The flow of the first device of the group, and so on.
    pub numbers: Range<u32>,
    /// Which group, by its place.
    pub group: usize,
    /// As in the study.
    pub name: Box<str>,
    /// Where messages are made: `Up` at the devices, `Down` at the server.
    pub origin: Direction,
    /// How many devices of each part of the group have one.
    pub devices: Box<[u32]>,
    /// How many devices each message is for: so often it is to arrive.
    pub audience: NonZeroU32,
}

/// Where a flow belongs.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The group.
    pub group: &'a NamedGroup,
    /// The part of it.
    pub stratum: usize,
    /// The flows that are alike.
    pub flows: &'a NamedFlows,
    /// Their number in the directory.
    pub flows_number: usize,
    /// The number of the device in its group, from 0.
    pub device: u32,
}

impl Directory {
    /// A directory of these groups, and flows in the order of their numbers.
    #[must_use]
    pub fn new(groups: Vec<NamedGroup>, flows: Vec<NamedFlows>) -> Self {
        debug_assert!(flows.is_sorted_by_key(|flows| flows.numbers.start));
        Self {
            groups,
            flows,
            paths: Vec::new(),
        }
    }

    /// The same, with the names of the paths by their numbers.
    #[must_use]
    pub fn with_paths(self, paths: Vec<Box<str>>) -> Self {
        Self { paths, ..self }
    }

    /// What a path is called; `None` of one that is not listed.
    #[must_use]
    pub fn path(&self, PathId(number): PathId) -> Option<&str> {
        self.paths.get(usize::from(number)).map(|name| &**name)
    }

    /// The groups.
    #[must_use]
    pub fn groups(&self) -> &[NamedGroup] {
        &self.groups
    }

    /// Flows that are alike, in the order of their numbers.
    #[must_use]
    pub fn flows(&self) -> &[NamedFlows] {
        &self.flows
    }

    /// Where a flow belongs; `None` of one that is not listed.
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

    /// Where the messages of a flow are made.
    #[must_use]
    pub fn origin(&self, flow: FlowId) -> Direction {
        let flows = self.flows_number(flow);
        flows.map_or(Direction::Up, |place| self.flows[place].origin)
    }

    /// How many devices each message of a flow is for.
    #[must_use]
    pub fn audience(&self, flow: FlowId) -> NonZeroU32 {
        let flows = self.flows_number(flow);
        flows.map_or(NonZeroU32::MIN, |place| self.flows[place].audience)
    }

    /// The number of the part of a group that a device belongs to, by its number there, among the parts of all groups.
    #[must_use]
    pub fn class_of(&self, group: usize, device: u32) -> u32 {
        let before = self.groups[..group].iter();
        let classes: usize = before.map(|group| group.strata.len()).sum();
        (classes + self.groups[group].stratum_of(device)) as u32
    }

    /// Whether a device, by its number in its group, has flows.
    #[must_use]
    pub fn has_flows(&self, group: usize, device: u32) -> bool {
        let mut flows = self.flows.iter();
        flows.any(|flows| flows.group == group && device < flows.numbers.len() as u32)
    }

    /// Whether those that are simulated stand for different numbers of real devices.
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
    /// In which part a device is; those beyond the last are in the last.
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
