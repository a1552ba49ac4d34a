//! Physical resources: subframes, search spaces, transport blocks, repetitions.
//!
//! The downlink is handled in *usable ordinals*: the subframes that carry NPDCCH and NPDSCH, counted from 0. A
//! [`DownlinkMap`] goes from subframe to ordinal and back in constant time, so that an allocation is a range of ordinals
//! in a ring of bits. The uplink is a list of reservations a tone.

mod broadcast;
mod downlink_map;
mod downlink_timeline;
mod link_budget;
mod npdsch;
mod nprach;
mod npusch;
mod search_space;
mod subframe;
mod subframe_ring;
mod timing;
mod transport_block;
mod uplink_gap;
mod uplink_grid;

pub use broadcast::{npbch_received, sib1_received, system_information_received};
pub use downlink_map::DownlinkMap;
pub use downlink_timeline::{DownlinkChannel, DownlinkMaps, DownlinkSpan, DownlinkTimeline};
pub use link_budget::{noise_dbm, signal_to_noise_db};
pub use npdsch::{NPDSCH_REPETITIONS, NPDSCH_SUBFRAMES, NpdschFormat};
pub use nprach::{NprachOccasions, Preamble};
pub use npusch::{
    ACKNOWLEDGEMENT_CODED_BITS, Modulation, Msg3Format, NPUSCH_REPETITIONS, NpuschFormat,
    ResourceUnit, acknowledgement_duration_ms,
};
pub use search_space::SearchSpace;
pub use subframe::Subframe;
pub use timing::{
    AcknowledgementResource, PREAMBLE_RETRY_MS, acknowledgement_resources, acknowledgement_start,
    monitoring_after_npdsch, monitoring_after_npusch, npdsch_delays, npusch_delays, npusch_start,
    rar_npusch_delays, response_window,
};
pub use transport_block::{
    NPDSCH_BLOCK_BITS, NPUSCH_BLOCK_BITS, TransportBlock, npdsch_block, npusch_block,
};
pub use uplink_gap::{UplinkSpan, nprach_free_span};
pub use uplink_grid::{UplinkAllocation, UplinkChannel, UplinkGrid};
