//! CoAP over the DTLS 1.3 of BoringSSL, as a client or as a server, to be held against lasthop's.
//!
//! `client ADDRESS CA-FILE CERTIFICATE KEY GROUPS COUNT` asks COUNT times for /ps/door and prints each body.
//! `server CA-FILE CERTIFICATE KEY` prints its address, answers the requests of one client, and ends with it. Both show
//! certificates, and want one.

use std::error::Error;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::Duration;

use boring::ssl::{
    ErrorCode, Ssl, SslContext, SslContextBuilder, SslFiletype, SslMethod, SslStream,
    SslStreamBuilder, SslVerifyMode, SslVersion,
};
use foreign_types_shared::ForeignTypeRef;

/// A confirmable GET of /ps/door (RFC 7252 section 3), with a token of one byte.
const REQUEST: &[u8] = b"\x41\x01\0\0\x77\xb2ps\x04door";
const LARGEST_DATAGRAM: usize = 1_200;
/// How long a timer of BoringSSL may be late.
const STEP: Duration = Duration::from_millis(50);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [
            "client",
            address,
            authority,
            certificate,
            key,
            groups,
            count,
        ] => {
            let mut builder = context([authority, certificate, key])?;
            builder.set_curves_list(groups)?;
            client(address.parse()?, &builder.build(), count.parse()?)
        }
        ["server", authority, certificate, key] => {
            server(&context([authority, certificate, key])?.build())
        }
        _ => Err("what it says is at the top of its source".into()),
    }
}

fn context([authority, certificate, key]: [&str; 3]) -> Result<SslContextBuilder, Box<dyn Error>> {
    let mut builder = SslContext::builder(SslMethod::dtls())?;
    builder.set_min_proto_version(Some(SslVersion::DTLS1_3))?;
    builder.set_max_proto_version(Some(SslVersion::DTLS1_3))?;
    builder.set_ca_file(authority)?;
    builder.set_certificate_chain_file(certificate)?;
    builder.set_private_key_file(key, SslFiletype::PEM)?;
    builder.set_verify(SslVerifyMode::PEER | SslVerifyMode::FAIL_IF_NO_PEER_CERT);
    Ok(builder)
}

fn client(address: SocketAddr, context: &SslContext, count: u8) -> Result<(), Box<dyn Error>> {
    let socket = UdpSocket::bind(("127.0.0.1", 0))?;
    socket.connect(address)?;
    let mut ssl = Ssl::new(context)?;
    let IpAddr::V4(ip) = address.ip() else {
        return Err("an address of IPv4 is wanted".into());
    };
    ssl.param_mut().set_ip(IpAddr::V4(ip))?;
    let mut builder = SslStreamBuilder::new(ssl, Datagrams::over(socket)?);
    builder.set_dtls_mtu_size(LARGEST_DATAGRAM);
    let mut stream = shaken(builder.connect())?;
    for number in 0..count {
        let mut request = REQUEST.to_vec();
        request[3] = number;
        stream.write_all(&request)?;
        let answer = next(&mut stream)?.ok_or("the server has gone")?;
        let body = answer.iter().position(|byte| *byte == 0xff);
        match body {
            Some(place) if answer[1] == 0x45 && answer[3] == number => {
                println!("{}", String::from_utf8_lossy(&answer[place + 1..]));
            }
            _ => return Err(format!("the server says {answer:02x?}").into()),
        }
    }
    stream.shutdown()?;
    Ok(())
}

fn server(context: &SslContext) -> Result<(), Box<dyn Error>> {
    let socket = UdpSocket::bind(("127.0.0.1", 0))?;
    println!("{}", socket.local_addr()?);
    let (_, client) = socket.peek_from(&mut [0; LARGEST_DATAGRAM])?;
    socket.connect(client)?;
    let mut builder = SslStreamBuilder::new(Ssl::new(context)?, Datagrams::over(socket)?);
    builder.set_dtls_mtu_size(LARGEST_DATAGRAM);
    let mut stream = shaken(builder.accept())?;
    while let Some(request) = next(&mut stream)? {
        let token = 4 + usize::from(request[0] & 15);
        if request[0] >> 4 != 4 || request.len() <= token {
            continue;
        }
        // 2.05, and its own path.
        let mut answer = vec![0x60 | request[0] & 15, 0x45];
        answer.extend(&request[2..token]);
        answer.push(0xff);
        answer.extend(&request[token + 1..]);
        stream.write_all(&answer)?;
    }
    Ok(())
}

type Shaking = Result<SslStream<Datagrams>, boring::ssl::HandshakeError<Datagrams>>;

/// Shakes hands to the end.
fn shaken(mut begun: Shaking) -> Result<SslStream<Datagrams>, Box<dyn Error>> {
    loop {
        match begun {
            Ok(stream) => return Ok(stream),
            Err(boring::ssl::HandshakeError::WouldBlock(middle)) => {
                keep_time(middle.ssl());
                begun = middle.handshake();
            }
            Err(error) => return Err(error.to_string().into()),
        }
    }
}

/// The next datagram; `None` when the peer has said goodbye.
fn next(stream: &mut SslStream<Datagrams>) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    let mut room = [0; LARGEST_DATAGRAM];
    loop {
        match stream.ssl_read(&mut room) {
            Ok(length) => return Ok(Some(room[..length].to_vec())),
            Err(error) => match error.code() {
                ErrorCode::ZERO_RETURN => return Ok(None),
                ErrorCode::WANT_READ => keep_time(stream.ssl()),
                _ => return Err(error.into()),
            },
        }
    }
}

/// Sends again what is due, and acknowledgements that wait.
fn keep_time(ssl: &boring::ssl::SslRef) {
    // SAFETY: it is a connection that lives.
    unsafe { boring_sys::DTLSv1_handle_timeout(ssl.as_ptr()) };
}

/// A socket whose every read and write is a datagram.
#[derive(Debug)]
struct Datagrams(UdpSocket);

impl Datagrams {
    fn over(socket: UdpSocket) -> io::Result<Self> {
        socket.set_read_timeout(Some(STEP))?;
        Ok(Self(socket))
    }
}

impl Read for Datagrams {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.0.recv(room)
    }
}

impl Write for Datagrams {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
