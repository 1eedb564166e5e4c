//! The functions that hash passwords, with the lowest cost that Argon2 allows (8 KiB, one pass). A measurement then
//! shows the rest of a call. `AWS_LAMBDA_FUNCTION_NAME` selects the function.

use std::process::ExitCode;

use shared::lambda::{Allocator, run_light};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

#[expect(clippy::disallowed_methods, reason = "this program is only measured and never deployed")]
fn main() -> ExitCode {
    match std::env::var("AWS_LAMBDA_FUNCTION_NAME").as_deref() {
        Ok("confirm") => run_light::<confirm::Confirm>(),
        Ok("login") => run_light::<login::Login>(),
        Ok("register") => run_light::<register::Register>(),
        Ok("reset-password") => run_light::<reset_password::ResetPassword>(),
        Ok("user-config") => run_light::<user_config::UserConfig>(),
        _ => {
            eprintln!("AWS_LAMBDA_FUNCTION_NAME must be confirm, login, register, reset-password or user-config");
            ExitCode::FAILURE
        }
    }
}
