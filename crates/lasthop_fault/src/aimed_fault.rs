use lasthop_classify::MessageKind;
use lasthop_contract::Direction;
use serde::{Deserialize, Serialize};

/// A fault, and the messages that it is aimed at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AimedFault {
    /// The fault.
    pub kind: FaultKind,
    /// The messages that it targets, by name in JSON, for example `mqtt.PUBREC`.
    #[serde(with = "by_name")]
    pub message: MessageKind,
    /// The direction; `None` for both.
    #[serde(with = "by_direction")]
    pub direction: Option<Direction>,
    /// Which messages with this name are affected.
    pub which: Which,
}

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The packet in which the message begins is lost. TCP retransmits it, and the retransmission passes.
    Drop,
    /// The packet in which the message begins is lost. Every later packet between the same two ports is lost too, both
    /// ways, until a SYN opens another connection.
    CutBefore,
}

/// Which messages with the given name are affected.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// Every message.
    All,
    /// Only the message with this number, counted from 1.
    Nth(u64),
    /// Each message with this probability, above 0 and up to 1.
    Share(f64),
}

/// Why a fault is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// The message number is 0; messages are counted from 1.
    #[error("the first message has the number 1")]
    NumberZero,
    /// The share of messages is not above 0 and up to 1.
    #[error("a share is above 0 and at most 1")]
    Share,
}

impl AimedFault {
    /// Checks that the fault is possible.
    ///
    /// # Errors
    /// For the number 0, and a share that is none.
    pub fn check(&self) -> Result<(), FaultError> {
        match self.which {
            Which::Nth(0) => Err(FaultError::NumberZero),
            Which::Share(share) if !(share > 0.0 && share <= 1.0) => Err(FaultError::Share),
            _ => Ok(()),
        }
    }
}

mod by_name {
    use lasthop_classify::MessageKind;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(kind: &MessageKind, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(kind.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<MessageKind, D::Error> {
        let name = String::deserialize(from)?;
        let mut kinds = MessageKind::ALL.into_iter();
        kinds
            .find(|kind| kind.name() == name)
            .ok_or_else(|| D::Error::custom(format!("no kind of message is called {name:?}")))
    }
}

mod by_direction {
    use lasthop_contract::Direction;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        direction: &Option<Direction>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        direction.map(Direction::name).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Direction>, D::Error> {
        let Some(name) = Option::<String>::deserialize(from)? else {
            return Ok(None);
        };
        let mut directions = Direction::ALL.into_iter();
        let direction = directions.find(|direction| direction.name() == name);
        direction
            .map(Some)
            .ok_or_else(|| D::Error::custom("a direction is up or down"))
    }
}
