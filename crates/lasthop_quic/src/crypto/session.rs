use core::any::Any;
use std::sync::Arc;

use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::crypto::{
    ClientConfig, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, ServerConfig,
    Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};

use super::keys::{observed, observed_key, observed_pair};
use crate::handshake::{Message, Messages};

/// Makes the sessions of clients.
pub(crate) struct ObservedClient(pub(crate) Arc<QuicClientConfig>);

/// Makes the sessions of servers.
pub(crate) struct ObservedServer(pub(crate) Arc<QuicServerConfig>);

/// What both ends agreed on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreed {
    /// Somebody showed a certificate: nothing was resumed.
    pub(crate) is_full: bool,
}

struct Observed {
    inner: Box<dyn Session>,
    read: Messages,
    written: Messages,
    agreed: Agreed,
}

impl Observed {
    fn boxed(inner: Box<dyn Session>) -> Box<dyn Session> {
        Box::new(Self {
            inner,
            read: Messages::default(),
            written: Messages::default(),
            agreed: Agreed { is_full: false },
        })
    }
}

impl ClientConfig for ObservedClient {
    fn start_session(
        self: Arc<Self>,
        version: u32,
        server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let config = Arc::clone(&self.0);
        let session = config.start_session(version, server_name, params)?;
        Ok(Observed::boxed(session))
    }
}

impl ServerConfig for ObservedServer {
    fn initial_keys(
        &self,
        version: u32,
        dst_cid: &ConnectionId,
    ) -> Result<Keys, UnsupportedVersion> {
        self.0.initial_keys(version, dst_cid).map(observed)
    }

    fn retry_tag(&self, version: u32, orig_dst_cid: &ConnectionId, packet: &[u8]) -> [u8; 16] {
        self.0.retry_tag(version, orig_dst_cid, packet)
    }

    fn start_session(
        self: Arc<Self>,
        version: u32,
        params: &TransportParameters,
    ) -> Box<dyn Session> {
        let config = Arc::clone(&self.0);
        Observed::boxed(config.start_session(version, params))
    }
}

impl Session for Observed {
    fn initial_keys(&self, dst_cid: &ConnectionId, side: Side) -> Keys {
        observed(self.inner.initial_keys(dst_cid, side))
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.inner.handshake_data()?;
        Some(Box::new(self.agreed))
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        self.inner.peer_identity()
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        let (header, packet) = self.inner.early_crypto()?;
        Some((header, observed_key(packet)))
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.inner.early_data_accepted()
    }

    fn is_handshaking(&self) -> bool {
        self.inner.is_handshaking()
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        let agreed = &mut self.agreed;
        self.read.feed(buf, |message, _| agreed.note(message));
        self.inner.read_handshake(buf)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        self.inner.transport_parameters()
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        let before = buf.len();
        let keys = self.inner.write_handshake(buf);
        let agreed = &mut self.agreed;
        self.written.feed(&buf[before..], |it, _| agreed.note(it));
        keys.map(observed)
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        self.inner.next_1rtt_keys().map(observed_pair)
    }

    fn is_valid_retry(&self, orig_dst_cid: &ConnectionId, header: &[u8], payload: &[u8]) -> bool {
        self.inner.is_valid_retry(orig_dst_cid, header, payload)
    }

    fn export_keying_material(
        &self,
        output: &mut [u8],
        label: &[u8],
        context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        self.inner.export_keying_material(output, label, context)
    }
}

impl Agreed {
    fn note(&mut self, message: Message) {
        self.is_full |= message == Message::Certificate;
    }
}
