//! Stacks and links of one's own for lasthop. An application is one file with its options, its two ends and what builds them;
//! a layer is another, with a `LayerEntry`, and a link a third, with a `LinkEntry`.

mod congestion;
mod link;
mod protocol;
#[cfg(test)]
mod tests;

use lasthop_world::Registry;

/// What lasthop has, and what this extension adds: `with_application`, `with_layer`, `with_link`.
pub fn registry() -> Registry {
    congestion::added_to(Registry::standard())
        .with_application(protocol::ENTRY)
        .with_link(link::ENTRY)
}

/// The module that `lasthop` finds by the entry point in `pyproject.toml`.
#[cfg(feature = "python")]
#[pyo3::pymodule]
fn _native(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
    lasthop_extension::offer(module, registry())
}
