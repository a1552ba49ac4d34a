use std::error::Error;
use std::ffi::c_void;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use msquic::{
    Addr, BufferRef, CertificateFile, Configuration, Connection, ConnectionEvent, ConnectionRef,
    Credential, CredentialConfig, Listener, ListenerEvent, ReceiveFlags, Registration,
    RegistrationConfig, SendFlags, ServerResumptionLevel, Settings, Status, Stream, StreamEvent,
    StreamRef, ffi,
};

use crate::{CONNACK, PROTOCOL, PUBACK, PUBLISH, bytes_of, give_ticket, release, send};

/// The lines that come in, each of which is one thing to tell who subscribed.
type Lines = Arc<Mutex<Receiver<()>>>;

pub(crate) fn run(certificate: &str, key: &str, retries: bool) -> Result<(), Box<dyn Error>> {
    let registration = Registration::new(&RegistrationConfig::default())?;
    if retries {
        always_retry()?;
    }
    let settings = Settings::new()
        .set_ServerResumptionLevel(ServerResumptionLevel::ResumeAndZerortt)
        .set_PeerBidiStreamCount(1);
    let protocols = [BufferRef::from(PROTOCOL)];
    let configuration = Configuration::open(&registration, &protocols, Some(&settings))?;
    let files = CertificateFile::new(key.to_owned(), certificate.to_owned());
    let credential = CredentialConfig::new().set_credential(Credential::CertificateFile(files));
    configuration.load_credential(&credential)?;
    let (line, lines) = channel();
    let lines: Lines = Arc::new(Mutex::new(lines));
    let listener = Listener::open(&registration, move |_, event| {
        if let ListenerEvent::NewConnection { connection, .. } = event {
            connection.set_callback_handler(session(Arc::clone(&lines)));
            connection.set_configuration(&configuration)?;
        }
        Ok(())
    })?;
    let place = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
    listener.start(&protocols, Some(&Addr::from(place)))?;
    let port = listener.get_local_addr()?.port();
    println!("{}:{port}", place.ip());
    std::io::stdout().flush()?;
    for _ in std::io::stdin().lines() {
        line.send(())?;
    }
    drop(line);
    listener.close();
    // Who is still there is sent away; what he had is closed by what hears of his end.
    registration.shutdown();
    Ok(())
}

/// As if all memory that handshakes may take were taken.
fn always_retry() -> Result<(), Status> {
    let percent = 0_u16;
    let (length, value) = (size_of_val(&percent) as u32, &raw const percent);
    let parameter = ffi::QUIC_PARAM_GLOBAL_RETRY_MEMORY_PERCENT;
    // SAFETY: MsQuic reads the two bytes now.
    unsafe {
        msquic::Api::set_param(
            std::ptr::null_mut(),
            parameter,
            length,
            value as *const c_void,
        )
    }
}

fn session(
    lines: Lines,
) -> impl FnMut(ConnectionRef, ConnectionEvent) -> Result<(), Status> + 'static {
    let is_resumed = Arc::new(AtomicBool::new(false));
    move |connection, event| {
        match event {
            ConnectionEvent::Connected {
                session_resumed, ..
            } => {
                is_resumed.store(session_resumed, Ordering::Release);
                give_ticket(&connection)?;
            }
            ConnectionEvent::PeerStreamStarted { stream, .. } => {
                stream.set_callback_handler(broker(is_resumed.clone(), Arc::clone(&lines)));
            }
            // SAFETY: nothing is heard of it any more, and nobody else closes it.
            ConnectionEvent::ShutdownComplete { .. } => unsafe {
                drop(Connection::from_raw(connection.as_raw()));
            },
            _ => {}
        }
        Ok(())
    }
}

fn broker(
    is_resumed: Arc<AtomicBool>,
    lines: Lines,
) -> impl FnMut(StreamRef, StreamEvent) -> Result<(), Status> + 'static {
    let (mut unread, mut is_early) = (Vec::new(), false);
    move |stream, event| {
        release(&event);
        match event {
            StreamEvent::Receive { buffers, flags, .. } => {
                is_early |= flags.contains(ReceiveFlags::ZERO_RTT);
                unread.extend(bytes_of(buffers));
                while let Some(packet) = next_packet(&mut unread) {
                    match packet[0] >> 4 {
                        1 => send(&stream, &CONNACK, SendFlags::NONE)?,
                        3 => send(&stream, &acknowledgement(&packet), SendFlags::NONE)?,
                        4 => println!("acknowledged"),
                        8 => {
                            let granted = [0x90, 3, packet[2], packet[3], 1];
                            send(&stream, &granted, SendFlags::NONE)?;
                            tell(&stream, Arc::clone(&lines));
                        }
                        _ => {
                            let is_resumed = is_resumed.load(Ordering::Acquire);
                            println!("resumed={is_resumed} early={is_early}");
                            send(&stream, &[], SendFlags::FIN)?;
                        }
                    }
                }
            }
            // SAFETY: nothing is heard of it any more, and nobody else closes it.
            StreamEvent::ShutdownComplete { .. } => unsafe {
                drop(Stream::from_raw(stream.as_raw()));
            },
            _ => {}
        }
        Ok(())
    }
}

/// Says something for each line that comes in, from a thread of its own.
fn tell(stream: &StreamRef, lines: Lines) {
    // SAFETY: the handle is used while the stream is there.
    let handle = unsafe { stream.as_raw() } as usize;
    std::thread::spawn(move || {
        // SAFETY: the stream is there while lines come in, and is closed by what hears of its end.
        let stream = ManuallyDrop::new(unsafe { Stream::from_raw(handle as ffi::HQUIC) });
        for () in &*lines.lock().expect("nobody has panicked") {
            send(&stream, &PUBLISH, SendFlags::NONE).expect("the stream takes it");
        }
    });
}

/// Takes a packet of at most 127 bytes off what was read.
fn next_packet(unread: &mut Vec<u8>) -> Option<Vec<u8>> {
    let [_, length, ..] = unread[..] else {
        return None;
    };
    let whole = 2 + usize::from(length);
    (unread.len() >= whole).then(|| unread.drain(..whole).collect())
}

/// The PUBACK of a PUBLISH, whose identifier stands behind its topic (MQTT 3.1.1, 3.3.2).
fn acknowledgement(publish: &[u8]) -> [u8; 4] {
    let topic = usize::from(u16::from_be_bytes([publish[2], publish[3]]));
    let [kind, length, ..] = PUBACK;
    [kind, length, publish[4 + topic], publish[5 + topic]]
}
