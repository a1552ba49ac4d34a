use lasthop_fault::AimedFault;
use serde::{Deserialize, Serialize};

use super::{RunSpec, SpecError};
use crate::spec::check::demand;

/// A fault for selected messages on the paths of devices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultSpec {
    /// The group whose messages are targeted; `None` for all. Messages are counted for each path of a device
    /// separately.
    pub of: Option<String>,
    /// The fault, and the messages that it targets.
    pub fault: AimedFault,
}

impl RunSpec {
    /// The faults of the devices of a group.
    pub(crate) fn faults_of(&self, group: &str) -> Vec<AimedFault> {
        let happens = |of: &Option<String>| of.as_deref().is_none_or(|of| of == group);
        let faults = self.faults.iter().filter(|fault| happens(&fault.of));
        faults.map(|fault| fault.fault).collect()
    }

    pub(super) fn check_faults(&self) -> Result<(), SpecError> {
        for (place, fault) in self.faults.iter().enumerate() {
            let field = format!("faults[{place}]");
            let named = |of: &String| self.groups.iter().any(|group| group.name == *of);
            demand(&[(
                fault.of.as_ref().is_none_or(named),
                &field,
                "its group is not there",
            )])?;
            let check = fault.fault.check();
            check.map_err(|error| SpecError::value(&field, error))?;
        }
        Ok(())
    }
}
