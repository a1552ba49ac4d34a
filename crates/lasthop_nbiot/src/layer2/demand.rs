use super::am_receiver::AmReceiver;
use super::am_transmitter::AmTransmitter;
use super::control_element::ControlElement;
use super::mac_subheader::{SUBHEADER_BYTES, Subheaders, length_field_bytes};
use super::pdcp::SduSize;

/// The size of a transport block that carries all queued data, for the grant or assignment.
///
/// Each SDU is counted with a length field, which its subheader needs unless nothing follows it: a block of this size
/// empties the queues, and may be a byte or two larger than the smallest that does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    subheaders: Subheaders,
    bytes: u32,
}

impl Demand {
    /// Creates an empty demand.
    #[must_use]
    pub const fn new(subheaders: Subheaders) -> Self {
        Self {
            subheaders,
            bytes: 0,
        }
    }

    /// Adds a control element.
    #[must_use]
    pub const fn and_control(mut self, element: ControlElement) -> Self {
        self.bytes += (element.subheader_bytes() + element.body_bytes()) as u32;
        self
    }

    /// Adds a message on SRB0.
    #[must_use]
    pub const fn and_transparent(mut self, message: SduSize) -> Self {
        self.bytes += subheader_bytes(message.bytes()) + message.bytes();
        self
    }

    /// Adds the pending STATUS PDU of a receiver, if there is one.
    #[must_use]
    pub fn and_status(mut self, receiver: &AmReceiver) -> Self {
        if let Some(bytes) = receiver.status_bytes() {
            self.bytes += subheader_bytes(bytes.into()) + u32::from(bytes);
        }
        self
    }

    /// Adds the queued data of a transmitter.
    #[must_use]
    pub fn and_data<T>(mut self, transmitter: &AmTransmitter<T>) -> Self {
        let (pdus, bytes) = transmitter.wanted();
        let subheaders = match self.subheaders {
            Subheaders::Standard => u32::from(pdus) * subheader_bytes(bytes),
            Subheaders::OncePerSdu => transmitter.next_starts_sdu_of().map_or(0, |sdu| {
                subheader_bytes(sdu + u32::from(super::AM_HEADER_BYTES))
            }),
        };
        self.bytes += subheaders + bytes;
        self
    }

    /// Returns the size of the transport block in bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.bytes
    }
}

const fn subheader_bytes(sdu_bytes: u32) -> u32 {
    (SUBHEADER_BYTES + length_field_bytes(sdu_bytes)) as u32
}
