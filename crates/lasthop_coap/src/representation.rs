use lasthop_units::Duration;

use crate::BlockSize;
use crate::block::Block;
use crate::codec::{Code, OptionWriter, Token, option_number};
use crate::context::Purpose;
use crate::endpoint::Answer;

/// The current representation of a resource.
#[derive(Clone, Debug, Default)]
pub(crate) struct Representation {
    pub(crate) body: Vec<u8>,
    pub(crate) content_format: Option<u16>,
    /// Raised by each change: the entity tag, and the sequence number of notifications.
    version: u32,
}

/// The options for sending a representation in a response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery {
    /// The requested block.
    pub(crate) block: Option<Block>,
    /// Whether the response is a notification.
    pub(crate) is_observed: bool,
    pub(crate) largest_block: BlockSize,
    /// Whether a response with the whole body has an entity tag too.
    pub(crate) is_tagged: bool,
    /// The largest body that is sent without blocks, in bytes.
    pub(crate) whole_limit: usize,
    pub(crate) max_age: Duration,
    /// The Block1 value for the last block of the request, if its body was sent in blocks.
    pub(crate) block1: Option<Block>,
    pub(crate) purpose: Purpose,
}

/// What a response without the option means (RFC 7252 section 5.10.5).
const DEFAULT_MAX_AGE: Duration = Duration::from_secs(60);

impl Representation {
    /// Creates a representation whose entity tag is the FNV-1a hash of its body.
    pub(crate) fn of(body: Vec<u8>, content_format: u16) -> Self {
        let hash = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        Self {
            version: body.iter().fold(0x811c_9dc5, hash),
            content_format: Some(content_format),
            body,
        }
    }

    /// Creates a representation of bytes without a content format.
    pub(super) fn of_bytes(body: &[u8]) -> Self {
        Self {
            content_format: None,
            ..Self::of(body.to_vec(), 0)
        }
    }

    /// Creates an empty representation whose entity tags continue after `version`.
    pub(crate) fn after(version: u32) -> Self {
        Self {
            version,
            ..Self::default()
        }
    }

    /// Returns the number of the last change.
    pub(crate) const fn version(&self) -> u32 {
        self.version
    }

    /// Whether the representation is in the format that a client accepts. A client without a preference accepts any.
    pub(crate) fn is_acceptable(&self, wanted: Option<u16>) -> bool {
        wanted.is_none() || wanted == self.content_format
    }

    pub(crate) fn set(&mut self, body: Vec<u8>, content_format: Option<u16>) {
        self.body = body;
        self.content_format = content_format;
        self.version = self.version.wrapping_add(1);
    }

    pub(crate) fn append(&mut self, body: &[u8]) {
        self.body.extend_from_slice(body);
        self.version = self.version.wrapping_add(1);
    }

    pub(crate) fn etag(&self) -> Token {
        Token::from_bits(self.version.into(), 4)
    }

    /// Returns a response with the requested block, or `None` if the block does not exist (RFC 7959 section 2.4).
    pub(crate) fn answer(&self, delivery: Delivery) -> Option<Answer<'_>> {
        self.answer_as(delivery, self.version)
    }

    /// Returns the response of [`Self::answer`] with another observe sequence number.
    pub(crate) fn answer_as(&self, delivery: Delivery, sequence: u32) -> Option<Answer<'_>> {
        let is_whole = delivery.block.is_none() && self.body.len() <= delivery.whole_limit;
        let wanted = delivery
            .block
            .unwrap_or(Block::single(0, false, delivery.largest_block));
        let size = wanted.size.min(delivery.largest_block);
        let number = (wanted.offset() / size.bytes()) as u32;
        let (block, payload) = Block::cut(&self.body, number, size)?;
        let payload = if is_whole { &self.body } else { payload };
        let in_blocks = !is_whole;
        let mut options = OptionWriter::new();
        if in_blocks || delivery.is_tagged {
            options.add(option_number::ETAG, self.etag().as_bytes());
        }
        if delivery.is_observed && number == 0 {
            options.add_number(option_number::OBSERVE, sequence & 0xff_ffff);
        }
        if let Some(format) = self.content_format {
            options.add_number(option_number::CONTENT_FORMAT, format.into());
        }
        add_max_age(&mut options, delivery.max_age);
        if in_blocks {
            options.add_number(option_number::BLOCK2, block.to_bits());
        }
        if let Some(taken) = delivery.block1 {
            options.add_number(option_number::BLOCK1, taken.to_bits());
        }
        if in_blocks && number == 0 {
            options.add_number(option_number::SIZE2, self.body.len() as u32);
        }
        Some(Answer {
            code: Code::CONTENT,
            options,
            payload,
            purpose: delivery.purpose,
        })
    }

    /// Returns the 2.03 response to a client whose representation is still valid (RFC 7252 section 5.9.1.3).
    pub(crate) fn still_valid(&self, max_age: Duration) -> Answer<'static> {
        self.still_valid_for(max_age, Purpose::Content)
    }

    /// Returns the 2.03 response with this purpose.
    pub(crate) fn still_valid_for(&self, max_age: Duration, purpose: Purpose) -> Answer<'static> {
        let mut answer = Answer::bare(Code::VALID, purpose);
        answer
            .options
            .add(option_number::ETAG, self.etag().as_bytes());
        add_max_age(&mut answer.options, max_age);
        answer
    }
}

fn add_max_age(options: &mut OptionWriter, max_age: Duration) {
    if max_age != DEFAULT_MAX_AGE {
        options.add_number(option_number::MAX_AGE, max_age.as_secs_f64() as u32);
    }
}
