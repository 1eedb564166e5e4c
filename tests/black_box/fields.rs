//! Valid and invalid values of the fields.

/// A valid password that a newly registered visitor does not have.
pub(crate) const NEW_PASSWORD: &str = "Nueva-Clave-2";

/// Invalid addresses.
pub(crate) const BAD_EMAILS: [&str; 10] = [
    "ana",
    "ana@example",
    "ana@@example.com",
    "\"ana\"@example.com",
    "ana@example.com,eva@example.com",
    "<ana@example.com>",
    "ana@example.com\0",
    "ana@example.com\r\nBcc: eva@example.com",
    "\u{212a}ana@example.com",
    "=?utf-8?q?eva=40example.org=3e?=@example.com",
];

/// Passwords that do not meet the policy: 7 code points, no uppercase letter, no digit.
pub(crate) const WEAK_PASSWORDS: [&str; 9] =
    ["", "Clave12", "Ñandú12", "A1😀😀😀😀😀", "contraseña1", "CONTRASEÑA", "Contraseña", "12345678", "        "];

/// Passwords that just meet the policy.
pub(crate) const JUST_STRONG_PASSWORDS: [&str; 5] = ["Clave123", "Ñandú123", "éxitoÉ07", "A1😀😀😀😀😀😀", "      A1"];

/// Accepted spellings of an address: other letter cases, and whitespace around it.
pub(crate) fn spellings(email: &str) -> [String; 5] {
    let upper = email.to_uppercase();
    let (first, rest) = email.split_at(1);
    let capital = format!("{}{rest}", first.to_uppercase());
    [email.to_owned(), upper.clone(), capital, format!("  {email}\t"), format!("\r\n{upper}\n")]
}

/// Names that are blank, or have control characters. A name of more than 200 code points is invalid too.
pub(crate) const BAD_NAMES: [&str; 7] = ["", " ", " \t\r\n ", "Ana\u{7}", "Ana\nGarcía", "A\0na", "Ana\u{85}García"];
