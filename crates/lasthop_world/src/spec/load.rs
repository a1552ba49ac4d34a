use super::{EngineSpec, RunSpec, SpecError};

impl RunSpec {
    /// What is under load is somewhere else, and nothing of it is ours to change.
    pub(super) fn check_load(&self) -> Result<(), SpecError> {
        let is_load = self.engine == EngineSpec::Load;
        for (place, server) in self.servers.iter().enumerate() {
            let field = format!("servers[{place}]");
            let is_there = |is: bool| server.services.iter().any(|it| it.at.is_some() == is);
            if is_there(!is_load) {
                let problem = if is_load {
                    "a server under load is at an address"
                } else {
                    "a server of the run is at no address of others"
                };
                return Err(SpecError::value(field, problem));
            }
            if is_load && server.forwards.is_some() {
                let problem = "a gateway of ours carries no load";
                return Err(SpecError::value(field, problem));
            }
        }
        if !is_load {
            return Ok(());
        }
        let groups = &self.groups;
        let refused = [
            ("events", !self.events.is_empty()),
            ("faults", !self.faults.is_empty()),
            ("groups", groups.iter().any(|it| it.arriving().is_some())),
            ("groups", groups.iter().any(|it| it.energy.is_some())),
            ("groups", groups.iter().any(|it| it.tariff.is_some())),
            (
                "stacks",
                self.stacks.values().any(|it| it.software.is_some()),
            ),
        ];
        match refused.into_iter().find(|(_, is)| *is) {
            Some((field, _)) => Err(SpecError::value(field, "belong to a simulated world")),
            None => Ok(()),
        }
    }
}
