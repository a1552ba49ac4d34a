use std::error::Error;
use std::ffi::c_void;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use msquic::{
    BufferRef, Configuration, Connection, ConnectionEvent, ConnectionShutdownFlags,
    CredentialConfig, Registration, RegistrationConfig, SendFlags, Settings, Stream, StreamEvent,
    StreamOpenFlags, StreamStartFlags, ffi,
};

use crate::{CONNACK, PROTOCOL, PUBACK, PUBLISH, bytes_of, release, send};

const CONNECT: &[u8] = b"\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02ms";
const DISCONNECT: [u8; 2] = [0xe0, 0];
const PATIENCE: Duration = Duration::from_secs(20);

/// What is heard in the threads of MsQuic.
enum Heard {
    SetUp { resumed: bool },
    Ticket(Vec<u8>),
    Bytes(Vec<u8>),
    AllSent,
    Closed,
}

pub(crate) fn run(
    port: u16,
    authority: &str,
    count: u32,
    again: bool,
) -> Result<(), Box<dyn Error>> {
    let registration = Registration::new(&RegistrationConfig::default())?;
    let settings = Settings::new().set_IdleTimeoutMs(PATIENCE.as_millis() as u64);
    let protocols = [BufferRef::from(PROTOCOL)];
    let configuration = Configuration::open(&registration, &protocols, Some(&settings))?;
    let credential = CredentialConfig::new_client().set_ca_certificate_file(authority.to_owned());
    configuration.load_credential(&credential)?;
    let mut ticket = None;
    for _ in 0..count {
        let next = say(&registration, &configuration, port, ticket.as_deref(), again)?;
        ticket = Some(next);
    }
    Ok(())
}

/// Publishes once, or twice; gives the ticket for the next time.
fn say(
    registration: &Registration,
    configuration: &Configuration,
    port: u16,
    ticket: Option<&[u8]>,
    again: bool,
) -> Result<Vec<u8>, Box<dyn Error>> {
    let (tell, heard) = channel();
    let connection = connection(registration, tell.clone())?;
    if let Some(ticket) = ticket {
        let (length, bytes) = (ticket.len() as u32, ticket.as_ptr() as *const c_void);
        let parameter = ffi::QUIC_PARAM_CONN_RESUMPTION_TICKET;
        // SAFETY: MsQuic copies the ticket.
        unsafe { msquic::Api::set_param(connection.as_raw(), parameter, length, bytes) }?;
    }
    let stream = stream(&connection, tell)?;
    stream.start(StreamStartFlags::NONE)?;
    let first = [CONNECT, &PUBLISH].concat();
    send(&stream, &first, SendFlags::ALLOW_0_RTT)?;
    connection.start(configuration, "localhost", port)?;

    let answer = [CONNACK, PUBACK].concat();
    let (mut bytes, mut is_resumed, mut next) = (Vec::new(), None, None);
    while bytes.len() < answer.len() || is_resumed.is_none() || next.is_none() {
        match heard.recv_timeout(PATIENCE)? {
            Heard::SetUp { resumed } => is_resumed = Some(resumed),
            Heard::Ticket(it) => next = Some(it),
            Heard::Bytes(more) => bytes.extend(more),
            Heard::AllSent => {}
            Heard::Closed => return Err("the server closed the connection".into()),
        }
    }
    if bytes != answer {
        return Err(format!("the server says {bytes:x?}").into());
    }
    let retries = connection.get_stats_v2()?.StatelessRetry() != 0;
    println!("resumed={} retry={retries}", is_resumed == Some(true));
    if again {
        std::io::stdin().read_line(&mut String::new())?;
        send(&stream, &PUBLISH, SendFlags::NONE)?;
        until(&heard, |it| matches!(it, Heard::Bytes(bytes) if bytes[..] == PUBACK))?;
        println!("again");
    }
    send(&stream, &DISCONNECT, SendFlags::FIN)?;
    until(&heard, |it| matches!(it, Heard::AllSent))?;
    connection.shutdown(ConnectionShutdownFlags::NONE, 0);
    until(&heard, |it| matches!(it, Heard::Closed))?;
    next.ok_or_else(|| "there is no ticket".into())
}

fn until(heard: &Receiver<Heard>, is_it: impl Fn(&Heard) -> bool) -> Result<(), Box<dyn Error>> {
    while !is_it(&heard.recv_timeout(PATIENCE)?) {}
    Ok(())
}

fn connection(
    registration: &Registration,
    tell: Sender<Heard>,
) -> Result<Connection, msquic::Status> {
    Connection::open(registration, move |_, event| {
        let heard = match event {
            ConnectionEvent::Connected {
                session_resumed, ..
            } => Heard::SetUp {
                resumed: session_resumed,
            },
            ConnectionEvent::ResumptionTicketReceived { resumption_ticket } => {
                Heard::Ticket(resumption_ticket.to_vec())
            }
            ConnectionEvent::ShutdownComplete { .. } => Heard::Closed,
            _ => return Ok(()),
        };
        // Who is no longer there has heard enough.
        let _ = tell.send(heard);
        Ok(())
    })
}

fn stream(connection: &Connection, tell: Sender<Heard>) -> Result<Stream, msquic::Status> {
    Stream::open(connection, StreamOpenFlags::ZERO_RTT, move |_, event| {
        release(&event);
        let heard = match event {
            StreamEvent::Receive { buffers, .. } => Heard::Bytes(bytes_of(buffers)),
            StreamEvent::SendShutdownComplete { .. } => Heard::AllSent,
            _ => return Ok(()),
        };
        let _ = tell.send(heard);
        Ok(())
    })
}
