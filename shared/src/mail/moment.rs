//! Times as users read them.

use time::{Month, OffsetDateTime};

use crate::system::clock::Timestamp;

/// A time in Spanish words, in UTC: `22 de noviembre de 2026, 18:06 (UTC)`. `None` after the year 9999.
pub(super) fn in_words(at: Timestamp) -> Option<String> {
    let at = OffsetDateTime::from_unix_timestamp(i64::try_from(at.seconds()).ok()?).ok()?;
    let (day, month, year) = (at.day(), month(at.month()), at.year());
    Some(format!("{day} de {month} de {year}, {:02}:{:02} (UTC)", at.hour(), at.minute()))
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
    fn a_time_is_written_in_spanish_words_and_utc() {
        for (seconds, words) in [
            (0, Some("1 de enero de 1970, 00:00 (UTC)")),
            (1_709_164_800, Some("29 de febrero de 2024, 00:00 (UTC)")),
            (1_795_370_760, Some("22 de noviembre de 2026, 18:06 (UTC)")),
            (1_798_761_599, Some("31 de diciembre de 2026, 23:59 (UTC)")),
            (253_402_300_799, Some("31 de diciembre de 9999, 23:59 (UTC)")),
            (253_402_300_800, None),
            (u64::MAX, None),
        ] {
            assert_eq!(in_words(Timestamp::from_seconds(seconds)).as_deref(), words, "{seconds}");
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
