//! Tokens that are not believed, and all refused alike.

use lasthop_broker::{Credentials, Refusal};
use lasthop_gateway::{
    Change, DevicePath, DeviceRecord, Gateway, GatewayConfig, MAX_TOKEN_SIZE, MemoryStore,
    Protocol, UnixTime,
};
use lasthop_units::Instant;
use ring::hmac;

use super::signer::{DEVICE, ES256, EcSigner, NOW, RsaSigner, base64, claims};

fn hmac_token(header: &str, key: &[u8]) -> String {
    let signed = format!("{}.{}", base64(header), base64(claims()));
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    let sum = hmac::sign(&key, signed.as_bytes());
    format!("{signed}.{}", base64(sum.as_ref()))
}

/// Each with what is wrong with it.
fn bad_tokens(signer: &EcSigner) -> Vec<(String, String)> {
    let honest = signer.honest();
    let parts: Vec<&str> = honest.split('.').collect();
    let (header, body, signature) = (parts[0], parts[1], parts[2]);
    let mut all: Vec<(String, String)> = Vec::new();
    let mut add = |what: &str, token: String| all.push((what.into(), token));
    for none in ["none", "None", "NONE", "nOnE", "", "null"] {
        let header = base64(format!(r#"{{"alg":"{none}","typ":"JWT"}}"#));
        add(none, format!("{header}.{body}."));
        add(none, format!("{header}.{body}.{signature}"));
    }
    for header in [
        r#"{"alg":null}"#,
        r#"{"alg":["ES256"]}"#,
        r#"{"alg":"es256"}"#,
        r#"{"alg":"ES384"}"#,
        r#"{"alg":"RS256"}"#,
        r#"{"typ":"JWT"}"#,
        r#"{"alg":"ES256","typ":"at+jwt"}"#,
        r#"{"alg":"ES256","typ":1}"#,
        r#"{"alg":"ES256","alg":"ES256"}"#,
        r#"{"alg":"none","alg":"ES256"}"#,
        r#"{"alg":"ES256","jku":"https://attacker.example/keys"}"#,
        r#"{"alg":"ES256","x5u":"https://attacker.example/chain"}"#,
        r#"{"alg":"ES256","jwk":{"kty":"EC"}}"#,
        r#"{"alg":"ES256","x5c":["AAAA"]}"#,
        r#"{"alg":"ES256","crit":["exp"],"exp":1}"#,
        r#"["ES256"]"#,
        r#"{"alg":"ES256"} "x""#,
        "",
    ] {
        add(header, signer.token(header, &claims()));
    }
    let pem = signer.pem();
    let hs = r#"{"alg":"HS256","typ":"JWT"}"#;
    add("HMAC keyed with the PEM", hmac_token(hs, pem.as_bytes()));
    add(
        "HMAC keyed with the PEM's text",
        hmac_token(hs, pem.trim().as_bytes()),
    );
    add("HMAC named ES256", hmac_token(ES256, pem.as_bytes()));
    let kid = r#"{"alg":"HS256","kid":"../../../../dev/null"}"#;
    add("HMAC with an empty key of a file", hmac_token(kid, b""));
    let kid = r#"{"alg":"HS256","kid":"x' UNION SELECT 'key"}"#;
    add("HMAC with a key of a query", hmac_token(kid, b"key"));
    add("another device's key", EcSigner::new(9).honest());
    add(
        "RSA, and the key is of P-256",
        RsaSigner::new(2048).token(ES256, &claims()),
    );
    let (later, early) = (NOW + 3600, NOW - 7200);
    for claims in [
        String::new(),
        "{}".into(),
        "[]".into(),
        "null".into(),
        format!(r#"{{"iat":{NOW},"exp":{later}}}"#),
        format!(r#"{{"iat":{NOW},"exp":{later},"aud":""}}"#),
        format!(r#"{{"iat":{NOW},"exp":{later},"aud":"p"}}"#),
        format!(r#"{{"iat":{NOW},"exp":{later},"aud":"p11"}}"#),
        format!(r#"{{"iat":{NOW},"exp":{later},"aud":"P1"}}"#),
        format!(r#"{{"iat":{NOW},"exp":{later},"aud":["p1"]}}"#),
        format!(r#"{{"iat":{NOW},"exp":{later},"aud":null}}"#),
        format!(r#"{{"iat":{NOW},"exp":{later},"aud":"p1","aud":"p1"}}"#),
        format!(r#"{{"iat":{NOW},"exp":{early},"exp":{later},"aud":"p1"}}"#),
        format!(r#"{{"exp":{later},"aud":"p1"}}"#),
        format!(r#"{{"iat":{NOW},"aud":"p1"}}"#),
        format!(r#"{{"iat":{NOW},"exp":{NOW},"aud":"p1"}}"#),
        format!(r#"{{"iat":{later},"exp":{NOW},"aud":"p1"}}"#),
        format!(r#"{{"iat":{},"exp":{},"aud":"p1"}}"#, NOW - 9000, NOW - 600),
        format!(r#"{{"iat":{},"exp":{},"aud":"p1"}}"#, NOW + 601, NOW + 3600),
        format!(
            r#"{{"iat":{NOW},"exp":{},"aud":"p1"}}"#,
            NOW + 24 * 3600 + 1
        ),
        format!(r#"{{"iat":0,"exp":{later},"aud":"p1"}}"#),
        format!(r#"{{"iat":-1,"exp":{later},"aud":"p1"}}"#),
        format!(r#"{{"iat":{NOW},"exp":1e300,"aud":"p1"}}"#),
        format!(r#"{{"iat":{NOW},"exp":18446744073709551615,"aud":"p1"}}"#),
        format!(r#"{{"iat":"{NOW}","exp":"{later}","aud":"p1"}}"#),
        format!(r#"{{"iat":{NOW},"exp":{later},"aud":"p1"}} {{}}"#),
        format!(
            r#"{{"iat":{NOW},"exp":{later},"aud":"p1","x":{}1{}}}"#,
            "[".repeat(200),
            "]".repeat(200)
        ),
    ] {
        add(&claims, signer.token(ES256, &claims));
    }
    add("empty", String::new());
    add("dots", "..".into());
    add("two parts", format!("{header}.{body}"));
    add("four parts", format!("{honest}.{signature}"));
    add("no signature", format!("{header}.{body}."));
    add("a shorter signature", honest[..honest.len() - 4].into());
    add("base64 with padding", format!("{honest}=="));
    add(
        "base64 that is not of URLs",
        format!("{header}.{body}.+/+/"),
    );
    add("a space behind it", format!("{honest} "));
    add("the word of HTTP before it", format!("Bearer {honest}"));
    add(
        "a zero signature",
        format!("{header}.{body}.{}", base64([0; 64])),
    );
    let other = base64(claims().replace("3600", "3601").replace("p1", "p2"));
    add("other claims", format!("{header}.{other}.{signature}"));
    add("a megabyte", "A".repeat(1 << 20));
    add("a megabyte of dots", ".".repeat(1 << 20));
    add(
        "a byte too long",
        format!("{honest}{}", "A".repeat(MAX_TOKEN_SIZE + 1 - honest.len())),
    );
    let bomb = base64(format!("{}{}", "[".repeat(1400), "]".repeat(1400)));
    add("deep claims", format!("{header}.{bomb}.{signature}"));
    add("a deep header", format!("{bomb}.{body}.{signature}"));
    all
}

fn gateway(signer: &EcSigner) -> Gateway {
    let store = MemoryStore::default();
    store.change(Change::Device(DeviceRecord {
        path: DevicePath::parse(DEVICE).unwrap(),
        keys: vec![signer.public()],
        attaches: None,
        is_blocked: false,
    }));
    let config = GatewayConfig {
        starts: UnixTime(NOW),
        limits: Default::default(),
    };
    Gateway::new(config, Box::new(store))
}

fn shown<'a>(client_id: &'a str, token: &'a str) -> Credentials<'a> {
    Credentials {
        client_id: client_id.as_bytes(),
        user_name: Some(b"unused"),
        password: Some(token.as_bytes()),
        address: None,
    }
}

#[test]
fn bad_tokens_are_all_refused_alike() {
    let signer = EcSigner::new(1);
    let mut gateway = gateway(&signer);
    let all = bad_tokens(&signer);
    assert!(all.len() > 60, "{}", all.len());
    let honest = signer.honest();
    for (what, token) in &all {
        let told = gateway.admit(Instant::ZERO, Protocol::Mqtt, &shown(DEVICE, token));
        assert_eq!(told, Err(Refusal::BadCredentials), "{what}");
        // The next one is not the worse for it.
        assert!(
            gateway
                .admit(Instant::ZERO, Protocol::Mqtt, &shown(DEVICE, &honest))
                .is_ok()
        );
    }
    let counted = gateway.counters();
    assert_eq!(counted.refusals(), all.len() as u64);
    assert_eq!(counted.known_tokens, all.len() as u64 - 1);
}

#[test]
fn a_good_token_is_of_no_use_to_others_than_its_device() {
    let signer = EcSigner::new(1);
    let mut gateway = gateway(&signer);
    let honest = signer.honest();
    let others = [
        "",
        "d1",
        "projects/p1/locations/eu/registries/r1/devices/d2",
        "projects/p1/locations/eu/registries/r1/devices/D1",
        "projects/p1/locations/eu/registries/r2/devices/d1",
        "projects/p2/locations/eu/registries/r1/devices/d1",
        "projects/p1/locations/eu/registries/r1/devices/d1/",
        "/projects/p1/locations/eu/registries/r1/devices/d1",
        "projects/p1/locations/eu/registries/r1/devices/../devices/d1",
        "projects/p1/locations/eu/registries/r1/devices/+",
    ];
    for other in others {
        let told = gateway.admit(Instant::ZERO, Protocol::Mqtt, &shown(other, &honest));
        assert_eq!(told, Err(Refusal::BadCredentials), "{other}");
    }
    let nothing = Credentials {
        client_id: DEVICE.as_bytes(),
        ..Credentials::default()
    };
    let told = gateway.admit(Instant::ZERO, Protocol::Mqtt, &nothing);
    assert_eq!(told, Err(Refusal::BadCredentials));
}
