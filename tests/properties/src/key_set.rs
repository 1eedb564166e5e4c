//! The identity provider's key, and the address of its key set.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::OnceLock;

use stand_ins::Signer;

/// The key. The seeds refer to it by its key id.
pub(crate) fn signer() -> &'static Signer {
    static SIGNER: OnceLock<Signer> = OnceLock::new();
    SIGNER.get_or_init(|| Signer::first().unwrap().named("k"))
}

/// Serves the key set until the process ends, and returns its URL.
pub(crate) fn publish() -> String {
    let keys = signer().key_set().to_string();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncache-control: max-age=86400\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{keys}",
        keys.len()
    );
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            // One read takes the whole of a request without a body.
            let _ = connection.read(&mut [0; 4096]);
            let _ = connection.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}/keys")
}
