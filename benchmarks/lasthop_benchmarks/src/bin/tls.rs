//! Measures TLS 1.3 against the cryptography in it, and prints a JSON object: the CPU time of a full handshake of both
//! ends beside that of its asymmetric primitives, and of a message beside a plain one and its cipher.
//!
//! What is compared takes turns. Each figure is the median of its rounds; beside it stand the smallest and the largest.

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;

use lasthop_benchmarks::{Figures, cpu_seconds_each, rounded};
use lasthop_contract::testing::{STREAM, WireEnd};
use lasthop_contract::{
    Cause, Chunk, ConnectionId, Layer, Provenance, RandomStream, ReadOutcome, Transport,
    TransportOutput,
};
use lasthop_tls::{
    Authority, ClientProfile, ClientSettings, Group, Issue, KeyKind, Randomness, ServerProfile,
    ServerSettings, Settings, Tls, Verify, Version,
};
use lasthop_units::Instant;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{DerSignature, SigningKey};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::signature::{ECDSA_P256_SHA256_ASN1, UnparsedPublicKey};
use serde_json::json;
use x25519_dalek::{PublicKey, StaticSecret};

/// Two ends over a wire in memory.
struct Ends<T> {
    client: T,
    server: T,
}

const ROUNDS: usize = 25;
const HANDSHAKES: u32 = 100;
const MESSAGES: u32 = 20_000;
const MESSAGE: [u8; 100] = [7; 100];
const NOW: Instant = Instant::ZERO;
const NAME: &str = "server.example";

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let (mut handshakes, mut primitives) = (Vec::new(), Vec::new());
    let (mut plain, mut secured, mut cipher) = (Vec::new(), Vec::new(), Vec::new());
    let (client, server) = profiles();
    for _ in 0..ROUNDS {
        let mut ends = secured_ends(&client, &server);
        handshakes.push(cpu_seconds_each(HANDSHAKES, || {
            ends.connect();
        }));
        primitives.push(primitives_of_a_handshake());
        let mut ends = secured_ends(&client, &server);
        let id = ends.connect();
        secured.push(cpu_seconds_each(MESSAGES, || ends.message(id)));
        let mut ends = plain_ends();
        let id = ends.connect();
        plain.push(cpu_seconds_each(MESSAGES, || ends.message(id)));
        cipher.push(cipher_of_a_message());
    }
    let [handshake, primitives] = [handshakes, primitives].map(Figures::of);
    let [plain, secured, cipher] = [plain, secured, cipher].map(Figures::of);
    println!(
        "{}",
        json!({
            "handshake_us": handshake.told(1e6),
            "primitives_us": primitives.told(1e6),
            "handshake_to_primitives": rounded(handshake.median / primitives.median),
            "message_ns": {
                "plain": plain.told(1e9), "secured": secured.told(1e9), "cipher": cipher.told(1e9),
                "beyond_plain_and_cipher": rounded((secured.median - plain.median - cipher.median) * 1e9),
            },
        })
    );
    ExitCode::SUCCESS
}

fn profiles() -> (ClientProfile, ServerProfile) {
    let mut authority = Authority::new(KeyKind::EcdsaP256, RandomStream::named(1, "credentials"));
    let settings = Settings {
        randomness: Randomness::OfTheRun,
        version: Version::Tls13,
        groups: vec![Group::X25519],
        largest_record: None,
        protocols: Vec::new(),
    };
    let client = ClientSettings {
        server: NAME.to_owned(),
        verify: Verify::Against(Arc::new(authority.roots())),
        credentials: None,
        resumes: false,
        sends_early_data: false,
    };
    let server = ServerSettings {
        credentials: authority.issue(&Issue::of_server(NAME, 1)),
        clients: None,
        tickets: 0,
        sessions: 0,
        early_data: 0,
        patience: None,
    };
    let fits = "the settings fit together";
    (
        ClientProfile::new(&settings, client).expect(fits),
        ServerProfile::new(&settings, server).expect(fits),
    )
}

fn secured_ends(client: &ClientProfile, server: &ServerProfile) -> Ends<Tls<WireEnd>> {
    let Ends {
        client: here,
        server: there,
    } = plain_ends();
    let random = |name| Some(RandomStream::named(1, name));
    Ends {
        client: Tls::new(here, Some(client.clone()), None, random("client")),
        server: Tls::new(there, None, Some(server.clone()), random("server")),
    }
}

fn plain_ends() -> Ends<WireEnd> {
    let (client, server, wire) = WireEnd::pair();
    wire.borrow_mut().record = false;
    Ends { client, server }
}

impl<T: Transport> Ends<T> {
    fn connect(&mut self) -> ConnectionId {
        let peer = "192.0.2.1:8883".parse().expect("it is an address");
        let id = self.client.open(NOW, peer, &[]).expect("the wire is up");
        // The server answers the hello, the client finishes, the server hears it.
        self.talk(3);
        id
    }

    /// Lets both ends take so many turns.
    fn talk(&mut self, turns: u32) {
        for _ in 0..turns {
            for end in [&mut self.client, &mut self.server] {
                while !matches!(end.poll(NOW), TransportOutput::WaitUntil(_)) {}
            }
        }
    }

    /// A message from the client, as the server reads it.
    fn message(&mut self, id: ConnectionId) {
        let chunk = Chunk {
            bytes: &MESSAGE,
            provenance: Provenance::new(Layer::Application, Cause::Payload),
        };
        let taken = self.client.write(NOW, id, STREAM, &[chunk]);
        assert_eq!(taken, Ok(MESSAGE.len()));
        self.talk(1);
        let mut room = [0; 128];
        let read = self.server.read(NOW, id, STREAM, &mut room);
        assert!(matches!(read, Ok(ReadOutcome::Read(count)) if count == MESSAGE.len()));
        black_box(room);
    }
}

/// Both ends' keys and secrets of X25519, the server's signature, and the client's look at it and at the certificate's.
fn primitives_of_a_handshake() -> f64 {
    let key = SigningKey::from_slice(&[9; 32]).expect("it is a number of the curve");
    let point = key.verifying_key().to_sec1_point(false);
    let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point.as_bytes());
    let mut number = 0;
    cpu_seconds_each(HANDSHAKES, || {
        number += 1;
        let secrets = [1, 2].map(|end| StaticSecret::from([end ^ number as u8; 32]));
        let shares = [&secrets[0], &secrets[1]].map(PublicKey::from);
        black_box(secrets[0].diffie_hellman(&shares[1]));
        black_box(secrets[1].diffie_hellman(&shares[0]));
        let signature: DerSignature = key.sign(&MESSAGE);
        for _ in 0..2 {
            let verified = public.verify(&MESSAGE, signature.as_bytes());
            assert!(black_box(verified).is_ok());
        }
    })
}

/// What seals and opens a message: with its kind, a byte more.
fn cipher_of_a_message() -> f64 {
    let key = UnboundKey::new(&AES_256_GCM, &[5; 32]).expect("it has the length of a key");
    let key = LessSafeKey::new(key);
    let mut number = 0_u64;
    cpu_seconds_each(MESSAGES, || {
        number += 1;
        let nonce = || {
            let mut bytes = [0; 12];
            bytes[4..].copy_from_slice(&number.to_be_bytes());
            Nonce::assume_unique_for_key(bytes)
        };
        let mut room = [0; MESSAGE.len() + 1 + 16];
        let (text, tag) = room.split_at_mut(MESSAGE.len() + 1);
        let sealed = key.seal_in_place_separate_tag(nonce(), Aad::empty(), text);
        tag.copy_from_slice(sealed.expect("it can be sealed").as_ref());
        let opened = key.open_in_place(nonce(), Aad::empty(), &mut room);
        black_box(opened.expect("it can be opened"));
    })
}
