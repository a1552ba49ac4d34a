use lasthop_broker::Qos;
use smallvec::SmallVec;

use crate::codec::{Acknowledgement, AcknowledgementKind, ReasonCode};

/// Messages of QoS 1 and 2 that have a packet identifier and are not done (MQTT 5 §4.3 and §4.4), in their order.
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

/// What is to be sent next.
#[derive(Debug)]
pub(crate) enum Due<'a, M> {
    /// The message; a repetition from the second attempt on.
    Publish {
        packet_id: u16,
        attempt: u16,
        message: &'a M,
    },
    /// A PUBREL, which releases a message.
    Pubrel { packet_id: u16, message: &'a M },
}

/// What an acknowledgement means.
#[derive(Debug)]
pub(crate) enum Progress<M> {
    /// The exchange is done; its identifier is free.
    Done(M, ReasonCode),
    /// Send this PUBREL.
    Release(Acknowledgement),
    /// Nothing: there is no such exchange.
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

    /// A message of an exchange that is not done.
    pub(crate) fn message(&self, packet_id: u16) -> Option<&M> {
        self.place(packet_id)
            .map(|place| &self.exchanges[place].message)
    }

    /// Begins the exchange of a message that is sent with this packet identifier, for the `attempt`-th time.
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

    /// A packet identifier that no exchange has (MQTT-2.2.1-4).
    pub(crate) fn next_packet_id(&mut self) -> u16 {
        loop {
            self.last_packet_id = self.last_packet_id.checked_add(1).unwrap_or(1);
            if self.place(self.last_packet_id).is_none() {
                return self.last_packet_id;
            }
        }
    }

    /// Takes a PUBACK, PUBREC or PUBCOMP.
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

    /// Says that all is to be sent again: the session has a new connection (MQTT-4.4.0-1).
    pub(crate) fn repeat_all(&mut self) {
        for exchange in &mut self.exchanges {
            exchange.is_due = true;
        }
    }

    /// The first thing to be sent again, unless a whole `window` has been already (§4.9).
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

    /// Takes all messages out, in order: their session is gone. Packet identifiers begin anew.
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
