//! The function on Lambda.

fn main() -> std::process::ExitCode {
    shared::lambda::run::<send_reset_link::SendResetLink>()
}
