//! The function on Lambda.

fn main() -> std::process::ExitCode {
    shared::lambda::run::<google_login::GoogleLogin>()
}
