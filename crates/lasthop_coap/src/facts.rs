use lasthop_contract::DeviceId;

use crate::block::Block;
use crate::codec::{Code, Token, is_critical, number_of, option_number};
use crate::inbox::DEVICES;

/// The values of a message's options, collected while the options are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) observe: Option<u32>,
    pub(crate) block1: Option<Block>,
    pub(crate) block2: Option<Block>,
    /// A critical option that is not supported or has an invalid value.
    pub(crate) bad_option: Option<u16>,
    pub(crate) content_format: Option<u16>,
    pub(crate) accept: Option<u16>,
    pub(crate) no_response: u8,
    pub(crate) is_for_proxy: bool,
    /// Whether the request has a precondition (RFC 7252 section 5.10.8).
    pub(crate) is_conditional: bool,
    once: Once,
    path: PathForm,
}

/// Which of the options that come once at most have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Once(u8);

impl Once {
    const URI_HOST: u8 = 1;
    const IF_NONE_MATCH: u8 = 2;
    const URI_PORT: u8 = 4;
    const ACCEPT: u8 = 8;
    const OBSERVE: u8 = 16;
    const CONTENT_FORMAT: u8 = 32;
    const NO_RESPONSE: u8 = 64;

    /// Notes an option; whether it is the first of its kind.
    const fn is_first(&mut self, option: u8) -> bool {
        let is_first = self.0 & option == 0;
        self.0 |= option;
        is_first
    }
}

/// The path as far as it was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PathForm {
    /// No path segment so far.
    #[default]
    Empty,
    /// The path of all devices.
    Devices,
    /// The path of a device.
    Device(DeviceId),
    /// Another path.
    Other,
}

impl Facts {
    /// Processes an option. One that is repeated or has an invalid length counts as unknown (RFC 7252 sections 5.4.3,
    /// 5.4.5): it is ignored if elective and rejected if critical.
    #[inline]
    pub(crate) fn note(&mut self, number: u16, value: &[u8]) {
        match number {
            // The segments "." and ".." stand in no path (RFC 7252 section 5.10.1).
            option_number::URI_PATH if value.len() <= 255 && value != b"." && value != b".." => {
                self.path = self.path.followed_by(value);
            }
            option_number::NO_RESPONSE if self.once.is_first(Once::NO_RESPONSE) => {
                self.no_response = number_of(value).unwrap_or(0) as u8;
            }
            option_number::OBSERVE if self.once.is_first(Once::OBSERVE) => {
                self.observe = number_of(value).filter(|_| value.len() <= 3);
            }
            option_number::CONTENT_FORMAT if self.once.is_first(Once::CONTENT_FORMAT) => {
                self.content_format = number_of(value)
                    .filter(|_| value.len() <= 2)
                    .map(|n| n as u16);
            }
            option_number::BLOCK1 if self.block1.is_none() => {
                self.block1 = Block::parse(value);
                self.mark_bad_unless(self.block1.is_some(), number);
            }
            option_number::BLOCK2 if self.block2.is_none() => {
                self.block2 = Block::parse(value);
                self.mark_bad_unless(self.block2.is_some(), number);
            }
            option_number::IF_MATCH if value.len() <= Token::MAX_LENGTH => {
                self.is_conditional = true;
            }
            option_number::IF_NONE_MATCH
                if value.is_empty() && self.once.is_first(Once::IF_NONE_MATCH) =>
            {
                self.is_conditional = true;
            }
            // Hosts and ports are told apart below CoAP.
            option_number::URI_HOST
                if (1..=255).contains(&value.len()) && self.once.is_first(Once::URI_HOST) => {}
            option_number::URI_PORT if value.len() <= 2 && self.once.is_first(Once::URI_PORT) => {}
            option_number::URI_QUERY if value.len() <= 255 => {}
            option_number::ACCEPT if value.len() <= 2 && self.once.is_first(Once::ACCEPT) => {
                self.accept = number_of(value).map(|number| number as u16);
            }
            option_number::PROXY_URI | option_number::PROXY_SCHEME => self.is_for_proxy = true,
            _ => self.mark_bad_unless(!is_critical(number), number),
        }
    }

    /// Returns the device whose resource is requested.
    pub(crate) const fn device(&self) -> Option<DeviceId> {
        match self.path {
            PathForm::Device(device) => Some(device),
            _ => None,
        }
    }

    /// Whether the message is part of a block transfer (RFC 7959 section 2).
    pub(crate) const fn is_in_blocks(&self) -> bool {
        self.block1.is_some() || self.block2.is_some()
    }

    /// Whether the message has or requests several blocks at once (BERT, RFC 8323 section 6).
    pub(crate) fn is_bert(&self) -> bool {
        let blocks = [self.block1, self.block2];
        blocks.into_iter().flatten().any(|block| block.is_bert)
    }

    /// Whether the client wants a response of this class (RFC 7967 section 2.1).
    pub(crate) const fn wants(&self, answer: Code) -> bool {
        self.no_response & 1 << (answer.class().saturating_sub(1)) == 0
    }

    fn mark_bad_unless(&mut self, is_good: bool, number: u16) {
        if !is_good {
            self.bad_option = self.bad_option.or(Some(number));
        }
    }
}

impl PathForm {
    #[inline]
    fn followed_by(self, segment: &[u8]) -> Self {
        match self {
            Self::Empty if segment == DEVICES.as_bytes() => Self::Devices,
            Self::Devices => device_of(segment).map_or(Self::Other, Self::Device),
            _ => Self::Other,
        }
    }
}

/// Returns the device with this decimal number.
#[inline]
pub(crate) fn device_of(digits: &[u8]) -> Option<DeviceId> {
    if !(1..=10).contains(&digits.len()) {
        return None;
    }
    let number = digits.iter().try_fold(0_u64, |number, digit| {
        digit
            .is_ascii_digit()
            .then(|| number * 10 + u64::from(digit - b'0'))
    })?;
    number.try_into().ok().map(DeviceId)
}
