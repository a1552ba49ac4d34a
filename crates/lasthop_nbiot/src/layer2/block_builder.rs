use lasthop_units::Instant;
use smallvec::SmallVec;

use super::am_receiver::AmReceiver;
use super::am_transmitter::AmTransmitter;
use super::bearer::Bearer;
use super::composition::Composition;
use super::control_element::ControlElement;
use super::mac_subheader::{SUBHEADER_BYTES, Subheaders, length_field_bytes};
use super::rlc_config::RlcConfig;
use super::transport_block::{Element, TransportBlock};

/// Fills a transport block of a given size (TS 36.321 6.1.2): add what is to be in it, most urgent first, then
/// [`finish`](BlockBuilder::finish).
///
/// ```
/// use lasthop_nbiot::layer2::{BlockBuilder, ControlElement, Subheaders};
/// let mut msg3 = BlockBuilder::new(11, Subheaders::Standard);
/// assert!(msg3.control(ControlElement::DataVolumeAndPowerHeadroom(9)));
/// assert!(msg3.transparent(9));
/// assert_eq!(msg3.finish().composition.padding_bytes, 0);
/// ```
#[derive(Clone, Debug)]
pub struct BlockBuilder {
    size_bytes: u16,
    used_bytes: u16,
    subheaders: Subheaders,
    /// The length field that the last SDU needs once something follows it.
    open_length_bytes: u16,
    block: TransportBlock,
}

impl BlockBuilder {
    /// An empty block.
    #[must_use]
    pub fn new(size_bytes: u16, subheaders: Subheaders) -> Self {
        Self {
            size_bytes,
            used_bytes: 0,
            subheaders,
            open_length_bytes: 0,
            block: TransportBlock {
                elements: SmallVec::new(),
                composition: Composition::default(),
            },
        }
    }

    /// Adds a control element; no where it does not fit.
    pub fn control(&mut self, element: ControlElement) -> bool {
        let bytes = element.subheader_bytes() + element.body_bytes();
        if bytes > self.room() {
            return false;
        }
        // Control elements go in front, so the last SDU stays the last.
        self.used_bytes += bytes;
        self.block.composition.control_element_bytes += u32::from(bytes);
        self.block.elements.push(Element::Control(element));
        true
    }

    /// Adds a message on SRB0, which is never cut; no where it does not fit.
    pub fn transparent(&mut self, message_bytes: u16) -> bool {
        if self.room_for_sdu() < message_bytes {
            return false;
        }
        self.add_sdu(message_bytes, length_field_bytes(message_bytes.into()));
        self.block.composition.signalling_bytes += u32::from(message_bytes);
        self.block.elements.push(Element::Transparent);
        true
    }

    /// Adds the STATUS PDU that waits at the receiving side of a bearer, if one waits, cut to what fits.
    pub fn status(&mut self, bearer: Bearer, receiver: &mut AmReceiver) -> bool {
        let Some(report) = receiver.take_status(self.room_for_sdu()) else {
            return false;
        };
        let bytes = report.bytes();
        self.add_sdu(bytes, length_field_bytes(bytes.into()));
        self.block.composition.rlc_status_bytes += u32::from(bytes);
        self.block.elements.push(Element::Status(bearer, report));
        true
    }

    /// Adds as much as fits of what waits at the transmitting side of a bearer, sent at `now`; no where nothing does.
    pub fn data<T>(
        &mut self,
        bearer: Bearer,
        transmitter: &mut AmTransmitter<T>,
        now: Instant,
        config: &RlcConfig,
    ) -> bool {
        let mut added = false;
        while self.one_pdu(bearer, transmitter, now, config) {
            added = true;
        }
        added
    }

    /// The block, filled up with padding.
    #[must_use]
    pub fn finish(mut self) -> TransportBlock {
        let rest = self.room();
        // One or two bytes of padding are subheaders in front, and the last SDU needs no length (6.1.2).
        let length_field = if rest > 2 { self.open_length_bytes } else { 0 };
        self.block.composition.header_bytes += u32::from(length_field);
        self.block.composition.padding_bytes += u32::from(rest - length_field);
        self.block
    }

    fn one_pdu<T>(
        &mut self,
        bearer: Bearer,
        transmitter: &mut AmTransmitter<T>,
        now: Instant,
        config: &RlcConfig,
    ) -> bool {
        let (room, hand_counted) = match self.subheaders {
            Subheaders::Standard => (self.room_for_sdu(), None),
            Subheaders::OncePerSdu => {
                let bytes = once_per_sdu(transmitter);
                (self.room().saturating_sub(bytes), Some(bytes))
            }
        };
        let Some(pdu) = transmitter.build(room, now, config) else {
            return false;
        };
        match hand_counted {
            None => self.add_sdu(pdu.bytes(), length_field_bytes(pdu.bytes().into())),
            Some(subheader) => {
                self.used_bytes += subheader + pdu.bytes();
                self.block.composition.header_bytes += u32::from(subheader);
            }
        }
        let body = u32::from(pdu.data_bytes - pdu.pdcp_bytes);
        let composition = &mut self.block.composition;
        composition.header_bytes += u32::from(pdu.header_bytes + pdu.pdcp_bytes);
        *match (pdu.retransmission, bearer.is_signalling()) {
            (true, _) => &mut composition.retransmitted_bytes,
            (false, true) => &mut composition.signalling_bytes,
            (false, false) => &mut composition.payload_bytes,
        } += body;
        self.block.elements.push(Element::Data(bearer, pdu));
        true
    }

    /// Notes an SDU as the last one, so without its length field, and gives the one before its own.
    fn add_sdu(&mut self, sdu_bytes: u16, length_field: u16) {
        let headers = SUBHEADER_BYTES + self.open_length_bytes;
        self.open_length_bytes = length_field;
        self.used_bytes += headers + sdu_bytes;
        self.block.composition.header_bytes += u32::from(headers);
    }

    fn room(&self) -> u16 {
        self.size_bytes - self.used_bytes
    }

    fn room_for_sdu(&self) -> u16 {
        self.room()
            .saturating_sub(SUBHEADER_BYTES + self.open_length_bytes)
    }
}

/// The one subheader of an SDU of RLC, with a length field; none for a further segment.
fn once_per_sdu<T>(transmitter: &AmTransmitter<T>) -> u16 {
    transmitter.next_starts_sdu_of().map_or(0, |sdu_bytes| {
        SUBHEADER_BYTES + length_field_bytes(sdu_bytes + u32::from(super::AM_HEADER_BYTES))
    })
}
