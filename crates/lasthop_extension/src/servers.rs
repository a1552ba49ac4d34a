use lasthop_world::RunSpec;
use pyo3::prelude::*;

use crate::credentials::Credentials;
use crate::errors::SpecError;
use crate::runs::registry;

/// The servers of a spec that are real software, as JSON: number, name, software, address and services of each.
#[pyfunction]
pub(crate) fn outside_servers(spec_json: &str) -> PyResult<String> {
    let spec = RunSpec::parse(spec_json).map_err(|e| SpecError::new_err(e.to_string()))?;
    Ok(serde_json::json!(spec.outside_servers()).to_string())
}

/// What the server of this name shows, and is real software: its certificates, its key, and the roots of those of its
/// clients where it asks for them, as files. `None` where its stack shows nothing.
#[pyfunction]
#[pyo3(signature = (spec_json, server, credentials=None))]
pub(crate) fn server_files(
    spec_json: &str,
    server: &str,
    credentials: Option<&Bound<'_, Credentials>>,
) -> PyResult<Option<ServerFiles>> {
    let spec = RunSpec::parse(spec_json).map_err(|e| SpecError::new_err(e.to_string()))?;
    let mut servers = spec.servers.iter().filter(|it| it.name == server);
    let Some(service) = servers.find_map(|it| it.services.first()) else {
        return Ok(None);
    };
    // What has no model shows nothing of ours.
    let Ok(mut stack) = registry().builder(&spec.stacks[&service.stack]) else {
        return Ok(None);
    };
    if let Some(credentials) = credentials {
        stack.show(&credentials.get().presented);
    }
    let files = stack.server_files(spec.seed);
    Ok(files.map(|it| {
        let (certificates, key) = (it.chain.certificates, it.chain.key);
        (certificates, key, it.roots, it.asks_clients, it.name)
    }))
}

/// Certificates, key, the root of both ends, whether clients show a certificate, and the server's name.
type ServerFiles = (String, String, String, bool, String);
