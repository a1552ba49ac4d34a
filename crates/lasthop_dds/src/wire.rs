//! The transport of a `dust_dds` participant: its outgoing datagrams and its locators.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use dust_dds::transport::interface::{
    RtpsTransportParticipant, TransportDataReceiver, TransportParticipantFactory, WriteMessage,
};
use dust_dds::transport::types::{LOCATOR_KIND_UDP_V4, LOCATOR_KIND_UDP_V6, Locator};

use crate::ports::Ports;
use crate::runtime::locked;

/// The outgoing datagrams of a participant.
#[derive(Clone, Default)]
pub(crate) struct Outbox(Arc<Mutex<Vec<Outgoing>>>);

/// An outgoing datagram.
pub(crate) struct Outgoing {
    pub(crate) to: Destination,
    pub(crate) bytes: Vec<u8>,
}

/// The destination of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// All known participants, in place of multicast.
    Participants,
    /// A port of one host.
    One(SocketAddr),
}

/// The address of a participant.
pub(crate) struct Place {
    pub(crate) address: IpAddr,
    pub(crate) ports: Ports,
    pub(crate) fragment_size: usize,
    pub(crate) outbox: Outbox,
    /// The receiver of arriving datagrams, once the participant exists.
    pub(crate) receiver: Arc<Mutex<Option<TransportDataReceiver>>>,
}

/// More than any datagram holds.
const BUFFER: usize = 65_536;

/// The group of SPDP (DDSI-RTPS 2.5 §9.6.2.4.1). Messages to it go to the participants that are known.
const GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 0, 1);
const GROUP_PORT: u32 = 7400;

impl Outbox {
    pub(crate) fn push(&self, outgoing: Outgoing) {
        locked(&self.0).push(outgoing);
    }

    pub(crate) fn take(&self) -> Vec<Outgoing> {
        core::mem::take(&mut *locked(&self.0))
    }
}

impl TransportParticipantFactory for Place {
    fn create_participant(
        &self,
        _domain: i32,
        receiver: TransportDataReceiver,
    ) -> RtpsTransportParticipant {
        *locked(&self.receiver) = Some(receiver);
        let at = |port| locator(self.address, u32::from(port));
        RtpsTransportParticipant {
            message_writer: Box::new(Sender {
                buffer: Vec::new(),
                outbox: self.outbox.clone(),
            }),
            default_unicast_locator_list: vec![at(self.ports.user)],
            metatraffic_unicast_locator_list: vec![at(self.ports.metatraffic)],
            metatraffic_multicast_locator_list: vec![locator(GROUP.into(), GROUP_PORT)],
            default_multicast_locator_list: Vec::new(),
            fragment_size: self.fragment_size,
        }
    }
}

struct Sender {
    /// As large as it must be while a message is written, and empty in between: participants are many.
    buffer: Vec<u8>,
    outbox: Outbox,
}

impl WriteMessage for Sender {
    fn write_buffer_mut(&mut self) -> &mut [u8] {
        self.buffer.resize(BUFFER, 0);
        &mut self.buffer
    }

    fn write_message(&mut self, length: usize, locators: &[Locator]) {
        let mut outbox = locked(&self.outbox.0);
        for to in locators.iter().filter_map(destination) {
            let bytes = self.buffer[..length].to_vec();
            outbox.push(Outgoing { to, bytes });
        }
        drop(outbox);
        self.buffer = Vec::new();
    }
}

fn locator(address: IpAddr, port: u32) -> Locator {
    let kind = match address {
        IpAddr::V4(_) => LOCATOR_KIND_UDP_V4,
        IpAddr::V6(_) => LOCATOR_KIND_UDP_V6,
    };
    Locator::new(kind, port, bytes_of(address))
}

/// Returns an address in the format of locators (DDSI-RTPS 2.5 §9.3.2.3).
pub(crate) fn bytes_of(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => {
            let mut bytes = [0; 16];
            bytes[12..].copy_from_slice(&address.octets());
            bytes
        }
        IpAddr::V6(address) => address.octets(),
    }
}

/// Returns the destination of a locator, or `None` for a locator without an address.
pub(crate) fn destination(locator: &Locator) -> Option<Destination> {
    let bytes = locator.address();
    let address = match locator.kind() {
        LOCATOR_KIND_UDP_V4 => IpAddr::from([bytes[12], bytes[13], bytes[14], bytes[15]]),
        LOCATOR_KIND_UDP_V6 => Ipv6Addr::from(bytes).into(),
        _ => return None,
    };
    if address.is_multicast() {
        return Some(Destination::Participants);
    }
    let port = u16::try_from(locator.port()).ok()?;
    Some(Destination::One(SocketAddr::new(address, port)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locator_leads_where_it_was_made_for() {
        for address in ["10.1.2.3", "fd00::7"] {
            let address: IpAddr = address.parse().unwrap();
            let to = destination(&locator(address, 7411));
            assert_eq!(to, Some(Destination::One(SocketAddr::new(address, 7411))));
        }
        let group = destination(&locator(GROUP.into(), GROUP_PORT));
        assert_eq!(group, Some(Destination::Participants));
    }

    #[test]
    fn what_is_no_address_leads_nowhere() {
        assert_eq!(destination(&Locator::new(-1, 7411, [0; 16])), None);
        let beyond = Locator::new(LOCATOR_KIND_UDP_V4, 70_000, [0; 16]);
        assert_eq!(destination(&beyond), None);
    }
}
