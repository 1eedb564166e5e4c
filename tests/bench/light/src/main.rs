//! The functions that hash passwords, with the least that Argon2 takes (8 KiB, one pass), so that what is measured
//! is all the rest of a call. Lambda's name for the function says which one this process is.

use std::process::ExitCode;

use shared::lambda::{Allocator, run_light};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

#[expect(clippy::disallowed_methods, reason = "it is measured and never deployed")]
fn main() -> ExitCode {
    match std::env::var("AWS_LAMBDA_FUNCTION_NAME").as_deref() {
        Ok("login") => run_light::<login::Login>(),
        Ok("register") => run_light::<register::Register>(),
        Ok("reset-password") => run_light::<reset_password::ResetPassword>(),
        Ok("user-config") => run_light::<user_config::UserConfig>(),
        _ => {
            eprintln!("AWS_LAMBDA_FUNCTION_NAME must be login, register, reset-password or user-config");
            ExitCode::FAILURE
        }
    }
}
