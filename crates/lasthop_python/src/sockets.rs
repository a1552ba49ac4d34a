//! What needs sockets, devices of the kernel or the wall clock: servers, clients, gateways and the emulator.

mod credentials;
mod emulator;
mod gateway;
mod live;

use pyo3::prelude::*;

/// Puts all of it into the module.
pub(crate) fn offer(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(emulator::emulate, module)?)?;
    module.add_function(wrap_pyfunction!(emulator::emulate_before_server, module)?)?;
    module.add_class::<emulator::EmulatorControl>()?;
    module.add_function(wrap_pyfunction!(emulator::merge_captures, module)?)?;
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
