/// The number of tones of an NPUSCH, as far as its code depends on it: 3, 6 and 12 tones have the same code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tones {
    /// One tone.
    Single,
    /// 3, 6 or 12 tones.
    Multi,
}

/// The redundancy versions of the NPUSCH repetitions that the receiver combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combining {
    /// Redundancy version 0 only.
    Chase,
    /// Redundancy versions 0 and 2 in equal numbers.
    RedundancyVersions0And2,
}

/// The operation mode of a downlink carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Standalone, or in the guard band.
    Standalone,
    /// Inside an LTE carrier with three control symbols, two LTE ports and two NB-IoT ports.
    InBand,
}

/// The content of an NPDCCH, and the number of its control channel elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlMessage {
    /// DCI format N0 or N1 on one control channel element.
    N0OrN1OnOne,
    /// DCI format N0 or N1 on two control channel elements.
    N0OrN1OnTwo,
    /// DCI format N2 on two control channel elements.
    N2OnTwo,
}

impl Tones {
    pub(super) const ALL: [Self; 2] = [Self::Single, Self::Multi];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Multi => "multi",
        }
    }
}

impl Combining {
    pub(super) const ALL: [Self; 2] = [Self::Chase, Self::RedundancyVersions0And2];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Chase => "chase",
            Self::RedundancyVersions0And2 => "rv_0_and_2",
        }
    }
}

impl Carrier {
    pub(super) const ALL: [Self; 2] = [Self::Standalone, Self::InBand];

    /// Of a subframe, for data (TS 36.211 section 10.2.3 to 10.2.6): 12 tones by 14 symbols less 16 elements for two
    /// ports; in band 11 symbols less 16 and 12 more for the LTE ports.
    pub(super) fn elements(self) -> u16 {
        match self {
            Self::Standalone => 152,
            Self::InBand => 104,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Standalone => "standalone",
            Self::InBand => "in_band",
        }
    }
}

impl ControlMessage {
    pub(super) const ALL: [Self; 3] = [Self::N0OrN1OnOne, Self::N0OrN1OnTwo, Self::N2OnTwo];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::N0OrN1OnOne => "n0_or_n1_on_1",
            Self::N0OrN1OnTwo => "n0_or_n1_on_2",
            Self::N2OnTwo => "n2_on_2",
        }
    }
}
