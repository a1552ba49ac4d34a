//! MQTT over TLS 1.3 with bare public keys (RFC 7250), to be held against other implementations:
//! `raw_keys serve CERTIFICATE KEY` prints its address and serves until its input ends; `raw_keys ask ADDRESS CERTIFICATE KEY`
//! publishes once. Either end shows the key of the certificate, and believes who shows the same.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program says what it does"
)]

use core::error::Error;
use core::net::SocketAddr;
use core::num::NonZeroU32;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use lasthop_live::clients::{Asking, MqttSession, publish};
use lasthop_live::serve::{Offer, Served, Server};
use lasthop_mqtt::{Qos, Version as MqttVersion};
use lasthop_tls::{
    Chain, ClientProfile, ClientSettings, Group, Randomness, ServerProfile, ServerSettings,
    Settings, Verify, Version,
};
use lasthop_units::Duration;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("raw_keys: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["serve", certificate, key] => serve(&shown(certificate, key)?),
        ["ask", address, certificate, key] => ask(address.parse()?, shown(certificate, key)?),
        _ => Err("write serve CERTIFICATE KEY, or ask ADDRESS CERTIFICATE KEY".into()),
    }
}

/// The key of a certificate, bare.
fn shown(certificate: &str, key: &str) -> Result<Chain, Box<dyn Error>> {
    let chain = Chain::of_pem(&std::fs::read(certificate)?, &std::fs::read(key)?)?;
    chain.bare().ok_or_else(|| "its key cannot be read".into())
}

fn settings() -> Settings {
    Settings {
        randomness: Randomness::OfTheSystem,
        version: Version::Tls13,
        groups: vec![Group::X25519, Group::P256],
        largest_record: None,
        protocols: Vec::new(),
    }
}

fn serve(shown: &Chain) -> Result<(), Box<dyn Error>> {
    let own = ServerSettings {
        credentials: shown.clone(),
        clients: Some(Verify::Keys(shown.public_key().into_iter().collect())),
        tickets: 2,
        sessions: 100,
        early_data: 0,
        patience: Some(Duration::from_secs(10)),
    };
    let offer = Offer {
        secured: Some(ServerProfile::new(&settings(), own)?),
        ..Offer::default()
    };
    let places = [(Served::Mqtt, vec!["127.0.0.1:0".parse()?])];
    let server = Server::bind(&places, offer, 1)?;
    for (_, address) in server.addresses() {
        println!("{address}");
    }
    Ok(server.run(std::io::stdin())?)
}

fn ask(server: SocketAddr, shown: Chain) -> Result<(), Box<dyn Error>> {
    let own = ClientSettings {
        server: server.ip().to_string(),
        verify: Verify::Keys(shown.public_key().into_iter().collect()),
        credentials: Some(shown),
        resumes: false,
        sends_early_data: false,
    };
    let profile = ClientProfile::new(&settings(), own)?;
    let (stop, _open) = UnixStream::pair()?;
    let asking = Asking {
        server,
        patience: Some(Duration::from_secs(30)),
        stop: stop.as_fd(),
        seed: 1,
    };
    let session = MqttSession {
        version: MqttVersion::V3_1_1,
        qos: Qos::AtMostOnce,
        client_id: "bare",
        user: None,
        retain: false,
        topic: "door",
        secured: Some(&profile),
        quic: None,
        web_host: None,
    };
    let established = publish(&asking, &session, b"open".to_vec(), NonZeroU32::MIN)?;
    println!("{established:?}");
    Ok(())
}
