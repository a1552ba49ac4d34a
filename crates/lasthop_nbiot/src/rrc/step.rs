use lasthop_contract::Direction;

use super::answered_by::AnsweredBy;
use super::message::Message;
use super::nas::Nas;
use crate::layer2::{Bearer, ControlElement, SduSize, buffer_size_index, data_volume_index};

/// A message of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its direction.
    pub direction: Direction,
    /// Its bearer.
    pub bearer: Bearer,
    /// The message.
    pub message: Message,
    /// The NAS message in it.
    pub nas: Option<Nas>,
    /// What else is in its transport block.
    pub with: With,
    /// The entity that must be asked before a message to the device is sent.
    pub answered_by: AnsweredBy,
}

/// The control element in the transport block of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum With {
    /// None; STATUS PDUs and padding are possible.
    Nothing,
    /// Data volume and power headroom: Msg3.
    DataVolume,
    /// Data volume and power headroom, and user data as far as they fit: Msg3 of early data (Release 15).
    DataVolumeAndUserData,
    /// The identity that settles contention: Msg4.
    ContentionResolution,
    /// A buffer status report.
    BufferStatus,
    /// User data, as far as they fit.
    UserData,
    /// The identity that settles contention, and user data as far as they fit: Msg4 of early data (Release 15).
    ContentionResolutionAndUserData,
}

impl With {
    /// Returns the control element for the message, with `waiting_bytes` for the sender's next blocks.
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
    /// The size of its SDU of RLC, around a packet of `packet_bytes` where its NAS message carries one.
    #[must_use]
    pub fn sdu(&self, packet_bytes: u16) -> SduSize {
        let carries_packet = self.nas.is_some_and(Nas::carries_packet);
        let packet_bytes = if carries_packet { packet_bytes } else { 0 };
        let nas_bytes = self.nas.map_or(0, |nas| nas.bytes(packet_bytes));
        self.bearer
            .sdu(self.message.bytes(nas_bytes) - packet_bytes, packet_bytes)
    }

    /// Adds the information that no more data follows, if its NAS message can carry it (TS 24.301 section 9.9.4.25).
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
