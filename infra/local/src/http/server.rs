//! Servers on loopback, and their graceful shutdown.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};
use std::pin::Pin;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Binds `port` on loopback; 0 chooses a free port. Errors name the port's `setting`.
pub(crate) fn bind(port: u16, setting: &str) -> Result<TcpListener, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => {
            let other = port.checked_add(1).unwrap_or(port - 1);
            format!(
                "port {port} is already in use: stop what listens there, or choose another with \
                 {setting}={other} make dev"
            )
        }
        _ => format!("port {port} cannot be used ({error}): choose another with {setting}"),
    })?;
    listener.set_nonblocking(true).map_err(text)?;
    Ok(listener)
}

/// The URL of a listener.
pub(crate) fn url(listener: &TcpListener) -> Result<String, String> {
    Ok(format!("http://{}", listener.local_addr().map_err(text)?))
}

/// The port of a listener.
pub(crate) fn port(listener: &TcpListener) -> Result<u16, String> {
    Ok(listener.local_addr().map_err(text)?.port())
}

/// The URL of a port on loopback.
pub(crate) fn address(port: u16) -> String {
    format!("http://{}:{port}", Ipv4Addr::LOCALHOST)
}

/// The threads of the servers. Dropping them does not wait, because a runtime must not block on another one.
pub(crate) struct Threads(Option<Runtime>);

impl Threads {
    /// Starts the threads, and gives a handle to run tasks on them.
    pub(crate) fn start() -> Result<(Self, Handle), String> {
        let runtime = Builder::new_multi_thread().enable_all().thread_name("local").build().map_err(text)?;
        let handle = runtime.handle().clone();
        Ok((Self(Some(runtime)), handle))
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Resolves when the server has to stop.
pub(crate) type Stop = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A server in its own task.
pub(crate) struct Server {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Server {
    /// Runs `serve` with `listener` in the current runtime.
    pub(crate) fn start<F>(
        listener: TcpListener,
        serve: impl FnOnce(tokio::net::TcpListener, Stop) -> F,
    ) -> Result<Self, String>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(text)?;
        let (stop, stopped) = oneshot::channel();
        let stopped = Box::pin(async { stopped.await.unwrap_or_default() });
        Ok(Self { stop, task: tokio::spawn(serve(listener, stopped)) })
    }

    /// Stops accepting requests, and waits for the running ones.
    pub(crate) async fn stop(self) {
        drop(self.stop);
        drop(self.task.await);
    }
}

#[expect(clippy::needless_pass_by_value, reason = "map_err requires this signature")]
fn text(error: io::Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_a_used_port_names_its_setting() {
        let taken = bind(0, "PORT").expect("a port is free");
        let port = taken.local_addr().expect("it has an address").port();
        let error = bind(port, "PORT").expect_err("the port is taken");
        assert!(error.contains(&format!("port {port} is already in use")), "{error}");
        assert!(error.contains("with PORT="), "{error}");
    }
}
