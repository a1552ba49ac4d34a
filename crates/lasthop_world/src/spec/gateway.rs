use lasthop_traffic::FlowKind;

use super::check::{MAX_TOGETHER, demand};
use super::{ForwardsSpec, GroupSpec, RunSpec, ServerLayout, ServerSpec, SpecError};

impl ForwardsSpec {
    /// Holds a gateway against the group that it runs on and the flows that come to it.
    pub(super) fn check(
        &self,
        field: &str,
        gateway: &ServerSpec,
        spec: &RunSpec,
    ) -> Result<(), SpecError> {
        let field = &format!("{field}.forwards");
        let Some(place) = spec.groups.iter().position(|it| it.name == self.by) else {
            return Err(SpecError::value(
                field,
                "the group that it runs on is not there",
            ));
        };
        let group = &spec.groups[place];
        let is_gateway = |group: &GroupSpec| spec.gateway_of(group).is_some();
        let next = |server: &&ServerSpec| group.talks_to(&server.name);
        let reports = |server: &str| {
            let by_it = |flow: &&super::FlowSpec| {
                spec.client_of(flow).is_some_and(|it| it.server == server)
            };
            let mut flows = spec.flows.iter().filter(by_it);
            flows.all(|flow| match flow.kind {
                FlowKind::Report => true,
                FlowKind::Download => self.cache.is_some(),
                _ => false,
            })
        };
        let mut relayed = spec.flows.iter().filter(|it| it.kind.is_relayed());
        demand(&[
            (
                spec.gateway_of(group) == Some(gateway),
                field,
                "another gateway runs on the group",
            ),
            (
                spec.groups[..place].iter().all(is_gateway),
                field,
                "groups of gateways stand before all others",
            ),
            (
                group.staying() == 1 && group.clients.len() == 1,
                field,
                "a gateway is one device with one client",
            ),
            (
                spec.flows.iter().all(|it| it.group() != self.by)
                    && relayed.all(|it| it.to != self.by),
                field,
                "a gateway has no flow of its own",
            ),
            (
                gateway.layout == ServerLayout::Shared,
                field,
                "devices share a gateway: shared",
            ),
            (
                spec.servers
                    .iter()
                    .filter(next)
                    .all(|it| it.forwards.is_none() && it.layout == ServerLayout::Shared),
                field,
                "behind a gateway is a server that is none, and is shared",
            ),
            (
                reports(&gateway.name),
                field,
                "a gateway passes on reports alone, and downloads where it has a cache",
            ),
            (
                (1..=MAX_TOGETHER).contains(&self.batch),
                &format!("{field}.batch"),
                "must be from 1 to 10000",
            ),
            (
                self.cache.is_none() || self.batch == 1,
                &format!("{field}.cache"),
                "a proxy passes on each request by itself: batch 1",
            ),
            (
                self.room >= self.batch,
                &format!("{field}.room"),
                "there is no room for a batch",
            ),
            (
                self.batch == 1 || self.wait_ns > 0,
                &format!("{field}.wait_ns"),
                "what is bundled waits for a time",
            ),
        ])
    }
}
