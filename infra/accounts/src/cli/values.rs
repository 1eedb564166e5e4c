//! The values of options, as operators type them.

use std::time::Duration;

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format as DateTimeFormat;
use shared::store::SESSION_ID_LENGTH;
use shared::system::clock::Timestamp;

/// The longest reason, in characters.
const REASON_MAX: usize = 500;

pub(super) fn reason(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > REASON_MAX {
        return Err(format!("write 1 to {REASON_MAX} characters"));
    }
    if text.contains(char::is_control) {
        return Err("write one line of text, without tabs and other control characters".to_owned());
    }
    Ok(text.to_owned())
}

pub(super) fn moment(text: &str) -> Result<Timestamp, String> {
    let moment = DateTime::from_str(text, DateTimeFormat::DateTime).ok();
    let seconds = moment.and_then(|moment| u64::try_from(moment.secs()).ok());
    seconds.map(Timestamp::from_seconds).ok_or_else(|| "write a time in UTC, such as 2026-11-20T17:30:00Z".to_owned())
}

pub(super) fn session(text: &str) -> Result<String, String> {
    let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if text.len() != SESSION_ID_LENGTH || !text.bytes().all(is_base64url) {
        return Err(format!("an id has {SESSION_ID_LENGTH} characters; `accounts sessions WHO` prints it"));
    }
    Ok(text.to_owned())
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "write a number and m, h or d, such as 24h".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let minutes: u64 = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        _ => return Err(wrong()),
    };
    let number: u64 = text.strip_suffix(unit).and_then(|number| number.parse().ok()).ok_or_else(wrong)?;
    number.checked_mul(minutes * 60).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_number_and_a_unit() {
        for (text, minutes) in [("90m", 90), ("24h", 24 * 60), ("7d", 7 * 24 * 60)] {
            assert_eq!(duration(text), Ok(Duration::from_mins(minutes)), "{text}");
        }
        for text in ["", "h", "24", "24s", "-1h", "1.5h", "h24", "1é", "99999999999999999999d", "9999999999999999999d"]
        {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_moment_is_a_time_in_utc() {
        assert_eq!(moment("2023-11-14T22:13:20Z"), Ok(Timestamp::from_seconds(1_700_000_000)));
        for text in ["", "2023-11-14", "2023-11-14 22:13:20", "2023-11-14T22:13:20+01:00", "1960-01-01T00:00:00Z"] {
            assert!(moment(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_reason_is_one_line_of_text() {
        assert_eq!(reason(" asked by the owner "), Ok("asked by the owner".to_owned()));
        assert!(reason(&"a".repeat(REASON_MAX)).is_ok());
        for text in ["", " \t", "two\nlines", "\u{1b}[31m", &"a".repeat(REASON_MAX + 1)] {
            assert!(reason(text).is_err(), "{text:?}");
        }
    }
}
