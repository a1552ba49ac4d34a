//! The extension module `lasthop._native`: a run spec goes in, Arrow tables come out.
//!
//! Bindings convert and delegate, nothing else. The interpreter is free while a run goes on.

mod capture_search;
mod credentials;
mod emulator;
mod gateway;
mod ledger;
mod live;
mod nbiot;
mod payload;

use lasthop_world::Registry;
use pyo3::prelude::*;

/// The native half of lasthop.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    lasthop_extension::offer(module, Registry::standard())?;
    module.add_function(wrap_pyfunction!(nbiot::nbiot_network_time, module)?)?;
    module.add_function(wrap_pyfunction!(nbiot::nbiot_preset, module)?)?;
    module.add_function(wrap_pyfunction!(nbiot::nbiot_fault, module)?)?;
    module.add_function(wrap_pyfunction!(payload::encoded_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(emulator::emulate, module)?)?;
    module.add_class::<capture_search::CaptureSearch>()?;
    module.add_class::<ledger::CaptureLedger>()?;
    module.add_function(wrap_pyfunction!(ledger::message_kinds, module)?)?;
    module.add_class::<live::Access>()?;
    module.add_class::<live::Stopper>()?;
    module.add_class::<live::Server>()?;
    module.add_class::<gateway::GatewayAdministration>()?;
    module.add_class::<gateway::GatewayData>()?;
    module.add_function(wrap_pyfunction!(gateway::gateway_token, module)?)?;
    module.add_function(wrap_pyfunction!(gateway::gateway_new_key, module)?)?;
    module.add_class::<credentials::Tls>()?;
    module.add_class::<credentials::Roots>()?;
    module.add_class::<credentials::Trust>()?;
    module.add_class::<credentials::DtlsServer>()?;
    module.add_class::<credentials::DtlsClient>()?;
    module.add_function(wrap_pyfunction!(live::serve_limits, module)?)?;
    module.add_function(wrap_pyfunction!(live::mqtt_publish, module)?)?;
    module.add_function(wrap_pyfunction!(live::mqtt_subscribe, module)?)?;
    module.add_function(wrap_pyfunction!(live::coap_request, module)?)
}
