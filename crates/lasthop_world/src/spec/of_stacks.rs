//! Checks of a run spec that depend on its stacks.

use std::collections::BTreeMap;

use super::{ClientSpec, FlowSpec, RunSpec, ServerSpec, ServiceSpec, SpecError};
use crate::stack::StackBuilder;

/// Holds the clients of a device against each other, and what is relayed against the stacks that carry it.
///
/// # Errors
/// When they do not fit.
pub(crate) fn check_stacks(
    spec: &RunSpec,
    stacks: &BTreeMap<&str, StackBuilder>,
) -> Result<(), SpecError> {
    OfStacks { spec, stacks }.check()
}

struct OfStacks<'a> {
    spec: &'a RunSpec,
    stacks: &'a BTreeMap<&'a str, StackBuilder>,
}

impl OfStacks<'_> {
    /// Checks the clients of a device against each other, and relayed flows against their stacks.
    fn check(&self) -> Result<(), SpecError> {
        for (place, group) in self.spec.groups.iter().enumerate() {
            let mut versions = group.clients.iter();
            let versions = versions.all(|client| {
                self.stacks[client.stack.as_str()].ip_version()
                    == self.stacks[group.clients[0].stack.as_str()].ip_version()
            });
            if !versions {
                let problem = "the clients of a device have one version of IP";
                return Err(SpecError::value(
                    format!("groups[{place}].clients"),
                    problem,
                ));
            }
        }
        for (place, server) in self.spec.servers.iter().enumerate() {
            let version = |service: &ServiceSpec| self.stacks[service.stack.as_str()].ip_version();
            let mut versions = server.services.iter().map(version);
            let first = versions.next();
            let ports = || server.services.iter();
            let other = |service: &ServiceSpec| self.stacks[service.stack.as_str()].fallback_port();
            let taken = ports().filter_map(other).find(|port| {
                ports()
                    .filter(|it| it.port == *port || other(it) == Some(*port))
                    .count()
                    > 1
            });
            if let Some(port) = taken {
                let problem = format!("two services are at port {port}, one by its fallback");
                return Err(SpecError::value(
                    format!("servers[{place}].services"),
                    problem,
                ));
            }
            if versions.any(|version| Some(version) != first) {
                let problem = "the services of a server have one version of IP";
                return Err(SpecError::value(
                    format!("servers[{place}].services"),
                    problem,
                ));
            }
        }
        self.check_names()?;
        for (place, flow) in self.spec.flows.iter().enumerate() {
            if !flow.kind.is_relayed() {
                continue;
            }
            let speaks = self.spec.client_of(flow);
            let server = speaks.map_or("", |client| &client.server);
            let hears = self.spec.hearing(flow, server);
            let hears = hears.map(|(group, client)| &group.clients[client]);
            let fetches = hears.and_then(|client| self.spec.client_of_proxy(client, server));
            let mut carriers = [speaks, hears, fetches].into_iter().flatten();
            let lacking = carriers.find(|client| {
                let stack = &self.stacks[client.stack.as_str()];
                !stack.has_topics()
            });
            // Both sides of a proxy are to observe.
            let ends = [hears, fetches];
            let mut keeping = ends.iter().flatten().filter(|_| fetches.is_some());
            let blind = keeping.find(|client| {
                let stack = &self.stacks[client.stack.as_str()];
                !stack.application().is_cacheable()
            });
            if let Some(client) = blind {
                let problem = format!("a proxy observes nothing by the stack {}", client.stack);
                return Err(SpecError::value(format!("flows[{place}]"), problem));
            }
            if let Some(client) = lacking {
                let problem = format!("the stack {} has no topics", client.stack);
                return Err(SpecError::value(format!("flows[{place}]"), problem));
            }
            self.check_own_topics(place, flow, [speaks, hears])?;
        }
        Ok(())
    }

    /// Checks that named resources use stacks with names, on both sides of a proxy.
    fn check_names(&self) -> Result<(), SpecError> {
        let lacks = |client: &ClientSpec| {
            let stack = &self.stacks[client.stack.as_str()];
            !stack.application().is_cacheable()
        };
        let refused = |field: String, client: &ClientSpec| {
            let problem = format!("the stack {} has no names for resources", client.stack);
            Err(SpecError::value(field, problem))
        };
        for (place, flow) in self.spec.flows.iter().enumerate() {
            let client = self.spec.client_of(flow).filter(|it| lacks(it));
            if let Some(client) = client
                && self.spec.resource_of(flow).is_some()
            {
                return refused(format!("flows[{place}]"), client);
            }
        }
        for (place, group) in self.spec.groups.iter().enumerate() {
            let is_proxy = self
                .spec
                .gateway_of(group)
                .is_some_and(ServerSpec::is_proxy);
            let client = group.clients.iter().find(|it| is_proxy && lacks(it));
            if let Some(client) = client {
                return refused(format!("groups[{place}].clients"), client);
            }
        }
        Ok(())
    }

    /// Checks that a flow relayed without a broker core stays in one stack and has its own topic.
    fn check_own_topics(
        &self,
        place: usize,
        flow: &FlowSpec,
        ends: [Option<&ClientSpec>; 2],
    ) -> Result<(), SpecError> {
        let [Some(speaks), Some(hears)] = ends else {
            return Ok(());
        };
        let has_own = |client: &ClientSpec| {
            let stack = &self.stacks[client.stack.as_str()];
            !stack.application().passes_on()
        };
        let problem = if !has_own(speaks) && !has_own(hears) {
            return Ok(());
        } else if speaks.stack != hears.stack {
            format!(
                "what {} passes on reaches devices of that stack alone",
                speaks.stack
            )
        } else if self.is_told_anything(&flow.from) {
            format!("{} has one topic, which others read", flow.from)
        } else {
            return Ok(());
        };
        Err(SpecError::value(format!("flows[{place}]"), problem))
    }

    /// Whether the devices of a group receive messages other than those of other devices.
    fn is_told_anything(&self, group: &str) -> bool {
        let group = self.spec.group(group).into_iter();
        let mut flows = group.flat_map(|group| self.spec.flows_of(group));
        flows.any(|flow| flow.kind.reaches_devices())
    }
}
