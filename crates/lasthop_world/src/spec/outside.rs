use core::net::IpAddr;

use serde::Serialize;

use super::{
    ChangeSpec, DeviceSpec, EngineSpec, LayerSpec, RestartOfSpec, RunSpec, ServerLayout,
    ServerSpec, SpecError,
};
use crate::addresses::Addresses;

/// A server of a run that is external software.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutsideServer {
    /// The number of the server among all servers of the run.
    pub number: u32,
    /// The name of the server in the run.
    pub name: String,
    /// The name of the software.
    pub software: String,
    /// The address of the server in the run.
    pub address: IpAddr,
    /// The services that the server must offer.
    pub services: Vec<OutsideService>,
    /// The resource limits of the server, if it runs on a constrained device.
    pub device: Option<DeviceSpec>,
}

/// A service that an external server must offer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutsideService {
    /// The application protocol.
    pub application: LayerSpec,
    /// The layers below, down to IP.
    pub layers: Vec<LayerSpec>,
    /// The port of the service.
    pub port: u16,
}

impl OutsideService {
    /// Returns the protocol above TCP or UDP, as capture ledgers name it.
    #[must_use]
    pub fn spoken(&self) -> &str {
        let mut upper = self.layers.iter().rev().skip(2);
        let spoken = upper.next().unwrap_or(&self.application);
        match spoken.name.as_str() {
            "ws" => "websocket",
            name => name,
        }
    }
}

impl RunSpec {
    /// Returns the servers of the run that are external software.
    #[must_use]
    pub fn outside_servers(&self) -> Vec<OutsideServer> {
        // Each of them is there once: the check says so.
        let offering = self.servers.iter().filter(|it| !it.services.is_empty());
        let outside = offering.zip(0..).filter_map(|(server, number)| {
            let services = server.services.iter().map(|service| {
                let stack = &self.stacks[&service.stack];
                OutsideService {
                    application: stack.application.clone(),
                    layers: stack.layers.clone(),
                    port: service.port,
                }
            });
            Some(OutsideServer {
                number,
                name: server.name.clone(),
                software: self.software_of(server)?.to_owned(),
                address: self.addresses_of(server).server(number),
                services: services.collect(),
                device: server.device.clone(),
            })
        });
        outside.collect()
    }

    /// The real software that a server is, where it is no host of ours.
    pub(crate) fn software_of(&self, server: &ServerSpec) -> Option<&str> {
        let stack = &server.services.first()?.stack;
        self.stacks[stack].software.as_deref()
    }

    fn addresses_of(&self, server: &ServerSpec) -> Addresses {
        let stack = &self.stacks[&server.services[0].stack];
        let version = stack.layer("ip").and_then(|ip| ip.options.get("version"));
        let is_6 = version.is_some_and(|version| version == "6");
        Addresses {
            version: if is_6 { 6 } else { 4 },
        }
    }

    /// Real software waits for nobody's virtual clock, and its life is its own.
    pub(super) fn check_software(&self) -> Result<(), SpecError> {
        for (place, server) in self.servers.iter().enumerate() {
            let mut services = server.services.iter();
            let Some(service) = services.find(|it| self.stacks[&it.stack].software.is_some())
            else {
                continue;
            };
            let refuse = |field: &str, problem: &str| {
                Err(SpecError::value(
                    format!("servers[{place}].{field}"),
                    problem,
                ))
            };
            let software = &self.stacks[&service.stack].software;
            if self.engine != EngineSpec::Live {
                return refuse("services", "real software needs the live engine");
            }
            if server.service_time.is_some() {
                return refuse("service_time", "real software takes its own time");
            }
            let mut services = server.services.iter();
            if services.any(|it| self.stacks[&it.stack].software != *software) {
                return refuse("services", "a server is one piece of software");
            }
            if self
                .servers
                .iter()
                .any(|it| it.layout != ServerLayout::Shared)
            {
                return refuse("layout", "devices that come and go have no real server");
            }
            let restarts = |change: &ChangeSpec| matches!(change, ChangeSpec::Restart { of: RestartOfSpec::Server(name), .. } if *name == server.name);
            if self.events.iter().any(|event| restarts(&event.change)) {
                return refuse("name", "an event cannot restart real software");
            }
        }
        Ok(())
    }
}
