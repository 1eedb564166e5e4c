//! What `accounts doctor` finds in a deployment in AWS.

use super::recorded::Recorded;
use super::{found, results};

#[tokio::test]
async fn a_sound_deployment_has_no_findings() {
    let recorded = Recorded::sound().await;
    let run = recorded.doctor(&["--json"]).await;
    assert_eq!((run.code, found(&run)), (0, Vec::new()), "{run:?}");
    assert_eq!(results(&run).len(), 21, "{run:?}");
}

/// A call, a part of its answer, the text that replaces the part, and the check that reports it.
const CHANGES: [(&str, &str, &str, &str); 23] = [
    ("DescribeTable accounts-table", "NEW_AND_OLD_IMAGES", "KEYS_ONLY", "accounts-stream"),
    ("DescribeContinuousBackups accounts-table", "ENABLED\",\"Rec", "DISABLED\",\"Rec", "accounts-recovery"),
    ("DescribeContinuousBackups entries-table", "ENABLED\",\"Rec", "DISABLED\",\"Rec", "entries-recovery"),
    ("DescribeTable accounts-table", "ProtectionEnabled\":true", "ProtectionEnabled\":false", "accounts-protection"),
    ("DescribeTable entries-table", "ProtectionEnabled\":true", "ProtectionEnabled\":false", "entries-protection"),
    ("DescribeTable accounts-table", "profiles", "others", "accounts-index"),
    ("DescribeTimeToLive accounts-table", "ENABLED", "DISABLED", "accounts-expiry"),
    ("/v2/email/account", "AccessEnabled\":true", "AccessEnabled\":false", "mail-sandbox"),
    ("/v2/email/account", "SendingEnabled\":true", "SendingEnabled\":false", "mail-sending"),
    ("/v2/email/identities/example.com", "SUCCESS", "PENDING", "mail-dkim"),
    ("/v2/email/identities/example.com", "Status\":true", "Status\":false", "mail-identity"),
    (
        "ListSubscriptionsByTopic",
        "2DEF:4f1c",
        "2DEF:4f1c</SubscriptionArn></member><member><SubscriptionArn>PendingConfirmation",
        "alarm-receivers",
    ),
    (
        "ListSubscriptionsByTopic",
        "<SubscriptionArn>arn:aws:sns:eu-west-1:123456789012:accounts-Watching-1ABC-Alarms-2DEF:4f1c",
        "<SubscriptionArn>Deleted",
        "alarm-receivers",
    ),
    ("/2016-08-19/account-settings", "1000", "10", "function-quota"),
    ("DescribeLogGroups /aws/lambda/accounts", ",\"retentionInDays\":30", "", "log-retention"),
    ("/2015-03-31/event-source-mappings", "Enabled", "Disabled", "notices-source"),
    ("/2015-03-31/event-source-mappings", "accounts-notices", "others-notices", "notices-source"),
    ("/2015-03-31/event-source-mappings", "profile", "session", "notices-source"),
    ("/2015-03-31/event-source-mappings", ",\\\"erasure\\\"", "", "notices-source"),
    ("/2015-03-31/event-source-mappings", "DeadLetters-1A", "Others-2B", "notices-source"),
    ("/2015-03-31/event-source-mappings", "OnFailure", "OnSuccess", "notices-source"),
    ("GetQueueAttributes ", "\"0\"", "\"3\"", "notices-dead-letters"),
    ("/certs", "RSA", "EC", "google-keys"),
];

#[tokio::test]
async fn each_fault_of_a_deployment_is_the_only_problem_found() {
    for (call, part, by, check) in CHANGES {
        let run = Recorded::with(call, part, by).await.doctor(&["--json"]).await;
        assert_eq!((run.code, found(&run)), (2, vec![check.to_owned()]), "{run:?}");
        let finding = &results(&run)[check];
        assert_eq!(finding["result"], "problem");
        assert!(finding["next"].as_str().is_some_and(|next| !next.is_empty()), "{finding}");
    }
}

#[tokio::test]
async fn a_clock_that_differs_from_that_of_aws_is_reported() {
    let run = Recorded::dated("Thu, 01 Jan 2026 00:00:00 GMT").await.doctor(&["--json"]).await;
    assert_eq!((run.code, found(&run)), (2, vec!["clock".to_owned()]), "{run:?}");
}

#[tokio::test]
async fn a_check_that_cannot_run_is_no_problem_of_the_deployment_and_has_its_own_exit_code() {
    let recorded = Recorded::with("/v2/email/account", "{", "<").await;
    let run = recorded.doctor(&["--json"]).await;
    assert_eq!(
        (run.code, found(&run)),
        (1, ["mail-quota", "mail-sandbox", "mail-sending"].map(str::to_owned).to_vec())
    );
    assert_eq!(results(&run)["mail-quota"]["result"], "failed");
    assert!(run.err.contains("3 checks could not run"), "{run:?}");
}

#[tokio::test]
async fn a_stack_of_another_service_is_reported_with_the_output_that_it_lacks() {
    let recorded = Recorded::with("DescribeStacks", "AccountsTableName", "BucketName").await;
    let run = recorded.doctor(&[]).await;
    assert_eq!(run.code, 1);
    assert!(run.out.contains("failed   stack  The stack accounts has no AccountsTableName"), "{run:?}");
}

#[tokio::test]
async fn a_verified_address_of_a_domain_that_is_not_verified_can_send() {
    const DOMAIN: &str = "/v2/email/identities/example.com";
    for (status, result) in [("Status\":true", "ok"), ("Status\":false", "problem")] {
        let recorded = Recorded::with(DOMAIN, "Status\":true", "Status\":false").await;
        recorded.change(DOMAIN, "SUCCESS", "PENDING");
        recorded.copy(DOMAIN, "/v2/email/identities/no-reply%40example.com", "Status\":false", status);
        let run = recorded.doctor(&["--json"]).await;
        assert_eq!(results(&run)["mail-identity"]["result"], result, "{run:?}");
        let next = results(&run)["mail-dkim"]["next"].as_str().unwrap().to_owned();
        assert!(next.contains("--email-identity example.com"), "the advice does not name the domain's records: {next}");
    }
}

#[tokio::test]
async fn an_address_that_is_not_verified_is_verified_by_a_mail_to_it() {
    let recorded = Recorded::sound().await;
    recorded.rename("/v2/email/identities/example.com", "/v2/email/identities/no-reply%40example.com");
    recorded.change("/v2/email/identities/no-reply%40example.com", "Status\":true", "Status\":false");
    let finding = results(&recorded.doctor(&["--json"]).await)["mail-identity"].clone();
    assert!(
        finding["next"]
            .as_str()
            .unwrap()
            .contains("aws ses verify-email-identity --email-address no-reply@example.com"),
        "{finding}"
    );
}
