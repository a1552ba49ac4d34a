use lasthop_broker::Qos;
use smallvec::SmallVec;

use crate::codec::{Acknowledgement, AcknowledgementKind, ReasonCode};

/// Outgoing messages of QoS 1 and 2 with an unfinished exchange, in order (MQTT 5 §4.3 and §4.4).
#[derive(Clone, Debug)]
pub(crate) struct InFlight<M> {
    exchanges: SmallVec<[Exchange<M>; 1]>,
    last_packet_id: u16,
}

#[derive(Clone, Debug)]
struct Exchange<M> {
    packet_id: u16,
    awaits: AcknowledgementKind,
    /// Whether it is to be sent on this connection.
    is_due: bool,
    attempts: u16,
    message: M,
}

/// The next packet to be retransmitted.
#[derive(Debug)]
pub(crate) enum Due<'a, M> {
    /// The message. From the second attempt on the packet is a retransmission.
    Publish {
        packet_id: u16,
        attempt: u16,
        message: &'a M,
    },
    /// A PUBREL, which releases a message.
    Pubrel { packet_id: u16, message: &'a M },
}

/// The effect of an acknowledgement.
#[derive(Debug)]
pub(crate) enum Progress<M> {
    /// The exchange is complete and its packet identifier is free.
    Done(M, ReasonCode),
    /// Send this PUBREL.
    Release(Acknowledgement),
    /// No exchange has this packet identifier.
    Unknown,
}

impl<M> InFlight<M> {
    pub(crate) fn new() -> Self {
        Self {
            exchanges: SmallVec::new(),
            last_packet_id: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.exchanges.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.exchanges.is_empty()
    }

    /// Returns the message of an unfinished exchange.
    pub(crate) fn message(&self, packet_id: u16) -> Option<&M> {
        self.place(packet_id)
            .map(|place| &self.exchanges[place].message)
    }

    /// Begins the exchange of a message with this packet identifier. `attempt` counts its transmissions.
    pub(crate) fn begin(&mut self, packet_id: u16, qos: Qos, attempt: u16, message: M) {
        let awaits = match qos {
            Qos::ExactlyOnce => AcknowledgementKind::Pubrec,
            Qos::AtMostOnce | Qos::AtLeastOnce => AcknowledgementKind::Puback,
        };
        self.exchanges.push(Exchange {
            packet_id,
            awaits,
            is_due: false,
            attempts: attempt,
            message,
        });
    }

    /// Returns a packet identifier that no exchange uses (MQTT-2.2.1-4).
    pub(crate) fn next_packet_id(&mut self) -> u16 {
        loop {
            self.last_packet_id = self.last_packet_id.checked_add(1).unwrap_or(1);
            if self.place(self.last_packet_id).is_none() {
                return self.last_packet_id;
            }
        }
    }

    /// Processes a PUBACK, PUBREC or PUBCOMP.
    ///
    /// # Errors
    /// When the exchange awaits another one.
    pub(crate) fn acknowledge(
        &mut self,
        kind: AcknowledgementKind,
        acknowledgement: Acknowledgement,
    ) -> Result<Progress<M>, ReasonCode> {
        let Acknowledgement { packet_id, reason } = acknowledgement;
        let Some(place) = self.place(packet_id) else {
            return Ok(match kind {
                // §4.3.3; an exchange that failed or was done before.
                AcknowledgementKind::Pubrec if !reason.is_error() => {
                    Progress::Release(Acknowledgement {
                        packet_id,
                        reason: ReasonCode::PACKET_IDENTIFIER_NOT_FOUND,
                    })
                }
                _ => Progress::Unknown,
            });
        };
        let exchange = &mut self.exchanges[place];
        match (exchange.awaits, kind) {
            (
                AcknowledgementKind::Pubrec | AcknowledgementKind::Pubcomp,
                AcknowledgementKind::Pubrec,
            ) if !reason.is_error() => {
                exchange.awaits = AcknowledgementKind::Pubcomp;
                exchange.is_due = false;
                Ok(Progress::Release(Acknowledgement::success(packet_id)))
            }
            // MQTT-4.3.3-4: an error ends the exchange.
            (expected, kind) if expected == kind => {
                let message = self.exchanges.remove(place).message;
                // §3.7.2.1: an identifier that the receiver has forgotten is no error when PUBREL was repeated.
                let reason = match kind {
                    AcknowledgementKind::Pubcomp => ReasonCode::SUCCESS,
                    _ => reason,
                };
                if self.exchanges.is_empty() {
                    self.exchanges = SmallVec::new();
                }
                Ok(Progress::Done(message, reason))
            }
            _ => Err(ReasonCode::PROTOCOL_ERROR),
        }
    }

    /// Marks all messages for retransmission, because the session has a new connection (MQTT-4.4.0-1).
    pub(crate) fn repeat_all(&mut self) {
        for exchange in &mut self.exchanges {
            exchange.is_due = true;
        }
    }

    /// Returns the first packet to be retransmitted, unless a whole `window` has been retransmitted already (§4.9).
    pub(crate) fn next_due(&mut self, window: u16) -> Option<Due<'_, M>> {
        let place = self.exchanges.iter().position(|exchange| exchange.is_due)?;
        if place >= usize::from(window) {
            return None;
        }
        let exchange = &mut self.exchanges[place];
        exchange.is_due = false;
        let packet_id = exchange.packet_id;
        if exchange.awaits == AcknowledgementKind::Pubcomp {
            return Some(Due::Pubrel {
                packet_id,
                message: &exchange.message,
            });
        }
        exchange.attempts = exchange.attempts.saturating_add(1);
        Some(Due::Publish {
            packet_id,
            attempt: exchange.attempts,
            message: &exchange.message,
        })
    }

    /// Removes and returns all messages in order, because their session has ended. Packet identifiers start again.
    pub(crate) fn take_all(&mut self) -> impl Iterator<Item = (M, u16)> + use<M> {
        self.last_packet_id = 0;
        core::mem::take(&mut self.exchanges)
            .into_iter()
            .map(|exchange| (exchange.message, exchange.attempts))
    }

    /// Acknowledgements come in order as a rule, so the first is almost always the one.
    fn place(&self, packet_id: u16) -> Option<usize> {
        self.exchanges
            .iter()
            .position(|exchange| exchange.packet_id == packet_id)
    }
}
