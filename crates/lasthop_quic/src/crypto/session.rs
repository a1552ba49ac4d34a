use core::any::Any;
use std::sync::Arc;

use lasthop_contract::Cause;
use lasthop_tls::{Part, WrittenHandshake};
use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::crypto::{
    ClientConfig, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, ServerConfig,
    Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};

use super::keys::{observed, observed_key, observed_pair};
use crate::frames::Space;
use crate::handshake::{CERTIFICATE, Messages};

/// Creates TLS sessions of clients.
pub(crate) struct ObservedClient(pub(crate) Arc<QuicClientConfig>);

/// Creates TLS sessions of servers.
pub(crate) struct ObservedServer(pub(crate) Arc<QuicServerConfig>);

/// The negotiated parameters, and the handshake bytes that this end wrote.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agreed {
    /// Whether an end presented a certificate, so that no session was resumed.
    pub(crate) is_full: bool,
    written: WrittenHandshake,
    /// By the kinds of packets that carry it.
    parts: [Vec<(Part, usize)>; 3],
    /// Which kind carries what is written now.
    level: usize,
}

struct Observed {
    inner: Box<dyn Session>,
    read: Messages,
    agreed: Agreed,
}

impl Observed {
    fn boxed(inner: Box<dyn Session>) -> Box<dyn Session> {
        Box::new(Self {
            inner,
            read: Messages::default(),
            agreed: Agreed::default(),
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
        Some(Box::new(self.agreed.clone()))
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
        self.read
            .feed(buf, |message| agreed.is_full |= message == CERTIFICATE);
        self.inner.read_handshake(buf)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        self.inner.transport_parameters()
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        let before = buf.len();
        let keys = self.inner.write_handshake(buf);
        self.agreed.write(&buf[before..], keys.is_some());
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
    /// Notes what was written, and whether what follows goes by the next kind of packets.
    fn write(&mut self, flight: &[u8], is_last: bool) {
        let parts = self.written.read(flight);
        self.is_full |= parts.iter().any(|(part, _)| *part == Part::Certificate);
        self.parts[self.level].extend(parts);
        self.level += usize::from(is_last);
    }

    /// Returns the provenance of handshake bytes from an offset on, in this packet number space.
    pub(crate) fn causes(
        &self,
        space: Space,
        from: u64,
        length: usize,
    ) -> impl Iterator<Item = (Cause, usize)> {
        let is_resumed = self.is_full.then_some(false);
        let (mut start, from) = (0, from as usize);
        self.parts[space as usize].iter().map(move |(part, size)| {
            let end = start + size;
            let shown = end.min(from + length).saturating_sub(start.max(from));
            start = end;
            (self.written.cause_of(*part, is_resumed), shown)
        })
    }
}
