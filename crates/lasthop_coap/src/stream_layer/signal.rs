use crate::CoapParameters;
use crate::codec::{Content, OptionWriter, is_critical, number_of};

/// The settings of one end of a stream connection (RFC 8323 section 5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    /// The largest message that the end accepts, in bytes.
    pub(super) max_message_size: usize,
    /// Whether the end supports the Block options.
    pub(super) block_wise: bool,
}

/// Options of a CSM (RFC 8323 sections 5.3.1, 5.3.2).
const MAX_MESSAGE_SIZE: u16 = 2;
const BLOCK_WISE_TRANSFER: u16 = 4;

/// The option of an Abort that names the unsupported CSM option (RFC 8323 section 5.6).
pub(super) const BAD_CSM_OPTION: u16 = 2;

impl Settings {
    /// The settings before the peer's CSM arrives.
    pub(super) const BASE: Self = Self {
        max_message_size: 1152,
        block_wise: false,
    };

    /// Returns the options of this end's CSM.
    pub(super) fn own_options(parameters: &CoapParameters) -> OptionWriter {
        let mut options = OptionWriter::new();
        let size = u32::try_from(parameters.max_body_size).unwrap_or(u32::MAX);
        options.add_number(MAX_MESSAGE_SIZE, size);
        options.add(BLOCK_WISE_TRANSFER, &[]);
        options
    }

    /// Applies the options of a CSM. Fails with the number of a critical option that is not supported.
    pub(super) fn update(&mut self, content: &Content, bytes: &[u8]) -> Result<(), u16> {
        for (number, value) in content.options(bytes) {
            match number {
                MAX_MESSAGE_SIZE => {
                    // A value of a length that cannot be is that of an option that is not known (RFC 7252 section 5.4.3).
                    if let Some(size) = number_of(value) {
                        self.max_message_size = size as usize;
                    }
                }
                BLOCK_WISE_TRANSFER => self.block_wise = true,
                _ if is_critical(number) => return Err(number),
                _ => {}
            }
        }
        Ok(())
    }
}
