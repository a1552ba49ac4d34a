//! Tokens that are believed, and for how long.

use lasthop_gateway::{Algorithm, BadToken, Claims, KeyError, PublicKey, UnixTime, check};

use super::signer::{DEVICE, ES256, EcSigner, NOW, PROJECT, RS256, RsaSigner, claims};

fn at(token: &str, keys: &[PublicKey], now: u64) -> Result<Claims, BadToken> {
    check(token.as_bytes(), keys, PROJECT, UnixTime(now))
}

#[test]
fn a_token_of_each_algorithm_is_believed_by_the_key_that_signed_it() {
    let (ec, rsa) = (EcSigner::new(1), RsaSigner::new(2048));
    let keys = [EcSigner::new(2).public(), rsa.public(), ec.public()];
    assert_eq!(keys[1].algorithm(), Algorithm::Rs256);
    let claimed = Claims {
        issued_at: UnixTime(NOW),
        expires_at: UnixTime(NOW + 3600),
    };
    assert_eq!(at(&ec.honest(), &keys, NOW), Ok(claimed));
    assert_eq!(at(&rsa.token(RS256, &claims()), &keys, NOW), Ok(claimed));
    assert!(at(&ec.honest(), &keys[..2], NOW).is_err());
}

/// RFC 7515 appendix A.3: the example's key and signature are another implementation's. Its claims are of 2011 and for
/// nobody, so that it is refused for those, and a bit less of it for its signature.
#[test]
fn the_example_of_rfc_7515_is_signed_by_its_key() {
    const PEM: &str = "-----BEGIN PUBLIC KEY-----\n\
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7\n\
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==\n\
        -----END PUBLIC KEY-----";
    const TOKEN: &str = "eyJhbGciOiJFUzI1NiJ9.\
        eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.\
        DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    let key = PublicKey::from_pem(PEM).unwrap();
    let keys = [key];
    assert_eq!(at(TOKEN, &keys, 1_300_819_000), Err(BadToken::Audience));
    let other = TOKEN.replace("DtEh", "DtEi");
    assert_eq!(at(&other, &keys, 1_300_819_000), Err(BadToken::Signature));
}

#[test]
fn a_token_holds_ten_minutes_before_and_after_its_time() {
    let signer = EcSigner::new(1);
    let (token, keys) = (signer.honest(), [signer.public()]);
    for (now, holds) in [
        (NOW - 601, false),
        (NOW - 600, true),
        (NOW + 3600 + 599, true),
        (NOW + 3600 + 600, false),
        (0, false),
        (u64::MAX, false),
    ] {
        assert_eq!(at(&token, &keys, now).is_ok(), holds, "{now}");
    }
}

#[test]
fn what_matters_not_does_not_matter() {
    let signer = EcSigner::new(1);
    let keys = [signer.public()];
    let exp = NOW + 24 * 3600;
    for (header, claims) in [
        (r#"{"alg":"ES256"}"#, claims()),
        (
            r#"{"typ":"jwt","kid":"../../etc/passwd","alg":"ES256"}"#,
            claims(),
        ),
        (ES256, format!(r#"{{"iat":{NOW},"exp":{exp},"aud":"p1"}}"#)),
        (
            ES256,
            format!(r#"{{"nbf":{exp},"iat":{NOW},"exp":{exp},"aud":"p1","x":[{{}}]}}"#),
        ),
        (
            ES256,
            format!(r#"{{"iat":{NOW}.75,"exp":{exp}.5,"aud":"p1"}}"#),
        ),
    ] {
        let told = at(&signer.token(header, &claims), &keys, NOW);
        assert!(told.is_ok(), "{header} {claims} {told:?}");
    }
}

#[test]
fn keys_are_public_ones_that_are_strong_enough() {
    let too_small = RsaSigner::new(1024).pem();
    assert_eq!(PublicKey::from_pem(&too_small), Err(KeyError::Size(1024)));
    let private = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----";
    for pem in ["", DEVICE, private, &"A".repeat(5000)] {
        assert_eq!(PublicKey::from_pem(pem), Err(KeyError::Unknown));
    }
    let shown = format!("{:?}", EcSigner::new(1).public());
    assert_eq!(shown, "PublicKey(ES256)");
}
