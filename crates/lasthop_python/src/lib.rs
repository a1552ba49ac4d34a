//! The extension module `lasthop._native`: a run spec goes in, Arrow tables come out.
//!
//! Bindings convert and delegate, nothing else. The interpreter is free while a run goes on. Without the feature `sockets`
//! all I/O is files.

mod arrow_schema;
mod capture_search;
mod ledger;
mod nbiot;
mod payload;
#[cfg(feature = "sockets")]
mod sockets;

use lasthop_world::Registry;
use pyo3::prelude::*;

/// The native half of lasthop.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    lasthop_extension::offer(module, Registry::standard())?;
    module.add_function(wrap_pyfunction!(nbiot::nbiot_network_time, module)?)?;
    module.add_function(wrap_pyfunction!(nbiot::nbiot_attach, module)?)?;
    module.add_function(wrap_pyfunction!(nbiot::nbiot_preset, module)?)?;
    module.add_function(wrap_pyfunction!(nbiot::nbiot_fault, module)?)?;
    module.add_function(wrap_pyfunction!(payload::encoded_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(arrow_schema::arrow_schema, module)?)?;
    module.add_class::<capture_search::CaptureSearch>()?;
    module.add_class::<ledger::CaptureLedger>()?;
    module.add_function(wrap_pyfunction!(ledger::message_kinds, module)?)?;
    module.add("HAS_SOCKETS", cfg!(feature = "sockets"))?;
    #[cfg(feature = "sockets")]
    sockets::offer(module)?;
    Ok(())
}
