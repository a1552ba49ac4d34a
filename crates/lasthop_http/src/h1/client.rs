use std::io::Write;

use http::header::{AUTHORIZATION, CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{Method, Request, Response};
use lasthop_contract::{Outbox, Provenance, StreamId};

use super::body::BodyReader;
use super::fields::LONGEST_HEAD;
use super::response_head::response_head;
use crate::client_protocol::{Answer, ExchangeNumber};
use crate::purpose::Purpose;
use crate::wire::Wire;

/// The client end of an HTTP/1.1 connection, with one request at a time.
#[derive(Debug)]
pub(crate) struct Http1Client {
    outbox: Outbox,
    input: Vec<u8>,
    awaited: Option<Awaited>,
    keeps: bool,
    /// Whether anything of the answer that is awaited has come.
    is_answered: bool,
    answers: u32,
}

/// An answer on its way.
#[derive(Debug)]
struct Awaited {
    method: Method,
    /// Its head, once that is there, with what comes of its body.
    begun: Option<Box<Begun>>,
}

/// An answer whose head is there.
#[derive(Debug)]
struct Begun {
    response: Response<()>,
    reader: BodyReader,
    body: Vec<u8>,
}

/// The largest body that is taken.
const LARGEST_BODY: usize = 256 << 20;

impl Http1Client {
    pub(crate) fn new(stream: StreamId) -> Self {
        Self {
            outbox: Outbox::new(stream),
            input: Vec::new(),
            awaited: None,
            keeps: true,
            is_answered: false,
            answers: 0,
        }
    }

    /// Whether a request can be sent.
    pub(crate) fn has_room(&self) -> bool {
        self.keeps && self.awaited.is_none()
    }

    /// Whether no further request can be sent and none is in progress.
    pub(crate) fn is_done(&self) -> bool {
        !self.keeps && self.awaited.is_none()
    }

    /// Whether a part of the expected response has arrived.
    pub(crate) fn is_heard(&self) -> bool {
        self.is_answered
    }

    /// Sends a request. Returns its number on the connection.
    pub(crate) fn request(
        &mut self,
        wire: &mut Wire<'_>,
        request: &Request<&[u8]>,
        purpose: Purpose,
        is_chunked: bool,
    ) -> ExchangeNumber {
        let head = RequestText::of(request, is_chunked);
        let body = *request.body();
        let size = format!("{:x}\r\n", body.len());
        let framing = purpose.framing();
        let mut pieces: Vec<(&[u8], Provenance)> = vec![
            (&head.before, purpose.head),
            (&head.authorization, purpose.authorisation()),
            (&head.after, purpose.head),
        ];
        if is_chunked && !body.is_empty() {
            pieces.push((size.as_bytes(), framing));
            pieces.push((body, purpose.body));
            pieces.push((b"\r\n0\r\n\r\n", framing));
        } else {
            pieces.push((body, purpose.body));
        }
        wire.write(&mut self.outbox, &pieces);
        self.is_answered = false;
        self.keeps = request
            .headers()
            .get(CONNECTION)
            .is_none_or(|value| value != "close");
        self.awaited = Some(Awaited {
            method: request.method().clone(),
            begun: None,
        });
        self.answers.into()
    }

    /// Reads received bytes.
    pub(crate) fn receive(&mut self, wire: &mut Wire<'_>) -> Answer {
        loop {
            let before = self.input.len();
            let room = LONGEST_HEAD.max(before + 1);
            let has_ended = wire.read(self.outbox.stream(), &mut self.input, room);
            let has_more = self.input.len() > before;
            match self.read_on(has_ended) {
                Answer::None if has_ended => {
                    self.keeps = false;
                    return Answer::Ended;
                }
                Answer::None if has_more => {}
                answer => return answer,
            }
        }
    }

    fn read_on(&mut self, has_ended: bool) -> Answer {
        let Some(awaited) = &mut self.awaited else {
            // What nobody asked for: the server says why it closes, at best.
            if !self.input.is_empty() {
                self.keeps = false;
                self.input.clear();
            }
            return Answer::None;
        };
        self.is_answered |= !self.input.is_empty();
        while awaited.begun.is_none() {
            match response_head(&awaited.method, &self.input) {
                Ok(None) => return Answer::None,
                Err(_) => {
                    self.keeps = false;
                    return Answer::Ended;
                }
                Ok(Some(head)) => {
                    self.input.drain(..head.length);
                    // Others follow those that only inform (RFC 9110 section 15.2).
                    if !head.response.status().is_informational() {
                        self.keeps &= head.keeps;
                        awaited.begun = Some(Box::new(Begun {
                            response: head.response,
                            reader: head.body,
                            body: Vec::new(),
                        }));
                    }
                }
            }
        }
        let Some(begun) = &mut awaited.begun else {
            return Answer::None;
        };
        let Begun { reader, body, .. } = &mut **begun;
        let Ok(taken) = reader.take(&self.input, body, LARGEST_BODY) else {
            self.keeps = false;
            return Answer::Ended;
        };
        self.input.drain(..taken);
        if !(reader.is_done() || has_ended && matches!(reader, BodyReader::UntilEnd)) {
            return Answer::None;
        }
        let begun = awaited.begun.take().expect("it was looked at");
        self.awaited = None;
        let number = self.answers.into();
        self.answers += 1;
        let Begun { response, body, .. } = *begun;
        Answer::Whole(number, response.map(|()| body))
    }

    /// Writes queued bytes.
    pub(crate) fn flush(&mut self, wire: &mut Wire<'_>) {
        self.outbox.flush(wire.now, wire.transport, wire.connection);
    }

    /// Stops sending requests.
    pub(crate) fn finish(&mut self, wire: &mut Wire<'_>) {
        self.keeps = false;
        wire.finish(&mut self.outbox);
    }
}

/// The head of a request, in which one field stands for itself.
struct RequestText {
    before: Vec<u8>,
    authorization: Vec<u8>,
    after: Vec<u8>,
}

impl RequestText {
    fn of(request: &Request<&[u8]>, is_chunked: bool) -> Self {
        let mut text = Self {
            before: Vec::with_capacity(128),
            authorization: Vec::new(),
            after: Vec::new(),
        };
        let target = request.uri().path_and_query().map_or("*", |it| it.as_str());
        // Writing to memory cannot fail.
        let _ = write!(text.before, "{} {target} HTTP/1.1\r\n", request.method());
        for (name, value) in request.headers() {
            let into = if name == AUTHORIZATION {
                &mut text.authorization
            } else {
                &mut text.before
            };
            into.extend_from_slice(name.as_str().as_bytes());
            into.extend_from_slice(b": ");
            into.extend_from_slice(value.as_bytes());
            into.extend_from_slice(b"\r\n");
        }
        let has_body = !request.body().is_empty();
        if has_body && is_chunked {
            let _ = write!(text.after, "{TRANSFER_ENCODING}: chunked\r\n");
        } else if has_body || request.method() == Method::POST {
            let length = request.body().len();
            let _ = write!(text.after, "{CONTENT_LENGTH}: {length}\r\n");
        }
        text.after.extend_from_slice(b"\r\n");
        text
    }
}
