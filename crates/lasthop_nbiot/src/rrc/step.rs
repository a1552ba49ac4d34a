use lasthop_contract::Direction;

use super::answered_by::AnsweredBy;
use super::message::Message;
use super::nas::Nas;
use crate::layer2::{Bearer, ControlElement, SduSize, buffer_size_index, data_volume_index};

/// One message of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which way it goes.
    pub direction: Direction,
    /// What carries it.
    pub bearer: Bearer,
    /// The message.
    pub message: Message,
    /// The NAS message in it.
    pub nas: Option<Nas>,
    /// What goes with it in its transport block.
    pub with: With,
    /// Who has to be asked before it goes, of a message to the device.
    pub answered_by: AnsweredBy,
}

/// What goes with a message in its transport block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum With {
    /// Nothing of its own; STATUS PDUs and padding may.
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
    /// The control element that goes with the message, while `waiting_bytes` wait for the sender's next blocks.
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

    /// The same with the information that no more data follow, where its NAS message can tell it (TS 24.301 9.9.4.25).
    /// On a data bearer, a buffer status report of level 0 tells it.
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
