//! The checks of the mail service, SES.

use aws_sdk_sesv2::operation::get_account::GetAccountOutput;
use aws_sdk_sesv2::operation::get_email_identity::{GetEmailIdentityError, GetEmailIdentityOutput};
use aws_sdk_sesv2::types::{DkimAttributes, DkimStatus};

use super::clients::Clients;
use super::finding::Finding;

/// The used part of the daily quota that gives a warning.
const QUOTA_WARNING: f64 = 0.8;
/// How to make the sender's domain an identity.
const CREATE_IDENTITY: &str = "make deploy PARAMETERS=CreateMailIdentity=true";

/// The identity of the sender: its domain or its address, whichever is verified.
async fn identity(clients: &Clients, check: &'static str) -> Result<(String, GetEmailIdentityOutput), Finding> {
    let address = &clients.names.mail_from;
    let domain = address.rsplit('@').next().unwrap_or(address);
    let mut unverified = None;
    for name in [domain, address] {
        match clients.ses.get_email_identity().email_identity(name).send().await {
            Ok(identity) if identity.verified_for_sending_status() => return Ok((name.to_owned(), identity)),
            Ok(identity) => unverified = unverified.or(Some((name.to_owned(), identity))),
            Err(error) if error.as_service_error().is_some_and(GetEmailIdentityError::is_not_found_exception) => {}
            Err(error) => return Err(Finding::call_failed(check, "ses:GetEmailIdentity", &error)),
        }
    }
    unverified.ok_or_else(|| {
        Finding::problem(
            check,
            format!("SES knows neither {domain} nor {address}, so that it refuses all mails."),
            CREATE_IDENTITY,
        )
    })
}

/// How to verify an identity: by the DNS records of a domain, or by the mail to an address.
fn verify(clients: &Clients, name: &str) -> String {
    if name.contains('@') {
        return format!(
            "open the link in the mail from AWS to {name}; to get a new one: aws ses verify-email-identity \
             --email-address {name}"
        );
    }
    records(clients, name)
}

/// How to see the DNS records of the domain.
fn records(clients: &Clients, name: &str) -> String {
    format!(
        "publish the three CNAME records that this prints: aws sesv2 get-email-identity --email-identity {name} \
         --query DkimAttributes.Tokens (stack {})",
        clients.names.stack
    )
}

pub(super) async fn verified(clients: &Clients) -> Finding {
    const CHECK: &str = "mail-identity";
    match identity(clients, CHECK).await {
        Ok((name, identity)) if identity.verified_for_sending_status() => {
            Finding::ok(CHECK, format!("The sender's identity {name} is verified."))
        }
        Ok((name, _)) => Finding::problem(
            CHECK,
            format!("The sender's identity {name} is not verified, so that SES refuses all mails."),
            verify(clients, &name),
        ),
        Err(finding) => finding,
    }
}

pub(super) async fn dkim(clients: &Clients) -> Finding {
    const CHECK: &str = "mail-dkim";
    let (name, identity) = match identity(clients, CHECK).await {
        Ok(found) => found,
        Err(finding) => return finding,
    };
    let attributes = identity.dkim_attributes();
    match attributes.and_then(|attributes| attributes.status()) {
        Some(DkimStatus::Success) if attributes.is_some_and(DkimAttributes::signing_enabled) => {
            Finding::ok(CHECK, format!("The mails of {name} are signed with DKIM."))
        }
        Some(DkimStatus::Success) => Finding::problem(
            CHECK,
            format!("DKIM signing of {name} is off: receivers may refuse the mails."),
            format!("aws sesv2 put-email-identity-dkim-attributes --email-identity {name} --signing-enabled"),
        ),
        status => Finding::problem(
            CHECK,
            format!(
                "DKIM of {name} is not set up ({}): receivers may refuse the mails.",
                status.map_or("unknown", DkimStatus::as_str)
            ),
            match name.split_once('@') {
                Some((_, domain)) => {
                    format!("{CREATE_IDENTITY}; if SES knows {domain} already, {}", records(clients, domain))
                }
                None => records(clients, &name),
            },
        ),
    }
}

async fn account(clients: &Clients, check: &'static str) -> Result<GetAccountOutput, Finding> {
    let account = clients.ses.get_account().send().await;
    account.map_err(|error| Finding::call_failed(check, "ses:GetAccount", &error))
}

pub(super) async fn sending(clients: &Clients) -> Finding {
    const CHECK: &str = "mail-sending";
    let account = match account(clients, CHECK).await {
        Ok(account) => account,
        Err(finding) => return finding,
    };
    match (account.sending_enabled(), account.enforcement_status()) {
        (true, None | Some("HEALTHY")) => Finding::ok(CHECK, "SES sends mails, and the account is healthy."),
        (true, Some(status)) => Finding::warning(
            CHECK,
            format!("SES reviews the account ({status}) because of bounces or complaints."),
            "read the case in AWS Support, and the section Mails of infra/README.md",
        ),
        (false, _) => Finding::problem(
            CHECK,
            "SES has stopped sending for the account.",
            "aws sesv2 put-account-sending-attributes --sending-enabled, unless AWS has stopped it",
        ),
    }
}

pub(super) async fn sandbox(clients: &Clients) -> Finding {
    const CHECK: &str = "mail-sandbox";
    match account(clients, CHECK).await {
        Ok(account) if account.production_access_enabled() => Finding::ok(CHECK, "SES sends to every address."),
        Ok(_) => Finding::problem(
            CHECK,
            "SES is in its sandbox: it sends only to verified addresses.",
            "aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL --website-url URL \
             --use-case-description TEXT",
        ),
        Err(finding) => finding,
    }
}

pub(super) async fn quota(clients: &Clients) -> Finding {
    const CHECK: &str = "mail-quota";
    let account = match account(clients, CHECK).await {
        Ok(account) => account,
        Err(finding) => return finding,
    };
    let Some(quota) = account.send_quota() else {
        return Finding::failed(CHECK, "SES does not report its quota.", "try again");
    };
    let (sent, most) = (quota.sent_last24_hours(), quota.max24_hour_send());
    // -1 is no limit.
    if most < 0.0 {
        return Finding::ok(CHECK, format!("{sent:.0} mails in the last 24 hours; there is no limit."));
    }
    let text = format!("{sent:.0} of the {most:.0} mails allowed in 24 hours were sent.");
    let next = "ask for a higher quota: aws service-quotas list-service-quotas --service-code ses shows its code, then aws \
                service-quotas request-service-quota-increase --service-code ses --quota-code CODE --desired-value MAILS";
    if sent >= most {
        Finding::problem(CHECK, text, next)
    } else if sent >= QUOTA_WARNING * most {
        Finding::warning(CHECK, text, next)
    } else {
        Finding::ok(CHECK, text)
    }
}
