//! The function on Lambda.

fn main() -> std::process::ExitCode {
    shared::lambda::run::<delete_account::DeleteAccount>()
}
