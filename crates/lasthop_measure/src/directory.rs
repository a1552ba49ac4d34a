use core::ops::Range;

use lasthop_contract::{Direction, FlowId};

/// Who takes part in a run and what its flows are called, so that nothing is guessed from numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    flows: Vec<NamedFlows>,
}

/// Flows that are alike, one for each device of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFlows {
    /// The flow of the first device of the group, and so on.
    pub numbers: Range<u32>,
    /// The name of the group.
    pub group: Box<str>,
    /// The name of the flows.
    pub name: Box<str>,
    /// Where messages are made: `Up` at the devices, `Down` at the server.
    pub origin: Direction,
}

impl Directory {
    /// A directory of these flows, in the order of their numbers.
    #[must_use]
    pub fn new(flows: Vec<NamedFlows>) -> Self {
        debug_assert!(flows.is_sorted_by_key(|flows| flows.numbers.start));
        Self { flows }
    }

    /// What a flow is; `None` of one that is not listed.
    #[must_use]
    pub fn of(&self, flow: FlowId) -> Option<&NamedFlows> {
        let after = self
            .flows
            .partition_point(|flows| flows.numbers.start <= flow.0);
        let flows = &self.flows[after.checked_sub(1)?];
        flows.numbers.contains(&flow.0).then_some(flows)
    }

    /// Where the messages of a flow are made.
    #[must_use]
    pub fn origin(&self, flow: FlowId) -> Direction {
        self.of(flow).map_or(Direction::Up, |flows| flows.origin)
    }
}

impl NamedFlows {
    /// The number of a flow's device in its group, from 0.
    #[must_use]
    pub fn device(&self, flow: FlowId) -> u32 {
        flow.0 - self.numbers.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flows(numbers: Range<u32>, group: &str, origin: Direction) -> NamedFlows {
        NamedFlows {
            numbers,
            group: group.into(),
            name: "traffic".into(),
            origin,
        }
    }

    #[test]
    fn a_flow_is_found_by_its_number_and_no_other() {
        let directory = Directory::new(vec![
            flows(0..3, "meters", Direction::Up),
            flows(3..3, "nobody", Direction::Up),
            flows(3..5, "valves", Direction::Down),
        ]);
        let group = |flow: u32| directory.of(FlowId(flow)).map(|flows| &*flows.group);
        assert_eq!(group(2), Some("meters"));
        assert_eq!(group(3), Some("valves"));
        assert_eq!(group(5), None);
        assert_eq!(directory.origin(FlowId(4)), Direction::Down);
        assert_eq!(directory.of(FlowId(4)).unwrap().device(FlowId(4)), 1);
        assert_eq!(Directory::default().of(FlowId(0)), None);
    }
}
