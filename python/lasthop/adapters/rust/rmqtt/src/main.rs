//! The broker rmqtt, which lets in everybody: over TCP, over TLS, over QUIC.
//!
//! `tcp|tls|quic ADDRESS [CERTIFICATE KEY [CLIENT-ROOTS]]` serves until it is ended; `version` says what it is.

use std::env::args;

use rmqtt::Result;
use rmqtt::context::ServerContext;
use rmqtt::net::{Builder, Error, Listener};
use rmqtt::node::Node;
use rmqtt::server::MqttServer;

/// As many set-ups may wait as at the other brokers.
const BACKLOG: i32 = 4_096;

/// Nobody is turned away for others.
const MANY: usize = 1_000_000;

#[tokio::main]
async fn main() -> Result<()> {
    let words: Vec<String> = args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["version"] => {
            println!("{}", Node::version());
            Ok(())
        }
        [transport, address, ref files @ ..] => serve(listener(transport, address, files)?).await,
        _ => Err(Error::msg(
            "tcp|tls|quic ADDRESS [CERTIFICATE KEY [CLIENT-ROOTS]] | version",
        )),
    }
}

async fn serve(listener: Listener) -> Result<()> {
    let context = ServerContext::new()
        .task_exec_queue_max(MANY)
        .busy_check_enable(false)
        .build()
        .await;
    MqttServer::new(context)
        .listener(listener)
        .build()
        .run()
        .await
}

fn listener(transport: &str, address: &str, files: &[&str]) -> Result<Listener> {
    let [certificate, key, roots] = [0, 1, 2].map(|at| files.get(at).copied());
    let builder = Builder::new()
        .name(transport)
        .laddr(address.parse()?)
        .backlog(BACKLOG)
        .max_handshaking_limit(MANY)
        .nodelay(true)
        .tls_cert(certificate)
        .tls_key(key)
        .tls_cross_certificate(roots.is_some())
        .tls_client_ca_certs(roots);
    match transport {
        "tcp" => builder.bind()?.tcp(),
        "tls" => builder.bind()?.tls(),
        "quic" => builder.bind_quic(),
        other => Err(Error::msg(format!("{other} is none of tcp, tls, quic"))),
    }
}
