use std::sync::Arc;

use lasthop_contract::MessageId;
use lasthop_units::Instant;

use super::transfers::Resource;
use crate::block::{Assembled, Assembly, Block};
use crate::codec::{Code, OptionWriter, Token};
use crate::context::Purpose;
use crate::observation::Observation;
use crate::{BlockSize, CoapRequest, RequestId};

/// A request that waits for a response, or for notifications.
#[derive(Debug)]
pub(super) struct Pending {
    /// As whoever made it knows it.
    pub(super) id: RequestId,
    pub(super) request: Arc<CoapRequest>,
    pub(super) role: Role,
    /// How much of the body has been taken.
    sent: usize,
    /// The size of the blocks of the body.
    upload_size: BlockSize,
    /// How large a body may be that needs no blocks.
    whole_limit: usize,
    pub(super) download: Option<Box<Download>>,
    /// What it transfers in blocks, or waits to transfer.
    pub(super) transfer: Option<Resource>,
    pub(super) observation: Option<Observation>,
    pub(super) phase: Phase,
    /// What the server wants to be told to see that it is there (RFC 9175 section 2.2).
    pub(super) echo: Option<Box<[u8]>>,
    /// What was said with the newest response, in seconds and by an entity tag.
    pub(super) said: (Option<u32>, Option<u32>),
    /// Whether it was registered again and the answer to that has not come.
    pub(super) is_asked_again: bool,
    /// When it is given up, or registered again.
    pub(super) deadline: Option<Instant>,
}

/// What a request is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It carries one of the user's messages.
    Message(MessageId),
    /// It asks for one of the user's messages.
    Question(MessageId),
    /// It registers or observes for the application itself.
    SessionSetUp,
    /// It ends a registration.
    SessionTearDown,
    /// Whoever made it knows.
    Content,
}

/// Where a request stands that is more than one question and one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It runs.
    Running,
    /// Its observation is being cancelled.
    Cancelling,
    /// It fetches the rest of the notification with this sequence number (RFC 7959 section 3.4).
    Fetching(u32),
}

/// A response that comes in blocks.
#[derive(Debug)]
pub(super) struct Download {
    pub(super) assembly: Assembly,
    /// Of the first block; another one means that the resource has changed.
    etag: Option<Token>,
    size: BlockSize,
    /// How often it began again.
    restarts: u8,
}

/// How often a download begins again because the resource has changed meanwhile.
const MAX_RESTARTS: u8 = 4;

/// The message that is next for a request.
pub(super) struct NextMessage<'a> {
    pub(super) options: OptionWriter,
    pub(super) payload: &'a [u8],
    /// Whether the body of the request ends with it.
    pub(super) is_last: bool,
}

impl Pending {
    pub(super) fn new(
        id: RequestId,
        request: Arc<CoapRequest>,
        role: Role,
        (upload_size, whole_limit): (BlockSize, usize),
    ) -> Self {
        Self {
            id,
            request,
            role,
            sent: 0,
            upload_size,
            whole_limit,
            download: None,
            transfer: None,
            observation: None,
            phase: Phase::Running,
            echo: None,
            said: (None, None),
            is_asked_again: false,
            deadline: None,
        }
    }

    /// What fetches the rest of a notification.
    pub(super) fn fetch_notification(&self, sequence: u32) -> Self {
        Self {
            phase: Phase::Fetching(sequence),
            role: Role::Content,
            echo: self.echo.clone(),
            said: self.said,
            ..Self::new(
                self.id,
                Arc::clone(&self.request),
                self.role,
                (self.upload_size, self.whole_limit),
            )
        }
    }

    pub(super) fn next_message(&self, own_size: BlockSize) -> NextMessage<'_> {
        let request = &*self.request;
        let echo = self.echo.as_deref();
        let ask = |number, size| Block::single(number, false, size);
        if let Some(download) = &self.download {
            // Blocks of a response are asked for without the body of the request (RFC 7959 section 3.3).
            let size = download.size.min(own_size);
            let number = (download.assembly.length() / size.bytes()) as u32;
            return NextMessage {
                options: request.options(None, None, Some(ask(number, size)), echo),
                payload: &[],
                is_last: true,
            };
        }
        let observe = match self.phase {
            Phase::Cancelling => Some(1),
            _ => request.observe.then_some(0),
        };
        let early = request.block_size.map(|size| ask(0, size));
        let size = self.upload_size;
        let block = if self.uploads() {
            Block::cut(&request.payload, (self.sent / size.bytes()) as u32, size)
        } else {
            None
        };
        NextMessage {
            options: request.options(observe, block.map(|(block, _)| block), early, echo),
            payload: block.map_or(&request.payload[..], |(_, payload)| payload),
            is_last: block.is_none_or(|(block, _)| !block.more),
        }
    }

    /// Whether the body goes in blocks.
    pub(super) fn uploads(&self) -> bool {
        self.request.payload.len() > self.whole_limit || self.sent > 0
    }

    /// Takes the answer to a block of the body; whether another block is to be sent (RFC 7959 sections 2.3, 2.5).
    pub(super) fn take_upload_answer(&mut self, code: Code, block: Option<Block>) -> bool {
        let length = self.request.payload.len();
        let smaller = block
            .map(|block| block.size)
            .filter(|size| *size < self.upload_size);
        match code {
            Code::CONTINUE if self.uploads() => {
                let sent = self.sent + self.upload_size.bytes();
                if sent >= length {
                    return false;
                }
                self.sent = sent;
                self.upload_size = smaller.unwrap_or(self.upload_size);
                true
            }
            Code::REQUEST_ENTITY_TOO_LARGE if self.sent == 0 && smaller.is_some() => {
                self.whole_limit = 0;
                self.upload_size = smaller.unwrap_or(self.upload_size);
                true
            }
            _ => false,
        }
    }

    /// Adds a block of the response.
    pub(super) fn take_block(
        &mut self,
        block: Block,
        etag: Option<Token>,
        payload: &[u8],
        bound: usize,
    ) -> Assembled {
        let download = self.download.get_or_insert_with(|| {
            Box::new(Download {
                assembly: Assembly::default(),
                etag,
                size: block.size,
                restarts: 0,
            })
        });
        if download.assembly.length() == 0 {
            download.etag = etag;
        } else if download.etag != etag {
            return Assembled::Incomplete;
        }
        download.size = block.size.min(download.size);
        download.assembly.add(block, payload, bound)
    }

    /// Whether a block is of another state of the resource than those before it.
    pub(super) fn is_of_another_state(&self, etag: Option<Token>) -> bool {
        let download = self.download.as_ref();
        download.is_some_and(|it| it.assembly.length() > 0 && it.etag != etag)
    }

    /// Begins a download again whose resource has changed (RFC 7959 section 2.4); whether that makes sense.
    pub(super) fn start_anew(&mut self) -> bool {
        let Some(download) = &mut self.download else {
            return false;
        };
        let may = self.request.code == Code::GET
            && download.assembly.length() > 0
            && download.restarts < MAX_RESTARTS;
        if may {
            download.assembly = Assembly::default();
            download.restarts += 1;
        }
        may
    }

    pub(super) fn observes(&self) -> bool {
        self.request.observe && self.phase == Phase::Running && self.download.is_none()
    }

    /// The sequence number of the notification that is being fetched.
    pub(super) fn sequence(&self) -> Option<u32> {
        match self.phase {
            Phase::Fetching(sequence) => Some(sequence),
            _ => None,
        }
    }

    pub(super) fn purpose(&self, is_last: bool) -> Purpose {
        match self.role {
            Role::Message(id) if is_last => Purpose::Message(id),
            Role::Message(id) => Purpose::Block(id),
            Role::Question(id) => Purpose::Question(id),
            Role::SessionSetUp => Purpose::SessionSetUp,
            Role::SessionTearDown => Purpose::SessionTearDown,
            Role::Content => Purpose::Content,
        }
    }
}
