//! The broker mqtt5, which lets in everybody: over TCP, over TLS, over QUIC.
//!
//! `tcp|tls|quic ADDRESS [CERTIFICATE KEY [CLIENT-ROOTS]]` serves until it is ended; `version` says what it is.

use std::env::args;
use std::net::SocketAddr;

use mqtt5::broker::MqttBroker;
use mqtt5::broker::config::{
    BrokerConfig, QuicConfig, ServerDeliveryStrategy, StorageConfig, TlsConfig,
};
use mqtt5::error::{MqttError, Result};

/// As Cargo.toml pins it; the library does not say its own.
const VERSION: &str = "0.49.0";

/// Nobody is turned away for others.
const MANY: usize = 1_000_000;

const USAGE: &str = "tcp|tls|quic ADDRESS [CERTIFICATE KEY [CLIENT-ROOTS]] | version";

#[tokio::main]
async fn main() -> Result<()> {
    let words: Vec<String> = args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["version"] => {
            println!("{VERSION}");
            Ok(())
        }
        [transport, address, ref files @ ..] => {
            let config = listener(transport, address, files)?;
            MqttBroker::with_config(config).await?.run().await
        }
        _ => Err(refused(USAGE)),
    }
}

fn listener(transport: &str, address: &str, files: &[&str]) -> Result<BrokerConfig> {
    let address: SocketAddr = address.parse().map_err(|_| refused(USAGE))?;
    let config = BrokerConfig::new()
        .with_bind_addresses(Vec::new())
        .with_max_clients(MANY)
        .with_sys_topics_enabled(false)
        // Its own streams begin with a header of its own, which only its own clients read.
        .with_server_delivery_strategy(ServerDeliveryStrategy::ControlOnly)
        .with_storage(StorageConfig::new().with_persistence(false));
    Ok(match (transport, files) {
        ("tcp", []) => config.with_bind_address(address),
        ("tls", [certificate, key, roots @ ..]) => {
            let tls = TlsConfig::new(certificate.into(), key.into()).with_bind_address(address);
            config.with_tls(match roots {
                [] => tls,
                [roots, ..] => tls
                    .with_ca_file(roots.into())
                    .with_require_client_cert(true),
            })
        }
        ("quic", [certificate, key, roots @ ..]) => {
            let quic = QuicConfig::new(certificate.into(), key.into())
                .with_bind_address(address)
                .with_early_data(true);
            config.with_quic(match roots {
                [] => quic,
                [roots, ..] => quic
                    .with_ca_file(roots.into())
                    .with_require_client_cert(true),
            })
        }
        _ => return Err(refused(USAGE)),
    })
}

fn refused(why: &str) -> MqttError {
    MqttError::Configuration(why.to_owned())
}
