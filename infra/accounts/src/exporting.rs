//! `accounts export`: all accounts, in the format that `accounts import` reads.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;
use serde::Serialize;
use shared::password::StoredHash;
use shared::store::operator::{Profile, is_profile};

use crate::cli::{Export, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::output;
use crate::rate::Rate;
use crate::scan::Scan;

/// A line of the export.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    pub(crate) id: u64,
    email: &'a str,
    name: &'a str,
    url_image: &'a str,
    accept_news: u8,
    #[serde(skip_serializing_if = "Hash::is_left_out")]
    password: Hash<'a>,
    google_sub: Option<&'a str>,
    email_verified: u8,
    created_at: Option<String>,
    disabled_at: Option<String>,
    generation: u64,
}

/// The hash of a password.
#[derive(Serialize)]
#[serde(untagged)]
enum Hash<'a> {
    /// The export has no hashes.
    LeftOut,
    /// `null` for an account without a password.
    Of(Option<&'a str>),
}

impl Hash<'_> {
    fn is_left_out(&self) -> bool {
        matches!(self, Self::LeftOut)
    }
}

impl<'a> Line<'a> {
    pub(crate) fn of(profile: &'a Profile, with_hash: bool) -> Self {
        let account = &profile.account;
        Self {
            id: account.id,
            email: account.email.as_str(),
            name: &account.name,
            url_image: &account.url_image,
            accept_news: u8::from(account.accept_news),
            password: if with_hash {
                Hash::Of(account.password.as_ref().map(StoredHash::as_str))
            } else {
                Hash::LeftOut
            },
            google_sub: account.google_sub.as_deref(),
            email_verified: u8::from(account.email_verified),
            created_at: (profile.created_at > 0).then(|| rfc3339(profile.created_at)).flatten(),
            disabled_at: account.disabled_at.and_then(rfc3339),
            generation: account.generation,
        }
    }
}

/// A time in RFC 3339, in UTC.
pub(crate) fn rfc3339(seconds: u64) -> Option<String> {
    DateTime::from_secs(i64::try_from(seconds).ok()?).fmt(Format::DateTime).ok()
}

#[derive(Serialize)]
struct Summary {
    accounts: u64,
}

/// Exports all accounts.
pub(crate) async fn export(target: &Target, options: &Export) -> Result<Done, Failure> {
    let shown = options.file.display();
    let failed = |error: std::io::Error| Failure::Failed(format!("{shown} cannot be written: {error}"));
    let is_stdout = options.file == Path::new("-");
    let deployment = Deployment::of(target).await?;
    let out: Box<dyn Write> =
        if is_stdout { Box::new(std::io::stdout()) } else { Box::new(File::create(&options.file).map_err(failed)?) };
    let mut out = BufWriter::new(out);
    let rate = Rate::new(options.rate);
    let mut accounts = 0;
    let mut scan = Scan::of(&deployment.operator);
    while let Some(items) = scan.next().await? {
        for item in items.into_iter().filter(is_profile) {
            let profile = Profile::read(item)?;
            serde_json::to_writer(&mut out, &Line::of(&profile, options.with_hashes))
                .map_err(std::io::Error::from)
                .map_err(failed)?;
            out.write_all(b"\n").map_err(failed)?;
            accounts += 1;
        }
        rate.take(scan.units).await;
    }
    out.flush().map_err(failed)?;
    if is_stdout {
        output::note(&format!("{accounts} accounts"));
    } else {
        output::fields(target.json, &Summary { accounts })?;
    }
    Ok(Done::All)
}
