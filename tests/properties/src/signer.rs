//! An identity provider: a key pair, signatures, and a server with the key set.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::OnceLock;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

/// The id of the key.
const KID: &str = "k";

/// The key pair. It is generated once, because generating one takes a while.
fn pair() -> &'static KeyPair {
    static PAIR: OnceLock<KeyPair> = OnceLock::new();
    PAIR.get_or_init(|| KeyPair::generate(KeySize::Rsa2048).unwrap())
}

/// The header of a valid credential.
pub(crate) fn header() -> String {
    json!({"alg": "RS256", "kid": KID}).to_string()
}

/// A signed credential with this header and payload.
pub(crate) fn signed(header: &[u8], payload: &[u8]) -> String {
    let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(payload));
    let mut signature = vec![0; pair().public_modulus_len()];
    pair().sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature).unwrap();
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// Serves the key set until the process ends, and gives its URL.
pub(crate) fn publish() -> String {
    let public = pair().public_key();
    let keys = json!({"keys": [{
        "kty": "RSA",
        "alg": "RS256",
        "use": "sig",
        "kid": KID,
        "n": URL_SAFE_NO_PAD.encode(public.modulus().big_endian_without_leading_zero()),
        "e": URL_SAFE_NO_PAD.encode(public.exponent().big_endian_without_leading_zero()),
    }]})
    .to_string();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncache-control: max-age=86400\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{keys}",
        keys.len()
    );
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            // One read is enough for a whole request without a body.
            let _ = connection.read(&mut [0; 4096]);
            let _ = connection.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}/keys")
}
