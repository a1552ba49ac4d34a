use super::ReasonCode;
use super::reader::Reader;

/// A property of MQTT 5 §2.2.2.
#[expect(clippy::enum_variant_names, reason = "the standard's own name")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Property<'a> {
    PayloadFormatIndicator,
    MessageExpiryInterval(u32),
    ContentType,
    ResponseTopic(&'a str),
    CorrelationData,
    SubscriptionIdentifier(u32),
    SessionExpiryInterval(u32),
    AssignedClientIdentifier(&'a str),
    ServerKeepAlive(u16),
    AuthenticationMethod,
    AuthenticationData,
    RequestProblemInformation,
    WillDelayInterval(u32),
    RequestResponseInformation,
    ResponseInformation,
    ServerReference,
    ReasonString,
    ReceiveMaximum(u16),
    TopicAliasMaximum(u16),
    TopicAlias(u16),
    MaximumQos(u8),
    RetainAvailable(bool),
    UserProperty,
    MaximumPacketSize(u32),
    WildcardSubscriptionAvailable,
    SubscriptionIdentifierAvailable,
    SharedSubscriptionAvailable,
}

/// The identifiers of the properties that lasthop writes.
pub(crate) mod id {
    pub(crate) const MESSAGE_EXPIRY_INTERVAL: u8 = 2;
    pub(crate) const SUBSCRIPTION_IDENTIFIER: u8 = 11;
    pub(crate) const SESSION_EXPIRY_INTERVAL: u8 = 17;
    pub(crate) const ASSIGNED_CLIENT_IDENTIFIER: u8 = 18;
    pub(crate) const SERVER_KEEP_ALIVE: u8 = 19;
    pub(crate) const WILL_DELAY_INTERVAL: u8 = 24;
    pub(crate) const RECEIVE_MAXIMUM: u8 = 33;
    pub(crate) const TOPIC_ALIAS_MAXIMUM: u8 = 34;
    pub(crate) const TOPIC_ALIAS: u8 = 35;
    pub(crate) const MAXIMUM_QOS: u8 = 36;
    pub(crate) const USER_PROPERTY: u8 = 38;
    pub(crate) const MAXIMUM_PACKET_SIZE: u8 = 39;
}

const MALFORMED: ReasonCode = ReasonCode::MALFORMED_PACKET;

/// Reads the properties at the reader's position, each with its bytes.
///
/// A property that stands twice is a protocol error, save user properties and, in a PUBLISH, subscription
/// identifiers (§2.2.2.2, §3.3.2.3.8).
pub(crate) fn read_properties<'a>(
    reader: &mut Reader<'a>,
    mut take: impl FnMut(Property<'a>, &'a [u8]) -> Result<(), ReasonCode>,
) -> Result<(), ReasonCode> {
    let length = reader.variable()?;
    let mut list = Reader::new(reader.take(length as usize)?);
    let mut seen = 0_u64;
    while !list.is_empty() {
        let start = list.rest();
        let (id, property) = read_property(&mut list)?;
        let may_repeat = matches!(id, id::USER_PROPERTY | id::SUBSCRIPTION_IDENTIFIER);
        if !may_repeat && seen & 1 << id != 0 {
            return Err(ReasonCode::PROTOCOL_ERROR);
        }
        seen |= 1 << id;
        take(property, &start[..start.len() - list.rest().len()])?;
    }
    Ok(())
}

/// Reads and ignores properties of an acknowledgement, such as the reason string.
pub(crate) fn read_reason_properties(reader: &mut Reader<'_>) -> Result<(), ReasonCode> {
    read_properties(reader, |property, _| match property {
        Property::ReasonString | Property::UserProperty => Ok(()),
        _ => Err(MALFORMED),
    })
}

fn read_property<'a>(list: &mut Reader<'a>) -> Result<(u8, Property<'a>), ReasonCode> {
    let id = list.u8()?;
    let property = match id {
        1 => flag(list).map(|_| Property::PayloadFormatIndicator)?,
        id::MESSAGE_EXPIRY_INTERVAL => Property::MessageExpiryInterval(list.u32()?),
        3 => text(list, Property::ContentType)?,
        8 => Property::ResponseTopic(list.string()?),
        9 => data(list, Property::CorrelationData)?,
        id::SUBSCRIPTION_IDENTIFIER => {
            Property::SubscriptionIdentifier(not_zero(list.variable()?)?)
        }
        id::SESSION_EXPIRY_INTERVAL => Property::SessionExpiryInterval(list.u32()?),
        id::ASSIGNED_CLIENT_IDENTIFIER => Property::AssignedClientIdentifier(list.string()?),
        id::SERVER_KEEP_ALIVE => Property::ServerKeepAlive(list.u16()?),
        21 => text(list, Property::AuthenticationMethod)?,
        22 => data(list, Property::AuthenticationData)?,
        23 => flag(list).map(|_| Property::RequestProblemInformation)?,
        id::WILL_DELAY_INTERVAL => Property::WillDelayInterval(list.u32()?),
        25 => flag(list).map(|_| Property::RequestResponseInformation)?,
        26 => text(list, Property::ResponseInformation)?,
        28 => text(list, Property::ServerReference)?,
        31 => text(list, Property::ReasonString)?,
        id::RECEIVE_MAXIMUM => Property::ReceiveMaximum(not_zero(list.u16()?)?),
        id::TOPIC_ALIAS_MAXIMUM => Property::TopicAliasMaximum(list.u16()?),
        id::TOPIC_ALIAS => match list.u16()? {
            0 => return Err(ReasonCode::TOPIC_ALIAS_INVALID),
            alias => Property::TopicAlias(alias),
        },
        id::MAXIMUM_QOS => Property::MaximumQos(flag(list)?.into()),
        37 => Property::RetainAvailable(flag(list)?),
        id::USER_PROPERTY => {
            list.string()?;
            text(list, Property::UserProperty)?
        }
        id::MAXIMUM_PACKET_SIZE => Property::MaximumPacketSize(not_zero(list.u32()?)?),
        40 => flag(list).map(|_| Property::WildcardSubscriptionAvailable)?,
        41 => flag(list).map(|_| Property::SubscriptionIdentifierAvailable)?,
        42 => flag(list).map(|_| Property::SharedSubscriptionAvailable)?,
        _ => return Err(MALFORMED),
    };
    Ok((id, property))
}

/// A byte that is 0 or 1; any other value is a protocol error.
fn flag(list: &mut Reader<'_>) -> Result<bool, ReasonCode> {
    match list.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(ReasonCode::PROTOCOL_ERROR),
    }
}

fn text<'a>(list: &mut Reader<'a>, property: Property<'a>) -> Result<Property<'a>, ReasonCode> {
    list.string().map(|_| property)
}

fn data<'a>(list: &mut Reader<'a>, property: Property<'a>) -> Result<Property<'a>, ReasonCode> {
    list.binary().map(|_| property)
}

fn not_zero<T: PartialEq + Default>(value: T) -> Result<T, ReasonCode> {
    if value == T::default() {
        Err(ReasonCode::PROTOCOL_ERROR)
    } else {
        Ok(value)
    }
}
