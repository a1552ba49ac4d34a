use smallvec::SmallVec;

use super::am_pdu::AmPdu;
use super::bearer::Bearer;
use super::composition::Composition;
use super::control_element::ControlElement;
use super::status_report::StatusReport;

/// A MAC PDU: the content of a transport block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacPdu {
    /// The elements in order.
    pub elements: SmallVec<[Element; 2]>,
    /// The number of bytes by cause.
    pub composition: Composition,
}

/// An element of a transport block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// A MAC control element.
    Control(ControlElement),
    /// A message on SRB0, never segmented.
    Transparent,
    /// A data PDU of RLC AM.
    Data(Bearer, AmPdu),
    /// A STATUS PDU of RLC AM.
    Status(Bearer, StatusReport),
}
