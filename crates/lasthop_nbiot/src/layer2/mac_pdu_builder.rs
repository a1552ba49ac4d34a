use lasthop_units::Instant;
use smallvec::SmallVec;

use super::am_receiver::AmReceiver;
use super::am_transmitter::AmTransmitter;
use super::bearer::Bearer;
use super::composition::Composition;
use super::control_element::ControlElement;
use super::mac_pdu::{Element, MacPdu};
use super::mac_subheader::{SUBHEADER_BYTES, Subheaders, length_field_bytes};
use super::pdcp::SduSize;
use super::rlc_config::RlcConfig;

/// A builder of a transport block of a given size (TS 36.321 section 6.1.2).
///
/// Add the elements, most urgent first, and then call [`finish`](MacPduBuilder::finish).
///
/// ```
/// use lasthop_nbiot::layer2::{Bearer, ControlElement, MacPduBuilder, Subheaders};
/// let mut msg3 = MacPduBuilder::new(11, Subheaders::Standard);
/// assert!(msg3.control(ControlElement::DataVolumeAndPowerHeadroom(9)));
/// assert!(msg3.transparent(Bearer::Srb0.sdu(9, 0)));
/// assert_eq!(msg3.finish().composition.padding_bytes, 0);
/// ```
#[derive(Clone, Debug)]
pub struct MacPduBuilder {
    size_bytes: u16,
    used_bytes: u16,
    subheaders: Subheaders,
    /// The length field that the last SDU needs once something follows it.
    open_length_bytes: u16,
    pdu: MacPdu,
}

impl MacPduBuilder {
    /// Creates a builder without elements.
    #[must_use]
    pub fn new(size_bytes: u16, subheaders: Subheaders) -> Self {
        Self {
            size_bytes,
            used_bytes: 0,
            subheaders,
            open_length_bytes: 0,
            pdu: MacPdu {
                elements: SmallVec::new(),
                composition: Composition::default(),
            },
        }
    }

    /// Adds a control element; returns whether it fitted.
    pub fn control(&mut self, element: ControlElement) -> bool {
        let bytes = element.subheader_bytes() + element.body_bytes();
        if bytes > self.room() {
            return false;
        }
        // Control elements go in front, so the last SDU stays the last.
        self.used_bytes += bytes;
        self.pdu.composition.control_element_bytes += u32::from(bytes);
        self.pdu.elements.push(Element::Control(element));
        true
    }

    /// Adds a message on SRB0, which cannot be segmented; returns whether it fitted.
    pub fn transparent(&mut self, message: SduSize) -> bool {
        if u32::from(self.room_for_sdu()) < message.bytes() {
            return false;
        }
        self.add_sdu(message.bytes() as u16, length_field_bytes(message.bytes()));
        self.pdu.composition.signalling_bytes += u32::from(message.signalling_bytes);
        self.pdu.composition.payload_bytes += u32::from(message.packet_bytes);
        self.pdu.elements.push(Element::Transparent);
        true
    }

    /// Adds the pending STATUS PDU of a bearer's receiver, cut to the remaining size.
    pub fn status(&mut self, bearer: Bearer, receiver: &mut AmReceiver) -> bool {
        let Some(report) = receiver.take_status(self.room_for_sdu()) else {
            return false;
        };
        let bytes = report.bytes();
        self.add_sdu(bytes, length_field_bytes(bytes.into()));
        self.pdu.composition.rlc_status_bytes += u32::from(bytes);
        self.pdu.elements.push(Element::Status(bearer, report));
        true
    }

    /// Adds as much queued data of a bearer's transmitter as fits; returns whether anything was added.
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

    /// Fills the block with padding and returns it.
    #[must_use]
    pub fn finish(mut self) -> MacPdu {
        let rest = self.room();
        // One or two bytes of padding are subheaders in front, and the last SDU needs no length (6.1.2).
        let length_field = if rest > 2 { self.open_length_bytes } else { 0 };
        self.pdu.composition.header_bytes += u32::from(length_field);
        self.pdu.composition.padding_bytes += u32::from(rest - length_field);
        self.pdu
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
                self.pdu.composition.header_bytes += u32::from(subheader);
            }
        }
        let composition = &mut self.pdu.composition;
        composition.header_bytes += u32::from(pdu.header_bytes);
        if pdu.retransmission {
            composition.retransmitted_bytes += u32::from(pdu.data_bytes);
        } else {
            let signalling_bytes = pdu.data_bytes - pdu.pdcp_bytes - pdu.packet_bytes;
            composition.header_bytes += u32::from(pdu.pdcp_bytes);
            composition.payload_bytes += u32::from(pdu.packet_bytes);
            composition.signalling_bytes += u32::from(signalling_bytes);
        }
        self.pdu.elements.push(Element::Data(bearer, pdu));
        true
    }

    /// Notes an SDU as the last one, so without its length field, and gives the one before its own.
    fn add_sdu(&mut self, sdu_bytes: u16, length_field: u16) {
        let headers = SUBHEADER_BYTES + self.open_length_bytes;
        self.open_length_bytes = length_field;
        self.used_bytes += headers + sdu_bytes;
        self.pdu.composition.header_bytes += u32::from(headers);
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
