//! The transport of a `dust_dds` participant: its outgoing datagrams and its locators.

use core::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use dust_dds::transport::interface::{
    RtpsTransportParticipant, TransportDataReceiver, TransportParticipantFactory, WriteMessage,
};
use dust_dds::transport::types::Locator;

use crate::contact::Contact;
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
    /// A port of one participant.
    One(Contact),
}

/// Where a participant receives.
pub(crate) struct Place {
    /// Where it receives discovery.
    pub(crate) contact: Contact,
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
const GROUP_PORT: u16 = 7400;

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
        let at = |port| self.contact.at_port(port).locator();
        RtpsTransportParticipant {
            message_writer: Box::new(Sender {
                buffer: Vec::new(),
                outbox: self.outbox.clone(),
            }),
            default_unicast_locator_list: vec![at(self.ports.user)],
            metatraffic_unicast_locator_list: vec![at(self.ports.metatraffic)],
            metatraffic_multicast_locator_list: vec![group().locator()],
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

fn group() -> Contact {
    Contact::udp(SocketAddr::new(GROUP.into(), GROUP_PORT))
}

/// Returns the destination of a locator, or `None` for a locator without an address.
pub(crate) fn destination(locator: &Locator) -> Option<Destination> {
    let contact = Contact::of(locator)?;
    if contact.address.ip().is_multicast() {
        return Some(Destination::Participants);
    }
    Some(Destination::One(contact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_leads_to_all_participants() {
        let to = destination(&group().locator());
        assert_eq!(to, Some(Destination::Participants));
        let one = Contact::udp("10.1.2.3:7411".parse().unwrap());
        assert_eq!(destination(&one.locator()), Some(Destination::One(one)));
    }
}
