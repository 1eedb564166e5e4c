//! The function on Lambda.

fn main() -> std::process::ExitCode {
    shared::lambda::run::<receive_data::ReceiveData>()
}
