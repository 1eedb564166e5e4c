//! The stack of one test, and the parts around its functions: proxies, and servers in place of
//! providers.

pub(crate) mod embedded;
mod folder;
mod forms;
mod gate;
pub(crate) mod open_files;
mod proxy;

/// The variables of all functions that do not depend on a deployment.
fn template_defaults() -> std::collections::BTreeMap<String, String> {
    local::Template::of_this_project().unwrap().defaults()
}

pub use embedded::{Embedded, FRONT_END, Item, dynamodb, items};
pub use folder::{Folder, Nowhere};
pub use forms::unrecorded;
pub use gate::{Fate, Gate, HeldCall};
pub use proxy::{Billed, Failure, Proxy};

/// Serves these routes on a free port while the test runs, and returns the base URL.
///
/// # Panics
/// There is no free port.
pub async fn serve(router: axum::Router) -> String {
    #[expect(clippy::expect_used, reason = "the test must fail without its server")]
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = listener.local_addr().map(|address| format!("http://{address}")).unwrap_or_default();
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// A port of this computer at which nobody listens, and that nobody else gets while this lives.
pub struct ClosedPort(tokio::net::TcpSocket);

impl ClosedPort {
    /// Takes a free port.
    ///
    /// # Errors
    /// There is none.
    pub fn take() -> std::io::Result<Self> {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.bind((std::net::Ipv4Addr::LOCALHOST, 0).into())?;
        Ok(Self(socket))
    }

    /// Its address.
    ///
    /// # Errors
    /// The system does not tell it.
    pub fn address(&self) -> std::io::Result<std::net::SocketAddr> {
        self.0.local_addr()
    }
}
