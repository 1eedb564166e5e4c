//! The stack of one test, and the parts around its functions: proxies, and servers in place of
//! providers.

pub(crate) mod embedded;
mod forms;
mod gate;
mod proxy;

use std::path::PathBuf;
use std::sync::{Arc, Once};
use std::{env, fs, process};

use local::{Data, Options};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use shared::log::Log;

/// The variables of all functions that do not depend on a deployment.
fn template_defaults() -> std::collections::BTreeMap<String, String> {
    local::Template::of_this_project().unwrap().defaults()
}

pub use embedded::{Embedded, FRONT_END, Item, dynamodb, items};
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

/// A log that drops its lines, so that they do not mix with the test runner's.
pub struct Nowhere;

impl Log for Nowhere {
    fn write(&self, _: &str) {}
}

/// A folder that is deleted at the end of the test.
pub struct Folder(pub PathBuf);

impl Folder {
    /// A folder of this name that no other process uses. It is not created yet.
    pub fn new(name: &str) -> Self {
        Self(env::temp_dir().join(format!("journeys-{}-{name}", process::id())))
    }

    /// The options of a stack that keeps its data there.
    pub fn options(&self) -> Options {
        Options { data: Data::Folder(self.0.clone()), log: Arc::new(Nowhere), ..Options::default() }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The number of open files that the tests may need. Hundreds of stacks run at the same time, each with some forty sockets:
/// at the peak, 8,600 were counted. Most systems allow a process 1,024 files (macOS 256), and let it raise this limit itself.
const OPEN_FILES: u64 = 16_384;

/// Raises the limit of open files, once for the process.
pub(crate) fn raise_limit_of_open_files() {
    static RAISED: Once = Once::new();
    RAISED.call_once(|| {
        let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return };
        let wanted = OPEN_FILES.min(hard);
        if soft < wanted {
            // If this fails, the limit stays, which the next check reports.
            let _ = setrlimit(Resource::RLIMIT_NOFILE, wanted, hard);
        }
        let limit = getrlimit(Resource::RLIMIT_NOFILE).map_or(soft, |(soft, _)| soft);
        if limit < OPEN_FILES {
            eprintln!(
                "The tests may need {OPEN_FILES} open files, and the limit is {limit}: raise it with `ulimit -n {OPEN_FILES}`"
            );
        }
    });
}
