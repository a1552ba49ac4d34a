use lasthop_contract::Direction;

use super::answered_by::AnsweredBy;
use super::message::Message;
use super::nas::Nas;
use crate::layer2::{Bearer, ControlElement, SduSize, buffer_size_index, data_volume_index};

/// A step of a procedure: one message and its transport block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The direction of the message.
    pub direction: Direction,
    /// The bearer of the message.
    pub bearer: Bearer,
    /// The RRC message.
    pub message: Message,
    /// The NAS message inside the RRC message, if any.
    pub nas: Option<Nas>,
    /// The other content of the message's transport block.
    pub with: With,
    /// The network entity that must answer before a message to the device is sent.
    pub answered_by: AnsweredBy,
}

/// The content of a transport block in addition to its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum With {
    /// Nothing, but STATUS PDUs and padding are possible.
    Nothing,
    /// Data volume and power headroom: Msg3.
    DataVolume,
    /// Data volume and power headroom, and as much user data as fits: Msg3 of early data (Release 15).
    DataVolumeAndUserData,
    /// The contention resolution identity: Msg4.
    ContentionResolution,
    /// A buffer status report.
    BufferStatus,
    /// As much user data as fits.
    UserData,
    /// The contention resolution identity, and as much user data as fits: Msg4 of early data (Release 15).
    ContentionResolutionAndUserData,
}

impl With {
    /// Returns the control element of the transport block. `waiting_bytes` is the amount of data that the sender has
    /// for later blocks.
    #[must_use]
    pub fn control_element(self, waiting_bytes: u32) -> Option<ControlElement> {
        match self {
            Self::Nothing | Self::UserData => None,
            Self::DataVolume | Self::DataVolumeAndUserData => Some(
                ControlElement::DataVolumeAndPowerHeadroom(data_volume_index(waiting_bytes)),
            ),
            Self::ContentionResolution | Self::ContentionResolutionAndUserData => {
                Some(ControlElement::ContentionResolutionIdentity)
            }
            Self::BufferStatus => Some(ControlElement::BufferStatus(buffer_size_index(
                waiting_bytes,
            ))),
        }
    }

    /// Whether user data may fill the rest of the transport block.
    #[must_use]
    pub const fn has_user_data(self) -> bool {
        matches!(
            self,
            Self::DataVolumeAndUserData | Self::UserData | Self::ContentionResolutionAndUserData
        )
    }
}

impl Step {
    /// Returns the size of the RLC SDU. It includes the packet of `packet_bytes` if the NAS message carries one.
    #[must_use]
    pub fn sdu(&self, packet_bytes: u16) -> SduSize {
        let carries_packet = self.nas.is_some_and(Nas::carries_packet);
        let packet_bytes = if carries_packet { packet_bytes } else { 0 };
        let nas_bytes = self.nas.map_or(0, |nas| nas.bytes(packet_bytes));
        self.bearer
            .sdu(self.message.bytes(nas_bytes) - packet_bytes, packet_bytes)
    }

    /// Adds release assistance (no more data follows) to the NAS message, if it can carry it (TS 24.301 section
    /// 9.9.4.25).
    ///
    /// On a data bearer, a buffer status report of level 0 carries it.
    #[must_use]
    pub const fn assisting_release(mut self) -> Self {
        if let Some(Nas::DataTransport) = self.nas {
            self.nas = Some(Nas::DataTransportWithReleaseAssistance);
        }
        self
    }

    pub(super) const fn up(bearer: Bearer, message: Message) -> Self {
        Self::of(Direction::Up, bearer, message)
    }

    pub(super) const fn down(bearer: Bearer, message: Message) -> Self {
        Self::of(Direction::Down, bearer, message)
    }

    /// The same around a NAS message.
    pub(crate) const fn around(mut self, nas: Nas) -> Self {
        self.nas = Some(nas);
        self
    }

    pub(super) const fn with(mut self, with: With) -> Self {
        self.with = with;
        self
    }

    /// The same, before which somebody has to be asked.
    pub(super) const fn answered_by(mut self, who: AnsweredBy) -> Self {
        self.answered_by = who;
        self
    }

    const fn of(direction: Direction, bearer: Bearer, message: Message) -> Self {
        Self {
            direction,
            bearer,
            message,
            nas: None,
            with: With::Nothing,
            answered_by: AnsweredBy::BaseStation,
        }
    }
}
