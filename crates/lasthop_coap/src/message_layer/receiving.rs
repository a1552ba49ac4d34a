use lasthop_contract::{ConnectionId, MessageId};

use super::peer::Peer;
use super::seen::{Reply, Seen};
use super::{Arrival, Draft, MessageLayer, Owner, Settled};
use crate::codec::{Code, FixedHeader, Message, MessageError, MessageType, Token, write_head};
use crate::context::{Context, Purpose};
use crate::counters::Tally;

/// Replies up to this length are kept whole; larger ones, where they do no harm, are made again.
const MAX_STORED_REPLY: usize = 128;

impl MessageLayer {
    /// Processes a datagram.
    #[inline]
    pub(crate) fn receive(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        datagram: &[u8],
        tally: &mut Tally,
    ) -> Arrival {
        let message = match Message::parse(datagram) {
            Ok(message) => message,
            Err(error) => {
                tally.count().malformed += 1;
                self.refuse_malformed(cx, connection, datagram, error, tally);
                return Arrival::Nothing;
            }
        };
        match message.kind {
            MessageType::Confirmable | MessageType::NonConfirmable => {
                self.receive_new(cx, connection, message, tally)
            }
            MessageType::Acknowledgement | MessageType::Reset => {
                self.receive_answer(cx, connection, message, tally)
            }
        }
    }

    /// Responds to a request: piggybacked if it is confirmable, else separately.
    pub(crate) fn respond(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        to: &Message,
        draft: &Draft<'_>,
        is_repeatable: bool,
    ) {
        if to.kind == MessageType::NonConfirmable {
            // An answer that cannot leave is one that is lost.
            let kind = MessageType::NonConfirmable;
            let _ = self.send(cx, connection, kind, draft, Owner::Response);
            return;
        }
        let head = draft.head(MessageType::Acknowledgement, to.id);
        let chunks = draft.purpose.chunks(&head, draft.payload);
        // The peer repeats its request when the answer is lost.
        let _ = cx.transport.send_datagram(cx.now, connection, &chunks);
        let is_bare = draft.options.is_empty() && draft.payload.is_empty();
        let whole;
        let reply = if is_bare {
            Reply::Bare(draft.code)
        } else if is_repeatable && head.len() + draft.payload.len() > MAX_STORED_REPLY {
            Reply::Anew
        } else {
            whole = [&head[..], draft.payload].concat();
            Reply::Stored(&whole)
        };
        self.note_reply(connection, to.id, reply);
    }

    /// Acknowledges a message if it is confirmable.
    pub(crate) fn acknowledge(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        to: &Message,
        message: Option<MessageId>,
    ) {
        if to.kind == MessageType::Confirmable {
            let purpose = Purpose::Acknowledgement(message);
            send_empty(cx, connection, MessageType::Acknowledgement, to.id, purpose);
            self.note_reply(connection, to.id, Reply::Bare(Code::EMPTY));
        }
    }

    /// Rejects a message (RFC 7252 sections 4.2, 4.3).
    pub(crate) fn reject(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        to: &Message,
        tally: &mut Tally,
    ) {
        tally.count().resets_sent += 1;
        let purpose = Purpose::Acknowledgement(None);
        send_empty(cx, connection, MessageType::Reset, to.id, purpose);
        self.note_reply(connection, to.id, Reply::Reset);
    }

    /// A request or a response, which may have come before.
    #[inline]
    fn receive_new(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        message: Message,
        tally: &mut Tally,
    ) -> Arrival {
        let code = message.content.code;
        if code == Code::EMPTY {
            // An empty confirmable message asks for a reset as a sign of life (RFC 7252 section 4.3).
            if message.kind == MessageType::Confirmable {
                let purpose = Purpose::KeepAlive;
                send_empty(cx, connection, MessageType::Reset, message.id, purpose);
            }
            return Arrival::Nothing;
        }
        let confirmable = message.kind == MessageType::Confirmable;
        if !(code.is_request() || code.is_response()) {
            tally.count().unexpected += 1;
            if confirmable {
                tally.count().resets_sent += 1;
                let purpose = Purpose::Acknowledgement(None);
                send_empty(cx, connection, MessageType::Reset, message.id, purpose);
            }
            return Arrival::Nothing;
        }
        self.forget_old(cx.now);
        let lifetimes = self.lifetimes;
        let peer = self.peer(connection);
        let is_first = peer.seen.is_none();
        let seen = peer.seen.get_or_insert_with(Box::default);
        let is_new = seen.insert(cx.now, message.id, confirmable, lifetimes);
        if is_first {
            let at = cx.now + lifetimes.confirmable;
            self.forgetting.push((at, connection));
        }
        if !is_new {
            tally.count().duplicates += 1;
            if !self.reply_again(cx, connection, &message) {
                return Arrival::Nothing;
            }
        }
        if code.is_request() {
            Arrival::Request(message)
        } else {
            Arrival::Response(message)
        }
    }

    /// Repeats the reply to a message that came before; whether the message is to be taken as new instead.
    fn reply_again(
        &self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        message: &Message,
    ) -> bool {
        let seen = self.peers.get(&connection).and_then(|p| p.seen.as_ref());
        let reply = seen.map_or(Reply::Silence, |seen| seen.reply(message.id));
        let acknowledgement = |code, token| {
            write_head(
                MessageType::Acknowledgement,
                message.id,
                code,
                token,
                &[],
                false,
            )
        };
        let head;
        let datagram = match reply {
            Reply::Silence => return false,
            Reply::Anew => return true,
            Reply::Stored(datagram) => datagram,
            Reply::Reset => {
                head = write_head(
                    MessageType::Reset,
                    message.id,
                    Code::EMPTY,
                    Token::EMPTY,
                    &[],
                    false,
                );
                &head
            }
            Reply::Bare(Code::EMPTY) => {
                head = acknowledgement(Code::EMPTY, Token::EMPTY);
                &head
            }
            Reply::Bare(code) => {
                head = acknowledgement(code, message.content.token);
                &head
            }
        };
        let [chunk, _] = Purpose::Acknowledgement(None).chunks(datagram, &[]);
        // The peer asks again when this one is lost, too.
        let _ = cx.transport.send_datagram(cx.now, connection, &[chunk]);
        false
    }

    /// An acknowledgement or a reset.
    fn receive_answer(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        message: Message,
        tally: &mut Tally,
    ) -> Arrival {
        let code = message.content.code;
        let is_reset = message.kind == MessageType::Reset;
        // A reset is empty; an acknowledgement is empty or carries a response (RFC 7252 section 4.2, table 1).
        if code != Code::EMPTY && (is_reset || !code.is_response()) {
            tally.count().unexpected += 1;
            return Arrival::Nothing;
        }
        let token = message.content.token;
        // A response in an acknowledgement has the token of its request as well (RFC 7252 section 5.3.2).
        let settled = self.settle(cx, connection, &message, |outstanding| {
            outstanding.id == message.id
                && (is_reset || !outstanding.datagram.is_empty())
                && (code == Code::EMPTY || outstanding.owner.request() == Some(token))
        });
        if !is_reset {
            let Some(settled) = settled else {
                tally.count().unmatched += 1;
                return Arrival::Nothing;
            };
            return Arrival::Acknowledged(settled, message);
        }
        match settled.or_else(|| self.rejected_notification(connection, message.id)) {
            Some(settled) => {
                tally.count().resets_received += 1;
                Arrival::Rejected(settled)
            }
            None => {
                tally.count().unmatched += 1;
                Arrival::Nothing
            }
        }
    }

    fn rejected_notification(&self, connection: ConnectionId, id: u16) -> Option<Settled> {
        let token = self.peers.get(&connection)?.notification(id)?;
        Some(Settled {
            owner: Owner::Notification(token),
            purpose: Purpose::Content,
        })
    }

    /// A confirmable message that cannot be read is rejected, any other ignored; so is what has another version,
    /// which may have another header (RFC 7252 sections 3, 4.2, 4.3).
    fn refuse_malformed(
        &self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        datagram: &[u8],
        error: MessageError,
        tally: &mut Tally,
    ) {
        if matches!(error, MessageError::TooShort | MessageError::Version) {
            return;
        }
        if let Ok(header) = FixedHeader::parse(datagram)
            && header.kind == MessageType::Confirmable
        {
            tally.count().resets_sent += 1;
            let purpose = Purpose::Acknowledgement(None);
            send_empty(cx, connection, MessageType::Reset, header.id, purpose);
        }
    }

    fn note_reply(&mut self, connection: ConnectionId, id: u16, reply: Reply<'_>) {
        let peer = self.peers.get_mut(&connection).map(|peer| &mut **peer);
        if let Some(Peer {
            seen: Some(seen), ..
        }) = peer
        {
            Seen::answer(seen, id, reply);
        }
    }
}

fn send_empty(
    cx: &mut Context<'_>,
    connection: ConnectionId,
    kind: MessageType,
    id: u16,
    purpose: Purpose,
) {
    let head = write_head(kind, id, Code::EMPTY, Token::EMPTY, &[], false);
    let [chunk, _] = purpose.chunks(&head, &[]);
    // Nobody waits for an answer to it; a confirmable message is repeated.
    let _ = cx.transport.send_datagram(cx.now, connection, &[chunk]);
}
