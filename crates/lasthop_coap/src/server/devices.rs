use lasthop_contract::{ConnectionId, DeviceId, FailureReason, LookupMap, OutgoingMessage};

use super::CoapServerConfig;
use super::observer::Observer;
use crate::answering::ask;
use crate::codec::{Code, MessageType, Token};
use crate::context::{Context, Purpose};
use crate::endpoint::{Endpoint, Parcel, Role};
use crate::inbox::{INBOX, MessageOptions};
use crate::representation::{Delivery, Representation};
use crate::{CoapRequest, Push};

/// The devices that messages can be pushed to.
#[derive(Debug)]
pub(super) struct Devices {
    by_device: LookupMap<DeviceId, Device>,
    options: MessageOptions,
    /// Whether who reports is known by that.
    pub(super) learns: bool,
}

/// Where a device is, and what it observes.
#[derive(Debug)]
struct Device {
    connection: ConnectionId,
    watched: Option<Box<Watched>>,
}

/// The resource of a device that observes it.
#[derive(Debug)]
struct Watched {
    observer: Observer,
    representation: Representation,
}

/// The maximum number of registered devices.
pub const MAX_DEVICES: usize = 1 << 18;

impl Devices {
    pub(super) fn new() -> Self {
        Self {
            by_device: LookupMap::new(),
            options: MessageOptions::to(INBOX),
            learns: false,
        }
    }

    /// The same without any device.
    pub(super) fn anew(&self) -> Self {
        Self {
            learns: self.learns,
            ..Self::new()
        }
    }

    /// Whether a device may make itself known.
    pub(super) fn have_room_for(&self, device: DeviceId) -> bool {
        self.by_device.len() < MAX_DEVICES || self.by_device.contains(&device)
    }

    /// Notes a device that has made itself known; gives the connection that it has left.
    pub(super) fn register(
        &mut self,
        device: DeviceId,
        connection: ConnectionId,
    ) -> Option<ConnectionId> {
        let known = self.by_device.get_or_insert_with(device, || Device {
            connection,
            watched: None,
        });
        let before = core::mem::replace(&mut known.connection, connection);
        (before != connection).then_some(before)
    }

    /// Notes where a device was heard from; gives the connection that it has left.
    ///
    /// An observation stays with the address that it was made from (RFC 7641 section 4.1).
    pub(super) fn locate(
        &mut self,
        device: DeviceId,
        connection: ConnectionId,
    ) -> Option<ConnectionId> {
        if self.learns && self.have_room_for(device) {
            self.by_device.get_or_insert_with(device, || Device {
                connection,
                watched: None,
            });
        }
        let known = self.by_device.get_mut(&device)?;
        let has_moved = known.connection != connection && known.watched.is_none();
        has_moved.then(|| core::mem::replace(&mut known.connection, connection))
    }

    /// Begins the observation of a device, or begins it anew; gives the one that it replaces.
    pub(super) fn observe(
        &mut self,
        device: DeviceId,
        observer: Observer,
    ) -> Option<(ConnectionId, Token)> {
        let known = self.by_device.get_or_insert_with(device, || Device {
            connection: observer.connection,
            watched: None,
        });
        known.connection = observer.connection;
        if let Some(watched) = &mut known.watched {
            return Some(core::mem::replace(&mut watched.observer, observer).key());
        }
        known.watched = Some(Box::new(Watched {
            observer,
            representation: Representation::default(),
        }));
        None
    }

    /// Ends an observation of a device's resource.
    pub(super) fn end_observation(&mut self, device: DeviceId, key: (ConnectionId, Token)) -> bool {
        let known = self.by_device.get_mut(&device);
        let is_its = known.is_some_and(|known| {
            let watched = known.watched.as_ref();
            watched.is_some_and(|watched| watched.observer.key() == key)
        });
        if is_its {
            self.by_device.remove(&device);
        }
        is_its
    }

    /// What a device's resource is now.
    pub(super) fn representation(&self, device: DeviceId) -> Option<&Representation> {
        let watched = self.by_device.get(&device)?.watched.as_ref()?;
        Some(&watched.representation)
    }

    /// Sends a message to its device.
    pub(super) fn push(
        &mut self,
        cx: &mut Context<'_>,
        endpoint: &mut Endpoint,
        config: &CoapServerConfig,
        message: OutgoingMessage<'_>,
    ) {
        let OutgoingMessage { id, payload, .. } = message;
        let Some(known) = self.by_device.get_mut(&id.flow.device()) else {
            return cx.fail(id, FailureReason::NotConnected);
        };
        if message.asks {
            let question = ask(config.kind, INBOX);
            return endpoint.ask(cx, known.connection, id, question);
        }
        let code = match config.push {
            Push::Observe => return known.notify(cx, endpoint, config, message),
            Push::Post => Code::POST,
            Push::Put => Code::PUT,
        };
        if payload.len() > endpoint.whole_limit(known.connection) {
            let request = CoapRequest {
                payload: payload.into(),
                ..CoapRequest::new(config.kind, code, INBOX)
            };
            endpoint.request(cx, known.connection, request, Role::Message(id));
            return;
        }
        let is_answered = config.kind == MessageType::Confirmable || !endpoint.is_over_datagrams();
        let parcel = Parcel {
            id,
            kind: config.kind,
            code,
            options: self.options.get(is_answered),
            payload,
            is_answered,
        };
        endpoint.send_parcel(cx, known.connection, &parcel);
    }
}

impl Device {
    /// Makes a message the new representation of the device's resource, and tells the device so.
    fn notify(
        &mut self,
        cx: &mut Context<'_>,
        endpoint: &mut Endpoint,
        config: &CoapServerConfig,
        message: OutgoingMessage<'_>,
    ) {
        let OutgoingMessage { id, payload, .. } = message;
        let Some(watched) = &mut self.watched else {
            return cx.fail(id, FailureReason::NotConnected);
        };
        let Watched {
            observer,
            representation,
        } = &mut **watched;
        representation.set(payload.into(), None);
        let kind = observer.kind_of_next(cx.now, config.kind);
        let answer = representation.answer(Delivery {
            block: None,
            is_observed: true,
            is_tagged: false,
            largest_block: endpoint.largest_block(observer.connection),
            whole_limit: endpoint.whole_limit(observer.connection),
            max_age: config.parameters.max_age,
            block1: None,
            purpose: Purpose::Message(id),
        });
        let sent = answer.map(|answer| endpoint.notify(cx, observer.key(), kind, &answer));
        if let Some(Err(reason)) = sent {
            cx.fail(id, reason);
        }
    }
}
