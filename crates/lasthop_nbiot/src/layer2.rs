//! RLC, PDCP and MAC data units: the bytes of packets in each transport block, and the overhead.
//!
//! An SDU (a packet, or a message of RRC) is offered to an [`AmTransmitter`]; a [`MacPduBuilder`] fills a granted
//! transport block from it; what arrives is shown to an [`AmReceiver`], which answers how many bytes of the stream of
//! SDUs are there in order; and [`AmTransmitter::take_delivered`] hands out the SDUs that end in them. No byte is
//! copied: a PDU is a range of the stream and the size of its headers.

mod am_pdu;
mod am_receiver;
mod am_transmitter;
mod bearer;
mod buffer_size;
mod composition;
mod control_element;
mod demand;
mod header_compression;
mod mac_pdu;
mod mac_pdu_builder;
mod mac_subheader;
mod pdcp;
mod random_access_response;
mod rlc_config;
mod status_report;

pub use am_pdu::{AM_HEADER_BYTES, AM_SEGMENT_HEADER_BYTES, AM_WINDOW, AmPdu};
pub use am_receiver::AmReceiver;
pub use am_transmitter::{AmTransmitter, Fate, RlcFailure};
pub use bearer::Bearer;
pub use buffer_size::{buffer_size_bytes, buffer_size_index, data_volume_bytes, data_volume_index};
pub use composition::Composition;
pub use control_element::ControlElement;
pub use demand::Demand;
pub use header_compression::HeaderCompression;
pub use mac_pdu::{Element, MacPdu};
pub use mac_pdu_builder::MacPduBuilder;
pub use mac_subheader::Subheaders;
pub use pdcp::{PDCP_LARGEST_SDU_BYTES, SduSize};
pub use random_access_response::{MSG3_BYTES, random_access_response_bytes};
pub use rlc_config::{RlcConfig, StatusReports};
pub use status_report::{Nack, StatusReport};
