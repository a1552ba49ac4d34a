//! Measures what a gateway's check of a token costs that it has not seen before, beside the check of its signature alone (ES256,
//! by ring), and prints a JSON object: microseconds of CPU, and the ratio of the medians.
//!
//! Both take turns. Each figure is the median of its rounds; beside it stand the smallest and the largest.

use std::process::ExitCode;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lasthop_benchmarks::{Figures, cpu_seconds_each, rounded};
use lasthop_broker::Credentials;
use lasthop_gateway::{
    Change, DevicePath, DeviceRecord, Gateway, GatewayConfig, MemoryStore, Protocol, PublicKey,
    UnixTime,
};
use lasthop_jwt::TokenKey;
use lasthop_units::Instant;
use p256::pkcs8::{EncodePublicKey, LineEnding};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::json;

const ROUNDS: usize = 25;
const TOKENS: u32 = 200;
const NOW: u64 = 1_800_000_000;
const DEVICE: &str = "projects/p1/locations/eu/registries/r1/devices/d1";

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let key = p256::ecdsa::SigningKey::from_slice(&[7; 32]).expect("it is below the order");
    let public = key.verifying_key();
    let pem = public.to_public_key_pem(LineEnding::LF);
    let pem = pem.expect("it can be written");
    let point = public.to_sec1_point(false);
    let primitive = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point.as_bytes());
    let key = TokenKey::from(key);
    let mut gateway = gateway(&pem);
    let (mut checked, mut verified) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS as u64 {
        // None is like another, so that none is known.
        let issued = NOW - round * u64::from(TOKENS);
        let tokens: Vec<String> = (0..u64::from(TOKENS))
            .map(|number| key.token("p1", issued - number, issued + 7200))
            .collect();
        let mut left = tokens.iter();
        checked.push(cpu_seconds_each(TOKENS, || {
            let shown = Credentials {
                client_id: DEVICE.as_bytes(),
                password: left.next().map(String::as_bytes),
                ..Credentials::default()
            };
            let admitted = gateway.admit(Instant::ZERO, Protocol::Mqtt, &shown);
            assert!(admitted.is_ok());
        }));
        let parts: Vec<(&[u8], Vec<u8>)> = tokens.iter().map(|it| parts(it)).collect();
        let mut left = parts.iter();
        verified.push(cpu_seconds_each(TOKENS, || {
            let (signed, signature) = left.next().expect("there are as many");
            assert!(primitive.verify(signed, signature).is_ok());
        }));
    }
    assert_eq!(gateway.counters().known_tokens, 0);
    let [checked, verified] = [checked, verified].map(Figures::of);
    println!(
        "{}",
        json!({
            "check_us": checked.told(1e6),
            "primitive_us": verified.told(1e6),
            "ratio": rounded(checked.median / verified.median),
        })
    );
    ExitCode::SUCCESS
}

fn gateway(pem: &str) -> Gateway {
    let store = MemoryStore::default();
    store.change(Change::Device(DeviceRecord {
        path: DevicePath::parse(DEVICE).expect("it names a device"),
        keys: vec![PublicKey::from_pem(pem).expect("it is a key")],
        attaches: None,
        is_blocked: false,
    }));
    let config = GatewayConfig {
        starts: UnixTime(NOW),
        limits: Default::default(),
    };
    Gateway::new(config, Box::new(store))
}

fn parts(token: &str) -> (&[u8], Vec<u8>) {
    let (signed, signature) = token.rsplit_once('.').expect("it has three parts");
    let signature = URL_SAFE_NO_PAD.decode(signature);
    (signed.as_bytes(), signature.expect("it is base64"))
}
