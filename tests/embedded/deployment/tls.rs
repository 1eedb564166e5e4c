//! The tests can run against a deployed service, whose URL begins with `https`.

use journeys::Service;
use tokio::net::TcpListener;

/// The first byte of a TLS handshake (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;

#[tokio::test]
async fn requests_to_an_https_address_use_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let service = Service::at(&format!("https://{}", listener.local_addr().unwrap()));
    let first = async {
        let (connection, _) = listener.accept().await.unwrap();
        let mut byte = [0];
        connection.peek(&mut byte).await.unwrap();
        byte[0]
    };
    tokio::select! {
        answer = service.request("POST", "/").send() => panic!("no connection was made: {answer:?}"),
        byte = first => assert_eq!(byte, HANDSHAKE),
    }
}
