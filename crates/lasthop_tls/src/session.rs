use std::collections::VecDeque;
use std::sync::Arc;

use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::pki_types::ServerName;
use rustls::server::{ServerConnectionData, UnbufferedServerConnection};
use rustls::unbuffered::{
    ConnectionState, EncodeError, EncryptError, InsufficientSizeError, ReadEarlyData,
    TransmitTlsData, UnbufferedConnectionCommon, UnbufferedStatus,
};
use rustls::{ClientConfig, Error, HandshakeKind, ProtocolVersion, ServerConfig};

/// The library's half of a connection, which holds no buffers.
pub(crate) enum Session {
    Client(Box<UnbufferedClientConnection>),
    Server(Box<UnbufferedServerConnection>),
}

/// What is known of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) is_tls12: bool,
    /// Whether it was made from an earlier one, once that is known.
    pub(crate) is_resumed: Option<bool>,
}

/// What a session is asked for beside going on.
#[derive(Clone, Copy)]
pub(crate) enum Wish<'a> {
    Nothing,
    /// To seal application data.
    Seal(&'a [u8]),
    /// To seal early data behind its hello.
    SealEarly(&'a [u8]),
    /// To say that nothing follows.
    Close,
}

/// What a session did.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// Whole records to be sent.
    pub(crate) records: Vec<u8>,
    /// The peer's early data was taken.
    pub(crate) took_early_data: bool,
    /// The peer said that nothing follows.
    pub(crate) peer_closed: bool,
    /// The wish was granted.
    pub(crate) granted: bool,
    /// What the session died of.
    pub(crate) error: Option<Error>,
}

impl Session {
    pub(crate) fn client(
        config: &Arc<ClientConfig>,
        server: &ServerName<'static>,
    ) -> Result<Self, Error> {
        let session = UnbufferedClientConnection::new(Arc::clone(config), server.clone())?;
        Ok(Self::Client(Box::new(session)))
    }

    pub(crate) fn server(config: &Arc<ServerConfig>) -> Result<Self, Error> {
        let session = UnbufferedServerConnection::new(Arc::clone(config))?;
        Ok(Self::Server(Box::new(session)))
    }

    /// Goes on with what came, as far as it leads, and grants the wish where the session allows it by then. What was read
    /// is taken out of `inbound`; what the peer said is put behind `readable`.
    pub(crate) fn go_on(
        &mut self,
        inbound: &mut Vec<u8>,
        readable: &mut VecDeque<u8>,
        wish: Wish<'_>,
    ) -> Turn {
        match self {
            Self::Client(session) => go_on(&mut ***session, inbound, readable, wish),
            Self::Server(session) => go_on(&mut ***session, inbound, readable, wish),
        }
    }

    pub(crate) fn is_handshaking(&self) -> bool {
        match self {
            Self::Client(session) => session.is_handshaking(),
            Self::Server(session) => session.is_handshaking(),
        }
    }

    /// Whether both ends have agreed on a version.
    pub(crate) fn has_version(&self) -> bool {
        match self {
            Self::Client(session) => session.protocol_version().is_some(),
            Self::Server(session) => session.protocol_version().is_some(),
        }
    }

    /// What is known of it so far.
    pub(crate) fn known(&self) -> Known {
        let (kind, version) = match self {
            Self::Client(session) => (session.handshake_kind(), session.protocol_version()),
            Self::Server(session) => (session.handshake_kind(), session.protocol_version()),
        };
        Known {
            is_tls12: version == Some(ProtocolVersion::TLSv1_2),
            is_resumed: kind.map(|it| it == HandshakeKind::Resumed),
        }
    }
}

/// One of the two sides, as far as they differ.
trait Side: Sized {
    fn process<'c, 'i>(
        session: &'c mut UnbufferedConnectionCommon<Self>,
        inbound: &'i mut [u8],
    ) -> UnbufferedStatus<'c, 'i, Self>;

    fn read_early(state: ReadEarlyData<'_, '_, Self>, readable: &mut VecDeque<u8>);

    /// Whether it could be sealed.
    fn seal_early(state: &mut TransmitTlsData<'_, Self>, data: &[u8], turn: &mut Turn) -> bool;
}

impl Side for ClientConnectionData {
    fn process<'c, 'i>(
        session: &'c mut UnbufferedConnectionCommon<Self>,
        inbound: &'i mut [u8],
    ) -> UnbufferedStatus<'c, 'i, Self> {
        session.process_tls_records(inbound)
    }

    fn read_early(_: ReadEarlyData<'_, '_, Self>, _: &mut VecDeque<u8>) {}

    fn seal_early(state: &mut TransmitTlsData<'_, Self>, data: &[u8], turn: &mut Turn) -> bool {
        let Some(mut early) = state.may_encrypt_early_data() else {
            return false;
        };
        let room = sealed_length(data.len());
        let start = turn.records.len();
        turn.records.resize(start + room, 0);
        let sealed = early.encrypt(data, &mut turn.records[start..]).unwrap_or(0);
        turn.records.truncate(start + sealed);
        sealed > 0
    }
}

impl Side for ServerConnectionData {
    fn process<'c, 'i>(
        session: &'c mut UnbufferedConnectionCommon<Self>,
        inbound: &'i mut [u8],
    ) -> UnbufferedStatus<'c, 'i, Self> {
        session.process_tls_records(inbound)
    }

    fn read_early(mut state: ReadEarlyData<'_, '_, Self>, readable: &mut VecDeque<u8>) {
        while let Some(Ok(record)) = state.next_record() {
            readable.extend(record.payload);
        }
    }

    fn seal_early(_: &mut TransmitTlsData<'_, Self>, _: &[u8], _: &mut Turn) -> bool {
        false
    }
}

fn go_on<S: Side>(
    session: &mut UnbufferedConnectionCommon<S>,
    inbound: &mut Vec<u8>,
    readable: &mut VecDeque<u8>,
    wish: Wish<'_>,
) -> Turn {
    let mut turn = Turn::default();
    let mut used = 0;
    loop {
        let UnbufferedStatus { discard, state } = S::process(session, &mut inbound[used..]);
        let mut waits = false;
        match state {
            // What is still to be sent tells the peer why.
            Err(error) if turn.error.is_none() => turn.error = Some(error),
            Err(_) => waits = true,
            Ok(ConnectionState::ReadTraffic(mut state)) => {
                while let Some(Ok(record)) = state.next_record() {
                    readable.extend(record.payload);
                }
            }
            Ok(ConnectionState::ReadEarlyData(state)) => {
                turn.took_early_data = true;
                S::read_early(state, readable);
            }
            Ok(ConnectionState::EncodeTlsData(mut state)) => {
                let start = turn.records.len();
                write(&mut turn.records, 0, |room| {
                    state.encode(room).map_err(|error| match error {
                        EncodeError::InsufficientSize(size) => Some(size),
                        EncodeError::AlreadyEncoded => None,
                    })
                });
                // Asked again, a session that is dead would find the same error once more.
                waits = turn.error.is_some() && is_alert(&turn.records[start..]);
            }
            Ok(ConnectionState::TransmitTlsData(mut state)) => {
                if let Wish::SealEarly(data) = wish {
                    turn.granted |= S::seal_early(&mut state, data, &mut turn);
                }
                state.done();
            }
            Ok(ConnectionState::WriteTraffic(mut state)) => {
                turn.granted |= match wish {
                    Wish::Seal(data) => {
                        write(&mut turn.records, sealed_length(data.len()), |room| {
                            state.encrypt(data, room).map_err(size_of)
                        })
                    }
                    Wish::Close => write(&mut turn.records, sealed_length(0), |room| {
                        state.queue_close_notify(room).map_err(size_of)
                    }),
                    Wish::Nothing | Wish::SealEarly(_) => false,
                };
                waits = true;
            }
            Ok(ConnectionState::PeerClosed) => turn.peer_closed = true,
            Ok(_) => waits = true,
        }
        used += discard;
        if waits {
            break;
        }
    }
    inbound.drain(..used);
    turn
}

/// Lets the library write behind what is there, with this much room at first; whether it did.
fn write(
    records: &mut Vec<u8>,
    mut room: usize,
    mut into: impl FnMut(&mut [u8]) -> Result<usize, Option<InsufficientSizeError>>,
) -> bool {
    let start = records.len();
    loop {
        records.resize(start + room, 0);
        match into(&mut records[start..]) {
            Ok(written) => {
                records.truncate(start + written);
                return true;
            }
            Err(Some(size)) if size.required_size > room => room = size.required_size,
            Err(_) => {
                records.truncate(start);
                return false;
            }
        }
    }
}

/// Whether a record is an alert, two bytes, as far as its outside shows where TLS 1.3 has sealed it.
fn is_alert(record: &[u8]) -> bool {
    match record {
        [ALERT, ..] => true,
        [APPLICATION_DATA, ..] => record.len() == HEADER_LENGTH + 2 + 1 + TAG_LENGTH,
        _ => false,
    }
}

fn size_of(error: EncryptError) -> Option<InsufficientSizeError> {
    match error {
        EncryptError::InsufficientSize(size) => Some(size),
        EncryptError::EncryptExhausted => None,
    }
}

// RFC 8446 section 5.1 and 5.2; the tags of all our suites are of one length.
const ALERT: u8 = 21;
const APPLICATION_DATA: u8 = 23;
const HEADER_LENGTH: usize = 5;
const TAG_LENGTH: usize = 16;

/// Room for so much data in records of any size that is allowed, and for a change of keys before it.
const fn sealed_length(length: usize) -> usize {
    length + 64 + length / 16 * 24
}
