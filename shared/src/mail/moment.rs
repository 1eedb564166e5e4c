//! Times as users read them.

use time::{Month, OffsetDateTime};

use crate::system::clock::Timestamp;

/// The seconds of an hour.
const HOUR: i64 = 60 * 60;

/// A time in Spanish words, by the clocks of mainland Spain: `22 de noviembre de 2026, 19:06 (hora peninsular)`. No-break
/// spaces keep the words in brackets beside the hour. `None` after the year 9999.
pub(super) fn in_words(at: Timestamp) -> Option<String> {
    let utc = i64::try_from(at.seconds()).ok()?;
    let ahead = if is_summer_time(utc)? { 2 * HOUR } else { HOUR };
    let at = OffsetDateTime::from_unix_timestamp(utc + ahead).ok()?;
    let (day, month, year) = (at.day(), month(at.month()), at.year());
    Some(format!("{day} de {month} de {year}, {:02}:{:02}\u{a0}(hora\u{a0}peninsular)", at.hour(), at.minute()))
}

/// Whether summer time applies at a time in seconds since 1970. It begins on the last Sunday of March and ends on the last
/// Sunday of October, both at 01:00 UTC (Directive 2000/84/EC, articles 2 and 3).
fn is_summer_time(utc: i64) -> Option<bool> {
    // An hour earlier, the clocks change at midnight.
    let at = OffsetDateTime::from_unix_timestamp(utc - HOUR).ok()?;
    // Both months have 31 days, so their last Sunday is the first one from the 25th on.
    let has_changed = at.day() >= 25 + at.weekday().number_days_from_sunday();
    Some(match u8::from(at.month()) {
        3 => has_changed,
        10 => !has_changed,
        month => (4..=9).contains(&month),
    })
}

const fn month(month: Month) -> &'static str {
    match month {
        Month::January => "enero",
        Month::February => "febrero",
        Month::March => "marzo",
        Month::April => "abril",
        Month::May => "mayo",
        Month::June => "junio",
        Month::July => "julio",
        Month::August => "agosto",
        Month::September => "septiembre",
        Month::October => "octubre",
        Month::November => "noviembre",
        Month::December => "diciembre",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_in_spanish_words_by_the_clocks_of_mainland_spain() {
        for (seconds, words) in [
            (0, Some("1 de enero de 1970, 01:00")),
            (1_709_164_800, Some("29 de febrero de 2024, 01:00")),
            (1_795_370_760, Some("22 de noviembre de 2026, 19:06")),
            (1_798_757_999, Some("31 de diciembre de 2026, 23:59")),
            (1_798_758_000, Some("1 de enero de 2027, 00:00")),
            (253_402_297_199, Some("31 de diciembre de 9999, 23:59")),
            (253_402_297_200, None),
            (u64::MAX, None),
        ] {
            let words = words.map(|words| format!("{words}\u{a0}(hora\u{a0}peninsular)"));
            assert_eq!(in_words(Timestamp::from_seconds(seconds)), words, "{seconds}");
        }
    }

    #[test]
    fn summer_time_begins_and_ends_on_the_last_sunday_of_the_month_at_one_in_the_morning_utc() {
        // In these years, the last Sunday is the 31st, the 29th and the 25th of March, and the 27th, the 25th and the 28th
        // of October.
        for (year, begin, end) in [
            (2024, 1_711_846_800, 1_729_990_800),
            (2026, 1_774_746_000, 1_792_890_000),
            (2029, 1_869_094_800, 1_887_843_600),
        ] {
            for (seconds, time) in [(begin - 1, "01:59"), (begin, "03:00"), (end - 1, "02:59"), (end, "02:00")] {
                let words = in_words(Timestamp::from_seconds(seconds)).unwrap();
                assert!(words.contains(&format!(" de {year}, {time}\u{a0}")), "{words}");
            }
        }
    }

    #[test]
    fn every_month_has_its_spanish_name() {
        let names: Vec<String> = (0..12)
            .map(|month| in_words(Timestamp::from_seconds(1_767_225_600 + month * 2_629_800 + 86_400 * 5)).unwrap())
            .map(|words| words.split(' ').nth(2).unwrap().to_owned())
            .collect();
        let expected = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre";
        assert_eq!(names.join(" "), expected);
    }
}
