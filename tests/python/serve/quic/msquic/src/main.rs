//! MQTT 3.1.1 over QUIC by MsQuic, as a client or as a server, to be held against lasthop's.
//!
//! `client PORT CA-FILE COUNT` publishes once in each of COUNT connections to localhost, one behind the other, the later
//! ones by early data, and prints how each came about; with `again` behind it once more in each, when a line comes in.
//! `server CERTIFICATE KEY [retry]` prints its address and then how each connection came about, until its input ends. Who
//! subscribes there is told something for each line that comes in, and what he acknowledges is printed.

mod client;
mod server;

use std::error::Error;
use std::ffi::c_void;

use msquic::{BufferRef, ConnectionRef, SendFlags, Status, Stream, StreamEvent};

const PROTOCOL: &str = "mqtt";
const CONNACK: [u8; 4] = [0x20, 2, 0, 0];
const PUBACK: [u8; 4] = [0x40, 2, 0, 1];
const PUBLISH: [u8; 14] = *b"\x32\x0c\x00\x04door\x00\x01open";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["client", port, authority, count] => {
            client::run(port.parse()?, authority, count.parse()?, false)
        }
        ["client", port, authority, count, "again"] => {
            client::run(port.parse()?, authority, count.parse()?, true)
        }
        ["server", certificate, key] => server::run(certificate, key, false),
        ["server", certificate, key, "retry"] => server::run(certificate, key, true),
        _ => Err("client PORT CA-FILE COUNT [again] | server CERTIFICATE KEY [retry]".into()),
    }
}

/// Bytes that MsQuic reads until it says that they are sent.
struct Outgoing {
    _bytes: Vec<u8>,
    buffers: [BufferRef; 1],
}

/// Sends bytes on a stream.
fn send(stream: &Stream, bytes: &[u8], flags: SendFlags) -> Result<(), Status> {
    let bytes = bytes.to_vec();
    let buffers = [BufferRef::from(&bytes[..])];
    let outgoing = Box::into_raw(Box::new(Outgoing {
        _bytes: bytes,
        buffers,
    }));
    // SAFETY: it lives until `release` hears that it is sent.
    unsafe { stream.send(&(*outgoing).buffers, flags, outgoing as *const c_void) }
}

/// Gives back what is sent.
fn release(event: &StreamEvent) {
    if let StreamEvent::SendComplete { client_context, .. } = event
        && !client_context.is_null()
    {
        // SAFETY: `send` gave it, and MsQuic reads it no more.
        drop(unsafe { Box::from_raw(*client_context as *mut Outgoing) });
    }
}

fn bytes_of(buffers: &[BufferRef]) -> Vec<u8> {
    buffers
        .iter()
        .flat_map(BufferRef::as_bytes)
        .copied()
        .collect()
}

/// Gives the client what it needs to begin the next connection by early data.
fn give_ticket(connection: &ConnectionRef) -> Result<(), Status> {
    let send = msquic::Api::get_ffi().ConnectionSendResumptionTicket;
    let send = send.expect("MsQuic has all of its functions");
    // SAFETY: the handle is that of a callback at work, and there are no bytes beside the ticket's own.
    Status::ok_from_raw(unsafe { send(connection.as_raw(), 0, 0, std::ptr::null()) })
}
