//! The Lambda function.

shared::function!(captcha::Captcha);
