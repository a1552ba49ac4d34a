use std::sync::Arc;

use lasthop_contract::MessageId;
use lasthop_units::Instant;

use super::transfers::Resource;
use crate::block::{Assembled, Assembly, Block};
use crate::codec::{Code, OptionWriter, Token};
use crate::context::Purpose;
use crate::observation::Observation;
use crate::{BlockSize, CoapRequest, RequestId};

/// A request that waits for a response or for notifications.
#[derive(Debug)]
pub(super) struct Pending {
    /// The ID that the caller knows.
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
    /// The resource of the block transfer that is running or queued.
    pub(super) transfer: Option<Resource>,
    pub(super) observation: Option<Observation>,
    pub(super) phase: Phase,
    /// The Echo value that the server asked for to verify the address (RFC 9175 section 2.2).
    pub(super) echo: Option<Box<[u8]>>,
    /// The lifetime in seconds and the entity tag of the newest response.
    pub(super) said: (Option<u32>, Option<u32>),
    /// Whether an observation was registered again and that request is unanswered.
    pub(super) is_asked_again: bool,
    /// When the request times out or the observation is registered again.
    pub(super) deadline: Option<Instant>,
}

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Carries an application message.
    Message(MessageId),
    /// Requests an application message.
    Question(MessageId),
    /// Registers or observes for the application itself.
    SessionSetUp,
    /// Ends a registration.
    SessionTearDown,
    /// Transfers content of the application.
    Content,
}

/// The phase of a request with more than one message each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Running.
    Running,
    /// Cancelling an observation.
    Cancelling,
    /// Fetching the remaining blocks of the notification with this sequence number (RFC 7959 section 3.4).
    Fetching(u32),
}

/// A response body that arrives in blocks.
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

/// The next message of a request.
pub(super) struct NextMessage<'a> {
    pub(super) options: OptionWriter,
    pub(super) payload: &'a [u8],
    /// Whether this message ends the request body.
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

    /// Creates the download of a notification's remaining blocks.
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

    /// Whether the request body is sent in blocks.
    pub(super) fn uploads(&self) -> bool {
        self.request.payload.len() > self.whole_limit || self.sent > 0
    }

    /// Processes the answer to a block of the request body. Returns whether another block must be sent (RFC 7959
    /// sections 2.3, 2.5).
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

    /// Adds a block of the response body.
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

    /// Whether a block belongs to another state of the resource than the previous blocks.
    pub(super) fn is_of_another_state(&self, etag: Option<Token>) -> bool {
        let download = self.download.as_ref();
        download.is_some_and(|it| it.assembly.length() > 0 && it.etag != etag)
    }

    /// Restarts a download after the resource changed (RFC 7959 section 2.4). Returns whether a restart is possible.
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

    /// Returns the sequence number of the notification whose blocks are being fetched.
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
