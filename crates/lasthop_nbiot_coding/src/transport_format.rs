mod variant;

use core::fmt;

use lasthop_nbiot::phy::{NPDSCH_BLOCK_BITS, NPDSCH_SUBFRAMES, NPUSCH_BLOCK_BITS};

use crate::{Crc, Modulation};

pub use variant::{Carrier, Combining, ControlMessage, Tones};

/// A transport format: which block is encoded, by which code, and into how many bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransportFormat {
    channel: Channel,
    payload_bits: u16,
    coded_bits: u16,
}

/// A channel code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The turbo code of the uplink.
    Turbo,
    /// The tail-biting convolutional code of the downlink.
    Convolutional,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channel {
    Npusch {
        tones: Tones,
        i_tbs: u8,
        i_ru: u8,
        combining: Combining,
    },
    Npdsch {
        carrier: Carrier,
        i_tbs: u8,
        i_sf: u8,
    },
    Npdcch {
        carrier: Carrier,
        message: ControlMessage,
    },
}

/// The last I_TBS that a single tone and an in-band carrier bear (TS 36.213 tables 16.5.1.2-1, 16.4.1.5.1-1).
const LAST_NARROW: u8 = 10;

impl TransportFormat {
    /// Creates a format of NPUSCH format 1. Returns `None` where TS 36.213 table 16.5.1.2-2 has no block.
    #[must_use]
    pub fn npusch(tones: Tones, i_tbs: u8, i_ru: u8, combining: Combining) -> Option<Self> {
        let row = NPUSCH_BLOCK_BITS.get(usize::from(i_tbs))?;
        let payload_bits = *row.get(usize::from(i_ru))?;
        // TS 36.211 section 10.1.2.3: a resource unit without its reference symbols.
        let elements = match tones {
            Tones::Single if i_tbs > LAST_NARROW => return None,
            Tones::Single => 96,
            Tones::Multi => 144,
        };
        let channel = Channel::Npusch {
            tones,
            i_tbs,
            i_ru,
            combining,
        };
        let elements = elements * units(i_ru);
        Some(Self::new(channel, payload_bits, elements))
    }

    /// Creates a format of NPDSCH. Returns `None` where TS 36.213 table 16.4.1.5.1-1 has no block.
    #[must_use]
    pub fn npdsch(carrier: Carrier, i_tbs: u8, i_sf: u8) -> Option<Self> {
        let row = NPDSCH_BLOCK_BITS.get(usize::from(i_tbs))?;
        let payload_bits = *row.get(usize::from(i_sf))?;
        if carrier == Carrier::InBand && i_tbs > LAST_NARROW {
            return None;
        }
        let channel = Channel::Npdsch {
            carrier,
            i_tbs,
            i_sf,
        };
        let elements = carrier.elements() * units(i_sf);
        Some(Self::new(channel, payload_bits, elements))
    }

    /// Creates a format of NPDCCH.
    #[must_use]
    pub fn npdcch(carrier: Carrier, message: ControlMessage) -> Self {
        let (payload_bits, share) = match message {
            ControlMessage::N0OrN1OnOne => (23, 2),
            ControlMessage::N0OrN1OnTwo => (23, 1),
            ControlMessage::N2OnTwo => (15, 1),
        };
        let channel = Channel::Npdcch { carrier, message };
        Self::new(channel, payload_bits, carrier.elements() / share)
    }

    /// Returns all formats of NPUSCH with blocks of up to `most_bits` bits.
    pub fn all_npusch(most_bits: u16) -> impl Iterator<Item = Self> {
        let all = Tones::ALL.into_iter().flat_map(|tones| {
            Combining::ALL.into_iter().flat_map(move |combining| {
                indices()
                    .filter_map(move |(i_tbs, i_ru)| Self::npusch(tones, i_tbs, i_ru, combining))
            })
        });
        all.filter(move |format| format.payload_bits <= most_bits)
    }

    /// Returns all formats of NPDSCH with blocks of up to `most_bits` bits.
    pub fn all_npdsch(most_bits: u16) -> impl Iterator<Item = Self> {
        let carriers = Carrier::ALL.into_iter();
        let all = carriers.flat_map(|carrier| {
            indices().filter_map(move |(i_tbs, i_sf)| Self::npdsch(carrier, i_tbs, i_sf))
        });
        all.filter(move |format| format.payload_bits <= most_bits)
    }

    /// Returns all formats of NPDCCH.
    pub fn all_npdcch() -> impl Iterator<Item = Self> {
        let carriers = Carrier::ALL.into_iter();
        carriers
            .flat_map(|carrier| ControlMessage::ALL.map(|message| Self::npdcch(carrier, message)))
    }

    fn new(channel: Channel, payload_bits: u16, elements: u16) -> Self {
        let format = Self {
            channel,
            payload_bits,
            coded_bits: elements,
        };
        let bits_per_symbol = format.modulation().bits_per_symbol() as u16;
        Self {
            coded_bits: elements * bits_per_symbol,
            ..format
        }
    }

    /// Returns the number of bits of a block without its CRC.
    #[must_use]
    pub fn payload_bits(&self) -> usize {
        usize::from(self.payload_bits)
    }

    /// Returns the number of bits of a block with its CRC.
    #[must_use]
    pub fn block_bits(&self) -> usize {
        self.payload_bits() + self.crc().length()
    }

    /// Returns the number of coded bits in a pass.
    #[must_use]
    pub fn coded_bits(&self) -> usize {
        usize::from(self.coded_bits)
    }

    /// Returns the CRC of a block (TS 36.212 section 6.3.2, 6.4.2 and 6.4.3).
    #[must_use]
    pub fn crc(&self) -> Crc {
        match self.channel {
            Channel::Npusch { .. } | Channel::Npdsch { .. } => Crc::A24,
            Channel::Npdcch { .. } => Crc::C16,
        }
    }

    /// Returns the modulation: BPSK for I_TBS 0 and 2 on a single tone (there I_MCS 0 and 1), otherwise QPSK (TS 36.213
    /// table 16.5.1.2-1).
    #[must_use]
    pub fn modulation(&self) -> Modulation {
        match self.channel {
            Channel::Npusch {
                tones: Tones::Single,
                i_tbs: 0 | 2,
                ..
            } => Modulation::Bpsk,
            _ => Modulation::Qpsk,
        }
    }

    /// Returns the channel code of a block.
    #[must_use]
    pub fn code(&self) -> Code {
        match self.channel {
            Channel::Npusch { .. } => Code::Turbo,
            Channel::Npdsch { .. } | Channel::Npdcch { .. } => Code::Convolutional,
        }
    }

    /// Returns the redundancy versions, which share the energy equally.
    #[must_use]
    pub fn redundancy_versions(&self) -> &'static [usize] {
        match self.channel {
            Channel::Npusch {
                combining: Combining::RedundancyVersions0And2,
                ..
            } => &[0, 2],
            _ => &[0],
        }
    }
}

/// N_RU or N_SF, which are the same numbers (TS 36.213 tables 16.5.1.1-2 and 16.4.1.3-1).
fn units(i_size: u8) -> u16 {
    u16::from(NPDSCH_SUBFRAMES[usize::from(i_size)])
}

fn indices() -> impl Iterator<Item = (u8, u8)> {
    (0..14).flat_map(|i_tbs| (0..8).map(move |i_size| (i_tbs, i_size)))
}

/// The columns of the tables that name the format, divided by commas.
impl fmt::Display for TransportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.channel {
            Channel::Npusch {
                tones,
                i_tbs,
                i_ru,
                combining,
            } => write!(f, "{},{i_tbs},{i_ru},{}", tones.name(), combining.name()),
            Channel::Npdsch {
                carrier,
                i_tbs,
                i_sf,
            } => write!(f, "{},{i_tbs},{i_sf}", carrier.name()),
            Channel::Npdcch { carrier, message } => {
                write!(f, "{},{}", carrier.name(), message.name())
            }
        }
    }
}
